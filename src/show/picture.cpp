#include "picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/number.hpp>

namespace skel {

namespace {

/// Of the scale, the part that is neither the ink of a light page nor the paper of it, nor those of a dark one.
constexpr double darkest = 0.2, lightest = 0.88;

/// Green's default of half a turn backwards for each third of the scale; ranks have less to do with each other.
constexpr double turns_of_loads = -1.5, turns_of_ranks = 1.5;

/// The first hue (0.5: between blue and red) and the strength of hues, by Green's defaults.
constexpr double first_hue = 0.5, strength = 1;

}  // namespace

std::string to_css(colour of) {
  return print("#%02x%02x%02x", of.red, of.green, of.blue);
}

colour cubehelix(double intensity, double turns) {
  double const grey = std::clamp(intensity, 0.0, 1.0), angle = 2 * std::numbers::pi * (first_hue / 3 + turns * grey),
               reach = strength * grey * (1 - grey) / 2;
  auto const mixed = [&](double by_cosine, double by_sine) {
    double const value = grey + reach * (by_cosine * std::cos(angle) + by_sine * std::sin(angle));
    return static_cast<std::uint8_t>(std::lround(255 * std::clamp(value, 0.0, 1.0)));
  };
  return {mixed(-0.14861, 1.78277), mixed(-0.29227, -0.90649), mixed(1.97294, 0)};
}

colour load_colour(double part) {
  return cubehelix(lightest - (lightest - darkest) * std::clamp(part, 0.0, 1.0), turns_of_loads);
}

colour rank_colour(std::size_t rank, std::size_t ranks) {
  SKEL_EXPECTS(rank < ranks);
  std::size_t const half = (ranks + 1) / 2, place = rank % 2 == 0 ? rank / 2 : half + rank / 2;
  double const part = ranks == 1 ? 0.5 : static_cast<double>(place) / static_cast<double>(ranks - 1);
  return cubehelix(darkest + (lightest - darkest) * part, turns_of_ranks);
}

namespace {

void put_number(std::string& to, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) to += static_cast<char>(value >> shift & 0xffU);
}

/// The check of a chunk: CRC-32 of ISO/IEC 15948, annex D, bit by bit through a table of bytes.
std::uint32_t crc_of(std::string const& bytes) {
  static auto const table = [] {
    std::array<std::uint32_t, 256> out{};
    for (std::uint32_t n = 0; n < out.size(); ++n) {
      out[n] = n;
      for (int bit = 0; bit < 8; ++bit) out[n] = (out[n] & 1U) != 0 ? 0xedb88320U ^ out[n] >> 1U : out[n] >> 1U;
    }
    return out;
  }();
  std::uint32_t crc = ~0U;
  for (char const c : bytes) crc = table[(crc ^ static_cast<std::uint8_t>(c)) & 0xffU] ^ crc >> 8U;
  return ~crc;
}

/// The check of a stream: Adler-32 (RFC 1950).
std::uint32_t adler_of(std::string const& bytes) {
  constexpr std::uint32_t largest_prime = 65521;
  std::uint32_t sum = 1, sums = 0;
  for (char const c : bytes) {
    sum = (sum + static_cast<std::uint8_t>(c)) % largest_prime;
    sums = (sums + sum) % largest_prime;
  }
  return sums << 16U | sum;
}

void put_chunk(std::string& to, std::string const& kind, std::string const& what) {
  put_number(to, static_cast<std::uint32_t>(what.size()));
  put_number(to += kind + what, crc_of(kind + what));
}

/// A stream as RFC 1950 has it, of blocks that are stored as they are (RFC 1951, 3.2.4).
std::string stored(std::string const& bytes) {
  constexpr std::size_t longest = 65535;
  std::string out("\x78\x01", 2);  // deflate, with a window of 32 KiB
  for (std::size_t at = 0; at < bytes.size(); at += longest) {
    auto const size = static_cast<std::uint16_t>(std::min(longest, bytes.size() - at));
    auto const opposite = static_cast<std::uint16_t>(~size);
    out += static_cast<char>(at + size == bytes.size() ? 1 : 0);  // the last one
    for (std::uint16_t const number : {size, opposite}) {
      out += static_cast<char>(number & 0xffU);
      out += static_cast<char>(number >> 8U);
    }
    out.append(bytes, at, size);
  }
  put_number(out, adler_of(bytes));
  return out;
}

}  // namespace

std::string to_png(indexed_image const& image) {
  SKEL_EXPECTS(!image.points.empty() && image.points.size() == image.width * image.height);
  SKEL_EXPECTS(!image.colours.empty() && image.colours.size() <= 256);
  std::string head, colours, rows;
  put_number(head, static_cast<std::uint32_t>(image.width));
  put_number(head, static_cast<std::uint32_t>(image.height));
  head += std::string("\x08\x03\0\0\0", 5);  // a byte for each point, an index; the only ways of the rest
  for (auto const& one : image.colours)
    for (auto const part : {one.red, one.green, one.blue}) colours += static_cast<char>(part);
  for (std::size_t y = 0; y < image.height; ++y) {
    rows += '\0';  // points are what they are, not differences
    for (std::size_t x = 0; x < image.width; ++x) rows += static_cast<char>(image.points[y * image.width + x]);
  }
  std::string out("\x89PNG\r\n\x1a\n", 8);
  put_chunk(out, "IHDR", head);
  put_chunk(out, "PLTE", colours);
  put_chunk(out, "tRNS", std::string(1, '\0'));
  put_chunk(out, "IDAT", stored(rows));
  put_chunk(out, "IEND", "");
  return out;
}

std::string in_base64(std::string const& bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::size_t const count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t three = 0;
    for (std::size_t i = 0; i < 3; ++i)
      three = three << 8U | (i < count ? static_cast<std::uint8_t>(bytes[at + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i) out += i <= count ? digits[three >> (18 - 6 * i) & 63U] : '=';
  }
  return out;
}

std::string png_address(indexed_image const& image) {
  return "data:image/png;base64," + in_base64(to_png(image));
}

}  // namespace skel
