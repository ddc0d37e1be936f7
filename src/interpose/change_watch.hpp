#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <mpi.h>

#include <skel/detail/base/cusum.hpp>
#include <skel/detail/base/statistics.hpp>

namespace skel::interpose {

/// Figures of a kind of calls that ranks tell each other: of each, the greatest of all ranks counts.
struct told_of_change {
  double rings = 0;    ///< 1: this rank's times are others than they were
  double spent = 0;    ///< on telling it the last time [s]
  double seconds = 0;  ///< of a use since then, on average; of a way that is believed, the least [s]
  double before = 0;   ///< of a use of the way before that, by its median; 0: there was none, or none is believed [s]
};

/// Notices that uses of a kind of calls take other times than before, and says at which uses its ranks tell each other.
/// Each rank watches ln(time) of its own uses by a CUSUM that looks for moves of two deviations from the usual. In the
/// same way a gain is believed if it exceeds twice the error of predictions. Usual is the interval that holds the
/// median of the first uses. So little is noticed while little is known. A deviation is never less than the error of
/// predictions. A rank keeps what it has noticed until all know. It tells it if its uses differ by a part of their time
/// on the slowest rank. Ranks that only send return at once, and seldom do.
///
/// Ranks tell by an exchange beside the program's calls. It begins before a use and is read `uses_between` uses later,
/// so that hardly any rank waits for it. If it takes more than `share_of_watching` of the uses between, it waits for as
/// many uses as pay for it: uses may take less than a message between sites. If uses take long enough, all ranks know a
/// change after 3 + 2 * uses_between - 1 = 10 uses.
///
/// Plain arithmetic on its inputs: ranks that have heard the same read and begin at the same uses. O(1) for a use, but
/// for a few of the first ones. A few hundred bytes.
class change_watch {
 public:
  /// Part of the time of uses that telling may take: the limit of all watching (platform::monitor).
  static constexpr double share_of_watching = 0.01;
  static constexpr std::uint64_t uses_between = 4;
  /// The fewest whose median is bounded with 95 % are six; more are learnt from until there are `most_known`.
  static constexpr std::size_t first_known = 8, most_known = 32;

  /// `between_alarms`: uses, on average, until times that are as usual are noticed by one of all ranks, > 1.
  explicit change_watch(double between_alarms = 1000) { noticed_.shift = 2, noticed_.interval = between_alarms; }

  /// Counts a use that is about to begin.
  void next() { ++uses_; }
  /// True if the exchange is to be read and heard before this use.
  bool reads() const { return is_under_way_ && uses_ >= begun_at_ + between_; }
  /// True if a trial is to be made: all ranks know that times have changed. Until begin_anew(), the next reading says
  /// so again. Precondition: reads().
  bool hear(told_of_change const& all);
  /// True if telling is to begin with say() before this use, after reading.
  bool begins() const { return !is_under_way_ && uses_ >= begin_at_; }
  told_of_change say();
  /// Telling has taken this rank so long [s].
  void spend(double seconds) { spent_ += seconds; }
  /// A use took this rank so long [s].
  void took(double seconds);

  bool rings() const { return rings_; }
  /// Another level or way begins: the usual times are learnt anew.
  void begin_anew();
  /// Telling begins when so many uses are over besides the next one, which warms up. It is read `between` uses later.
  /// For uses that take long.
  void tell_soon(std::uint64_t counted, std::uint64_t between);
  /// Another way comes, which is believed to take less than this [s], and than the way before has taken. Until it
  /// begins anew, hear() is true if it takes longer, for the first time soon.
  void begin_anew_below(double seconds, std::uint64_t between);
  /// A trial because of hear() has changed nothing (`in_vain`) or something. It was as long as `uses` of the worse way,
  /// which takes `worse` times as long as the other. The first trial in vain is free. A share `of` of the uses until
  /// the next pays for others. It need not if uses take so long that the worse way of all trials in vain would have
  /// been better.
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

/// The exchange by which ranks tell each other of a kind of calls, beside the program's calls. It begins with the value
/// and is over when it has been read. If it is not read any more, its end is waited for.
class agreement {
 public:
  /// Collective over `among`, like a collective of the program: at the same place of their order on all ranks. Does not
  /// wait.
  agreement(MPI_Comm among, told_of_change const& mine);
  ~agreement();
  agreement(agreement const&) = delete;
  agreement& operator=(agreement const&) = delete;

  /// The greatest of each figure. Waits until all have begun it.
  told_of_change read();

  /// Waits for all that are under way in this process: before MPI is finalised.
  static void finish_all();

 private:
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::array<double, 4> mine_{}, all_{};
};

}  // namespace skel::interpose
