#pragma once

#include <cstddef>
#include <string>
#include <vector>

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

/// As SVG that a page may take in, which then gives it its colours: clusters as boxes with a square for each host, and
/// links with their latencies, both directions as one, of which the longer counts. Where there are many, only those
/// have their latency beside them by which the nearest groups join. What is not drawn is told under the pointer. Any
/// text may be in it. O(clusters^2).
std::string grid_svg(selection_picture const& of);

/// As SVG: the time of the best set of each size, by each model.
std::string sizes_svg(selection_picture const& of);

/// Both, one above the other, as a file of its own.
std::string to_svg(selection_picture const& of);

}  // namespace skel::mapping
