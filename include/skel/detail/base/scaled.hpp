#pragma once

#include <string>

namespace skel {

/// A time or a size with three digits and a prefix: "12.3 ms"; "-" for what is not more than 0.
std::string scaled(double value, char const* unit);

/// How far something is from what was predicted, given as a multiple of it: "+3.4 %", and beyond a factor 10 either
/// way "x 8900 of what was predicted", with two digits.
std::string off_by(double ratio, char const* of = "of what was predicted");

/// A rate with three digits, per minute or hour where there is less than one in ten of the time before it.
std::string rated(double per_second, char const* things = "items");

/// "12 %"; "-" for what is not finite.
std::string share_text(double share);

}  // namespace skel
