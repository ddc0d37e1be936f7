#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "colour_scale.hpp"

namespace skel {

/// A picture of points that are one of 256 colours at most each. The first colour is seen through.
struct indexed_image {
  std::size_t width = 0, height = 0;
  std::vector<colour> colours;
  std::vector<std::uint8_t> points;  ///< from the upper left, row by row
};

/// As a file (Portable Network Graphics, ISO/IEC 15948:2003) that is not compressed: a byte for each point, and some
/// hundred. O(points). Precondition: it has points, as many as its size says, and 1 to 256 colours.
std::string to_png(indexed_image const& image);

/// Bytes as text that may stand in a page (base64, RFC 4648).
std::string in_base64(std::string const& bytes);

/// "data:image/png;base64,...": the picture as an address.
std::string png_address(indexed_image const& image);

}  // namespace skel
