#include <skel/detail/pattern/made_meshes.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

namespace skel {

namespace {

/// Neighbours of each node, by edges.
class adjacency {
 public:
  explicit adjacency(mesh const& of) : begin_(of.nodes() + 1, 0) {
    mesh const edges = edges_of(of);
    for (subscript const end : edges.corners()) ++begin_[std::size_t{end} + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    neighbours_.resize(edges.corners().size());
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for (std::size_t e = 0; e < edges.cells(); ++e) {
      subscript const a = edges.cell(e)[0], b = edges.cell(e)[1];
      neighbours_[next[a]++] = b;
      neighbours_[next[b]++] = a;
    }
  }

  std::size_t nodes() const { return begin_.size() - 1; }
  std::size_t degree(subscript node) const { return begin_[std::size_t{node} + 1] - begin_[node]; }
  std::span<subscript const> of(subscript node) const {
    return std::span(neighbours_).subspan(begin_[node], degree(node));
  }

 private:
  std::vector<std::size_t> begin_;
  std::vector<subscript> neighbours_;
};

/// Reverse Cuthill-McKee. Boost.Graph has it too, but its search for starts takes nodes x components.
class cuthill_mckee {
 public:
  explicit cuthill_mckee(mesh const& of) : graph_(of), seen_(of.nodes(), 0) {}

  /// The nodes in their new order.
  std::vector<subscript> order() {
    std::vector<subscript> result;
    result.reserve(graph_.nodes());
    std::vector<bool> numbered(graph_.nodes(), false);
    for (std::size_t v = 0; v < graph_.nodes(); ++v) {
      if (numbered[v]) continue;
      subscript const start = far_node(static_cast<subscript>(v));
      std::size_t at = result.size();
      numbered[start] = true;
      result.push_back(start);
      for (; at < result.size(); ++at) {
        std::size_t const first = result.size();
        for (subscript const next : graph_.of(result[at]))
          if (!numbered[next]) {
            numbered[next] = true;
            result.push_back(next);
          }
        std::stable_sort(result.begin() + static_cast<std::ptrdiff_t>(first), result.end(),
                         [&](subscript a, subscript b) { return graph_.degree(a) < graph_.degree(b); });
      }
    }
    std::reverse(result.begin(), result.end());
    return result;
  }

 private:
  /// From a node to one of the least degree among those that are farthest from it, as long as that leads farther.
  subscript far_node(subscript from) {
    for (std::size_t depth = 0;;) {
      std::size_t const found = sweep(from);
      if (found <= depth) return from;
      depth = found;
      from = *std::min_element(level_.begin(), level_.end(),
                               [&](subscript a, subscript b) { return graph_.degree(a) < graph_.degree(b); });
    }
  }

  /// Levels by distance from a node; the last stays in level_. How many there are after the first.
  std::size_t sweep(subscript from) {
    ++sweeps_;
    seen_[from] = sweeps_;
    level_ = {from};
    for (std::size_t depth = 0;; ++depth) {
      next_.clear();
      for (subscript const node : level_)
        for (subscript const other : graph_.of(node))
          if (seen_[other] != sweeps_) {
            seen_[other] = sweeps_;
            next_.push_back(other);
          }
      if (next_.empty()) return depth;
      level_.swap(next_);
    }
  }

  adjacency graph_;
  std::vector<std::uint64_t> seen_;
  std::uint64_t sweeps_ = 0;
  std::vector<subscript> level_, next_;
};

/// Shuffled by hand: std::shuffle does not use random numbers in the same way everywhere.
template <class T>
void shuffle(std::vector<T>& values, std::mt19937_64& random) {
  for (std::size_t k = values.size(); k > 1; --k) {
    // Multiplies and shifts instead of a remainder; k <= 2^32, so no place is favoured by more than 2^-32.
    std::size_t const chosen = static_cast<std::size_t>((random() >> 32U) * k >> 32U);
    std::swap(values[k - 1], values[chosen]);
  }
}

/// The cells in their new order.
std::vector<std::size_t> cell_order(mesh const& of, std::vector<subscript> const& number, numbering how,
                                    std::mt19937_64& random) {
  std::vector<std::size_t> order(of.cells());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (how == numbering::random) shuffle(order, random);
  if (how == numbering::rcm) {
    std::vector<subscript> lowest(of.cells());
    for (std::size_t c = 0; c < of.cells(); ++c) {
      lowest[c] = number[of.cell(c)[0]];
      for (subscript const node : of.cell(c)) lowest[c] = std::min(lowest[c], number[node]);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return lowest[a] < lowest[b]; });
  }
  return order;
}

}  // namespace

registry<named_row> const& numberings() {
  static constexpr named_row rows[] = {{"native", "Nodes keep their numbers."},
                                       {"rcm", "Neighbours get numbers near each other (reverse Cuthill-McKee)."},
                                       {"random", "Numbers are shuffled."}};
  static registry<named_row> const all("numbering", rows);
  return all;
}

std::vector<subscript> node_numbers(mesh const& of, numbering how, std::uint64_t seed) {
  std::vector<subscript> numbers(of.nodes());
  std::iota(numbers.begin(), numbers.end(), subscript{0});
  if (how == numbering::random) {
    std::mt19937_64 random(seed);
    shuffle(numbers, random);
  }
  if (how == numbering::rcm) {
    auto const order = cuthill_mckee(of).order();
    for (std::size_t k = 0; k < order.size(); ++k) numbers[order[k]] = static_cast<subscript>(k);
  }
  return numbers;
}

mesh renumber(mesh const& of, numbering nodes, numbering cells, std::uint64_t seed) {
  if (nodes == numbering::native && cells == numbering::native) return of;
  auto const number = node_numbers(of, nodes, seed);
  std::mt19937_64 random(~seed);  // the order of the cells has nothing to do with that of the nodes
  auto const order = cell_order(of, number, cells, random);

  node_positions where = of.where();
  for (std::size_t v = 0; v < of.nodes(); ++v)
    for (std::size_t k = 0; k < where.dimension; ++k) where.values[number[v] * where.dimension + k] = of.point(v)[k];
  std::vector<subscript> corners;
  corners.reserve(of.corners().size());
  for (std::size_t const c : order)
    for (subscript const node : of.cell(c)) corners.push_back(number[node]);
  if (of.uniform() && of.offsets().empty() && (of.cells() == 0 || of.kind(0) != cell_kind::polygon))
    return {of.nodes(), of.cells() == 0 ? cell_kind::line : of.kind(0), std::move(corners), std::move(where)};
  std::vector<cell_kind> kinds;
  std::vector<std::size_t> offsets{0};
  for (std::size_t const c : order) {
    kinds.push_back(of.kind(c));
    offsets.push_back(offsets.back() + of.cell(c).size());
  }
  return {of.nodes(), std::move(kinds), std::move(offsets), std::move(corners), std::move(where)};
}

}  // namespace skel
