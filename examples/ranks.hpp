#pragma once

/// The common part of the BSP examples on all ranks: reads the command line, reads files on rank 0, says errors once.
#include <algorithm>
#include <cstddef>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include <skel/error.hpp>
#include <skel/grid.hpp>

namespace examples {

/// Reads the command line, which is the same on every rank. Rank 0 prints the help for --help, or the error. Then the
/// exit code of the program is returned, otherwise nothing.
inline std::optional<int> read_command_line(CLI::App& cli, skel::grid const& grid, int argc, char** argv) {
  cli.footer("Runs alone or under mpirun. --skel-help lists the options of all programs of skel.");
  cli.get_formatter()->column_width(34);
  try {
    cli.parse(argc, argv);
    return std::nullopt;
  } catch (CLI::ParseError const& problem) {
    return grid.rank() == 0 ? cli.exit(problem) : problem.get_exit_code();
  }
}

/// The usual number of processes: some for each rank, so that moving them can balance loads.
inline std::size_t usual_processes(skel::grid const& grid) {
  return std::max(std::size_t{8}, 4 * static_cast<std::size_t>(grid.size()));
}

/// Calls a function on rank 0 and returns its result on every rank: files have to be on its host only. Collective.
/// Throws skel::error on every rank if the function throws.
template <class Make>
auto from_rank_0(skel::grid& grid, Make const& make) {
  std::pair<decltype(make()), std::string> made;
  if (grid.rank() == 0) try {
      made.first = make();
    } catch (std::exception const& problem) {
      made.second = problem.what();
    }
  grid.broadcast(made);
  if (!made.second.empty()) throw skel::error(made.second);
  return std::move(made.first);
}

/// Calls a program's function and returns its exit code. If every rank throws an error, rank 0 reports it.
template <class Program>
int run(skel::grid const& grid, char const* name, Program const& program) {
  try {
    int const code = program();
    if (grid.rank() == 0 && !std::cout.flush()) throw skel::error("standard output cannot be written");
    return code;
  } catch (skel::error const& problem) {
    if (grid.rank() == 0) std::cerr << name << ": " << problem.what() << "\n";
    return 1;
  }
}

}  // namespace examples
