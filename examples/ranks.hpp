#pragma once

/// What the BSP examples do alike on all ranks: read the command line, read files on rank 0, say once what is wrong.
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

/// Reads the command line, which is the same on every rank. Rank 0 prints what --help asks for, or what is wrong.
/// Returns the exit code of a program that ends with that.
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

/// How many processes there are where nobody says it: some for each rank, so that loads can be balanced by moving them.
inline std::size_t usual_processes(skel::grid const& grid) {
  return std::max(std::size_t{8}, 4 * static_cast<std::size_t>(grid.size()));
}

/// What a function gives on rank 0, on every rank: files have to be on its host only. Collective. Throws skel::error on
/// every rank when the function throws.
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

/// Calls a program's function, which gives its exit code. What every rank throws, rank 0 says.
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
