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
#include <skel/detail/mapping/decision_setup.hpp>
#include <skel/detail/mapping/move_decider.hpp>
#include <skel/detail/mapping/partition_choice.hpp>
#include <skel/detail/record/mesh_record.hpp>

namespace skel {

/// Ranks that have parts of a mesh, or may.
struct mesh_ground {
  std::vector<std::string> clusters{};  ///< names of those that they are of
  std::vector<int> ranks{};             ///< of each part of a partition
  cost::mesh::part_hosts hosts{};       ///< with what phases are expected to take
  double bandwidth = 0;                 ///< the least between two of the ranks [B/s]
  /// Of each part: phases take so many times as long as on that rank alone, as ranks share cores; empty: no longer.
  std::vector<double> slower{};
  std::size_t waiting = 1;   ///< most ranks of a cluster, which wait for each other
  double measured_wait = 0;  ///< what hosts.wait was measured to be of as many before the program began [s]

  double slower_by(std::size_t part) const { return slower.empty() ? 1 : slower[part]; }
};

/// How a program over a mesh stands on its ranks.
struct mesh_standing {
  std::uint64_t program = 0;  ///< the same for each run of it
  mesh_ground ground{};
  plan::partition partition{};
  std::vector<std::size_t> phase_of{};        ///< of each step of the program, its phase; no_phase: it is none
  std::optional<std::uint64_t> iterations{};  ///< that will be made, where the program says so
  double bytes_per_element = 0;

  static constexpr std::size_t no_phase = ~std::size_t{0};
};

/// Clusters that were selected while a program runs, from some to go there.
struct mesh_selection {
  mesh_ground ground{};
  double seconds = 0;    ///< an iteration, before its partition is made [s]
  double bandwidth = 0;  ///< the least between two of the ranks that are or were there [B/s]
};

/// What a mesh_remapper may ask about ranks that take no part.
struct mesh_surroundings {
  mesh_outlook outlook;
  /// The clusters on which an iteration takes the least time by this outlook, where a partition that is like this
  /// stands now; nothing: none has room, or all are to be left.
  std::function<std::optional<mesh_selection>(mesh_outlook const&, mesh_ground const& now,
                                              plan::partition_figures const& counted)>
      select;
  double error = 0;  ///< of what phases are expected to take on ranks that have not computed any, as in mesh_remapper
};

/// What was said of the machine since the last look.
struct mesh_news {
  std::vector<std::string> of_ranks{};  ///< what each says of its host (platform::to_text); none: they say nothing
  std::vector<platform::announcement> announced{};
  double now = 0;  ///< [s] of a clock that does not go back
};

/// Deals the elements of a program over a mesh anew where hosts have become faster or slower, on rank 0: among the
/// ranks that have some, or on other clusters, where the same selection as before the run says that these take less
/// time now. What phases take is what they took since the last look, with all that others did to the hosts meanwhile;
/// on ranks without elements it is what the outlook says.
///
/// A move_decider chooses. A partition is made when it says that a look has paid: when as much has been lost beside
/// what no partition is better than, or beside what the selection expects, as making one takes. What a selection turned
/// out to take beside that corrects it when it comes again. A host that is to be left is left at once, if there are
/// others.
class mesh_remapper {
 public:
  /// `planning`: what a partition takes [s]. `error`: of an expected iteration beside another one's. `around`: nothing
  /// where the ranks that take part stay the same.
  mesh_remapper(mesh_standing standing, mapping::mesh_to_part mesh, double planning, double error,
                mapping::decision_setup const& decisions, std::optional<mesh_surroundings> around = {});

  /// A look. `since`: what happened since the last one; `paused`: what that one took [s]. Parts in the place of those
  /// before, of the ranks that standing() says then, or nothing: they stay, as they do where no partition has room.
  std::optional<plan::partition> review(record::mesh_record const& since, std::uint64_t iterations, double paused,
                                        mesh_news const& news = {});
  /// What the last look took with the move that it has led to [s].
  void moved(double seconds) { mover_.moved(seconds); }

  mesh_standing const& standing() const { return standing_; }
  record::move_history const& decisions() const { return mover_.history(); }
  /// Whether the ranks that take part are others than when it began.
  bool has_changed_ranks() const { return has_changed_ranks_; }
  /// What an iteration took until the first look; 0 before [s].
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
    double possible = 0;                                         // what may be won in it at the most [s]
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
  std::map<std::vector<int>, double> besides_;  // of ranks that were selected: what a partition took over what was said
  bool has_changed_ranks_ = false;
  double first_iteration_ = 0;
  double seconds_ = 0;     // of iterations [s]
  double seen_share_ = 0;  // of an iteration, that might be won when that had changed last
};

}  // namespace skel
