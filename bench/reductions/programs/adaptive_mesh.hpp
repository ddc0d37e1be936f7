#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <skel/detail/pattern/mesh.hpp>

namespace bench::reductions {

/// A mesh of triangles that is refined and coarsened where somebody wants it, and conforms at every time: bisection of
/// the newest vertex, with its closure, and the removal of nodes whose triangles are all children of one bisection.
/// Begins as a lattice of nodes in the unit square, and is never coarser than that.
/// Source: Mitchell 1989, ACM Transactions on Mathematical Software 15(4):326-347; coarsening: Chen, Zhang 2010,
/// Journal of Computational Mathematics 28(6):767-789.
class adaptive_mesh {
 public:
  using region = std::function<bool(double x, double y)>;

  adaptive_mesh(std::size_t width, std::size_t height);

  /// Bisects each triangle whose centre is in the region, and what must follow so that the mesh conforms. O(triangles).
  void refine(region const& where);
  /// Takes one bisection back where that can be done: around nodes all of whose triangles have their centres in the
  /// region. O(triangles).
  void coarsen(region const& where);

  std::size_t nodes() const { return nodes_; }
  std::size_t triangles() const { return leaves_; }

  /// The triangles; nodes numbered by x, then y. O(nodes log nodes).
  skel::mesh triangles_of_now() const;

 private:
  /// Its refinement edge joins the first two corners; the third is its newest.
  struct triangle {
    std::array<std::uint32_t, 3> corners{};
    std::uint32_t parent = none;
    std::uint32_t children = none;  ///< the first of two that follow each other; none: a leaf
    bool used = false;
  };
  static constexpr std::uint32_t none = 0xffffffff;

  std::uint32_t add_node(double x, double y);
  void bisect(std::uint32_t parent, std::uint32_t middle);
  std::array<double, 2> centre(triangle const& of) const;
  template <class Visit>
  void for_each_leaf(Visit&& visit) const;

  std::vector<double> x_, y_;
  std::vector<bool> alive_;  ///< nodes that are there
  std::vector<triangle> forest_;
  std::vector<std::uint32_t> free_nodes_, free_pairs_;
  std::size_t first_nodes_ = 0, nodes_ = 0, leaves_ = 0;
};

}  // namespace bench::reductions
