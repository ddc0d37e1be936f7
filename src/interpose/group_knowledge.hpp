#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/mapping/collective_mapper.hpp>
#include <skel/detail/mapping/tuned.hpp>
#include <skel/detail/plan/placement.hpp>
#include <skel/detail/platform/description.hpp>

#include "way.hpp"

namespace skel::interpose {

/// Orders kinds of calls.
struct kind_before {
  bool operator()(mapping::collective_request const& a, mapping::collective_request const& b) const;
};

/// Results of trials of kinds of calls among all ranks, for later processes on these hosts. Most of them believe a
/// verdict. Those after 1, 2, 4, 8 ... find it out anew, as hosts and networks change. A plain value.
class kept_verdicts {
 public:
  kept_verdicts() = default;
  /// Of what processes before have kept; entries that are none are passed over. O(entries).
  explicit kept_verdicts(mapping::decision_entries const& known);

  /// `open` where nothing is known, or where this process is to find out anew.
  way::verdict believed(mapping::collective_request const& kind) const;
  /// The last one, even if this process is to find out anew.
  way::verdict last(mapping::collective_request const& kind) const;
  /// A kind was seen in this process, with this verdict; `open` tells nothing. True if it is the first time.
  bool found(mapping::collective_request const& kind, way::verdict verdict);
  /// Of the kinds that were seen.
  mapping::decision_entries entries() const;

 private:
  struct kept {
    way::verdict verdict = way::verdict::open;
    std::uint64_t processes = 0;  // that had a verdict
    bool is_new = false;
  };
  std::map<mapping::collective_request, kept, kind_before> all_{};
};

/// Expected time of one use of a kind of calls, by the models of the machine as it was measured [s].
struct forecast {
  double plain = 0;                                       ///< MPI's way, at least; 0: nothing is known of it
  double skel = std::numeric_limits<double>::infinity();  ///< skel's way; infinite: there is none
};

/// The knowledge of a group of ranks, for all communicators that have it: the ways of collectives and the kinds of
/// calls that were tried. The ways are made when they are first asked for. Not for several threads at once.
///
/// Forecasts and bounds follow from the machine alone, and are the same on all ranks. Learnt times and verdicts are the
/// same if events() is: ranks may have forgotten groups that had no communicator for a while.
class group_knowledge {
 public:
  /// `before`: the initial knowledge, and the listeners.
  explicit group_knowledge(std::vector<plan::host_id> host_of_rank, mapping::decision_setup before = {})
      : host_of_rank_(std::move(host_of_rank)), before_(std::move(before)), verdicts_(before_.known) {}

  /// nullptr where the platform has no way between these ranks; said once.
  mapping::collective_mapper* mapper();

  /// The least time of any way, more or less: that of the bytes on the way to the farthest cluster [s]. O(1), but for
  /// the first time.
  double least(mapping::collective_request const& kind);
  /// The least time of MPI's way [s]; 0: nothing is known of it. The first time O(messages), then O(log kinds).
  double plain(mapping::collective_request const& kind);
  /// Asks the models, the first time; then O(log kinds). `learnt`: by learnt times as well, if they are the same on all
  /// ranks; then skel's way is decided, too.
  forecast foresee(mapping::collective_request const& kind, bool learnt);

  /// A use of skel's way took so long on the slowest rank [s].
  void observe(mapping::collective_request const& kind, double seconds);
  /// The verdict on a kind of calls.
  way::verdict verdict_of(mapping::collective_request const& kind) const { return verdicts_.believed(kind); }
  /// True if trials of this process or of one before have left it to MPI.
  bool has_lost(mapping::collective_request const& kind) const { return verdicts_.last(kind) == way::verdict::lost; }
  /// True if it is the first verdict of this process.
  bool keep(mapping::collective_request const& kind, way::verdict found);

  /// Of all that was observed and kept: a whole number below 2^52; 0: nothing was.
  double events() const { return static_cast<double>(events_ >> 12); }
  /// Forgets all observations and verdicts.
  void begin_anew();

  /// For later processes.
  mapping::decision_entries learnt() const;

 private:
  void add_event(mapping::collective_request const& kind, std::uint64_t what);

  std::vector<plan::host_id> host_of_rank_;
  mapping::decision_setup before_;
  std::optional<mapping::collective_mapper> mapper_{};
  bool impossible_ = false;
  std::optional<platform::link> farthest_{};
  std::optional<mapping::tuned_price> plain_{};
  std::map<mapping::collective_request, forecast, kind_before> forecasts_{};
  std::uint64_t events_ = 0;  // a hash
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
