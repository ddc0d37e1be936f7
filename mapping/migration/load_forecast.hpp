#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <skel/detail/record/superstep.hpp>

namespace skel::mapping::migration {

/// Expected work of each process in supersteps to come, from its past work.
///
/// A process that computes has a level and perhaps growth. The forecast is a mean of all its work, one of two that age,
/// or an aged line through it, whichever has lately missed the next value least. If a process computes again after a
/// pause, supersteps without work count for it. Processes that have never computed begin at the rate at which others
/// began lately, in the order of their numbers after the last one. Then they do as much as the average of those that
/// compute. Once processes have ended, those that compute end after the median lifetime. O(processes) a superstep, and
/// for each forecast superstep; memory O(processes + lifetimes).
class load_forecast {
 public:
  /// A superstep that has ended.
  void add(record::superstep_load const& load);

  /// Number of supersteps after which work repeats, 1 to most_period. It is the one with the least difference lately,
  /// if that is less than half of the difference from one superstep to the next. Forecasts are by phases of it.
  std::size_t period() const { return period_; }
  static constexpr std::size_t most_period = 4;

  /// True if all supersteps to come are expected to be alike.
  bool is_steady() const;
  /// Work of each process, `ahead` supersteps after the last one, >= 1.
  std::vector<double> expected(std::size_t ahead) const;
  /// Usual error of the forecast of each process's work: standard deviations.
  std::vector<double> deviations() const;

 private:
  /// Values of one process, and their continuation.
  class series {
   public:
    void add(double value);
    double expected(double ahead) const;
    bool grows() const { return best_ == means; }
    /// Standard deviation of values about their forecasts.
    double deviation() const;

   private:
    static constexpr std::size_t means = 3;  // the last predictor is the line

    double predict(std::size_t which, double ahead) const;

    // Means: weights of values and weighted values. Line: sums over values y at places x, the last being 0.
    std::array<double, means> weight_{}, sum_{};
    double n_ = 0, x_ = 0, xx_ = 0, y_ = 0, xy_ = 0;
    std::array<double, means + 1> missed_{};  // squares of errors, aged
    double misses_ = 0;                       // their weight
    std::size_t values_ = 0, best_ = 0;
  };
  struct process {
    std::vector<series> work;                // of each phase
    std::size_t begun = 0, times_begun = 0;  // the superstep; 0: never
    bool computes = false;
  };

  void find_period(std::vector<double> const& work);
  double begin_rate() const;
  std::optional<double> lifetime() const;

  std::size_t passed_ = 0, period_ = 1;
  std::array<double, most_period + 1> differs_{};  // differences from so many supersteps before, aged
  std::deque<std::vector<double>> past_;           // work of the last supersteps
  std::vector<process> processes_;
  std::vector<std::size_t> beginnings_;  // supersteps of first ones, after the first superstep
  std::size_t last_begun_ = 0;           // a process
  std::vector<double> lifetimes_;        // of processes that have ended, in supersteps
  bool pauses_ = false;                  // a process has computed again
};

/// The share of the hosts' differences that was foreseen, by the distance h of the forecast in supersteps. It is the
/// concordance of expected and measured times of hosts (Lin 1989, Biometrics 45(1):255-268, of values about their
/// means). With f and y these times about the mean over hosts, and f expected h supersteps before:
///   rho(h) = 1 - sum (f - y)^2 / (sum f^2 + sum y^2).
/// It is 1 if all came as expected, 0 if the forecast says nothing. Sums are aged, so about the last ten forecasts of a
/// distance count. Distances are 1, 2, 4, ... most_ahead; forecasts for h ahead are tested every h supersteps. A
/// superstep takes O(processes) for two forecasts on average. Memory O(processes).
class forecast_skill {
 public:
  static constexpr std::size_t distances = 8, most_ahead = std::size_t{1} << (distances - 1);

  /// Hosts' times for works of processes, at their present hosts.
  using times_of_works = std::function<std::vector<double>(std::vector<double> const& work)>;
  /// Works of processes so many supersteps ahead.
  using works_ahead = std::function<std::vector<double>(std::size_t ahead)>;

  /// A superstep took the hosts these times [s]; `expect` knows it already.
  void add(std::span<double const> times, times_of_works const& times_of, works_ahead const& expect);

  /// rho of supersteps so far ahead, >= 1; of the nearest known distance beyond that, or of the farthest known one; 1
  /// if none is known. 0.01 to 1.
  double of(std::size_t ahead) const;

 private:
  struct distance {
    std::vector<double> work;  // forecast for superstep `at`; empty: none
    std::size_t at = 0;
    double missed = 0, spread = 0;  // aged sums
    std::size_t forecasts = 0;
  };

  std::size_t passed_ = 0;
  std::array<distance, distances> all_{};
};

}  // namespace skel::mapping::migration
