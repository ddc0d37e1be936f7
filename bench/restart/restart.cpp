// bench_restart: programs that die and are started again, against what they give undisturbed.
#include <cstdio>
#include <iostream>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <skel/grid.hpp>

#include "restart/program.hpp"

namespace {

constexpr char const* explained = "Programs that die and are started again, against what they give undisturbed.";

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app{explained};
  app.require_subcommand(1);
  bench::restart_program what;
  bool report = false;
  auto* const program = app.add_subcommand("program", "the program that is killed; takes the options of a grid");
  program->add_option("OUT", what.out, "file that it writes")->required();
  program->add_option("--items", what.items, "that pass")->required();
  program->add_option("--turns", what.turns, "of a loop that each item takes in the farm");
  program->add_option("--state", what.state, "that a stage keeps [B]");
  program->add_option("--die-at", what.die_at, "item at which it kills itself");
  program->add_option("--die-once", what.die_once, "file that is made then: only then");
  program->add_flag("--report", report, "print the report");
  auto* const check = app.add_subcommand("check", "whether a file is what the program writes");
  check->add_option("OUT", what.out, "the file")->required();
  check->add_option("--items", what.items, "that have passed")->required();
  program->allow_extras();
  CLI11_PARSE(app, argc, argv);
  if (check->parsed()) {
    std::string const difference = bench::difference_from_expected(what);
    if (!difference.empty()) fmt::print("{}: {}\n", what.out, difference);
    return difference.empty() ? 0 : 1;
  }
  skel::grid grid(argc, argv);
  auto const done = bench::run(what, grid);
  if (report && grid.rank() == 0) std::cout << done;
  return 0;
} catch (std::exception const& e) {
  fmt::print(stderr, "bench_restart: {}\n", e.what());
  return 1;
}
