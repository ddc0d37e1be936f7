#include <skel/detail/record/output_file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <skel/detail/base/output_file.hpp>

namespace skel::record {

bool can_be_written(std::string const& file) {
  int const descriptor = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0666);
  struct stat of {};
  return descriptor >= 0 && ::fstat(descriptor, &of) == 0 && ::close(descriptor) == 0 && !S_ISFIFO(of.st_mode);
}

void write_whole(std::string const& file, std::string_view text) {
  output_file to(file, output_file::target::anything);
  to.write(text);
  to.finish();
}

}  // namespace skel::record
