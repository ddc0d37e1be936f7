#include <skel/detail/base/tell_user.hpp>

#include <cstdio>

#include <skel/detail/base/shown.hpp>

namespace skel {

void tell_user(std::string_view text) {
  std::string const line = "skel: " + printable(text) + "\n";
  std::fputs(line.c_str(), stderr);
}

}  // namespace skel
