#include <span>
#include <vector>

#include <skel/detail/grid/irregular_reduction.hpp>

void accumulate(skel::pattern const& of, std::vector<double> const& x) {
  skel::irregular_reduction reduction;
  reduction.run(of, std::span{x}, [](std::size_t, auto& acc) { acc.add(0, 1.0); });
}
