#include <fcntl.h>

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include <skel/detail/base/descriptor.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/hash.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/platform/kept_entries.hpp>
#include <skel/detail/platform/kept_files.hpp>

namespace skel::platform {
namespace {

constexpr char const* date_format = "%Y-%m-%dT%H:%M:%SZ";

/// Over all names, each with its end: a name for a file, not a proof (readers compare the names).
std::uint64_t key_of(std::vector<std::string> const& names) {
  fnv1a hash;
  for (std::string const& name : names) hash.add(name).add(std::string_view("\n"));
  return hash.value();
}

/// The folder of files that are kept between runs.
std::optional<std::filesystem::path> cache_folder() {
  if (char const* const cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return std::filesystem::path(cache) / "skel";
  if (char const* const home = std::getenv("HOME"); home != nullptr && *home == '/')
    return std::filesystem::path(home) / ".cache" / "skel";
  return std::nullopt;
}

[[noreturn]] void fail(std::filesystem::path const& file, char const* doing) {
  throw error(file.string() + ": " + doing + ": " + std::generic_category().message(errno));
}

}  // namespace

std::string utc_now() {
  return date_text(time(nullptr));
}

std::string date_text(std::time_t moment) {
  tm fields{};
  gmtime_r(&moment, &fields);
  char text[32];
  strftime(text, sizeof text, date_format, &fields);
  return text;
}

std::optional<std::time_t> parse_date(std::string const& text) {
  tm fields{};
  char const* const end = strptime(text.c_str(), date_format, &fields);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return timegm(&fields);
}

namespace {

std::optional<std::filesystem::path> file_of_hosts(std::string const& kind,
                                                   std::vector<std::string> const& host_of_rank,
                                                   std::string const& suffix) {
  auto const folder = cache_folder();
  if (!folder) return std::nullopt;
  auto const key = print("-%016llx", static_cast<unsigned long long>(key_of(host_of_rank)));
  return *folder / (kind + key + suffix);
}

}  // namespace

std::optional<std::filesystem::path> default_snapshot_file(std::vector<std::string> hosts) {
  std::ranges::sort(hosts);
  return file_of_hosts("platform", hosts, ".json");
}

std::optional<std::filesystem::path> default_knowledge_file(std::vector<std::string> const& host_of_rank) {
  return file_of_hosts("knowledge", host_of_rank, ".txt");
}

std::optional<std::filesystem::path> kept_reduction_model_file() {
  auto const folder = cache_folder();
  if (!folder) return std::nullopt;
  return *folder / "reduction_model.json";
}

namespace {

/// As write_file; without `lasting`, what is written may be lost, or half of it, if the machine stops before the system
/// has written it: readers notice.
void write(std::filesystem::path const& file, std::string const& text, bool lasting) {
  std::error_code failure;
  std::filesystem::path target = std::filesystem::weakly_canonical(file, failure);  // behind symbolic links
  if (failure) target = file;
  auto const kind = std::filesystem::status(target, failure).type();
  bool const in_place = kind != std::filesystem::file_type::not_found && kind != std::filesystem::file_type::regular;
  std::string temporary = target.string() + ".XXXXXX";
  if (!in_place && target.has_parent_path()) {
    std::filesystem::create_directories(target.parent_path(), failure);
    if (failure) throw error(file.string() + ": its folder cannot be made: " + failure.message());
  }
  int const descriptor = in_place ? ::open(target.c_str(), O_WRONLY) : mkstemp(temporary.data());
  if (descriptor < 0) fail(file, "cannot be written");
  int code = write_all(descriptor, text);
  bool good = code == 0;
  if (good && !in_place) {
    good = (!lasting || fsync(descriptor) == 0) && fchmod(descriptor, 0644) == 0;
    code = errno;
  }
  if (::close(descriptor) != 0 && good) good = false, code = errno;
  if (good && !in_place && ::rename(temporary.c_str(), target.c_str()) != 0) good = false, code = errno;
  if (good) return;
  if (!in_place) ::unlink(temporary.c_str());
  throw error(why_not_written(file.string(), code));
}

}  // namespace

void write_file(std::filesystem::path const& file, std::string const& text) {
  write(file, text, true);
}

void write_cache(std::filesystem::path const& file, std::string const& text) {
  std::error_code failure;
  auto const kind = std::filesystem::symlink_status(file, failure).type();
  if (kind != std::filesystem::file_type::not_found && kind != std::filesystem::file_type::regular)
    throw error(file.string() +
                ": is no file, or a link to one, so nothing is written to it; remove it, or name another file");
  write(file, text, false);
}

void check_writable(std::filesystem::path const& file) {
  std::error_code failure;
  std::filesystem::path target = std::filesystem::weakly_canonical(file, failure);
  if (failure) target = file;
  auto const kind = std::filesystem::status(target, failure).type();
  if (kind == std::filesystem::file_type::directory) errno = EISDIR, fail(file, "cannot be written");
  if (kind != std::filesystem::file_type::not_found && kind != std::filesystem::file_type::regular) {
    int const descriptor = ::open(target.c_str(), O_WRONLY | O_NONBLOCK);
    if (descriptor < 0 && errno != ENXIO) fail(file, "cannot be written");  // ENXIO: a pipe without a reader yet
    if (descriptor >= 0) ::close(descriptor);
    return;
  }
  std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
  while (!std::filesystem::exists(folder, failure) && folder.has_relative_path()) folder = folder.parent_path();
  std::string temporary = (folder / ".skel.XXXXXX").string();
  int const descriptor = mkstemp(temporary.data());
  if (descriptor < 0) fail(file, "cannot be written");
  ::close(descriptor);
  ::unlink(temporary.c_str());
}

}  // namespace skel::platform
