#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <skel/detail/base/chart.hpp>
#include <skel/detail/mapping/cluster_selection.hpp>
#include <skel/detail/platform/description.hpp>

namespace skel::mapping {

/// A model's expectations for sets of clusters.
struct sizes_by_model {
  std::string name{};
  std::vector<sized_clusters> best{};  ///< of each size, from one on
  double chosen = 0;                   ///< an iteration on the chosen clusters [s]
};

/// A grid, and the clusters that were chosen for a program over a mesh.
struct selection_picture {
  platform::description machine{};
  std::vector<std::string> hosts{};           ///< text of each host; empty: their names
  std::vector<double> elements{};             ///< of each host
  std::vector<double> seconds_per_element{};  ///< of each cluster, in all phases [s]
  std::vector<std::size_t> chosen{};          ///< rising
  std::vector<sizes_by_model> models{};
};

/// Most clusters that are drawn: first the chosen ones, then the others in their order.
inline constexpr std::size_t most_drawn_clusters = 16;

/// Clusters as boxes with a square for each host, and links with their latencies. Both directions are one link, with
/// the longer latency. If there are many, only links that join the nearest groups show their latency. Any text may be
/// in it. O(clusters^2).
drawing grid_drawing(selection_picture const& of);

/// The time of the best set of each size, by each model.
chart sizes_chart(selection_picture const& of);

}  // namespace skel::mapping
