#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <string_view>
#include <utility>

namespace skel {

/// A file descriptor that is closed when nobody has it any more; less than 0: none.
class descriptor {
 public:
  explicit descriptor(int number = -1) : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(other.release()) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  /// The number, which is the caller's now.
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

/// Opens /dev/null as each of standard input, output and error that is closed, as they are under some daemons. Without
/// it, the next file that anybody opens gets that number, and messages are written into the file. Reading and writing
/// fail as before (EBADF), so that a program that checks its output still notices.
void occupy_standard_descriptors();

/// While it lives, a file of this thread that reaches the limit of the process (ulimit -f) is an error, EFBIG. Without
/// it the system ends the process by SIGXFSZ. Writes of other threads, and so those of users, are as they were.
class size_limit_is_error {
 public:
  size_limit_is_error() noexcept;
  ~size_limit_is_error();
  size_limit_is_error(size_limit_is_error const&) = delete;
  size_limit_is_error& operator=(size_limit_is_error const&) = delete;

 private:
  sigset_t before_;
};

/// Writes all bytes to a descriptor. Returns 0, or errno of what went wrong: a full disk (ENOSPC), a quota (EDQUOT) or
/// a limit of size (EFBIG, see above) among others.
int write_all(int to, std::string_view bytes) noexcept;

/// That a file cannot be written, the reason by errno, and what to try, as the message of an error.
std::string why_not_written(std::string const& file, int code);

/// Makes a new file whose name begins so, whatever else is in the folder by now: it never opens a file
/// that is there, and follows no link. Returns the descriptor and sets `name`, or returns -1 with errno.
int open_new(std::string const& begin, mode_t mode, std::string& name);

}  // namespace skel
