#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/cost/mesh/iteration_time.hpp>
#include <skel/detail/cost/mesh/partition_time.hpp>
#include <skel/detail/mapping/mesh_clusters_problem.hpp>
#include <skel/detail/mapping/partition_choice.hpp>

#include "mesh_grid/grid_case.hpp"
#include "mesh_grid/job.hpp"

namespace bench {

using cluster_set = std::vector<std::size_t>;  // rising

/// An iteration on some clusters, as it is predicted [s].
struct predictions {
  double paper = 0;                            ///< cost::mesh::program, with the surfaces that the program says
  skel::cost::mesh::iteration_time counted{};  ///< of the partition, by what is counted in it
};

/// A partition of the mesh over some clusters: an iteration with it [s], as it is counted, and in the simulator.
struct compared_partition {
  std::string method;
  double counted = 0, simulated = 0;
  std::string fault{};  ///< why there is none; empty as a rule
};

struct trial_settings {
  std::size_t iterations = 6;
  /// What a partition is expected to last for [iterations]: methods that take longer than they may win are left out.
  double lasts = 1000;
  std::chrono::duration<double> time_limit{600};
  std::vector<std::string> simulator{};  ///< of SimGrid, NAME:VALUE, behind its own
};

/// A program over a mesh on a grid: which clusters it is to run on, what that takes by the models, and what it takes in
/// the simulator. Virtual times: the same whenever it is repeated.
class trial {
 public:
  trial(grid_case const& of, grid_mesh const& mesh, trial_settings settings);

  /// The clusters that grid.run() would choose by these figures, if it had learnt nothing: by the paper's model, then
  /// again by that with the surfaces of the partition on these clusters, until they stay.
  cluster_set const& chosen() const { return chosen_; }
  std::size_t corrections() const { return corrections_; }

  /// By the figures of the case, or of the machine as its file has them.
  predictions predict(cluster_set const& on, bool as_written = false);
  /// Starts the simulator once.
  std::vector<variant_times> run(cluster_set const& on, std::vector<mesh_variant> variants);
  /// What each method makes with 3 % of imbalance, and what skel chooses, the last: the simulator is started once for
  /// each.
  std::vector<compared_partition> compare_partitions(cluster_set const& on, mesh_variant variant);
  /// The share of elements, on the rank that has the least of them, that need no ghosts.
  double least_inner(cluster_set const& on);

 private:
  skel::cost::mesh::part_hosts hosts_of(skel::platform::description const& machine, cluster_set const& on) const;
  skel::mapping::partition_choice const& parted(cluster_set const& on);
  std::vector<variant_times> run(cluster_set const& on, std::vector<std::uint32_t> const& rank_of,
                                 std::vector<mesh_variant> variants);
  void choose();

  grid_case const& of_;
  grid_mesh const& mesh_;
  trial_settings settings_;
  std::map<cluster_set, skel::mapping::partition_choice> partitions_;
  cluster_set chosen_;
  std::size_t corrections_ = 0;
};

}  // namespace bench
