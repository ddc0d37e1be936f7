#include "random_case.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "../support/dice.hpp"

namespace bench {
namespace {

using namespace skel;

double uniform(dice& random, double low, double high) {
  return low + (high - low) * static_cast<double>(random.bits() >> 11) * 0x1p-53;
}
double log_uniform(dice& random, double low, double high) {
  return std::exp(uniform(random, std::log(low), std::log(high)));
}

/// Latencies between clusters of a tree: each has a branch to its city, that one to its country, that one to the world.
class tree {
 public:
  tree(dice& random, std::size_t clusters, double scale) {
    std::size_t const countries = random.between(1, 4),
                      cities = random.between(countries, std::max<std::size_t>(countries, clusters / 3 + 1));
    for (std::size_t k = 0; k < countries; ++k) world_.push_back(scale * uniform(random, 50, 100));
    for (std::size_t k = 0; k < cities; ++k)
      country_.push_back(scale * uniform(random, 10, 50)), country_of_.push_back(random.below(countries));
    for (std::size_t k = 0; k < clusters; ++k)
      city_.push_back(scale * uniform(random, 1, 5)), city_of_.push_back(random.below(cities));
  }

  double sum(std::size_t a, std::size_t b) const {
    double way = city_[a] + city_[b];
    if (city_of_[a] == city_of_[b]) return way;
    way += country_[city_of_[a]] + country_[city_of_[b]];
    auto const x = country_of_[city_of_[a]], y = country_of_[city_of_[b]];
    return x == y ? way : way + world_[x] + world_[y];
  }
  double common(std::size_t a, std::size_t b) const {
    auto const x = city_of_[a], y = city_of_[b];
    if (x == y) return 2 * city_[0] / 5 + 1e-6 * static_cast<double>(x);
    if (country_of_[x] == country_of_[y]) return country_[country_of_[x]];
    return 2 * *std::ranges::max_element(world_) + *std::ranges::max_element(country_);
  }
  std::size_t country(std::size_t cluster) const { return country_of_[city_of_[cluster]] % 2; }

 private:
  std::vector<double> world_, country_, city_;
  std::vector<std::size_t> country_of_, city_of_;
};

}  // namespace

random_case draw_case(std::string_view kind, std::uint64_t seed, case_shape const& shape) {
  dice random(scatter(seed) ^ scatter(kind.size() * 131 + static_cast<unsigned char>(kind[0])));
  std::size_t const n = shape.clusters, phases = shape.phases > 0 ? shape.phases : random.between(1, 3);
  double const millisecond = 1e-3 * log_uniform(random, 0.01, 1);
  random_case made;
  auto& app = made.app;
  app.elements = std::floor(log_uniform(random, 1e4, 1e7));
  app.updates = random.between(0, 3), app.allreduces = random.between(0, 5);
  app.mode = random.one_in(2) ? record::update_mode::asynchronous : record::update_mode::synchronous;
  app.partition = random.one_in(2) ? record::mesh_shares::equal : record::mesh_shares::by_speed;
  app.phases.resize(phases);
  for (std::size_t j = 0; j < phases; ++j) {
    app.phases[j].name = "phase " + std::to_string(j);
    app.phases[j].overlaps_update = random.one_in(2);
  }
  bool const limited = shape.memory && random.one_in(3), uplinks = random.one_in(2), ports = random.one_in(2);
  if (limited) app.bytes_per_element = 600;
  std::vector<platform::cluster> clusters(n);
  std::array<double, 3> const alike{log_uniform(random, 1e-6, 1e-5), log_uniform(random, 1e-6, 1e-5),
                                    log_uniform(random, 1e-6, 1e-5)};
  double hosts = 0;
  for (std::size_t c = 0; c < n; ++c) {
    auto& one = clusters[c];
    one = {.name = "c" + std::to_string(c),
           .hosts = shape.alike ? 16 : random.between(1, 64),
           .speed = 1,
           .inside = {1e-4, ports && !shape.alike ? log_uniform(random, 1e7, 1e9) : 1.25e8}};
    if (uplinks) one.uplink = shape.alike ? 1.25e9 : log_uniform(random, 1e7, 1e10);
    hosts += static_cast<double>(one.hosts);
    for (std::size_t j = 0; j < phases; ++j)
      app.phases[j].seconds_per_element[one.name] =
          shape.alike ? alike[j % 3] : alike[j % 3] * uniform(random, 0.5, 1.5);
  }
  if (limited)
    for (auto& one : clusters) one.memory = log_uniform(random, 0.3, 10) * 600 * app.elements / hosts;
  if (shape.priced_hosts > 0) {
    double const first = hosts;
    hosts = 0;
    bool const whole = random.one_in(3);  // prices of which many are equal
    for (auto& one : clusters) {
      one.hosts = random.between(1, shape.priced_hosts), hosts += static_cast<double>(one.hosts);
      double const price = log_uniform(random, 0.2, 5);
      if (!random.one_in(8)) app.price_per_hour[one.name] = whole ? std::ceil(price) : price;
    }
    app.elements = std::ceil(app.elements * hosts / first);  // of as many a host
  }
  tree const of(random, n, millisecond);
  std::vector<std::pair<double, double>> points(n);
  for (auto& [x, y] : points) x = uniform(random, 0, 100), y = uniform(random, 0, 100);
  std::vector<platform::cluster_link> links;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a + 1; b < n; ++b) {
      double latency = 0;
      if (kind == "tree" || kind == "islands")
        latency = of.sum(a, b);
      else if (kind == "ultrametric")
        latency = of.common(a, b);
      else if (kind == "euclidean")
        latency = millisecond * std::hypot(points[a].first - points[b].first, points[a].second - points[b].second);
      else
        latency = millisecond * uniform(random, 1, 100);
      if (kind == "islands" && of.country(a) != of.country(b)) continue;
      if (shape.whole_latencies) latency = std::ceil(latency / millisecond) * 0.001;
      links.push_back({a, b, {latency, 1e9}, {}});
      links.push_back({b, a, {latency, 1e9}, {}});
    }
  made.machine = {0, std::move(clusters), std::move(links)};
  return made;
}

double price_of_all(cost::mesh::program const& of) {
  double all = 0;
  for (std::size_t c = 0; c < of.clusters(); ++c) all += of.price(c) * of.hosts(c);
  return all;
}

double least_within(cost::mesh::program const& of, double budget) {
  std::vector<std::size_t> taken(of.clusters());
  double least = std::numeric_limits<double>::infinity();
  while (true) {
    std::size_t c = 0;  // the next choice, as a number whose digits are hosts
    while (c < taken.size() && taken[c] == static_cast<std::size_t>(of.hosts(c))) taken[c++] = 0;
    if (c == taken.size()) return least;
    ++taken[c];
    std::vector<std::size_t> clusters, hosts;
    double price = 0;
    for (std::size_t k = 0; k < taken.size(); ++k)
      if (taken[k] > 0) {
        clusters.push_back(k), hosts.push_back(taken[k]);
        price += of.price(k) * static_cast<double>(taken[k]);
      }
    if (price <= budget * (1 + 1e-12)) least = std::min(least, cost::mesh::seconds_of(of, clusters, hosts));
  }
}

}  // namespace bench
