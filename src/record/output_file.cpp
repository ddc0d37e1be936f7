#include <skel/detail/record/output_file.hpp>

#include <cerrno>
#include <cmath>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <skel/detail/base/descriptor.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/output_file.hpp>
#include <skel/detail/base/shown.hpp>

namespace skel::record {

std::string why_not_opened(std::string const& file, std::string const& option) {
  struct stat of {};
  if (::stat(file.c_str(), &of) == 0 && S_ISFIFO(of.st_mode)) return "is a pipe; give " + option + " a file";
  constexpr int how = O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC;
  descriptor to(::open(file.c_str(), how | O_EXCL, 0666));
  if (to)
    ::unlink(file.c_str());
  else if (errno == EEXIST)
    to = descriptor(::open(file.c_str(), how, 0666));
  if (to) return {};
  int const why = errno;
  return "cannot be opened for writing: " + std::generic_category().message(why) + "; give " + option + " a file " +
         (why == ENOENT || why == ENOTDIR ? "in a folder that exists" : "that can be written");
}

void write_whole(std::string const& file, std::string_view text) {
  output_file to(file, output_file::target::anything);
  to.write(text);
  to.finish();
}

std::string in_json(std::string_view text) {
  if (first_not_utf8(text)) return in_json(printable(text));
  std::string out = "\"";
  for (char const c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out += print("\\u%04x", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

std::string in_json(double number) {
  return std::isfinite(number) ? exact(number) : "null";
}

}  // namespace skel::record
