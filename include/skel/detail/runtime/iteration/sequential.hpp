#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include <boost/hana/for_each.hpp>

#include <skel/detail/base/error.hpp>
#include <skel/detail/pattern/mesh_program.hpp>
#include <skel/detail/runtime/pieces/program_failure.hpp>

namespace skel::runtime::iteration {

/// Result of a program over a mesh.
template <class Cell, class Totals>
struct sequential_result {
  std::vector<Cell> cells;  ///< by the numbers of the elements
  Totals totals;
  std::uint64_t iterations = 0;
};

/// The meaning of a program over a mesh: each step for one element after the other, in this thread. Shares no code with
/// the other engine, which must give the same but for the rounding of reductions. Throws what run_mesh() throws.
template <class Program>
auto run_sequential(Program const& program) {
  using cell = typename Program::cell;
  using totals = typename Program::totals;
  std::size_t const n = program.over->cells();
  sequential_result<cell, totals> out{{}, program.start, 0};
  auto const fail = [&](program_failure::kind during, std::string const& step, std::uint64_t element) {
    throw_failure(program.name, step, describe({.during = during, .number = element, .iteration = out.iterations}));
  };
  constexpr auto nobody = program_failure::nobody;

  std::vector<int> const alone{0};
  local_elements all;
  out.cells.reserve(n);
  for (std::size_t e = 0; e < n; ++e) {
    all.numbers.push_back(static_cast<std::uint32_t>(e));
    for (auto const behind : program.faces->of(e)) all.neighbours.push_back(behind);
    all.offsets.push_back(all.neighbours.size());
    try {
      out.cells.push_back(program.make(mesh_element(*program.over, *program.faces, e)));
    } catch (...) {
      fail(program_failure::kind::make, "", e);
    }
  }
  auto const at = [&](std::size_t e) { return element<cell>(out.cells.data(), all, e); };

  bool ends = false;
  auto const take = [&]<class Step>(Step const& step) {
    if (ends) return;
    if constexpr (requires { step.every; }) {
      if (out.iterations % step.every != 0) return;
      mesh_view<cell, totals> const view{out.iterations, all.numbers, out.cells, out.totals, 0, 1, alone};
      try {
        step.function(view);
      } catch (...) {
        fail(program_failure::kind::output, step.name, nobody);
      }
    } else if constexpr (requires { step.combine; }) {
      using value = skeletons::value_of_element<decltype(step.of), cell, totals>;
      std::optional<value> sum;
      for (std::size_t e = 0; e < n; ++e) try {
          element<cell const> const seen(out.cells.data(), all, e);
          value made = skeletons::call_for_element(step.of, seen, std::as_const(out.totals));
          if (sum)
            sum.emplace(step.combine(*std::exchange(sum, std::nullopt), std::move(made)));
          else
            sum.emplace(std::move(made));
        } catch (...) {
          fail(program_failure::kind::reduce, step.name, e);
        }
      if (sum) out.totals.*step.member = *std::move(sum);
    } else if constexpr (requires { step.members; }) {
      // all see the cells themselves
    } else if constexpr (skeletons::is_mesh_totals_step<Step>) {
      try {
        skeletons::call_for_totals(step.function, out.totals, out.iterations);
      } catch (...) {
        fail(program_failure::kind::totals, step.name, nobody);
      }
    } else if constexpr (requires { step.name; }) {
      for (std::size_t e = 0; e < n; ++e) try {
          skeletons::call_for_element(step.function, at(e), std::as_const(out.totals));
        } catch (...) {
          fail(program_failure::kind::step, step.name, e);
        }
    } else {
      try {
        ends = static_cast<bool>(step.function(std::as_const(out.totals), out.iterations));
      } catch (...) {
        fail(program_failure::kind::until, "until", nobody);
      }
    }
  };
  while (!ends) {
    if (out.iterations >= program.most_iterations) throw error(not_ended(program.name, out.iterations));
    ++out.iterations;
    boost::hana::for_each(program.steps, take);
  }
  return out;
}

}  // namespace skel::runtime::iteration
