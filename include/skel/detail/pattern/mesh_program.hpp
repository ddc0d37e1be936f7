#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <boost/hana/append.hpp>
#include <boost/hana/tuple.hpp>

#include <skel/detail/base/shown.hpp>
#include <skel/detail/pattern/face_neighbours.hpp>
#include <skel/detail/pattern/mesh.hpp>
#include <skel/detail/pattern/mesh_element.hpp>
#include <skel/detail/pattern/mesh_steps.hpp>
#include <skel/detail/pattern/program_kinds.hpp>

namespace skel {

/// A program that iterates over the elements of a mesh. skel::iterate() and its steps make it, and grid.run() runs it.
template <class Cell, class Totals, class Make, class Steps = boost::hana::tuple<>>
struct mesh_program {
  using cell = Cell;
  using totals = Totals;

  std::string name;
  std::shared_ptr<skel::mesh const> over;
  std::shared_ptr<face_neighbours const> faces;
  Make make;
  Totals start;
  Steps steps;
  std::uint64_t most_iterations = 1'000'000;

  /// The program has to end after so many iterations, otherwise run() throws skel::error.
  [[nodiscard]] mesh_program limited(std::uint64_t iterations) const {
    auto changed = *this;
    changed.most_iterations = iterations;
    return changed;
  }
};

namespace skeletons {

template <class Cell, class Totals, class Make, class Steps>
inline constexpr bool is_mesh_program<mesh_program<Cell, Totals, Make, Steps>> = true;

template <class Make>
using cell_of = std::decay_t<std::invoke_result_t<Make const&, mesh_element const&>>;

template <class Make>
struct check_make_cell {
  static constexpr bool value = std::invocable<Make const&, mesh_element const&>;
  static_assert(
      value,
      "skel: this does not make the cells of a mesh. Accepted: Cell make(skel::mesh_element const&) const; it "
      "is called on several threads at once, also for copies of what is computed on other ranks");
};

template <class T>
inline constexpr bool ends_iterations = false;
template <class F>
inline constexpr bool ends_iterations<mesh_until<F>> = true;

/// True if one of the steps ends the iterations.
template <class Steps>
inline constexpr bool has_end = false;
template <class... Steps>
inline constexpr bool has_end<boost::hana::tuple<Steps...>> = (ends_iterations<Steps> || ...);

}  // namespace skeletons

/// A program that iterates over a mesh; | adds steps:
///   auto heat = skel::iterate("heat", mesh, [](skel::mesh_element const& e) { return cell{...}; })
///             | skel::phase("conduct", [](skel::element<cell> e) { ... })
///             | skel::update("u", &cell::u)
///             | skel::times(100);
/// The call make(mesh_element) gives the cell of an element, of any type. Totals are values that are the same on all
/// ranks, such as results of reductions; they begin as `totals`. Steps run in their order in each iteration.
/// O(corners). Throws skel::input_error if more than two elements share a face.
template <class Totals, class Make>
requires skeletons::check_make_cell<Make>::value auto iterate(std::string const& name, skel::mesh over, Totals totals,
                                                              Make make) {
  auto kept = std::make_shared<skel::mesh const>(std::move(over));
  auto faces = std::make_shared<face_neighbours const>(neighbours_by_faces(*kept));
  return mesh_program<skeletons::cell_of<Make>, Totals, Make>{printable(name), std::move(kept),   std::move(faces),
                                                              std::move(make), std::move(totals), {}};
}
template <class Make>
requires skeletons::check_make_cell<Make>::value auto iterate(std::string const& name, skel::mesh over, Make make) {
  return iterate(name, std::move(over), no_totals{}, std::move(make));
}

/// The program with one step more.
template <class Cell, class Totals, class Make, class Steps, class Step>
auto operator|(mesh_program<Cell, Totals, Make, Steps> of, Step step) {
  if constexpr (skeletons::check_mesh_step<Step, Cell, Totals>::value) {
    auto steps = boost::hana::append(std::move(of.steps), std::move(step));
    return mesh_program<Cell, Totals, Make, decltype(steps)>{
        std::move(of.name),  std::move(of.over), std::move(of.faces), std::move(of.make),
        std::move(of.start), std::move(steps),   of.most_iterations};
  } else {
    return of;  // a message has told the error
  }
}

}  // namespace skel
