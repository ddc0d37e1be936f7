#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <skel/detail/base/statistics.hpp>

namespace bench {

/// One run of a way to a result.
struct one_run {
  std::uint64_t sum = 0;  ///< by which results are compared
  double seconds = 0;
};

/// skel beside somebody else.
struct beside {
  std::vector<double> seconds;  ///< of skel's runs
  std::vector<double> ratios;   ///< the other's time / skel's in the same round: above 1 skel is ahead
  bool right = true;            ///< all sums were the same

  /// "name  median [ms]  ratio [range that holds it]"
  void print(std::string const& name) const {
    auto const sure = skel::statistics::median_interval(ratios);
    fmt::print("{} {:>9.1f} {:>7.2f} [{:.2f}, {:.2f}]{}\n", name, 1e3 * skel::statistics::median(seconds),
               skel::statistics::median(ratios), sure.low, sure.high, right ? "" : "  WRONG");
    std::fflush(stdout);
  }
};

/// What a way does in its turn: as many runs as in its other turns.
using turn = std::function<std::vector<one_run>()>;

/// Each run of skel's turns beside the same one of the other's. Who is first changes; one more round goes before, which
/// finds memory cold. Collective where the turns are.
inline std::vector<beside> compare(turn const& skel, turn const& other, std::size_t rounds) {
  std::vector<beside> out;
  for (std::size_t round = 0; round <= rounds; ++round) {
    std::vector<one_run> ours, theirs;
    if (round % 2 == 0) ours = skel();
    theirs = other();
    if (round % 2 == 1) ours = skel();
    out.resize(ours.size());
    for (std::size_t k = 0; k < out.size(); ++k) {
      out[k].right = out[k].right && ours[k].sum == theirs[k].sum;
      if (round == 0) continue;
      out[k].seconds.push_back(ours[k].seconds), out[k].ratios.push_back(theirs[k].seconds / ours[k].seconds);
    }
  }
  return out;
}

}  // namespace bench
