#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <system_error>

#include <skel/detail/base/descriptor.hpp>
#include <skel/detail/runtime/ranks/run_watch.hpp>

namespace skel::test {

/// While it lives, skel interrupts functions of this process that its runs wait for. A signal has asked no run to end.
class watched_process {
 public:
  ~watched_process() { runtime::forget_interrupt(); }

 private:
  std::shared_ptr<runtime::run_watch> const watch_ = runtime::run_watch::of_process(0, {{"here", ::getpid()}});
};

/// Reads a pipe that nobody writes to. Throws std::system_error when the system says that it was interrupted.
inline void read_for_ever() {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  descriptor const from(ends[0]), to(ends[1]);
  char byte = 0;
  if (::read(from.number(), &byte, 1) < 0) throw std::system_error(errno, std::generic_category(), "read");
}

}  // namespace skel::test
