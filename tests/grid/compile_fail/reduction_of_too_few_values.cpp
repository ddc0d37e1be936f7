#include <span>
#include <vector>

#include <skel/detail/grid/irregular_reduction.hpp>

void accumulate(skel::pattern const& of, std::vector<double>& x, std::vector<double>& y) {
  skel::irregular_reduction reduction;
  reduction.run(of, skel::arrays(std::span{x}, std::span{y}), [](std::size_t, auto& acc) { acc.add(0, 1.0); });
}
