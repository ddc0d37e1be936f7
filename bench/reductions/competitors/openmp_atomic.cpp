#include "competitor.hpp"

namespace bench::reductions {

competitor openmp_atomic(common_loop const& loop) {
  return {"openmp atomic", competitor_detail::openmp_note(), loop.threads, [loop] {
            competitor_detail::with_loop(loop, [&](auto const& iterate) {
              double* const into = loop.into.data();
              auto const add = [into](std::size_t at, double value) {
                double& element = into[at];
#pragma omp atomic
                element += value;
              };
              std::size_t const iterations = loop.of.iterations();
              int const threads = static_cast<int>(loop.threads);
#pragma omp parallel for num_threads(threads) schedule(static)
              for (std::size_t i = 0; i < iterations; ++i) iterate(i, i + 1, add);
            });
          }};
}

}  // namespace bench::reductions
