#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include <skel/base/near_name.hpp>

#include "verbs.hpp"

namespace skel::tools {

/// Refuses a name that is none of those known: with the one that was probably meant, otherwise with all. `what`:
/// "model", "cluster of grid.json".
template <class Names>
[[noreturn]] void refuse_name(std::string const& option, std::string const& name, std::string const& what,
                              Names const& known) {
  std::string all;
  for (auto const& one : known) all += (all.empty() ? "" : ", ") + std::string(one);
  std::string const hint = did_you_mean(name, known);
  refuse_option(option, "'" + name + "' is no " + what + (hint.empty() ? "; one of " + all : hint));
}

/// A number of bytes: whole, and exact as a double.
inline std::uint64_t bytes_of(std::string const& option, double value, double least) {
  if (value > 0x1p53) refuse_option(option, fmt::format("is {}; at most 2^53 bytes can be counted exactly", value));
  if (!(value >= least) || value != std::floor(value))
    refuse_option(option, fmt::format("is {}; a whole number of bytes is wanted, {} or more", value, least));
  return static_cast<std::uint64_t>(value);
}

/// A time per byte of an operator, as it was given.
inline double gamma_of(std::string const& option, double value) {
  if (!std::isfinite(value) || value < 0) refuse_option(option, "is a time per byte in seconds per byte, 0 or more");
  return value;
}

}  // namespace skel::tools
