#include "run_files.hpp"

#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/record/output_file.hpp>

#include "warn.hpp"

namespace skel {
namespace {

namespace fs = std::filesystem;

/// Those that this process has been told to write, however they were named, and whether one could not be.
std::map<fs::path, bool>& written() {
  static std::map<fs::path, bool> all;
  return all;
}
fs::path absolute_path(std::string const& name) {
  std::error_code unknown;
  auto const whole = fs::weakly_canonical(fs::absolute(name, unknown), unknown);  // also before there is such a file
  return whole.empty() ? fs::path(name) : whole;
}

/// Of a name that the user has not given, nothing but a file is written, and no link is followed.
bool is_free(std::string const& name, bool given) {
  std::error_code unknown;
  auto const type = fs::symlink_status(name, unknown).type();
  auto const ours = written().find(absolute_path(name));
  if (type == fs::file_type::not_found) return ours == written().end() || !ours->second;
  if (ours == written().end()) return given || type == fs::file_type::regular;
  return given && !fs::is_regular_file(name, unknown);
}

/// "run.html", "run-2.html", "run-3.html".
std::string numbered(fs::path const& name, std::size_t number) {
  return (name.parent_path() / (name.stem().string() + "-" + std::to_string(number) + name.extension().string()))
      .string();
}

/// The name that a file of this process gets next where this one is given.
std::string next_name(std::string const& name) {
  if (name.empty() || is_free(name, true)) return name;
  for (std::size_t number = 2; number < run_files::most; ++number)
    if (auto next = numbered(name, number); is_free(next, false)) return next;
  return numbered(name, run_files::most);
}

/// True if two names are of one file, which need not be there yet; devices may have several writers.
bool are_same(std::string const& one, std::string const& other) {
  std::error_code unknown;
  if (!fs::exists(one, unknown)) return absolute_path(one) == absolute_path(other);
  return fs::is_regular_file(one, unknown) && fs::equivalent(one, other, unknown);
}

/// Empty: it can be.
std::string why_not_written(std::string const& name, char const* option) {
  auto const why = name.empty() ? "" : record::why_not_opened(name, option);
  return why.empty() ? "" : name + ": " + why;
}
std::string why_not_written(std::vector<run_files::file> const& files) {
  for (auto const& one : files)
    if (auto why = why_not_written(one.name, one.option); !why.empty()) return why;
  for (auto one = files.begin(); one != files.end(); ++one)
    for (auto other = files.begin(); other != one; ++other)
      if (!one->name.empty() && !other->name.empty() && are_same(one->name, other->name))
        return one->name + ": " + other->option + " and " + one->option + " would write the same file; name two";
  return {};
}

}  // namespace

void run_files::begin_for_grid(std::string const& name, char const* what) {
  if (!written().try_emplace(absolute_path(name)).second && !is_free(name, true))
    warn_once(name + ": the " + what + " of an earlier grid of this program are replaced; name a file for each grid");
}

run_files::run_files(std::vector<file> files, runtime::communicator const& ranks) : files_(std::move(files)) {
  for (auto const& one : files_) given_.push_back(one.name);
  std::string refused, others;
  if (ranks.rank() == 0) {
    refused = why_not_written(files_);
    for (auto& one : files_) {
      if (!one.per_run || !refused.empty()) continue;
      std::string const next = next_name(one.name);
      if (next != one.name) {
        others += (others.empty() ? "" : ", ") + next + " has the " + one.what + " of this one";
        refused = why_not_written(next, one.option);
      }
      written()[absolute_path(one.name = next)] = false;
    }
  }
  try {
    refused = ranks.broadcast(refused);
    if (!refused.empty()) throw error(refused);
  } catch (...) {
    give_back();
    throw;
  }
  if (!others.empty()) tell_user("files of earlier runs stay: " + others);
}

void run_files::give_back() {
  for (std::size_t f = 0; f < files_.size(); ++f) {
    std::error_code unknown;
    if (files_[f].per_run && !fs::exists(files_[f].name, unknown)) written()[absolute_path(files_[f].name)] = true;
    files_[f].name = given_[f];
  }
}

}  // namespace skel
