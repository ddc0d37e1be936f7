#include <skel/detail/platform/mesh_platforms.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace skel::platform {
namespace {

/// Draws that are the same everywhere: the standard library's distributions are not.
class draws {
 public:
  draws(std::uint64_t seed, std::uint64_t number)
      : bits_(seed * 0x9E3779B97F4A7C15ULL + number * 0xBF58476D1CE4E5B9ULL + 1) {}

  double between(double low, double high) { return low + (high - low) * below_one(); }
  std::size_t whole(std::size_t low, std::size_t high) {
    return low + static_cast<std::size_t>(below_one() * static_cast<double>(high - low + 1));
  }

 private:
  double below_one() { return static_cast<double>(bits_() >> 11) * 0x1p-53; }

  std::mt19937_64 bits_;
};

/// The place of a cluster, and times of messages inside of its city and of its country [s].
struct place {
  std::size_t country = 0, city = 0;
  double in_city = 0, in_country = 0;
};

double latency(place const& a, place const& b, double in_world) {
  return a.city == b.city ? a.in_city : a.country == b.country ? a.in_country : in_world;
}

std::vector<place> draw_places(mesh_family family, draws& random) {
  bool const very = family == mesh_family::very_heterogeneous, near = family == mesh_family::near_homogeneous;
  std::vector<place> all;
  std::size_t const countries = very ? random.whole(1, 4) : near ? 1 : 2;
  for (std::size_t country = 0, city = 0; country < countries; ++country) {
    double const in_country = random.between(0.01, 0.05);
    std::size_t const cities = very ? random.whole(1, 10) : near ? 2 : 3;
    for (std::size_t k = 0; k < cities; ++k, ++city) {
      double const in_city = random.between(0.001, 0.005);
      std::size_t const clusters = very ? random.whole(1, 3) : near ? 4 : 2;
      for (std::size_t c = 0; c < clusters; ++c) all.push_back({country, city, in_city, in_country});
    }
  }
  return all;
}

}  // namespace

std::optional<mesh_family> mesh_family_of(std::string_view name) {
  auto const found = std::ranges::find(mesh_families, name);
  if (found == mesh_families.end()) return std::nullopt;
  return static_cast<mesh_family>(found - mesh_families.begin());
}

mesh_platform generate_mesh_platform(mesh_family family, std::uint64_t seed, std::uint64_t number) {
  constexpr double outer = 8.132e-6, inner = 2.198e-6;  // alpha - alphaU, alphaU of section 2.3.1 [s]
  constexpr double port = 1.25e8, uplink = 1.25e9;      // [B/s]
  constexpr double inside = 44e-6;                      // the paper's latency inside a cluster [s]
  draws random(seed, number);
  double const in_world = random.between(0.05, 0.1);
  auto const places = draw_places(family, random);
  bool const near = family == mesh_family::near_homogeneous;
  std::size_t const alike = random.whole(0, 1) == 0 ? 64 : 128;
  mesh_platform made;
  made.app.elements = 588245;
  made.app.phases = {{"outer", false, {}}, {"inner", true, {}}};
  std::vector<cluster> clusters;
  std::vector<cluster_link> links;
  for (std::size_t c = 0; c < places.size(); ++c) {
    bool const very = family == mesh_family::very_heterogeneous;
    std::size_t const hosts = near ? alike : very ? random.whole(8, 128) : random.whole(16, 64);
    double const factor = near ? 1 : random.between(0.8, 1.2);
    clusters.push_back(
        {.name = "c" + std::to_string(c),
         .hosts = hosts,
         .speed = 1 / ((outer + inner) * factor),
         .inside = {inside, port},
         .uplink = uplink,
         .parameters = {{"x_city", std::to_string(places[c].city)}, {"x_country", std::to_string(places[c].country)}}});
    made.app.phases[0].seconds_per_element[clusters[c].name] = outer * factor;
    made.app.phases[1].seconds_per_element[clusters[c].name] = inner * factor;
    for (std::size_t other = 0; other < places.size(); ++other)
      if (other != c) links.push_back({c, other, {latency(places[c], places[other], in_world), uplink}, {}});
  }
  made.machine = {0, std::move(clusters), std::move(links)};
  return made;
}

}  // namespace skel::platform
