#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <skel/skel.hpp>

namespace bench {

/// What came of one case, on rank 0.
struct outcome {
  enum class kind { fine, not_reached, failed };
  kind what = kind::fine;
  std::string text;                    ///< what the case was, and what was wrong
  std::uint64_t items = 0, moves = 0;  ///< of its runs
};

/// How streams are that are moved all the time.
struct long_stream {
  std::size_t items = 200'000;  ///< of the cheapest programs; of others as much less as compositions have less of them
  double every = 5e-3;          ///< another plan comes [s]
};

/// Hosts that are near and equally fast, of 1 to 4 cores, one for each rank, so that the mapper spreads stages over all
/// of them and first items are measured by one worker or by several.
inline skel::run_settings on_near_hosts(std::size_t ranks) {
  std::vector<skel::platform::cluster> clusters;
  std::vector<skel::platform::cluster_link> links;
  skel::platform::link const near{1e-7, 1e11};
  for (std::size_t r = 0; r < ranks; ++r) {
    clusters.push_back({.name = "host" + std::to_string(r),
                        .hosts = 1,
                        .cores = 1 + (ranks + r) % 4,
                        .inside = near,
                        .local_latency = 1e-7});
    for (std::size_t other = 0; other < ranks; ++other)
      if (other != r) links.push_back({.from = r, .to = other, .path = near});
  }
  skel::run_settings settings;
  settings.platform = skel::platform::description(1e-7, clusters, links);
  settings.progress = false;
  return settings;
}

/// One case of a seed, on all ranks of the grid. Collective. The outcome is that of rank 0.
outcome run_composition(skel::grid& grid, std::uint64_t seed, std::optional<long_stream> const& moved = {});
outcome run_fault(skel::grid& grid, std::uint64_t seed);

}  // namespace bench
