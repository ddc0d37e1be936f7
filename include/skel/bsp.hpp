#pragma once

/// BSP programs, whose processes may move to other ranks: skel::bsp, skel::superstep, and their runs by a grid.
#include <cstddef>
#include <span>
#include <stop_token>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <skel/detail/grid/bsp_report.hpp>
#include <skel/detail/runtime/bsp/program.hpp>
#include <skel/detail/runtime/bsp/run.hpp>
#include <skel/detail/runtime/bsp/typed_group.hpp>
#include <skel/detail/runtime/gathered_values.hpp>
#include <skel/detail/runtime/pieces/program_failure.hpp>
#include <skel/grid.hpp>

namespace skel {

template <class Program>
requires runtime::bsp::is_program<Program> bsp_plan grid::plan(Program const& app) {
  runtime::bsp::typed_group<Program> const group(app);
  return plan(group, runtime::bsp::options_of(app), app.migration, typeid(Program).name());
}

template <class Program>
requires runtime::bsp::is_program<Program> bsp_report grid::run(Program const& app, std::stop_token const& stop) {
  runtime::bsp::typed_group<Program> group(app);
  return run(group, runtime::bsp::options_of(app), app.migration, typeid(Program).name(), stop);
}

template <class Program, class Of>
requires(runtime::bsp::is_program<Program>&& std::is_invocable_v<
         Of const&, std::size_t, typename Program::state&>) auto grid::run(Program const& app, Of const& of,
                                                                           std::stop_token const& stop) {
  using value = std::decay_t<std::invoke_result_t<Of const&, std::size_t, typename Program::state&>>;
  runtime::bsp::typed_group<Program> group(app);
  runtime::gathered_values<value> all(app.processes);
  auto options = runtime::bsp::options_of(app);
  options.results = [&](std::string& to) {
    return all.write(group, of, to, [](std::size_t process) {
      return runtime::describe({runtime::program_failure::kind::result, process});
    });
  };
  options.take_results = [&](std::span<std::byte const> bytes) { all.read(bytes); };
  auto report = run(group, std::move(options), app.migration, typeid(std::pair<Program, Of>).name(), stop);
  return bsp_results<value>{std::move(report), all.take()};
}

}  // namespace skel
