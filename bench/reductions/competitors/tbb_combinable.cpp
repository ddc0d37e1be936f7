#include <tbb/blocked_range.h>
#include <tbb/combinable.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <memory>

#include "competitor.hpp"

namespace bench::reductions {

namespace {

struct kept_copies {
  explicit kept_copies(common_loop const& loop)
      : allowance(
            tbb::global_control::max_allowed_parallelism,
            std::max(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism), loop.threads)),
        arena(static_cast<int>(loop.threads)),
        copies([size = loop.into.size()] { return std::vector<double>(size); }) {
    arena.execute([&] { tbb::parallel_for(std::size_t{0}, loop.threads, [](std::size_t) {}); });  // wakes its threads
  }

  tbb::global_control allowance;
  tbb::task_arena arena;
  tbb::combinable<std::vector<double>> copies;
};

}  // namespace

competitor tbb_combinable(common_loop const& loop) {
  auto const kept = std::make_shared<kept_copies>(loop);
  return {"tbb combinable", "", loop.threads,
          [loop, kept] {
            using range = tbb::blocked_range<std::size_t>;
            competitor_detail::with_loop(loop, [&](auto const& iterate) {
              kept->arena.execute([&] {
                tbb::parallel_for(range(0, loop.of.iterations()), [&](range const& iterations) {
                  double* const mine = kept->copies.local().data();
                  iterate(iterations.begin(), iterations.end(),
                          [mine](std::size_t at, double value) { mine[at] += value; });
                });
                std::vector<double*> from;
                kept->copies.combine_each([&](std::vector<double>& copy) { from.push_back(copy.data()); });
                double* const into = loop.into.data();
                tbb::parallel_for(range(0, loop.into.size()), [&](range const& slice) {
                  for (double* const copy : from)
                    for (std::size_t at = slice.begin(); at < slice.end(); ++at) into[at] += copy[at], copy[at] = 0;
                });
              });
            });
          },
          true};
}

}  // namespace bench::reductions
