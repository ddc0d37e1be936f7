#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/adapt/mesh_outlook.hpp>
#include <skel/detail/cost/mesh/partition_time.hpp>
#include <skel/detail/mapping/decision_problem.hpp>
#include <skel/detail/mapping/move_decider.hpp>
#include <skel/detail/mapping/partition_choice.hpp>
#include <skel/detail/record/mesh_record.hpp>

namespace skel {

/// Ranks that have parts of a mesh, or may have some.
struct mesh_ground {
  std::vector<std::string> clusters{};  ///< names of the ranks' clusters
  std::vector<int> ranks{};             ///< of each part of a partition
  cost::mesh::part_hosts hosts{};       ///< with the expected times of phases
  double bandwidth = 0;                 ///< the least between two of the ranks [B/s]
  /// Of each part: factor by which phases take longer than on that rank alone, as ranks share cores; empty: 1.
  std::vector<double> slower{};
  std::size_t waiting = 1;   ///< most ranks of a cluster, which wait for each other
  double measured_wait = 0;  ///< hosts.wait as measured with as many ranks before the program began [s]

  double slower_by(std::size_t part) const { return slower.empty() ? 1 : slower[part]; }
};

/// How a program over a mesh stands on its ranks.
struct mesh_standing {
  std::uint64_t program = 0;  ///< the same for each run of it
  mesh_ground ground{};
  plan::partition partition{};
  std::vector<std::size_t> phase_of{};        ///< of each step of the program, its phase; no_phase: it is none
  std::optional<std::uint64_t> iterations{};  ///< that will be made, if the program says so
  double bytes_per_element = 0;

  static constexpr std::size_t no_phase = ~std::size_t{0};
};

/// Clusters that were selected while a program runs, to move it there.
struct mesh_selection {
  mesh_ground ground{};
  double seconds = 0;    ///< an iteration, before its partition is made [s]
  double bandwidth = 0;  ///< the least between two of the ranks that are or were there [B/s]
};

/// Knowledge of a mesh_remapper about ranks that take no part.
struct mesh_surroundings {
  mesh_outlook outlook;
  /// The clusters with the fastest iteration by this outlook, if the present partition is like `counted`; nothing if
  /// none has room, or if all are to be left.
  std::function<std::optional<mesh_selection>(mesh_outlook const&, mesh_ground const& now,
                                              plan::partition_figures const& counted)>
      select;
  double error = 0;  ///< of the expected times of phases on ranks that have not computed any, as in mesh_remapper
};

/// Reports about the machine since the last look.
struct mesh_news {
  std::vector<std::string> of_ranks{};  ///< each rank's reading of its host (platform::to_text); none: there are none
  std::vector<platform::announcement> announced{};
  double now = 0;  ///< [s] of a clock that does not go back
};

/// Repartitions the mesh of a program when hosts have become faster or slower, on rank 0. The new parts are on the same
/// ranks, or on other clusters if the selection of the run's start now finds these faster. Times of phases are those
/// since the last look, including all effects of other programs. On ranks without elements they are those of the
/// outlook.
///
/// A move_decider chooses, and says when a look pays: when the time lost is as long as making a partition takes. Lost
/// is the time beyond the lower bound of all partitions, or beyond the selection's expectation. The factor by which a
/// partition exceeds the expectation of its selection corrects the next one of these ranks. A host that is to be left
/// is left at once, if there are others.
class mesh_remapper {
 public:
  /// `planning`: time of making a partition [s]. `error`: of an expected iteration beside another one's. `around`:
  /// nothing if the ranks that take part stay the same.
  mesh_remapper(mesh_standing standing, mapping::mesh_to_part mesh, double planning, double error,
                mapping::decision_setup const& decisions, std::optional<mesh_surroundings> around = {});

  /// Takes a look. `since`: figures since the last one; `paused`: its duration [s]. Returns new parts of the ranks that
  /// standing() then says, or nothing if the present parts stay, also for lack of room.
  std::optional<plan::partition> review(record::mesh_record const& since, std::uint64_t iterations, double paused,
                                        mesh_news const& news = {});
  /// Duration of the last look with the move that followed it [s].
  void moved(double seconds) { mover_.moved(seconds); }

  mesh_standing const& standing() const { return standing_; }
  record::move_history const& decisions() const { return mover_.history(); }
  /// True if the ranks that take part have changed since the beginning.
  bool has_changed_ranks() const { return has_changed_ranks_; }
  /// Time of an iteration until the first look; 0 before [s].
  double first_iteration() const { return first_iteration_; }

 private:
  /// A way to go on, with its partition.
  struct way {
    mesh_ground ground;
    mapping::partition_choice found;
    record::move_way goes{};
  };
  /// How the program stands.
  struct look {
    mesh_ground now;
    double measured = 0, modelled = 0;                           // an iteration [s]
    double possible = 0;                                         // most time that it can save [s]
    double remaining = std::numeric_limits<double>::infinity();  // iterations
    std::optional<mesh_selection> other{};
    bool must_go = false;
  };

  look look_at(record::mesh_record const& since, std::uint64_t iterations) const;
  std::vector<way> ways(look const& of, double paused);
  void hear(record::mesh_record const& since, std::uint64_t iterations, mesh_news const& news);
  std::vector<double> took(std::size_t part, record::mesh_record const& since, std::uint64_t iterations) const;
  cost::mesh::part_hosts hosts_now(record::mesh_record const& since, std::uint64_t iterations) const;
  std::vector<double> alone(std::size_t part, std::vector<double> took) const;
  double beside_steps(record::mesh_record const& since, std::uint64_t iterations) const;
  static void correct_wait(cost::mesh::part_hosts& now, plan::partition_figures const& counted, double measured);
  std::optional<mesh_selection> select(mesh_ground const& now, plan::partition_figures const& counted) const;
  double doubt_of(mesh_ground const& other) const;
  bool has_to_leave() const;
  std::uint64_t moved_to(way const& one) const;

  mesh_standing standing_;
  mapping::mesh_to_part mesh_;
  double planning_, error_;
  std::optional<mesh_surroundings> around_;
  mapping::move_decider mover_;
  std::map<std::vector<int>, double> besides_;  // of selected ranks: time of a partition / expected time
  bool has_changed_ranks_ = false;
  double first_iteration_ = 0;
  double seconds_ = 0;     // of iterations [s]
  double seen_share_ = 0;  // part of an iteration that might be saved, at its last change
};

}  // namespace skel
