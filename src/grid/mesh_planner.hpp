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
#include <skel/detail/machine/machine_of_ranks.hpp>
#include <skel/detail/machine/rank_cores.hpp>
#include <skel/detail/mapping/decider.hpp>
#include <skel/detail/mapping/mesh_clusters_problem.hpp>
#include <skel/detail/pattern/face_neighbours.hpp>
#include <skel/detail/pattern/mesh.hpp>
#include <skel/detail/plan/cell_graph.hpp>
#include <skel/detail/record/mesh_app.hpp>
#include <skel/detail/record/mesh_record.hpp>
#include <skel/detail/runtime/iteration/mesh_part.hpp>

#include "decision_store.hpp"

namespace skel {

/// A plan, with who computes each element.
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

/// What an update or an all-reduce takes on the first ranks of a cluster of a machine
/// (runtime::iteration::time_steps()).
struct measured_steps {
  std::size_t cluster = 0;
  std::vector<int> ranks{};
  double seconds = 0;
  SKEL_FIELDS(cluster, ranks, seconds);
};

/// What is to be measured: of each cluster the first 2, 4, 8 ... ranks and all.
std::vector<measured_steps> steps_to_measure(machine_of_ranks const& where);

/// What the ranks of a machine cost each other.
struct mesh_rank_costs {
  std::vector<measured_steps> steps{};  ///< as far as there was time for them
  rank_cores cores{};
};

/// Decides on rank 0 how programs over a mesh run: which clusters take part, by a decider, and who has which elements.
/// After a partition its borders are counted, and clusters are chosen once more by what was counted, as long as others
/// are chosen then. Where ranks cost each other more than they compute, some of the ranks of one cluster are chosen.
/// What runs take is learnt, and kept with the store.
class mesh_planner {
 public:
  explicit mesh_planner(std::shared_ptr<decision_store> store);
  ~mesh_planner();
  mesh_planner(mesh_planner const&) = delete;
  mesh_planner& operator=(mesh_planner const&) = delete;

  /// `outlook`: with what each step was measured to take; of ranks where it could not be, hosts are told apart by their
  /// speeds. Ranks on hosts that are to be left get no elements. `horizon`: how long the program is expected to
  /// iterate, where it does not say how often [s]; no more is spent on partitions than they may win in that time.
  /// Throws skel::error where nothing fits in memory. The part has to live until the run is over. Precondition: the
  /// mesh has elements.
  placed_mesh place(runtime::iteration::mesh_part const& part, skel::mesh const& mesh, face_neighbours const& faces,
                    machine_of_ranks const& where, mesh_rank_costs costs, std::vector<std::string> const& hosts,
                    mesh_outlook outlook, double horizon);
  /// Looks after the program that was placed last while it runs: may deal its elements to any ranks, unless clusters
  /// are forced; nothing where there is nothing to deal anew. Refers to this.
  std::unique_ptr<mesh_remapper> remapper();
  /// What clusters were chosen by, of the program that was placed last, and for which request; null before.
  mapping::mesh_clusters_problem const& problem() const { return clusters_.problem(); }
  mapping::mesh_clusters_request const* asked() const { return request_ ? &*request_ : nullptr; }
  /// What came of the run that was placed last. `by`: looked after it, or null. Where it ended on other ranks than
  /// those on which it began, what iterations took there before the first look counts.
  void observe(mesh_report const& of, mesh_remapper const* by);

 private:
  /// What a decision about clusters depends on; requests point into it.
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
  // What was placed last.
  runtime::iteration::mesh_part const* part_ = nullptr;
  machine_of_ranks where_;
  mesh_rank_costs costs_;
  double waits_more_ = 0;  // for each rank of a cluster, than was measured before the run [s]
  std::optional<mesh_outlook> outlook_;
  plan::cell_graph graph_;
  std::vector<double> centres_;
  std::optional<mesh_standing> standing_;  // after place()
  double planning_ = 0;                    // that the last partition took [s]
  bool observes_ = false;                  // the run is on what was decided by what was counted
  question asked_;                         // for it
  std::optional<mapping::mesh_clusters_request> request_;
};

}  // namespace skel
