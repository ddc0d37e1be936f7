#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/adapt/mesh_outlook.hpp>
#include <skel/detail/adapt/mesh_remapper.hpp>
#include <skel/detail/base/fields.hpp>
#include <skel/detail/base/piecewise_linear.hpp>
#include <skel/detail/cost/mesh/inside_time.hpp>
#include <skel/detail/grid/mesh_report.hpp>
#include <skel/detail/machine/rank_cores.hpp>
#include <skel/detail/machine/run_platform.hpp>
#include <skel/detail/mapping/decider.hpp>
#include <skel/detail/mapping/mesh_clusters_problem.hpp>
#include <skel/detail/pattern/face_neighbours.hpp>
#include <skel/detail/pattern/mesh.hpp>
#include <skel/detail/plan/partition.hpp>
#include <skel/detail/record/mesh_app.hpp>
#include <skel/detail/record/mesh_record.hpp>
#include <skel/detail/runtime/iteration/mesh_part.hpp>

#include "decision_store.hpp"

namespace skel {

/// A plan, with the rank of each element.
struct placed_mesh {
  mesh_plan plan{};
  std::vector<std::uint32_t> rank_of{};  ///< of each element
  std::vector<std::size_t> group_of{};   ///< of each rank: its cluster
  SKEL_FIELDS(plan, rank_of, group_of);
};

/// Clusters of ranks on which a program over a mesh may run.
struct mesh_clusters_of_ranks {
  platform::description machine{};
  std::vector<std::vector<int>> ranks{};           ///< of each cluster
  std::vector<cost::mesh::shared_ranks> shared{};  ///< of each cluster
  std::vector<piecewise_linear> measured_waits{};  ///< of each cluster: `shared` as it was before the run
};

/// Time of an update or an all-reduce on the first ranks of a cluster of a machine (runtime::iteration::time_steps()).
struct measured_steps {
  std::size_t cluster = 0;
  std::vector<int> ranks{};
  double seconds = 0;
  SKEL_FIELDS(cluster, ranks, seconds);
};

/// The steps to be measured: of each cluster on the first 2, 4, 8 ... ranks and all.
std::vector<measured_steps> steps_to_measure(machine_of_ranks const& where);

/// The costs of the ranks of a machine to each other.
struct mesh_rank_costs {
  std::vector<measured_steps> steps{};  ///< as far as there was time for them
  rank_cores cores{};
};

/// Decides on rank 0 how programs over a mesh run: a decider chooses the clusters that take part, and a partition the
/// rank of each element. Then the borders of the partition are counted, and clusters are chosen once more by the
/// counts, until the choice stays the same. Where ranks cost each other more than they compute, some of the ranks of
/// one cluster are chosen. The times of runs are learnt, and kept with the store.
class mesh_planner {
 public:
  explicit mesh_planner(std::shared_ptr<decision_store> store);
  ~mesh_planner();
  mesh_planner(mesh_planner const&) = delete;
  mesh_planner& operator=(mesh_planner const&) = delete;

  /// `outlook`: with the measured times of each step. If a rank has none, only the speed tells its host apart. Ranks on
  /// hosts that are to be left get no elements. `horizon`: the expected time of all iterations, if the program does not
  /// say their number [s]. Partitions take no more time than they may win in it. Throws skel::error if nothing fits in
  /// memory. The part has to live until the run is over. Precondition: the mesh has elements.
  placed_mesh place(runtime::iteration::mesh_part const& part, skel::mesh const& mesh, face_neighbours const& faces,
                    machine_of_ranks const& where, mesh_rank_costs costs, std::vector<std::string> const& hosts,
                    mesh_outlook outlook, double horizon);
  /// Looks after the program that was placed last, while it runs: may move its elements to any ranks, unless clusters
  /// are forced. Nothing if no elements can move. Refers to this.
  std::unique_ptr<mesh_remapper> remapper();
  /// The problem by which clusters were chosen for the program that was placed last, and its request; null before.
  mapping::mesh_clusters_problem const& problem() const { return clusters_.problem(); }
  mapping::mesh_clusters_request const* asked() const { return request_ ? &*request_ : nullptr; }
  /// Learns from the run that was placed last. `by`: looked after it, or null. If it ended on other ranks than those on
  /// which it began, the time of iterations before the first look counts.
  void observe(mesh_report const& of, mesh_remapper const* by);

 private:
  /// The data of a decision about clusters; requests point into it.
  struct question {
    mesh_clusters_of_ranks on;
    record::mesh_app app;
    std::optional<mapping::mesh_surfaces> counted{};

    void count(cost::mesh::part_hosts const& hosts, plan::partition_figures const& of);
  };

  mapping::mesh_clusters_request request(question const& of) const;
  mesh_clusters_of_ranks clusters_of(machine_of_ranks const& where, mesh_outlook const& outlook) const;
  std::vector<piecewise_linear::point> measured_waits(std::size_t cluster, platform::description const& machine,
                                                      std::size_t number) const;
  void correct_waits(mesh_ground const& now);
  std::optional<mesh_selection> select(mesh_outlook const& outlook, mesh_ground const& now,
                                       plan::partition_figures const& counted);

  std::shared_ptr<decision_store> store_;
  mapping::decider<mapping::mesh_clusters_problem> clusters_;
  // The program that was placed last.
  runtime::iteration::mesh_part const* part_ = nullptr;
  machine_of_ranks where_;
  mesh_rank_costs costs_;
  double waits_more_ = 0;  // for each rank of a cluster, than was measured before the run [s]
  std::optional<mesh_outlook> outlook_;
  plan::cell_graph graph_;
  std::vector<double> centres_;
  std::optional<mesh_standing> standing_;  // after place()
  double planning_ = 0;                    // that the last partition took [s]
  bool observes_ = false;                  // the run is on the clusters that counts decided
  question asked_;                         // for it
  std::optional<mapping::mesh_clusters_request> request_;
};

}  // namespace skel
