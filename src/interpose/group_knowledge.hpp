#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/mapping/collective_mapper.hpp>
#include <skel/detail/plan/placement.hpp>

#include "kept_verdicts.hpp"
#include "way.hpp"

namespace skel::interpose {

/// What is known of a group of ranks, for all communicators that have it: how collectives are to run (made when it is
/// first asked for), and which kinds of calls were tried. Not for several threads at once.
class group_knowledge {
 public:
  /// `before`: what is known at the beginning, and who is told.
  explicit group_knowledge(std::vector<plan::host_id> host_of_rank, mapping::decision_setup before = {})
      : host_of_rank_(std::move(host_of_rank)), before_(std::move(before)), verdicts_(before_.known) {}

  /// nullptr where the platform has no way between these ranks; said once.
  mapping::collective_mapper* mapper();

  /// A use of skel's way took so long on the slowest rank [s].
  void observe(mapping::collective_request const& kind, double seconds);
  /// Of all that was observed: ranks for which it is the same decide alike. A whole number below 2^52; 0: nothing was.
  double observed() const { return static_cast<double>(observed_ >> 12); }
  /// Decides as if nothing had been observed.
  void forget_times();

  /// What was found out about a kind of call. Not the same on all ranks, as what is kept of old groups is not.
  way::verdict verdict_of(mapping::collective_request const& kind) const { return verdicts_.believed(kind); }
  /// Whether it is the first verdict of this process.
  bool keep(mapping::collective_request const& kind, way::verdict found) { return verdicts_.found(kind, found); }
  /// For later processes.
  mapping::decision_entries learnt() const;

 private:
  std::vector<plan::host_id> host_of_rank_;
  mapping::decision_setup before_;
  std::optional<mapping::collective_mapper> mapper_{};
  bool impossible_ = false;
  std::uint64_t observed_ = 0;  // a hash
  kept_verdicts verdicts_;
};

/// The knowledge of groups that communicators have, or had last.
class known_groups {
 public:
  /// `ranks`: of MPI_COMM_WORLD, in order. O(ranks).
  std::shared_ptr<group_knowledge> find(std::vector<int> const& ranks, std::vector<plan::host_id> host_of_rank,
                                        mapping::decision_setup const& before);

 private:
  /// Of groups that no communicator has; enough for the rows and columns that a program splits again and again.
  static constexpr std::size_t most_kept = 16;

  std::map<std::vector<int>, std::weak_ptr<group_knowledge>> all_{};
  std::vector<std::shared_ptr<group_knowledge>> last_{};
  std::size_t next_ = 0;
};

}  // namespace skel::interpose
