#include "grid/random_grid.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace bench {
namespace {

/// The distributions of <random> may differ between standard libraries.
double log_uniform(std::mt19937_64& random, double low, double high) {
  double const unit = static_cast<double>(random() >> 11) * 0x1p-53;
  return low * std::pow(high / low, unit);
}

std::size_t uniform(std::mt19937_64& random, std::size_t low, std::size_t high) {
  return low + static_cast<std::size_t>(random() % (high - low + 1));
}

}  // namespace

skel::platform::description random_grid(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<skel::platform::cluster> clusters(uniform(random, 2, 12));
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    clusters[c].name = fmt::format("c{}", c);
    clusters[c].hosts = uniform(random, 2, 64);
    clusters[c].inside.latency = log_uniform(random, 20e-6, 200e-6);
    clusters[c].inside.bandwidth = log_uniform(random, 1e8, 1e10);
  }
  std::vector<skel::platform::cluster_link> links;
  for (std::size_t a = 0; a < clusters.size(); ++a)
    for (std::size_t b = a + 1; b < clusters.size(); ++b) {
      double const nearest = std::max(clusters[a].inside.latency, clusters[b].inside.latency);
      double const widest = std::min(clusters[a].inside.bandwidth, clusters[b].inside.bandwidth);
      skel::platform::link path;
      path.latency = log_uniform(random, nearest, 60e-3);
      path.bandwidth = log_uniform(random, 1e7, widest);
      links.push_back({.from = a, .to = b, .path = path});
      links.push_back({.from = b, .to = a, .path = path});
    }
  return {1e-6, std::move(clusters), std::move(links)};
}

}  // namespace bench
