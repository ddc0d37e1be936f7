#include "../stacks.hpp"
#include "competitor.hpp"

namespace bench::reductions {

competitor openmp_array(common_loop const& loop) {
  if (auto const room = least_stack(); loop.into.size_bytes() > room)
    return {"openmp array",
            "its copies of the array do not fit on the stacks, which have " + std::to_string(room) + " B",
            loop.threads,
            {}};
  return {"openmp array", competitor_detail::openmp_note(), loop.threads, [loop] {
            if (loop.into.empty()) return;  // OpenMP has no sections of no elements
            competitor_detail::with_loop(loop, [&](auto const& iterate) {
              double* into = loop.into.data();
              std::size_t const size = loop.into.size(), iterations = loop.of.iterations();
              int const threads = static_cast<int>(loop.threads);
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : into[:size])
              for (std::size_t i = 0; i < iterations; ++i)
                iterate(i, i + 1, [into](std::size_t at, double value) { into[at] += value; });
            });
          }};
}

}  // namespace bench::reductions
