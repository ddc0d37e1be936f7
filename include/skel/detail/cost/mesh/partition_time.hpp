#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <skel/detail/cost/mesh/iteration_time.hpp>
#include <skel/detail/plan/partition_figures.hpp>
#include <skel/detail/platform/description.hpp>
#include <skel/detail/record/mesh_app.hpp>

namespace skel::cost::mesh {

/// Hosts that have one part of a mesh each, as the time of an iteration depends on them.
struct part_hosts {
  std::size_t phases = 0;
  std::vector<double> seconds;          ///< of weight 1 (an element, as a rule) in phase j on part p: [p phases + j]
  std::vector<double> port;             ///< of each part: s / (u B_H) [s] a face
  std::vector<double> most_cells;       ///< of each part: those that its memory holds
  std::vector<std::size_t> cluster_of;  ///< of each part, from 0, rising
  std::vector<double> uplink;           ///< of each cluster: s / (u min(B_C, n B_H)) [s] a face, n its parts
  double latency = 0;                   ///< the largest one of two of the clusters [s]
  double updates = 0, allreduces = 0;   ///< of an iteration
  bool asynchronous = false, equal = false;  ///< updates; shares
  std::vector<char> overlaps;                ///< of each phase, whether asynchronous updates go on meanwhile: 0 or 1

  std::size_t parts() const { return port.size(); }
  std::size_t clusters() const { return uplink.size(); }
};

/// The cluster of each part where all hosts of these clusters have one, in this order. O(hosts).
std::vector<std::size_t> all_hosts(platform::description const& machine, std::span<std::size_t const> clusters);

/// What parts take that are on hosts of these clusters of the machine. Throws skel::error where a phase has no
/// coefficient for a cluster. O(parts phases + clusters^2 + links). Preconditions: there is one part at least, and
/// those of a cluster follow each other.
part_hosts hosts_of_parts(platform::description const& machine, record::mesh_app const& app,
                          std::span<std::size_t const> cluster_of_part);

/// An iteration of a partition [s]: the formula of cost::mesh::program, with faces that were counted in the place of
/// those of the surface law. With w_pj the weight of part p in phase j, f_p the faces that it shares with others, g_c
/// those of cluster c with other clusters:
///   phase j:    max_p alpha_pj w_pj
///   all-reduce: l
///   update:     l + max_c s g_c / (u min(B_C, n B_H)) + max_p s f_p / (u B_H)
/// `counted` has the phases as its constraints, and clusters as in `on`. Infinite where clusters have no link to each
/// other, or a part has more cells than fit. O(parts phases).
iteration_time time_of(part_hosts const& on, plan::partition_figures const& counted);

/// No partition takes less [s]: phases as if each were dealt without rest, and no faces. `all` is what the mesh weighs
/// in each phase. O(parts phases).
double least_seconds(part_hosts const& on, std::span<double const> all);

/// The factors of the surface law, as a partition has them: betaH = the most faces of a part / (nt / ntH)^(2/3), and
/// betaC alike by cluster (0 of one cluster). With them, cost::mesh::program predicts what this partition takes, where
/// ports and uplinks are alike and shares are as they should be. Source: Caron, Klein and Perez, as
/// cost/mesh/iteration_time.hpp, section 2.3.
struct surface_factors {
  double host = 0, cluster = 0;
};
surface_factors fit_surface(plan::partition_figures const& counted);

}  // namespace skel::cost::mesh
