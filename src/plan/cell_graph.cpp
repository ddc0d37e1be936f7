#include <skel/detail/plan/cell_graph.hpp>

#include <limits>

namespace skel::plan {
namespace {

std::string of_cell(std::size_t c) {
  return "cell " + std::to_string(c) + ": ";
}

/// The first cell whose row and transposed row differ as multisets, or the number of cells. The transpose comes out
/// sorted, so that transposing twice sorts the rows.
std::size_t first_one_sided(cell_graph const& graph) {
  std::size_t const n = graph.cells();
  std::vector<std::size_t> offsets(n + 1, 0);
  for (auto const other : graph.neighbours) ++offsets[other + 1];
  for (std::size_t c = 0; c < n; ++c) {
    if (offsets[c + 1] != graph.offsets[c + 1] - graph.offsets[c]) return c;
    offsets[c + 1] += offsets[c];
  }
  std::vector<std::uint32_t> transposed(graph.neighbours.size()), sorted(graph.neighbours.size());
  auto next = offsets;
  for (std::size_t c = 0; c < n; ++c)
    for (auto const other : graph.of(c)) transposed[next[other]++] = static_cast<std::uint32_t>(c);
  next = offsets;
  for (std::size_t c = 0; c < n; ++c)
    for (std::size_t k = offsets[c]; k < offsets[c + 1]; ++k)
      sorted[next[transposed[k]]++] = static_cast<std::uint32_t>(c);
  for (std::size_t c = 0; c < n; ++c)
    for (std::size_t k = offsets[c]; k < offsets[c + 1]; ++k)
      if (sorted[k] != transposed[k]) return c;
  return n;
}

}  // namespace

std::string fault_of(cell_graph const& graph) {
  std::size_t const n = graph.cells();
  if (n == 0) return "there are no cells";
  if (n > std::numeric_limits<std::uint32_t>::max()) return "there are more cells than 32 bits count";
  if (graph.offsets.front() != 0 || graph.offsets.back() != graph.neighbours.size())
    return "offsets begin at " + std::to_string(graph.offsets.front()) + " and end at " +
           std::to_string(graph.offsets.back()) + ", neighbours are " + std::to_string(graph.neighbours.size());
  for (std::size_t c = 0; c < n; ++c)
    if (graph.offsets[c] > graph.offsets[c + 1]) return of_cell(c) + "its neighbours end before they begin";
  for (std::size_t c = 0; c < n; ++c)
    for (auto const other : graph.of(c)) {
      if (other >= n) return of_cell(c) + "there is no cell " + std::to_string(other) + " of " + std::to_string(n);
      if (other == c) return of_cell(c) + "it is its own neighbour";
    }
  if (std::size_t const c = first_one_sided(graph); c < n)
    return of_cell(c) + "its neighbours are not those that name it; each edge belongs to the rows of both its ends";
  return {};
}

cell_graph graph_of(face_neighbours const& faces) {
  cell_graph made;
  made.offsets.reserve(faces.cells() + 1);
  made.offsets.push_back(0);
  for (std::size_t c = 0; c < faces.cells(); ++c) {
    for (auto const behind : faces.of(c))
      if (behind != face_neighbours::none) made.neighbours.push_back(behind);
    made.offsets.push_back(made.neighbours.size());
  }
  return made;
}

}  // namespace skel::plan
