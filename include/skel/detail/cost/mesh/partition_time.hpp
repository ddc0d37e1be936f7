#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <skel/detail/cost/mesh/iteration_time.hpp>
#include <skel/detail/plan/partition.hpp>
#include <skel/detail/platform/description.hpp>
#include <skel/detail/platform/model_parameters.hpp>
#include <skel/detail/record/mesh_app.hpp>

namespace skel::cost::mesh {

/// Messages from a host to another one, as a program over a mesh sends them [s]. A message of m bytes is under way for
/// latency(m) + gap(m), and keeps its way busy for gap(m). These are L(m) and g(m) of pLogP if the platform has them.
/// Otherwise they are the path's latency and m / (u B), u the part of its bandwidth B that the program can use.
class message_path {
 public:
  message_path(platform::link const& path, double usable, std::optional<platform::plogp_parameters> measured = {})
      : path_(path), usable_(usable), measured_(std::move(measured)) {}

  double latency(double bytes) const { return measured_ ? measured_->latency(bytes) : path_.latency; }
  double gap(double bytes) const { return measured_ ? measured_->g(bytes) : bytes / (usable_ * path_.bandwidth); }
  double time(double bytes) const { return latency(bytes) + gap(bytes); }
  /// Of any size that was measured.
  double least_latency() const {
    if (!measured_) return path_.latency;
    double least = measured_->L;
    for (auto const& one : measured_->L_by_size.points()) least = std::min(least, one.y);
    return least;
  }
  /// The part of a bandwidth that messages get.
  double usable() const { return measured_ ? 1 : usable_; }

 private:
  platform::link path_;
  double usable_;
  std::optional<platform::plogp_parameters> measured_;
};

/// An all-reduce of a number [s], as the engine of programs over a mesh sends it: ranks hear the numbers of all others,
/// and combine them. Below plan::relays_pay_from each sends to each: the longest L(m), and one g(m) of a port for each
/// other rank. From there on (plan::relays_of()) a cluster of n ranks gathers in ceil(log2 n) steps; step k sends 2^k
/// heads. Then one rank of each sends these to each other cluster, and as many steps as before spread the new heads.
/// The time is the sum of L(m) + g(m) of the longest messages of these steps, of the last cluster. `paths`: from
/// cluster a to b, paths[a clusters + b]; `ranks`: of each cluster, one at least. O(clusters^2 + ranks log ranks).
double all_reduce_time(std::span<message_path const> paths, std::span<std::size_t const> ranks);

/// Hosts with one part of a mesh each, and their figures for the time of an iteration.
struct part_hosts {
  std::size_t phases = 0;
  std::vector<double> seconds;          ///< of weight 1 (an element, as a rule) in phase j on part p: [p phases + j]
  std::vector<double> most_cells;       ///< of each part: capacity of its memory
  std::vector<std::size_t> cluster_of;  ///< of each part, from 0, rising
  std::vector<message_path> paths;      ///< from a host of cluster a to one of b: [a clusters + b]
  std::vector<double> leaving;          ///< of each cluster: bandwidth of n parts to others, u min(B_C, n B_H) [B/s]
  double bytes = 0;                     ///< of an element in an update, s
  std::vector<double> port, uplink;    ///< of each cluster: s / (u B_H), s / (u min(B_C, n B_H)), u as the program says
  double latency = 0;                  ///< the largest one between two of the clusters [s]; infinite: no link
  double least_latency = 0;            ///< least wait of some part for an update, if the mesh hangs together [s]
  double all_reduce = 0;               ///< one [s]: all_reduce_time()
  double wait = 0;                     ///< of each update and all-reduce beside its messages [s] (shared_ranks)
  double updates = 0, allreduces = 0;  ///< of an iteration
  bool asynchronous = false, equal = false;  ///< updates; shares
  std::vector<char> overlaps;                ///< of each phase, 1 if asynchronous updates go on meanwhile, or 0

  std::size_t parts() const { return cluster_of.size(); }
  std::size_t clusters() const { return leaving.size(); }
  message_path const& path(std::size_t from, std::size_t to) const { return paths[from * clusters() + to]; }
};

/// The cluster of each part if all hosts of these clusters have one, in this order. O(hosts).
std::vector<std::size_t> all_hosts(platform::description const& machine, std::span<std::size_t const> clusters);

/// The times of parts on hosts of these clusters of the machine. Throws skel::error if a phase has no coefficient for a
/// cluster, skel::input_error if a block "plogp" of the machine has a fault. O(parts phases + clusters^2 + links +
/// parts log parts). Preconditions: there is one part at least, and those of a cluster follow each other.
part_hosts hosts_of_parts(platform::description const& machine, record::mesh_app const& app,
                          std::span<std::size_t const> cluster_of_part);

/// The time of an update of a partition [s].
struct update_time {
  std::vector<double> port;    ///< of each part: all that it sends, or all that it gets, through its host's port
  std::vector<double> uplink;  ///< of each cluster: the same of all its parts, from and to other clusters
  std::vector<double> comes;   ///< of each part: until it has got everything

  double last() const;  ///< of all parts
};

/// With m_qp the data from part q to p, an element to each part that has a neighbour of it, once:
///   Port p:     max of the sums of g(m_pq) and of g(m_qp) over its neighbours q, g inside the cluster.
///   Uplink c:   max of the data that leave and of those that come [B] / (u min(B_C, n B_H)).
///   Comes p:    max over q of L(m_qp) + max(port q, port p), and between clusters not less than
///               L(m_qp) + max(g(m_qp), uplink of q's, uplink of p's).
/// Messages share ports and uplinks, and pass all of them at once. O(neighbours log points).
update_time update_of(part_hosts const& on, plan::partition_figures const& counted);

/// An iteration of a partition [s]. Let w_pj be the weight of part p in phase j, and k the number of updates. Let o_p
/// be the sum of alpha_pj w_pj of the phases that overlap updates, times the part of its cells that are inner ones.
///   Phase j:    max_p alpha_pj w_pj.
///   All-reduce: all_reduce_time() + wait.
///   Update:     max_p comes_p + wait.
///   Hidden, if updates are asynchronous: k max_p comes_p - max_p max(0, k comes_p - o_p).
/// The `counted` figures have the phases as their constraints, and clusters as in `on`. Infinite if clusters have no
/// link to each other, or a part has more cells than fit. O(parts phases + neighbours log points).
iteration_time time_of(part_hosts const& on, plan::partition_figures const& counted);

/// Lower bound for partitions of a mesh that hangs together [s]: each phase is divided without rest, and updates
/// consist only of their waits. `all`: the weight of the mesh in each phase. O(parts phases).
double least_seconds(part_hosts const& on, std::span<double const> all);

/// The factors of the surface law, as a partition has them. Here betaH is the load of the fullest port, as faces of s
/// bytes, over (nt / ntH)^(2/3). Likewise betaC is of the fullest uplink, beyond the time of ports (0 of one cluster,
/// and if no uplink is fuller than the fullest port). With them cost::mesh::program predicts the updates of this
/// partition without latencies, if ports and uplinks are alike. Source: Caron, Klein and Perez, as
/// cost/mesh/iteration_time.hpp, section 2.3.
struct surface_factors {
  double host = 0, cluster = 0;
};
surface_factors fit_surface(part_hosts const& on, plan::partition_figures const& counted);

}  // namespace skel::cost::mesh
