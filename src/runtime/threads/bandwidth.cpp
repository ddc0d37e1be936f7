#include <skel/detail/runtime/threads/bandwidth.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/plan/block.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/threads/team.hpp>

namespace skel::runtime {

memory_bandwidth measure_bandwidth(std::size_t threads, double cache, double memory) {
  constexpr std::size_t rounds = 7;
  auto const bytes = static_cast<std::size_t>(cache);
  std::size_t const n = bytes / sizeof(double);
  if (n == 0 || 3 * static_cast<double>(bytes) > memory / 2)
    throw error("memory bandwidth: cannot be measured with a last-level cache of " + std::to_string(bytes) + " B and " +
                shown(memory / 1e9) + " GB of memory");
  auto const array = [&] { return std::make_unique_for_overwrite<double[]>(n); };
  auto const a = array(), b = array(), c = array();
  thread_team team(threads);
  auto const on_all = [&](auto const& f) {
    team.run({"triad"}, [&](std::size_t part) {
      auto const mine = plan::block_of(n, threads, part);
      for (std::size_t i = mine.begin; i < mine.end; ++i) f(i);
    });
  };
  on_all([&](std::size_t i) { a[i] = 0, b[i] = 1, c[i] = 2; });
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t round = 0; round < rounds; ++round) {
    double const begin = record::now();
    on_all([&, s = 1.0 + static_cast<double>(round)](std::size_t i) { a[i] = b[i] + s * c[i]; });
    least = std::min(least, record::now() - begin);
  }
  return {3 * static_cast<double>(n * sizeof(double)) / least, bytes, threads, rounds};
}

}  // namespace skel::runtime
