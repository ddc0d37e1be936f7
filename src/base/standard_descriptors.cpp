#include <skel/detail/base/standard_descriptors.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include <skel/detail/base/descriptor.hpp>

namespace skel {

void occupy_standard_descriptors() {
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
    if (::fcntl(number, F_GETFD) != -1 || errno != EBADF) continue;
    // A file that is opened gets the lowest number that is free. In this mode reading and writing fail as they did.
    int const mode = number == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (descriptor opened(::open("/dev/null", mode)); opened.number() == number) opened.release();
  }
}

}  // namespace skel
