#include <skel/detail/plan/partition.hpp>

#include <algorithm>
#include <compare>
#include <limits>
#include <utility>

#include <skel/detail/base/contract.hpp>

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

namespace {

std::size_t largest(std::vector<std::size_t> const& of) {
  return of.empty() ? 0 : *std::ranges::max_element(of);
}

/// Connected pieces of each part.
std::vector<std::size_t> pieces_of(cell_graph const& graph, partition const& of) {
  std::vector<std::size_t> pieces(of.parts, 0);
  std::vector<char> seen(graph.cells(), 0);
  std::vector<std::size_t> waiting;
  for (std::size_t first = 0; first < graph.cells(); ++first) {
    if (seen[first] != 0) continue;
    ++pieces[of.part_of[first]];
    seen[first] = 1;
    waiting.push_back(first);
    while (!waiting.empty()) {
      std::size_t const c = waiting.back();
      waiting.pop_back();
      for (auto const other : graph.of(c))
        if (seen[other] == 0 && of.part_of[other] == of.part_of[c]) seen[other] = 1, waiting.push_back(other);
    }
  }
  return pieces;
}

}  // namespace

std::size_t partition_figures::empty_parts() const {
  return static_cast<std::size_t>(std::ranges::count(cells, std::size_t{0}));
}
std::size_t partition_figures::largest_faces() const {
  return largest(faces);
}
std::size_t partition_figures::largest_cluster_faces() const {
  return largest(cluster_faces);
}

partition_figures figures_of(cell_graph const& graph, partition const& of, cell_weights const& weights,
                             std::span<std::size_t const> cluster_of) {
  SKEL_EXPECTS(of.part_of.size() == graph.cells());
  SKEL_EXPECTS(cluster_of.empty() || cluster_of.size() == of.parts);
  auto const cluster = [&](std::size_t part) { return cluster_of.empty() ? 0 : cluster_of[part]; };
  partition_figures made;
  made.cells.resize(of.parts), made.inner.resize(of.parts);
  made.faces.resize(of.parts), made.neighbours.resize(of.parts);
  made.weights.resize(of.parts * weights.constraints);
  made.cluster_faces.resize(cluster_of.empty() ? 1 : *std::ranges::max_element(cluster_of) + 1);
  struct border_face {
    std::uint32_t other;
    bool sends;  // the first one of its cell towards that part

    auto operator<=>(border_face const&) const = default;
  };
  std::vector<std::vector<border_face>> others(of.parts);
  std::vector<std::size_t> last_sent(of.parts, graph.cells());  // of each part, the cell that was sent to it last
  for (std::size_t c = 0; c < graph.cells(); ++c) {
    std::size_t const part = of.part_of[c];
    SKEL_EXPECTS(part < of.parts);
    ++made.cells[part];
    for (std::size_t j = 0; j < weights.constraints; ++j)
      made.weights[part * weights.constraints + j] += weights.of(c, j);
    bool is_inner = true;
    for (auto const next : graph.of(c)) {
      std::size_t const other = of.part_of[next];
      if (other == part) continue;
      is_inner = false;
      others[part].push_back({static_cast<std::uint32_t>(other), std::exchange(last_sent[other], c) != c});
      made.cut += c < next ? 1U : 0U;
      if (cluster(other) == cluster(part)) continue;
      made.cut_between_clusters += c < next ? 1U : 0U;
      ++made.cluster_faces[cluster(part)];
    }
    made.inner[part] += is_inner ? 1U : 0U;
  }
  for (std::size_t p = 0; p < of.parts; ++p) {
    made.faces[p] = others[p].size();
    std::ranges::sort(others[p]);
    for (auto const& [other, sends] : others[p]) {
      if (made.neighbours[p].empty() || made.neighbours[p].back().part != other)
        made.neighbours[p].push_back({other, 0, 0});
      ++made.neighbours[p].back().faces;
      made.neighbours[p].back().sends += sends ? 1U : 0U;
    }
  }
  made.pieces = pieces_of(graph, of);
  return made;
}

double largest_over_target(partition_figures const& of, std::span<double const> targets) {
  SKEL_EXPECTS(!of.cells.empty() && targets.size() == of.weights.size());
  std::size_t const parts = of.cells.size(), constraints = targets.size() / parts;
  double most = 0;
  for (std::size_t j = 0; j < constraints; ++j) {
    double all = 0;
    for (std::size_t p = 0; p < parts; ++p) all += of.weights[p * constraints + j];
    if (all <= 0) continue;
    for (std::size_t p = 0; p < parts; ++p) {
      double const share = of.weights[p * constraints + j] / all, target = targets[p * constraints + j];
      if (share > 0) most = std::max(most, target > 0 ? share / target : std::numeric_limits<double>::infinity());
    }
  }
  return most;
}

}  // namespace skel::plan
