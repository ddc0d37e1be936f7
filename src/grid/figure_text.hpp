#pragma once

#include <string>

#include <skel/detail/base/number.hpp>
#include <skel/detail/base/scaled.hpp>

namespace skel {

/// What a migration takes beside the way of its state: "78 us", "78 us and 1.2 ns/B".
std::string migration_price_text(double fixed, double per_byte);

/// How far something is from what was predicted, given as a multiple of it: "+3.4 %", and beyond a factor 10 either
/// way "x 8900 of what was predicted", with two digits.
std::string off_by(double ratio, char const* of = "of what was predicted");

/// A rate with three digits, per minute or hour where there is less than one in ten of the time before it.
std::string rated(double per_second, char const* things = "items");

}  // namespace skel
