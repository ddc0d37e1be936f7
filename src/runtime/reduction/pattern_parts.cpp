#include <skel/detail/runtime/reduction/pattern_parts.hpp>

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include <skel/detail/plan/block.hpp>

namespace skel::runtime::reduction {

std::size_t element_set::size() const {
  std::size_t sum = 0;
  for (std::uint64_t const word : words) sum += static_cast<std::size_t>(std::popcount(word));
  return sum;
}

touched_map find_touched(pattern const& of, team& workers) {
  touched_map map{of.elements(), std::vector<element_set>(workers.parts())};
  auto const bytes = static_cast<double>(of.subscripts() * sizeof(subscript));
  workers.run({"touch", bytes, bytes}, [&](std::size_t part) {
    element_set mine{std::vector<std::uint64_t>(element_set::words_for(of.elements()))};
    auto const iterations = plan::block_of(of.iterations(), workers.parts(), part);
    auto const index = of.index();
    std::size_t const end = of.row_begin(iterations.end);
    for (std::size_t k = of.row_begin(iterations.begin); k < end; ++k) mine.insert(index[k]);
    map.parts[part] = std::move(mine);
  });
  return map;
}

namespace {

/// The first iteration of a rank, where those of the rank before it end. An iteration counts as much as it has
/// subscripts, and one for itself.
std::size_t first_iteration(pattern const& of, std::size_t ranks, std::size_t rank) {
  std::size_t const before = plan::block_of(of.subscripts() + of.iterations(), ranks, rank).begin;
  std::size_t first = 0;
  for (std::size_t end = of.iterations(); first < end;) {
    std::size_t const middle = first + (end - first) / 2;
    if (of.row_begin(middle) + middle < before)
      first = middle + 1;
    else
      end = middle;
  }
  return first;
}

}  // namespace

void pattern_share::take(pattern const& of, share_of_rank which, std::size_t ranks, std::size_t rank) {
  if (std::tie(version_, which_, ranks_, rank_) == std::tuple(of.version(), which, ranks, rank)) return;
  version_ = 0;  // of no pattern, in case that there is no memory for this one
  content_ = of.content();
  numbers_.clear();
  if (which == share_of_rank::block) {
    first_ = first_iteration(of, ranks, rank);
    part_ = of.part(first_, rank + 1 == ranks ? of.iterations() : first_iteration(of, ranks, rank + 1));
  } else {
    auto const own = plan::block_of(of.elements(), ranks, rank);
    for (std::size_t i = 0; i < of.iterations(); ++i)
      if (std::ranges::any_of(of.row(i), [&](subscript e) { return own.begin <= e && e < own.end; }))
        numbers_.push_back(i);
    part_ = of.part(numbers_);
  }
  version_ = of.version(), which_ = which, ranks_ = ranks, rank_ = rank;
}

}  // namespace skel::runtime::reduction
