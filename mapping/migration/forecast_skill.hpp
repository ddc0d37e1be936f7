#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace skel::mapping::migration {

/// How much of what hosts differ by has been foreseen, by how many supersteps ahead it was: the concordance of how far
/// the hosts' times were expected to be from their mean, and how far they were,
///   rho(h) = 1 - sum (f - y)^2 / (sum f^2 + sum y^2),   f, y: of each host, about the mean over hosts,
/// where f was expected h supersteps before (Lin 1989, Biometrics 45(1):255-268, of values about their means): 1 where
/// it came as it was expected, 0 where that says nothing of what came. Sums are aged, so that the last some ten
/// forecasts of a distance count. Distances are 1, 2, 4, ... most_ahead; forecasts for h ahead are looked at every h
/// supersteps. A superstep takes O(processes) for two forecasts on average. Memory O(processes).
class forecast_skill {
 public:
  static constexpr std::size_t distances = 8, most_ahead = std::size_t{1} << (distances - 1);

  /// Hosts' times of works of processes, where these are now.
  using times_of_works = std::function<std::vector<double>(std::vector<double> const& work)>;
  /// Works of processes so many supersteps ahead.
  using works_ahead = std::function<std::vector<double>(std::size_t ahead)>;

  /// A superstep took the hosts these times [s]; `expect` knows it already.
  void add(std::span<double const> times, times_of_works const& times_of, works_ahead const& expect);

  /// rho of supersteps so far ahead, >= 1; of the nearest distance beyond that is known, or of the farthest that is; 1
  /// where none is. 0.01 to 1.
  double of(std::size_t ahead) const;

 private:
  struct distance {
    std::vector<double> work;  // expected for superstep `at`; empty: nothing is
    std::size_t at = 0;
    double missed = 0, spread = 0;  // aged sums
    std::size_t forecasts = 0;
  };

  std::size_t passed_ = 0;
  std::array<distance, distances> all_{};
};

}  // namespace skel::mapping::migration
