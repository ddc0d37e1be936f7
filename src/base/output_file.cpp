#include <skel/detail/base/output_file.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include <skel/detail/base/error.hpp>

namespace skel {

namespace {

/// What is written at once: as much as makes the system's calls cheap beside what they write [B].
constexpr std::size_t piece = std::size_t{1} << 20U;

}  // namespace

output_file::output_file(std::filesystem::path file) : file_(std::move(file)) {
  std::error_code failure;
  std::filesystem::path target = std::filesystem::weakly_canonical(file_, failure);  // behind symbolic links
  if (failure) target = file_;
  auto const kind = std::filesystem::status(target, failure).type();
  if (kind != std::filesystem::file_type::not_found && kind != std::filesystem::file_type::regular && !failure)
    throw error(file_.string() + ": is a folder, a device or the like; give the name of a file");
  target_ = target.string();
  // Another process, of another host too, may be writing the same file; one that was killed may have left what it had.
  for (int k = 0; !to_; ++k) {
    beside_ = target_ + ".writing-" + std::to_string(::getpid()) + "-" + std::to_string(k);
    to_ = descriptor(::open(beside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!to_ && errno != EEXIST) {
      int const code = errno;
      beside_.clear();
      fail(code);
    }
  }
}

output_file::~output_file() {
  if (!beside_.empty()) ::unlink(beside_.c_str());
}

void output_file::fail(int code) const {
  bool const full = code == ENOSPC || code == EDQUOT || code == EFBIG;
  throw error(file_.string() + ": cannot be written: " + std::generic_category().message(code) +
              (full             ? "; make room, or write to another disk"
               : code == ENOENT ? "; make its folder first"
                                : ""));
}

void output_file::write(std::string_view bytes) {
  waiting_.append(bytes);
  if (waiting_.size() >= piece) flush();
}

void output_file::flush() {
  std::string_view left = waiting_;
  while (!left.empty()) {
    ssize_t const wrote = ::write(to_.number(), left.data(), left.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) fail(errno);
    left.remove_prefix(static_cast<std::size_t>(wrote));
  }
  waiting_.clear();
}

void output_file::finish() {
  flush();
  if (::fdatasync(to_.number()) != 0) fail(errno);
  if (::close(to_.release()) != 0) fail(errno);
  if (::rename(beside_.c_str(), target_.c_str()) != 0) fail(errno);
  beside_.clear();
}

}  // namespace skel
