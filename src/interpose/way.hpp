#pragma once

#include <cstdint>
#include <vector>

namespace skel::interpose {

/// Part of the time of calls that finding a better way for them may take.
inline constexpr double share_of_looking = 0.02;

/// Times of finding a way [s].
struct prices_of_looking {
  double beginning = 0;     ///< preparing the models for a group of ranks, on each rank alone
  double deciding = 0;      ///< asking them about a kind of calls, likewise
  double communicator = 0;  ///< making one for messages, all ranks together; once for each of the program's
  double telling = 0;       ///< telling each other beside the calls, on each rank alone
  double agreeing = 0;      ///< until all have heard it
};

/// The way of calls of one kind: MPI's, or skel's over point-to-point messages. They go MPI's way until skel's is
/// believed to take less. Once skel's way has lost, it is tried again only if some rank has seen that times have
/// changed. A trial is a pair of uses, one each way. The first pair warms up. After each other one the medians so far
/// are compared, and after `fewest_pairs` skel's way is taken. Then there is one more pair at each 2^k-th use. If
/// nothing was tried, the first one is not before the use `first_of_belief`.
///
/// Plain arithmetic on its inputs: ranks that are told the same decide the same. O(log uses) memory.
class way {
 public:
  enum class verdict : std::uint8_t { open, lost, won };
  enum class timing : std::uint8_t {
    none,
    alone,    ///< only the watching rank wants its time; two looks at the clock
    together  ///< all ranks begin it together, and measured() wants the slowest rank's time
  };
  struct use {
    bool skel = false;
    timing timed = timing::none;
  };

  /// The fewest pairs whose medians one outlier does not move far. A good way goes on meanwhile, and a bad one is given
  /// up soon.
  static constexpr std::size_t fewest_pairs = 3;
  /// Of a trial, with those that warm up.
  static constexpr std::size_t trial_uses = 2 * (1 + fewest_pairs);
  /// A pair there, and one that warms up, are an eighth of the uses until then: half of them are MPI's.
  static constexpr std::uint64_t first_of_belief = 32;

  /// Counts a use, and says how it goes. O(1).
  use next();
  std::uint64_t uses() const { return uses_; }
  /// True while nothing is known, and nothing tried.
  bool waits() const { return verdict_ == verdict::open && !tries_; }

  /// Nothing is known any more, and all is tried again. Precondition: is_settled().
  void try_again();
  /// True while there is a verdict, and nothing is tried.
  bool is_settled() const { return verdict_ != verdict::open && !tries_; }
  bool is_tried() const { return tries_; }
  /// The verdict is known from elsewhere, or believed. Precondition: waits().
  void adopt(verdict known);
  /// The slowest rank's time of a use whose timing was `together` [s].
  void measured(use which, double seconds);

  verdict known() const { return verdict_; }
  /// Medians of the slowest rank's times so far [s]; NaN where there are none.
  double plain_seconds() const;
  double skel_seconds() const;

 private:
  verdict verdict_ = verdict::open;
  bool tries_ = false, warm_ = false, skel_next_ = false, is_believed_ = false;
  std::uint64_t uses_ = 0;
  std::vector<double> plain_{}, skel_{};
};

}  // namespace skel::interpose
