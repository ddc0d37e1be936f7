#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <skel/detail/base/chart.hpp>
#include <skel/detail/mapping/clusters_by_size.hpp>
#include <skel/detail/platform/description.hpp>

namespace skel::mapping {

/// What a model expects of sets of clusters.
struct sizes_by_model {
  std::string name{};
  std::vector<sized_clusters> best{};  ///< of each size, from one on
  double chosen = 0;                   ///< an iteration on the clusters that were chosen [s]
};

/// A grid, and which of its clusters were chosen for a program over a mesh.
struct selection_picture {
  platform::description machine{};
  std::vector<std::string> hosts{};           ///< what is said of each host; empty: their names
  std::vector<double> elements{};             ///< of each host
  std::vector<double> seconds_per_element{};  ///< of each cluster, in all phases [s]
  std::vector<std::size_t> chosen{};          ///< rising
  std::vector<sizes_by_model> models{};
};

/// Clusters that are drawn at the most: first those that were chosen, then the others in their order.
inline constexpr std::size_t most_drawn_clusters = 16;

/// Clusters as boxes with a square for each host, and links with their latencies: both directions as one, of which the
/// longer counts. If there are many, only those links by which the nearest groups join have their latency beside them.
/// Any text may be in it. O(clusters^2).
drawing grid_drawing(selection_picture const& of);

/// The time of the best set of each size, by each model.
chart sizes_chart(selection_picture const& of);

}  // namespace skel::mapping
