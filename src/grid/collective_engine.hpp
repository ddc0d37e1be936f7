#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_set>

#include <skel/detail/grid/collective_calls.hpp>
#include <skel/detail/grid/find_hosts.hpp>
#include <skel/detail/mapping/collective_mapper.hpp>
#include <skel/detail/runtime/communicator.hpp>
#include <skel/detail/runtime/quiet.hpp>
#include <skel/detail/runtime/rendezvous.hpp>

namespace skel {

/// What must be the same on all ranks. `combine`: of a reduction, whose operator and elements its type tells.
runtime::collective_call call_of(mapping::collective_request const& request, combining const& combine = {});

/// In a catch clause: tells the other ranks what was thrown here, in the call that this rank has begun last.
void give_up(runtime::rendezvous& meeting);

/// Collectives among the ranks of a run: the mapper says how, the runtime does it. On a communicator of its own.
/// Construction and destruction are collective.
///
/// Ranks meet before the first use of a request, and before those that are timed: there they are told when they do not
/// ask for the same. Messages of others are not taken for those of a collective, because they have other tags, so ranks
/// that do not ask for the same wait, and are told then.
class collective_engine {
 public:
  collective_engine(runtime::communicator const& ranks, run_platform where, mapping::decision_setup const& as);

  mapping::decision_entries learnt() const { return mapper_.learnt(); }
  mapping::collective_decision const& decide(mapping::collective_request const& request);
  /// Some uses of a request are timed, fewer and fewer: they begin with a barrier, and the mapper is told their time.
  /// The meeting must not know of this call yet. Throws skel::error when others do not ask for the same, and what the
  /// operator throws, on the rank where it does; the others are told.
  void perform(mapping::collective_request const& request, std::span<std::byte const> input,
               std::span<std::byte> output, combining const& combine);

 private:
  double slowest(double mine, int tag);

  runtime::own_communicator messages_;
  runtime::rendezvous& meeting_;
  std::uint64_t number_;
  std::function<void()> const look_;
  int tags_ = 1;                           // for calls; each has strand_tags of MPI's
  std::unordered_set<std::uint64_t> met_;  // requests
  std::size_t rank_ = 0;
  mapping::collective_mapper mapper_;
};

}  // namespace skel
