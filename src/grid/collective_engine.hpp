#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>

#include <skel/detail/grid/collective_calls.hpp>
#include <skel/detail/machine/machine_news.hpp>
#include <skel/detail/machine/run_platform.hpp>
#include <skel/detail/mapping/collective_mapper.hpp>
#include <skel/detail/runtime/ranks/communicator.hpp>
#include <skel/detail/runtime/ranks/quiet.hpp>
#include <skel/detail/runtime/ranks/rendezvous.hpp>

namespace skel {

/// The values that must be the same on all ranks. `combine`: of a reduction; its type tells operator and elements.
runtime::collective_call call_of(mapping::collective_request const& request, combining const& combine = {});

/// In a catch clause: tells the other ranks the exception of this rank, in the call that it has begun last.
void give_up(runtime::rendezvous& meeting);

/// Collectives among the ranks of a run: the mapper says how, the runtime does it. On a communicator of its own.
/// Construction and destruction are collective.
///
/// Ranks meet before the first use of a request, and before timed ones. If they ask for different things, they are told
/// there. Other collectives have other tags, so that no rank takes their messages for those of its own. Ranks that ask
/// for different things therefore wait, and are told then.
///
/// If somebody announces changes of the machine, ranks look for news together, by a broadcast of 8 bytes from rank 0.
/// They look before the first use, and then once the look takes no more than most_looking of the predicted time of the
/// uses since. No clock is asked, and ranks that predict the same look at the same time. Then the news follow, and
/// decide what is used next.
class collective_engine {
 public:
  /// The share of the time of uses that looking for news may take.
  static constexpr double most_looking = 0.01;

  collective_engine(runtime::communicator const& ranks, run_platform const& where, mapping::decision_setup const& as);

  /// `news` is asked on rank 0 before each look, for a text as to_news() makes it. Set on all ranks or on none; that of
  /// others is not asked. From the next use on.
  void look_for(std::function<std::string()> news) { news_ = std::move(news); }
  /// All ranks were told this, between the same uses. Throws skel::input_error for a text that is none.
  void take(std::string const& news);
  /// Of the picture of the machine that decisions are by: 0, the one that it began with.
  std::uint64_t picture() const { return machine_.number(); }

  mapping::decision_entries learnt() const { return mapper_.learnt(); }
  mapping::collective_decision const& decide(mapping::collective_request const& request);
  /// Some uses of a request are timed, fewer and fewer: they begin with a barrier, and the mapper is told their time.
  /// The meeting must not know of this call yet. Throws skel::error when others do not ask for the same, and what the
  /// operator throws, on the rank where it does; the others are told.
  void perform(mapping::collective_request const& request, std::span<std::byte const> input,
               std::span<std::byte> output, combining const& combine);

 private:
  double slowest(double mine, int tag);
  bool is_look_due(mapping::collective_request const& request);
  void look_for_news(int tag);
  void spread(std::span<std::byte> bytes, int tag);

  runtime::own_communicator messages_;
  runtime::rendezvous& meeting_;
  std::uint64_t number_;
  std::function<void()> const look_;
  int tags_ = 1;                           // for calls; each has strand_tags of MPI's
  std::unordered_set<std::uint64_t> met_;  // requests
  std::size_t rank_ = 0;
  mapping::collective_mapper mapper_;
  live_machine machine_;
  std::function<std::string()> news_;  // if somebody announces
  std::optional<double> used_;         // since the last look, predicted [s]
};

}  // namespace skel
