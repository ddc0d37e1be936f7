#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/cost/mesh/partition_time.hpp>
#include <skel/detail/mapping/decider.hpp>
#include <skel/detail/mapping/decision_setup.hpp>
#include <skel/detail/mapping/partition_choice.hpp>
#include <skel/detail/mapping/remap_choice.hpp>
#include <skel/detail/record/mesh_record.hpp>
#include <skel/detail/runtime/iteration/mesh_part.hpp>

namespace skel {

/// How a program over a mesh stands on its ranks.
struct mesh_standing {
  std::uint64_t program = 0;  ///< the same for each run of it
  std::vector<int> ranks{};   ///< that take part: of each part of the partition
  plan::partition partition{};
  cost::mesh::part_hosts hosts{};             ///< with what phases took when they were measured first
  std::vector<std::size_t> phase_of{};        ///< of each step of the program, its phase; no_phase: it is none
  std::optional<std::uint64_t> iterations{};  ///< that will be made, where the program says so
  double bytes_per_element = 0;
  double bandwidth = 0;  ///< the least between two of the ranks [B/s]

  static constexpr std::size_t no_phase = ~std::size_t{0};
};

/// Deals the elements of a program over a mesh anew where hosts have become faster or slower, on rank 0. What phases
/// take is what they took since the last look, with all that others did to the hosts meanwhile. Ranks that take part
/// stay the same.
///
/// As for lines (mapping::remapper), a gain counts for no longer than it is known to last: elements are moved when as
/// much has been lost by staying as moving costs, and never where the remaining iterations do not pay for it (ski
/// rental). A partition is made when as much has been lost beside what no partition is better than as making one takes.
class mesh_remapper {
 public:
  /// `planning`: what a partition takes [s]. `error`: of an expected iteration beside another one's.
  mesh_remapper(mesh_standing standing, mapping::mesh_to_part mesh, double planning, double error,
                mapping::decision_setup const& decisions);

  /// After a pause. `since`: what happened since the last one; `paused`: what that one took [s]. Parts in the place of
  /// those before, or nothing: they stay.
  std::optional<plan::partition> review(record::mesh_record const& since, std::uint64_t iterations, double paused);

  mesh_standing const& standing() const { return standing_; }
  std::vector<record::mesh_review> const& reviews() const { return reviews_; }

 private:
  cost::mesh::part_hosts hosts_now(record::mesh_record const& since, std::uint64_t iterations) const;

  mesh_standing standing_;
  mapping::mesh_to_part mesh_;
  double planning_, error_;
  mapping::decider<mapping::remap_choice> decider_;
  double missed_ = 0;     // beside what no partition is better than, since elements were dealt [s]
  double unplanned_ = 0;  // the same, since a partition was made last [s]
  double seconds_ = 0;    // of iterations [s]
  std::vector<record::mesh_review> reviews_;
};

}  // namespace skel
