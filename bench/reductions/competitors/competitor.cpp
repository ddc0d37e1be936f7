#include "competitor.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include <skel/detail/base/error.hpp>

namespace bench::reductions {

std::vector<competitor> competitors(common_loop const& loop) {
  return {openmp_array(loop), openmp_atomic(loop), tbb_combinable(loop), kokkos_scatter_view(loop)};
}

void check_sums(competitor const& who, common_loop const& loop) {
  std::vector<double> expected(loop.into.size(), 0);
  competitor_detail::with_loop(loop, [&](auto const& iterate) {
    iterate(0, loop.of.iterations(), [&](std::size_t at, double value) { expected[at] += value; });
  });
  double scale = 0;
  for (double const value : expected) scale = std::max(scale, std::abs(value));
  for (std::size_t k = 0; k < expected.size(); ++k)
    if (!(std::abs(loop.into[k] - expected[k]) <= 1e-9 * scale))  // as skel's own: trial.cpp
      throw skel::error(fmt::format("the sums of {} differ from those of a plain loop at element {}: {} instead of {}",
                                    who.name, k / loop.components(), loop.into[k], expected[k]));
}

namespace competitor_detail {

std::string openmp_note() {
  char const* const set = std::getenv("OMP_WAIT_POLICY");
  return "OMP_WAIT_POLICY " + std::string(set == nullptr ? "not set: actively" : set);
}

}  // namespace competitor_detail
}  // namespace bench::reductions
