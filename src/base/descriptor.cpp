#include <skel/detail/base/descriptor.hpp>

#include <fcntl.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace skel {
namespace {

sigset_t size_signal() noexcept {
  sigset_t out;
  sigemptyset(&out);
  sigaddset(&out, SIGXFSZ);
  return out;
}

}  // namespace

size_limit_is_error::size_limit_is_error() noexcept {
  auto const signal = size_signal();
  ::pthread_sigmask(SIG_BLOCK, &signal, &before_);
}

/// The system sends it to the thread that writes: it waits for this thread, and for nobody else.
size_limit_is_error::~size_limit_is_error() {
  if (sigismember(&before_, SIGXFSZ) == 1) return;  // the program has blocked it, and wants to have it
  int const code = errno;
  auto const signal = size_signal();
  timespec const at_once{};
  while (::sigtimedwait(&signal, nullptr, &at_once) > 0) {
  }
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  errno = code;
}

int write_all(int to, std::string_view bytes) noexcept {
  size_limit_is_error const guard;
  while (!bytes.empty()) {
    ssize_t const wrote = ::write(to, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return 0;
}

std::string why_not_written(std::string const& file, int code) {
  std::string text = file + ": cannot be written: " + std::generic_category().message(code);
  if (code == EFBIG) return text + "; raise the limit of the size of files (ulimit -f), or write less";
  if (code == ENOSPC || code == EDQUOT) return text + "; make room, or write to another disk";
  return code == ENOENT ? text + "; make its folder first" : text;
}

int open_new(std::string const& begin, mode_t mode, std::string& name) {
  // Another process, of another host too, may be writing the same file; one that was killed may have left what it had.
  for (int k = 0;; ++k) {
    name = begin + std::to_string(::getpid()) + "-" + std::to_string(k);
    int const made = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (made >= 0 || errno != EEXIST) return made;
  }
}

void occupy_standard_descriptors() {
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
    if (::fcntl(number, F_GETFD) != -1 || errno != EBADF) continue;
    // A file that is opened gets the lowest number that is free. In this mode reading and writing fail as they did.
    int const mode = number == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (descriptor opened(::open("/dev/null", mode)); opened.number() == number) opened.release();
  }
}

}  // namespace skel
