#include <skel/detail/platform/kept_entries.hpp>

#include <fcntl.h>

#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <system_error>
#include <thread>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/hash.hpp>
#include <skel/detail/base/input_file.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/platform/files.hpp>
#include <skel/detail/platform/kept_files.hpp>

namespace skel::platform {
namespace {

constexpr std::string_view first_line = "skel_knowledge 1";
/// How long a process waits for others that add.
constexpr std::chrono::seconds longest_wait{10};

std::string hex_of(std::uint64_t number) {
  return print("%016llx", static_cast<unsigned long long>(number));
}

/// Holds FILE.lock. The lock file stays: to remove it could take it from a process that waits for it.
class file_lock {
 public:
  explicit file_lock(std::filesystem::path const& file) {
    std::filesystem::path const name = file.string() + ".lock";
    std::error_code failure;
    if (name.has_parent_path()) std::filesystem::create_directories(name.parent_path(), failure);
    descriptor_ = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
    if (descriptor_ < 0) fail(name, "cannot be opened");
    auto const end = std::chrono::steady_clock::now() + longest_wait;
    while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      bool const held = errno == EWOULDBLOCK || errno == EINTR;
      if (held && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        continue;
      }
      int const code = errno;
      ::close(descriptor_);
      errno = code;
      fail(name, "cannot be locked");
    }
  }
  ~file_lock() { ::close(descriptor_); }
  file_lock(file_lock const&) = delete;
  file_lock& operator=(file_lock const&) = delete;

 private:
  [[noreturn]] static void fail(std::filesystem::path const& name, char const* doing) {
    throw error(name.string() + ": " + doing + ": " + std::generic_category().message(errno));
  }
  int descriptor_ = -1;
};

/// Takes a line off the front of a text; nothing where none is whole.
std::optional<std::string_view> next_line(std::string_view& text) {
  std::size_t const end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view const line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

bool begins_as_knowledge(std::string_view text) {
  return text.starts_with(first_line.substr(0, first_line.find(' ') + 1));
}

/// Names the kind of a text that is no knowledge of this version.
std::string what_it_is(std::string_view text) {
  std::string_view rest = text;
  auto const line = next_line(rest);
  std::string const expected = ", and not " + in_quotes(first_line);
  if (begins_as_knowledge(text)) return "is of another version: " + in_quotes(line.value_or(text)) + expected;
  constexpr std::string_view key = "\"skel_", decision = "{\"decision\":";
  if (text.starts_with(decision)) return "is no knowledge, but decisions (--skel-decisions)";
  if (auto const begin = text.find(key); text.starts_with('{') && begin != text.npos) {
    auto const kind = text.substr(begin + 1, text.find('"', begin + 1) - begin - 1);
    return "is no knowledge, but JSON of the kind " + in_quotes(kind) +
           (kind == "skel_platform" ? "; --skel-platform FILE takes a platform (SKEL_PLATFORM in front of MPI)" : "");
  }
  return "is no knowledge: " + in_quotes(line.value_or(text)) + expected;
}

/// True for knowledge that is damaged or of another version. That of other ranks is not: they want it back.
bool is_damaged(std::string_view text, std::string const& machine) {
  if (!begins_as_knowledge(text)) return false;
  auto rest = text;
  next_line(rest);
  auto const whose = next_line(rest);
  return !whose || !whose->starts_with("machine ") || *whose == "machine " + machine;
}

/// False if its owner has made the file read-only. It is replaced as a whole, and nothing else would prevent that.
bool is_writable(std::filesystem::path const& file) {
  std::error_code failure;
  auto const mode = std::filesystem::status(file, failure).permissions();
  return (mode & std::filesystem::perms::owner_write) != std::filesystem::perms::none &&
         ::access(file.c_str(), W_OK) == 0;
}

/// True if nothing is lost when a file gets this name.
bool is_free(std::filesystem::path const& file) {
  std::error_code failure;
  auto const type = std::filesystem::symlink_status(file, failure).type();
  if (type != std::filesystem::file_type::regular) return type == std::filesystem::file_type::not_found;
  try {
    return begins_as_knowledge(read_input(file, most_text_bytes));
  } catch (error const&) {
    return false;
  }
}

}  // namespace

std::string to_text(entries const& all, std::string const& machine) {
  SKEL_EXPECTS(machine.find('\n') == std::string::npos);
  std::string text(first_line);
  text += "\nmachine " + machine + '\n';
  for (auto const& [key, value] : all) {
    SKEL_EXPECTS(key.find_first_of("\t\n") == std::string::npos && value.find('\n') == std::string::npos);
    text += key + '\t' + value + '\n';
  }
  return text + "checksum " + hex_of(fnv1a().add(text).value()) + '\n';
}

entries parse_entries(std::string_view text, std::string const& machine, std::string const& source) {
  std::string_view rest = text;
  if (next_line(rest) != first_line) throw input_error(source, "line 1", what_it_is(text));
  std::size_t const last = text.size() < 2 ? std::string_view::npos : text.rfind('\n', text.size() - 2);
  std::string_view const body = text.substr(0, last == std::string_view::npos ? 0 : last + 1);
  if (text.substr(body.size()) != "checksum " + hex_of(fnv1a().add(body).value()) + '\n')
    throw input_error(source, "last line", "is not the checksum of what stands before it: the file is damaged");
  auto const whose = next_line(rest);
  if (whose != "machine " + machine)
    throw input_error(source, "line 2", "is of another machine, or of other ranks: " + in_quotes(whose.value_or("")));
  rest.remove_suffix(text.size() - body.size());
  entries all;
  for (std::size_t number = 3; auto const line = next_line(rest); ++number) {
    std::size_t const tab = line->find('\t');
    if (tab == std::string_view::npos)
      throw input_error(source, "line " + std::to_string(number), "has no tab between a key and a value");
    all.emplace_back(line->substr(0, tab), line->substr(tab + 1));
  }
  return all;
}

kept_entries::answer kept_entries::read() const {
  answer result;
  std::error_code failure;
  if (std::filesystem::symlink_status(file_, failure).type() == std::filesystem::file_type::not_found) return result;
  std::string text;
  try {
    text = read_input(file_, most_text_bytes, file_of::this_user);
    if (!text.empty()) result.found = parse_entries(text, machine_, file_.string());  // empty: only created so far
    result.is_usable = whose_ == place::cache || is_writable(file_);
    if (!result.is_usable) result.warning = file_.string() + ": is read-only; it is used, and nothing is added to it";
  } catch (error const& problem) {
    result.warning = problem.what();
    std::filesystem::path const aside = file_.string() + ".aside";
    bool const is_file = std::filesystem::symlink_status(file_, failure).type() ==
                         std::filesystem::file_type::regular;  // no link to one
    bool const may_move = whose_ == place::cache || (is_file && is_damaged(text, machine_) && is_free(aside));
    if (may_move) std::filesystem::rename(file_, aside, failure);
    bool const is_gone = failure == std::errc::no_such_file_or_directory;  // another process was quicker
    result.is_usable = may_move && (!failure || is_gone);
    if (result.is_usable)
      result.warning += "; it is put aside as " + aside.string() + ", and begun anew";
    else if (whose_ == place::cache)
      result.warning += "; it cannot be put aside as " + aside.string() + " (" + failure.message() +
                        "), and nothing is kept: remove both";
    else
      result.warning +=
          "; it stays as it is, and nothing is kept: name another file (--skel-knowledge FILE, SKEL_KNOWLEDGE), or "
          "none for the one that these ranks have in the cache";
  }
  return result;
}

std::string kept_entries::add(entries const& learnt) const {
  file_lock const lock(file_);
  auto [all, warning, is_usable] = read();
  if (!is_usable) throw error(warning);
  std::map<std::string_view, std::size_t> latest;
  for (std::size_t k = 0; k < learnt.size(); ++k) latest[learnt[k].first] = k;
  std::erase_if(all, [&](auto const& one) { return latest.contains(one.first); });
  for (std::size_t k = 0; k < learnt.size(); ++k)
    if (latest.at(learnt[k].first) == k) all.push_back(learnt[k]);
  std::size_t bytes = 0, kept = 0;
  while (kept < all.size()) {
    auto const& [key, value] = all[all.size() - 1 - kept];
    bytes += key.size() + value.size() + 2;
    if (bytes > most_bytes) break;
    ++kept;
  }
  all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(kept));
  write_cache(file_, to_text(all, machine_));
  return warning;
}

void kept_entries::expect_other(std::string const& option, std::string const& other) const {
  std::error_code failure;
  if (!other.empty() && std::filesystem::weakly_canonical(other, failure) == file_)
    throw error(other + ": is named as the file of knowledge and by " + option + ", which would replace it; name two");
}

opened_knowledge open_knowledge(std::vector<std::string> const& host_of_rank, std::string const& said,
                                bool is_measured) {
  std::string file = said;
  if (char const* const variable = std::getenv("SKEL_KNOWLEDGE"); file.empty() && variable != nullptr) file = variable;
  if (file == "off") return {};
  opened_knowledge out;
  bool const is_named = !file.empty();
  if (!is_measured) {
    if (is_named)
      out.warning = file +
                    ": nothing is read from it or kept in it, because the platform was not measured, and its figures "
                    "may differ from these hosts; leave the platform out, give one of 'skel probe', or keep nothing "
                    "(--skel-knowledge off, SKEL_KNOWLEDGE=off)";
    return out;
  }
  std::error_code failure;
  auto path = is_named ? std::filesystem::weakly_canonical(file, failure) : default_knowledge_file(host_of_rank);
  if (failure) path = file;
  if (!path) return out;
  std::string machine;
  for (auto const& host : host_of_rank) machine += (machine.empty() ? "" : " ") + host;
  kept_entries kept(*path, machine, is_named ? kept_entries::place::named : kept_entries::place::cache);
  auto found = kept.read();
  out.known = std::move(found.found), out.warning = std::move(found.warning);
  if (!found.is_usable) return out;
  if (is_named) try {
      check_writable(*path);  // the knowledge of a long run would be lost at its end
    } catch (error const& refused) {
      out.warning = std::string(refused.what()) + "; nothing is kept";
      return out;
    }
  out.kept = std::move(kept);
  return out;
}

}  // namespace skel::platform
