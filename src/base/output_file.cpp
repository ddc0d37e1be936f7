#include <skel/detail/base/output_file.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include <skel/detail/base/descriptor.hpp>
#include <skel/detail/base/error.hpp>

namespace skel {

namespace {

/// Bytes that are written at once: so many that system calls are cheap beside the writing [B].
constexpr std::size_t piece = std::size_t{1} << 20U;

/// True for a name of something that this process has open already, perhaps a file by another name.
bool means_descriptor(std::string_view name) {
  return name == "/dev/stdout" || name == "/dev/stderr" || name.starts_with("/dev/fd/") || name.starts_with("/proc/");
}

}  // namespace

output_file::output_file(std::filesystem::path file, target allowed) : file_(std::move(file)) {
  using std::filesystem::file_type;
  std::error_code failure;
  std::filesystem::path behind = std::filesystem::weakly_canonical(file_, failure);  // symbolic links
  if (failure) behind = file_;
  target_ = behind.string();
  auto const kind = std::filesystem::status(behind, failure).type();
  if (allowed == target::anything && (kind == file_type::character || means_descriptor(file_.native()))) {
    to_ = descriptor(::open(file_.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC));
    if (!to_) fail(errno);
    return;
  }
  if (kind != file_type::not_found && kind != file_type::regular && !failure)
    throw error(file_.string() + ": is a folder, a device or the like; give the name of a file");
  open_beside(allowed);
}

void output_file::open_beside(target allowed) {
  to_ = descriptor(open_new(target_ + ".writing-", 0666, beside_));
  if (to_) return;
  int const code = errno;
  beside_.clear();
  if (allowed == target::anything && (code == EACCES || code == EPERM))
    to_ = descriptor(::open(target_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  if (!to_) fail(code);
}

output_file::~output_file() {
  if (!beside_.empty()) ::unlink(beside_.c_str());
}

void output_file::fail(int code) const {
  throw error(why_not_written(file_.string(), code));
}

void output_file::write(std::string_view bytes) {
  waiting_.append(bytes);
  if (waiting_.size() >= piece) flush();
}

void output_file::flush() {
  if (int const code = write_all(to_.number(), waiting_); code != 0) fail(code);
  waiting_.clear();
}

void output_file::rename() {
  if (!beside_.empty() && ::rename(beside_.c_str(), target_.c_str()) != 0) fail(errno);
  beside_.clear();
}

void output_file::finish() {
  flush();
  if (!beside_.empty() && ::fdatasync(to_.number()) != 0) fail(errno);
  if (::close(to_.release()) != 0) fail(errno);
  rename();
}

descriptor output_file::give_name_now() {
  flush();
  rename();
  return std::move(to_);
}

}  // namespace skel
