#include "bandwidth.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include <skel/base/error.hpp>
#include <skel/plan/reduction.hpp>
#include <skel/platform/reduction_model.hpp>
#include <skel/record/clock.hpp>
#include <skel/runtime/team.hpp>

namespace bench::reductions {

memory_bandwidth measure_bandwidth(std::size_t threads, double memory) {
  constexpr std::size_t rounds = 7;
  auto const processor = skel::platform::this_processor();
  auto const bytes =
      static_cast<std::size_t>(*std::max_element(std::begin(processor.caches), std::end(processor.caches)));
  std::size_t const n = bytes / sizeof(double);
  if (n == 0 || 3 * static_cast<double>(bytes) > memory / 2)
    throw skel::error(
        fmt::format("memory bandwidth: cannot be measured with a last-level cache of {} B and {:.3g} B of "
                    "memory; give it with --bandwidth",
                    bytes, memory));
  auto const array = [&] { return std::make_unique_for_overwrite<double[]>(n); };
  auto const a = array(), b = array(), c = array();
  skel::runtime::thread_team team(threads);
  auto const on_all = [&](auto const& f) {
    team.run({"triad"}, [&](std::size_t part) {
      auto const mine = skel::plan::block_of(n, threads, part);
      for (std::size_t i = mine.begin; i < mine.end; ++i) f(i);
    });
  };
  on_all([&](std::size_t i) { a[i] = 0, b[i] = 1, c[i] = 2; });
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t round = 0; round < rounds; ++round) {
    double const begin = skel::record::now();
    on_all([&, s = 1.0 + static_cast<double>(round)](std::size_t i) { a[i] = b[i] + s * c[i]; });
    least = std::min(least, skel::record::now() - begin);
  }
  return {3 * static_cast<double>(n * sizeof(double)) / least, bytes, threads, rounds};
}

}  // namespace bench::reductions
