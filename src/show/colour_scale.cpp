#include "colour_scale.hpp"

#include <algorithm>
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

}  // namespace skel
