#pragma once
#include <string>

#include <skel/detail/base/error.hpp>

namespace skel::test {

/// What a call that is refused with this error says, or that it was not refused.
template <class Error = input_error>
std::string refusal_of(auto&& call) {
  try {
    call();
  } catch (Error const& refused) {
    return refused.what();
  }
  return "nothing was refused";
}

}  // namespace skel::test
