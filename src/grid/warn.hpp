#pragma once

#include <cstdio>
#include <string>

namespace skel {

/// Tells the user on standard error.
inline void warn(std::string const& text) {
  std::fprintf(stderr, "skel: warning: %s\n", text.c_str());
}

}  // namespace skel
