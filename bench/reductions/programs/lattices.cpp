#include "lattices.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

namespace bench::reductions {

namespace {

using skel::cell_kind;
using skel::subscript;

subscript number(std::size_t node) {
  return static_cast<subscript>(node);
}

skel::node_positions square_points(std::size_t width, std::size_t height) {
  skel::node_positions where{2, {}};
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x)
      where.values.insert(where.values.end(), {static_cast<double>(x) / static_cast<double>(width - 1),
                                               static_cast<double>(y) / static_cast<double>(height - 1)});
  return where;
}

}  // namespace

std::size_t side_of(double nodes, double scale, int dimension) {
  return std::max<std::size_t>(4, static_cast<std::size_t>(std::lround(std::pow(nodes * scale, 1.0 / dimension))));
}

skel::mesh triangle_lattice(std::size_t width, std::size_t height, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<subscript> corners;
  for (std::size_t y = 0; y + 1 < height; ++y)
    for (std::size_t x = 0; x + 1 < width; ++x) {
      subscript const a = number(y * width + x), b = a + 1, d = number((y + 1) * width + x), c = d + 1;
      if (random() >> 63U == 0)
        corners.insert(corners.end(), {a, b, c, a, c, d});
      else
        corners.insert(corners.end(), {a, b, d, b, c, d});
    }
  return {width * height, cell_kind::triangle, std::move(corners), square_points(width, height)};
}

skel::mesh quad_lattice(std::size_t width, std::size_t height) {
  std::vector<subscript> corners;
  for (std::size_t y = 0; y + 1 < height; ++y)
    for (std::size_t x = 0; x + 1 < width; ++x) {
      subscript const a = number(y * width + x), d = number((y + 1) * width + x);
      corners.insert(corners.end(), {a, a + 1, d + 1, d});
    }
  return {width * height, cell_kind::quad, std::move(corners), square_points(width, height)};
}

skel::mesh tet_lattice(std::array<std::size_t, 3> nodes) {
  auto const [width, height, depth] = nodes;
  std::array<std::size_t, 3> const step{1, width, width * height};
  skel::node_positions where{3, {}};
  std::vector<subscript> corners;
  for (std::size_t z = 0; z < depth; ++z)
    for (std::size_t y = 0; y < height; ++y)
      for (std::size_t x = 0; x < width; ++x) {
        auto const part = [](std::size_t k, std::size_t of) {
          return static_cast<double>(k) / static_cast<double>(of - 1);
        };
        double const down = part(z, depth);
        where.values.insert(where.values.end(), {part(x, width), part(y, height), down * (2 + down) / 3});
        if (x + 1 == width || y + 1 == height || z + 1 == depth) continue;
        std::size_t const a = x + y * step[1] + z * step[2];
        std::array<std::size_t, 3> way{0, 1, 2};  // the axes in the order in which the tet goes along them
        do {
          std::size_t const b = a + step[way[0]], c = b + step[way[1]], d = c + step[way[2]];
          bool const even = (way[0] + 1) % 3 == way[1];
          corners.insert(corners.end(), {number(a), number(even ? b : c), number(even ? c : b), number(d)});
        } while (std::next_permutation(way.begin(), way.end()));
      }
  return {width * height * depth, cell_kind::tet, std::move(corners), std::move(where)};
}

skel::mesh second_neighbours(skel::mesh const& of) {
  skel::mesh const edges = edges_of(of);
  std::vector<std::size_t> begin(of.nodes() + 1, 0);
  for (subscript const end : edges.corners()) ++begin[std::size_t{end} + 1];
  for (std::size_t v = 0; v < of.nodes(); ++v) begin[v + 1] += begin[v];
  std::vector<subscript> neighbours(edges.corners().size());
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
  for (std::size_t e = 0; e < edges.cells(); ++e) {
    subscript const a = edges.cell(e)[0], b = edges.cell(e)[1];
    neighbours[next[a]++] = b;
    neighbours[next[b]++] = a;
  }
  std::vector<subscript> pairs, found;
  for (std::size_t v = 0; v < of.nodes(); ++v) {
    found.clear();
    for (std::size_t k = begin[v]; k < begin[v + 1]; ++k) {
      std::size_t const u = neighbours[k];
      found.push_back(number(u));
      for (std::size_t l = begin[u]; l < begin[u + 1]; ++l) found.push_back(neighbours[l]);
    }
    std::sort(found.begin(), found.end());
    auto const end = std::unique(found.begin(), found.end());
    for (auto one = std::upper_bound(found.begin(), end, number(v)); one != end; ++one)
      pairs.insert(pairs.end(), {number(v), *one});
  }
  return {of.nodes(), cell_kind::line, std::move(pairs), of.where()};
}

}  // namespace bench::reductions
