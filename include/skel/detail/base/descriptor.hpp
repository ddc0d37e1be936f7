#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <string_view>
#include <utility>

namespace skel {

/// A file descriptor, closed when its owner goes; less than 0: none.
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
  /// Gives the number to the caller, which must close it.
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

/// Opens /dev/null in place of a closed standard input, output or error, as under some daemons. Otherwise the next
/// opened file would get that number, and messages would go into the file. Reading and writing fail as before (EBADF),
/// so that a program still notices if it checks its output.
void occupy_standard_descriptors();

/// While it lives, this thread gets an error, EFBIG, if a file reaches the limit of the process (ulimit -f). Without it
/// the system ends the process by SIGXFSZ. Nothing changes for other threads, and so for users.
class size_limit_is_error {
 public:
  size_limit_is_error() noexcept;
  ~size_limit_is_error();
  size_limit_is_error(size_limit_is_error const&) = delete;
  size_limit_is_error& operator=(size_limit_is_error const&) = delete;

 private:
  sigset_t before_;
};

/// Writes all bytes to a descriptor. Returns 0 or errno, such as ENOSPC (full disk), EDQUOT (quota) or EFBIG (limit of
/// size, see above).
int write_all(int to, std::string_view bytes) noexcept;

/// The message of an error about a file that cannot be written: the reason by errno, and what to try.
std::string why_not_written(std::string const& file, int code);

/// Makes a new file with a name that begins so. It never opens an existing file, and follows no link. Returns the
/// descriptor and sets `name`, or returns -1 with errno.
int open_new(std::string const& begin, mode_t mode, std::string& name);

}  // namespace skel
