#pragma once

#include <cstdint>
#include <vector>

namespace skel::interpose {

/// Part of the time of calls that finding a better way for them may take.
inline constexpr double share_of_looking = 0.02;

/// What it takes to find a way [s].
struct prices_of_looking {
  double deciding = 0;      ///< asking the models, on each rank alone
  double communicator = 0;  ///< making one for messages, all ranks together; once for each of the program's
};

/// Which way calls of one kind go: MPI's, or skel's over point-to-point messages. They go MPI's way until trials have
/// shown that skel's takes less; where it has lost once, it is tried again only when somebody has seen that times have
/// changed. A trial is a pair of uses, one each way. The first pair warms up; after each other one the medians so far
/// are compared, and after `fewest_pairs` (`pairs_again` when it is tried again) skel's way is taken. From then on
/// there is one more pair at the 2^k-th use.
///
/// Plain arithmetic on what it is told: ranks that are told the same decide the same. O(log uses) memory.
class way {
 public:
  enum class verdict : std::uint8_t { open, lost, won };
  enum class timing : std::uint8_t {
    none,
    alone,    ///< spend() wants to know as long as nothing is known, then who watches it; two looks at the clock
    together  ///< all ranks begin it together, and measured() wants the slowest rank's time
  };
  struct use {
    bool skel = false;
    timing timed = timing::none;
  };

  /// A median that one outlier does not move far, as runtime::fewest_probes.
  static constexpr std::size_t fewest_pairs = 5;
  /// The fewest whose median one outlier does not move far: what was taken goes on being taken meanwhile where that is
  /// right, and is given up soon where it is not.
  static constexpr std::size_t pairs_again = 3;
  /// Of a trial that is made again, with those that warm up.
  static constexpr std::size_t uses_again = 2 * (1 + pairs_again);

  /// Counts a use, and says how it goes. O(1).
  use next();

  /// A use whose timing was `alone` took so long [s].
  void spend(double seconds) { spent_ += seconds; }
  /// What uses of MPI's way took, as far as nothing is tried or known [s], and how many they were.
  double spent() const { return spent_; }
  std::uint64_t uses() const { return uses_; }
  /// Whether nothing is known, and nothing tried.
  bool waits() const { return verdict_ == verdict::open && !tries_; }

  /// skel's way is to be tried. Precondition: waits().
  void try_it();
  /// Nothing is known any more, and all is tried again. Precondition: is_settled().
  void try_again();
  /// Whether there is a verdict, and nothing is tried.
  bool is_settled() const { return verdict_ != verdict::open && !tries_; }
  /// The verdict is known from elsewhere.
  void adopt(verdict known);
  /// The slowest rank's time of a use whose timing was `together` [s].
  void measured(use which, double seconds);

  verdict known() const { return verdict_; }
  /// Medians of the slowest rank's times so far [s]; NaN where there are none.
  double plain_seconds() const;
  double skel_seconds() const;

 private:
  verdict verdict_ = verdict::open;
  bool tries_ = false, warm_ = false, skel_next_ = false;
  std::size_t pairs_ = fewest_pairs;  // that a trial takes
  std::uint64_t uses_ = 0;
  double spent_ = 0;
  std::vector<double> plain_{}, skel_{};
};

}  // namespace skel::interpose
