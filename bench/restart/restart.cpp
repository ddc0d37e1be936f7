// bench_restart: programs that die and are started again, against what they give undisturbed.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <skel/grid.hpp>

#include "restart/cases.hpp"
#include "restart/cost.hpp"
#include "restart/program.hpp"

namespace {

namespace fs = std::filesystem;

constexpr char const* explained = "Programs that die and are started again, against what they give undisturbed.";

/// Those that are wanted, each in a folder of its own.
int run_cases(std::vector<std::string> const& only, fs::path const& folder, std::uint64_t seed) {
  std::size_t failed = 0;
  for (auto const& one : bench::restart_cases()) {
    if (!only.empty() && std::ranges::find(only, one.name) == only.end()) continue;
    std::string const wrong = one.run(folder / one.name, seed);
    fmt::print("{:<18} {:<75} {}\n", one.name, one.about, wrong.empty() ? "fine" : "WRONG");
    if (!wrong.empty()) fmt::print("  {}\n", wrong), ++failed;
    std::fflush(stdout);
  }
  return failed == 0 ? 0 : 1;
}

int run_kills(fs::path const& folder, std::size_t count, std::uint64_t seed) {
  auto const came = bench::kill_at_random(folder, count, seed);
  fmt::print("{} kills ({} of mpirun) of {} programs, which were started {} times by hand and resumed {} times: {}\n",
             came.kills, came.of_mpirun, came.programs, came.starts, came.resumed,
             came.wrong.empty() ? "every file is right" : fmt::format("{} are WRONG", came.wrong.size()));
  for (auto const& one : came.wrong) fmt::print("  {}\n", one);
  return came.wrong.empty() ? 0 : 1;
}

int run_cost(skel::grid& grid, std::vector<std::size_t> const& states, double seconds, std::size_t rounds) {
  fs::path const folder =
      fs::temp_directory_path() / grid.ranks().broadcast("skel-restart-cost-" + std::to_string(::getpid()));
  if (grid.rank() == 0) fs::create_directories(folder);
  if (grid.rank() == 0)
    fmt::print("{:>12} {:>12} {:>8} {:>8} {:>8} {:>8} {:>10} {:>10}\n", "state", "items/s", "ratio", "least", "most",
               "written", "each", "restore");
  for (std::size_t const state : states) {
    auto const cost = bench::measure_cost(grid, folder, state, seconds, rounds);
    if (grid.rank() != 0) continue;
    fmt::print("{:>12} {:>12.5g} {:>8.4f} {:>8.4f} {:>8.4f} {:>8} {:>8.3g} s {:>8.3g} s\n", state, cost.without,
               cost.ratio, cost.least, cost.most, cost.written, cost.each, cost.restore);
    std::fflush(stdout);
  }
  if (grid.rank() == 0) fs::remove_all(folder);
  return 0;
}

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
  program->add_flag("--bsp", what.is_bsp, "a BSP program of as many items");
  program->add_flag("--report", report, "print the report");
  auto* const check = app.add_subcommand("check", "whether a file is what the program writes");
  check->add_option("OUT", what.out, "the file")->required();
  check->add_option("--items", what.items, "that have passed")->required();
  check->add_flag("--bsp", what.is_bsp, "of a BSP program");
  program->allow_extras();
  std::vector<std::string> only, names;
  for (auto const& one : bench::restart_cases()) names.push_back(one.name);
  std::size_t kills = 200;
  std::uint64_t seed = 1;
  auto* const cases = app.add_subcommand("cases", "named ways of dying and of losing files");
  cases->add_option("--only", only, "these")->check(CLI::IsMember(names));
  auto* const random = app.add_subcommand("kills", "kills at random moments, on 1, 2, 4 and 7 ranks");
  random->add_option("--count", kills, "how many")->capture_default_str();
  for (auto* const one : {cases, random}) one->add_option("--seed", seed, "which draws")->capture_default_str();
  std::vector<std::size_t> states{0, std::size_t{64} << 20U};
  double seconds = 5;
  std::size_t rounds = 5;
  auto* const cost = app.add_subcommand("cost", "throughput with a checkpoint every second beside without, in turn");
  cost->add_option("--state", states, "that a stage keeps, one after the other [B]")->capture_default_str();
  cost->add_option("--seconds", seconds, "that a run takes, about")->capture_default_str();
  cost->add_option("--rounds", rounds, "of a run with and one without")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (check->parsed()) {
    std::string const difference = bench::difference_from_expected(what);
    if (!difference.empty()) fmt::print("{}: {}\n", what.out, difference);
    return difference.empty() ? 0 : 1;
  }
  if (cost->parsed()) {
    skel::run_settings settings;
    settings.knowledge = "off";
    settings.progress = false;
    skel::grid grid(settings);
    return run_cost(grid, states, seconds, rounds);
  }
  if (!program->parsed()) {
    fs::path const folder = fs::temp_directory_path() / ("skel-restart-" + std::to_string(::getpid()));
    int const result = cases->parsed() ? run_cases(only, folder, seed) : run_kills(folder, kills, seed);
    fs::remove_all(folder);
    return result;
  }
  std::signal(SIGXFSZ, SIG_IGN);  // a limit of a file's size is a full disk then
  skel::grid grid(argc, argv);
  auto const show = [&](auto const& done) {
    if (report && grid.rank() == 0) std::cout << done;
  };
  what.is_bsp ? show(bench::run_bsp(what, grid)) : show(bench::run(what, grid));
  return 0;
} catch (std::exception const& e) {
  fmt::print(stderr, "bench_restart: {}\n", e.what());
  return 1;
}
