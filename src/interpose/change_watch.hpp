#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <skel/detail/base/cusum.hpp>
#include <skel/detail/base/statistics.hpp>

namespace skel::interpose {

/// What ranks tell each other of a kind of calls; of each figure the greatest of all ranks counts.
struct told_of_change {
  double rings = 0;    ///< 1: this rank's times are others than they were
  double spent = 0;    ///< on telling it the last time [s]
  double seconds = 0;  ///< of a use since then, on average; of a way that is believed, the least [s]
  double before = 0;   ///< of a use of the way before that, by its median; 0: there was none, or none is believed [s]
};

/// Notices that uses of a kind of calls take other times than they did, and says at which of them its ranks tell each
/// other. Each rank looks at its own times: at how far ln(time) is from what is usual, by a CUSUM that looks for moves
/// of two deviations, as a gain is believed when it is more than predictions are wrong by, twice. Usual is the interval
/// that holds the median of the first uses, so that little is noticed while little is known; a deviation is never
/// less than what predictions are wrong by. What a rank has noticed stands until all know. It tells it where its uses
/// differ by a part of what they take the slowest rank: those of ranks that only send, which return at once, seldom do.
///
/// Ranks tell by an exchange that goes on beside the program's calls: it begins before a use and is read
/// `uses_between` uses later, so that hardly anybody waits for it. Where it takes more than `share_of_watching` of the
/// uses between, as where uses take less than a message between sites, as many uses are waited for as pay for it. So
/// a change is known to all after 3 + 2 * uses_between - 1 = 10 uses where uses take long enough.
///
/// Plain arithmetic on what it is told: ranks that have heard the same read and begin at the same uses. O(1) for a use,
/// but for a few of the first ones. A few hundred bytes.
class change_watch {
 public:
  /// Part of the time of uses that telling may take: what watching may cost everywhere (platform::monitor).
  static constexpr double share_of_watching = 0.01;
  static constexpr std::uint64_t uses_between = 4;
  /// The fewest whose median is bounded with 95 % are six; more are learnt from until there are `most_known`.
  static constexpr std::size_t first_known = 8, most_known = 32;

  /// `between_alarms`: uses, on average, until times that are as usual are noticed by one of all ranks, > 1.
  explicit change_watch(double between_alarms = 1000) { noticed_.shift = 2, noticed_.interval = between_alarms; }

  /// Counts a use that is about to begin.
  void next() { ++uses_; }
  /// Before it, what was begun is to be read and heard.
  bool reads() const { return is_under_way_ && uses_ >= begun_at_ + between_; }
  /// Whether a trial is to be made: all ranks know that times are others. Until begin_anew(), it says so again at the
  /// next reading. Precondition: reads().
  bool hear(told_of_change const& all);
  /// Before it, after reading, telling is to begin with say().
  bool begins() const { return !is_under_way_ && uses_ >= begin_at_; }
  told_of_change say();
  /// Telling has taken this rank so long [s].
  void spend(double seconds) { spent_ += seconds; }
  /// A use took this rank so long [s].
  void took(double seconds);

  bool rings() const { return rings_; }
  /// What comes is another level, or another way: what was usual is learnt anew.
  void begin_anew();
  /// Telling begins when so many uses are over, besides the next one, which warms up, and is read `between` uses later:
  /// where uses take long.
  void tell_soon(std::uint64_t counted, std::uint64_t between);
  /// Another way comes, which is believed to take less than this [s], and than the way before has taken. Until it
  /// begins anew, hear() says whether it does not, for the first time soon.
  void begin_anew_below(double seconds, std::uint64_t between);
  /// A trial as long as so many uses of the worse way, made because of hear(), has changed nothing, or something; that
  /// way takes `worse` times as long as the other. The first in vain is free; others are paid for by a share `of` the
  /// uses until the next, unless uses take so much longer than in any trial in vain that the worse way would have been
  /// the better one.
  void was_tried(bool in_vain, double uses, double worse, double of);

 private:
  bool matters(double mean) const;
  void forget_uses();

  statistics::cusum noticed_{};
  std::vector<double> known_{};   // ln of the first times
  statistics::interval usual_{};  // of ln
  double deviation_ = 1;
  double below_ = std::numeric_limits<double>::infinity();  // [s]; see begin_anew_below()
  double before_ = 0, least_ = std::numeric_limits<double>::infinity();
  bool rings_ = false, is_under_way_ = false, is_stale_ = false;
  std::uint64_t uses_ = 0, between_ = uses_between, warms_up_ = 1, begin_at_ = first_known, begun_at_ = 0,
                quiet_until_ = 0, in_vain_ = 0;
  double tried_at_ = 0, overtaken_at_ = 0;  // [s] of a use, as all know them
  double greatest_ = 0;                     // [s] of a use, on the slowest rank, as heard last
  double spent_ = 0, seconds_ = 0;
  std::uint64_t counted_ = 0;  // uses in seconds_
};

}  // namespace skel::interpose
