#pragma once

#include <string>

namespace skel {

/// A time or a size with three digits and a prefix: "12.3 ms"; "-" for what is not more than 0.
std::string scaled(double value, char const* unit);

}  // namespace skel
