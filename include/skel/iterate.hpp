#pragma once

/// Programs that iterate over the elements of a mesh: skel::iterate and its steps, and their runs by a grid.
#include <cstddef>
#include <span>
#include <stop_token>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <skel/detail/grid/mesh_report.hpp>
#include <skel/detail/pattern/mesh_program.hpp>
#include <skel/detail/runtime/gathered_values.hpp>
#include <skel/detail/runtime/iteration/run.hpp>
#include <skel/detail/runtime/iteration/typed_part.hpp>
#include <skel/detail/runtime/pieces/program_failure.hpp>
#include <skel/grid.hpp>
#include <skel/mesh.hpp>

namespace skel {

namespace runtime::iteration {

/// The options that a program gives for its run.
template <class Program>
run_options options_of(Program const& program) {
  static_assert(skeletons::has_end<decltype(program.steps)>,
                "skel: this program over a mesh never ends; add skel::times(iterations) or skel::until(function)");
  run_options out;
  out.most_iterations = program.most_iterations;
  return out;
}

}  // namespace runtime::iteration

template <class Program>
requires skeletons::is_mesh_program<Program> mesh_plan grid::plan(Program const& app) {
  runtime::iteration::typed_part<Program> part(app);
  return plan(part, *app.over, *app.faces, runtime::iteration::options_of(app), typeid(Program).name());
}

template <class Program>
requires skeletons::is_mesh_program<Program>
auto grid::run(Program const& app, std::stop_token const& stop) {
  runtime::iteration::typed_part<Program> part(app);
  auto report = run(part, *app.over, *app.faces, runtime::iteration::options_of(app), typeid(Program).name(), stop);
  return mesh_outcome<typename Program::totals>{std::move(report), part.totals()};
}

template <class Program, class Of>
requires(skeletons::is_mesh_program<Program>&& std::is_invocable_v<
         Of const&, typename Program::cell const&>) auto grid::run(Program const& app, Of const& of,
                                                                   std::stop_token const& stop) {
  using value = std::decay_t<std::invoke_result_t<Of const&, typename Program::cell const&>>;
  runtime::iteration::typed_part<Program> part(app);
  runtime::gathered_values<value> all(app.over->cells());
  auto options = runtime::iteration::options_of(app);
  options.results = [&](std::string& to) {
    auto const of_cell = [&](std::size_t, typename Program::cell const& cell) { return of(cell); };
    return all.write(part, of_cell, to, [](std::size_t element) {
      return runtime::describe({.during = runtime::program_failure::kind::result, .number = element});
    });
  };
  options.take_results = [&](std::span<std::byte const> bytes) { all.read(bytes); };
  auto report = run(part, *app.over, *app.faces, std::move(options), typeid(std::pair<Program, Of>).name(), stop);
  return mesh_results<typename Program::totals, value>{std::move(report), part.totals(), all.take()};
}

}  // namespace skel
