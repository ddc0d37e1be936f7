#include <skel/detail/runtime/reduction/touched.hpp>

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

}  // namespace skel::runtime::reduction
