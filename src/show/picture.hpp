#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace skel {

struct colour {
  std::uint8_t red = 0, green = 0, blue = 0;
  bool operator==(colour const&) const = default;
};

/// "#0a141e".
std::string to_css(colour of);

/// A colour whose grey has this intensity (0 to 1); its hue turns `turns` times from 0 to 1. So a scale is also read in
/// grey and by people who do not tell colours apart. Cubehelix: Green 2011, A colour scheme for the display of
/// astronomical intensity images, Bulletin of the Astronomical Society of India 39, 289-295, eq. 1 and 2.
colour cubehelix(double intensity, double turns);

/// How much of the most there is, `part` from 0 to 1: the more, the darker.
colour load_colour(double part);

/// The colour of a rank. Ranks that are neighbours by number differ by half of the scale, as most processes see them
/// side by side. Precondition: rank < ranks.
colour rank_colour(std::size_t rank, std::size_t ranks);

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
