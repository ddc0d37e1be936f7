#pragma once

#include <set>
#include <string>

#include <skel/detail/base/shown.hpp>

namespace skel {

/// Tells the user on standard error.
inline void warn(std::string const& text) {
  tell_user("warning: " + text);
}

/// The same, once for a process.
inline void warn_once(std::string const& text) {
  static std::set<std::string> said;
  if (said.insert(text).second) warn(text);
}

/// A file that only tells about a run could not be written, for the reason of an error.
inline void warn_of_lost(std::string const& what, std::string const& why) {
  warn(why + " (" + what + " of the run, which is not disturbed)");
}

}  // namespace skel
