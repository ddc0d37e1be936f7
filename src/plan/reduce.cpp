#include <algorithm>
#include <cstdint>

#include "algorithms.hpp"

namespace skel::plan::detail {

std::vector<std::uint32_t> heights(tree const& shape) {
  std::vector<std::uint32_t> height(shape.size(), 0);
  for (std::size_t v = shape.size(); v-- > 1;)
    height[shape.parent(v)] = std::max(height[shape.parent(v)], height[v] + 1);
  return height;
}

std::vector<std::size_t> nearest_first(tree const& shape, std::size_t vertex) {
  std::vector<std::size_t> children(shape.degree(vertex));
  for (std::size_t i = 0; i < children.size(); ++i) children[i] = shape.child(vertex, i);
  std::sort(children.begin(), children.end());
  return children;
}

schedule tree_reduce(tree const& shape, collective_problem const& problem, bool all_at_once) {
  segmentation const segments = cut(problem);
  auto const phase = all_at_once && segments.count > 1 ? std::vector<std::uint32_t>(shape.size(), 0) : heights(shape);
  schedule result{std::vector<rank_schedule>(shape.size())};
  for (std::size_t v = 0; v < shape.size(); ++v) {
    rank_schedule& mine = result.ranks[rank_of(v, problem)];
    mine.work_bytes = problem.bytes;
    mine.load.push_back({0, 0, problem.bytes});
    if (v == 0) mine.unload.push_back({0, 0, problem.bytes});
    for (std::uint64_t k = 0; k < segments.count; ++k) {
      byte_range const part{.first = k * segments.bytes,
                            .bytes = k + 1 == segments.count ? segments.last : segments.bytes};
      for (std::size_t child : nearest_first(shape, v))
        mine.add(step::action::combine, rank_of(child, problem), phase[child], part);
      if (v != 0) mine.add(step::action::send, rank_of(shape.parent(v), problem), phase[v], part);
    }
  }
  return result;
}

}  // namespace skel::plan::detail
