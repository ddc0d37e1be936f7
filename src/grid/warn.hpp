#pragma once

#include <string>

#include <skel/detail/base/tell_user.hpp>

namespace skel {

/// Tells the user on standard error.
inline void warn(std::string const& text) {
  tell_user("warning: " + text);
}

}  // namespace skel
