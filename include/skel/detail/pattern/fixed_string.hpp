#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace skel::skeletons {

/// A string literal as a template argument: skel::stage<"deflate">(f) carries its name in its type, so that compiler
/// messages say it.
template <std::size_t N>
struct fixed_string {
  char text[N]{};

  constexpr fixed_string(char const (&literal)[N]) { std::copy_n(literal, N, text); }
  std::string str() const { return std::string(text, N - 1); }
};

}  // namespace skel::skeletons
