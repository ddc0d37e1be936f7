// bench_dynamic_reductions: programs whose pattern changes, from beginning to end: adaptively, and by each algorithm.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/near_name.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/platform/host_probe.hpp>

#include "reductions/memory.hpp"
#include "reductions/programs/catalogue.hpp"
#include "reductions/whole_program.hpp"

namespace {

using namespace bench::reductions;
using nlohmann::ordered_json;

struct command {
  std::vector<std::string> only;
  std::string model;
  double scale = 1, bandwidth = 0;
  std::size_t most_steps = 1000;
  setting how;
  bool json = false;
};

std::vector<catalogue_entry> entries_of(std::vector<std::string> const& only) {
  std::vector<catalogue_entry> all;
  std::vector<std::string> names;
  for (auto const& entry : catalogue())
    if (entry.dynamic) all.push_back(entry), names.push_back(entry.program + "/" + entry.input);
  if (only.empty()) return all;
  std::vector<catalogue_entry> wanted;
  for (auto const& name : only) {
    auto const found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw skel::input_error(
          "--program", "",
          "there is no program '" + name + "' whose pattern changes" + skel::did_you_mean(name, names));
    wanted.push_back(all[static_cast<std::size_t>(found - names.begin())]);
  }
  return wanted;
}

ordered_json to_json(std::string const& name, program_run const& run) {
  ordered_json row{{"program", name},
                   {"phases", run.phases},
                   {"executions", run.executions},
                   {"adaptive_over_best", run.over_best()},
                   {"best_fixed", run.best_fixed().name()}};
  for (auto const& way : run.ways) {
    auto const& report = way.report;
    row["ways"][way.name()] = {{"seconds", skel::statistics::median(way.totals)},
                               {"least", skel::statistics::quantile(way.totals, 0)},
                               {"most", skel::statistics::quantile(way.totals, 1)},
                               {"reading", report.reading},
                               {"deciding", report.deciding},
                               {"preparing", report.preparing},
                               {"running", report.running},
                               {"switches", report.switches}};
  }
  return row;
}

void print(std::string const& name, program_run const& run) {
  double const best = skel::statistics::median(run.best_fixed().totals);
  auto const& adaptive = run.ways.front().report;
  fmt::print("{:<18} {:>6} {:>10} {:>9.4f} {:<20} {:>6.2f} {:>6.2f} {:>6.2f} {:>8}  ", name, run.phases, run.executions,
             run.over_best(), run.best_fixed().name(), 100 * adaptive.reading / adaptive.total(),
             100 * adaptive.deciding / adaptive.total(), 100 * adaptive.preparing / adaptive.total(),
             adaptive.switches);
  for (auto const& way : run.ways) fmt::print(" {:>8.3f}", skel::statistics::median(way.totals) / best);
  fmt::print("\n");
  std::fflush(stdout);
}

void run(command& given) {
  skel::platform::host_probe_options nothing;
  nothing.repeats = 0;
  auto const host = skel::platform::probe_host(nothing);
  if (given.how.threads == 0) given.how.threads = host.cores;
  if (given.how.virtual_threads) {
    given.how.memory = behind_caches(shared_memory(host, given.bandwidth).bytes_per_second, given.how.threads);
  }
  if (!given.json) {
    fmt::print("{} {}threads, {} rounds; times over that of the best fixed algorithm\n", given.how.threads,
               given.how.virtual_threads ? "virtual " : "", given.how.rounds);
    fmt::print("{:<18} {:>6} {:>10} {:>9} {:<20} {:>6} {:>6} {:>6} {:>8}  ", "program", "phases", "executions",
               "adaptive", "best fixed", "look %", "dec. %", "prep %", "switches");
    fmt::print(" {:>8}", "adaptive");
    for (auto const& traits : skel::plan::reduction_catalogue()) fmt::print(" {:>8.8}", traits.name);
    fmt::print("\n");
  }
  for (auto const& entry : entries_of(given.only)) {
    options how;
    how.scale = given.scale;
    std::string const name = entry.program + "/" + entry.input;
    auto const result = run_program(entry.make(how), given.how, given.most_steps, given.model);
    if (given.json)
      fmt::print("{}\n", to_json(name, result).dump());
    else
      print(name, result);
  }
}

}  // namespace

int main(int argc, char** argv) {
  command given;
  given.how.threads = 0;
  given.how.rounds = 3;
  CLI::App app{
      "Programs whose pattern changes while they run (Moldyn, AmrRed2D), from beginning to end: by a new\n"
      "skel::irregular_reduction that knows nothing of them, and by each algorithm alone. Times are of the whole run, "
      "with\n"
      "reading patterns, deciding and preparing; medians over rounds, in turn."};
  app.add_option("--program", given.only, "only these")->type_name("NAME");
  app.add_option("--scale", given.scale, "of a program's elements, about")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--most-steps", given.most_steps, "of a phase")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--threads", given.how.threads, "P; as many as the machine has cores unless given")
      ->check(CLI::Range(1, 1024));
  app.add_flag("--virtual-threads", given.how.virtual_threads, "as for bench_reductions");
  app.add_option("--bandwidth", given.bandwidth, "of the memory [B/s], for virtual threads; measured unless given")
      ->check(CLI::PositiveNumber);
  app.add_option("--model", given.model, "of skel train; the one that skel ships with unless given")->type_name("FILE");
  app.add_option("--rounds", given.how.rounds, "of each way")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_flag("--json", given.json, "a JSON object for each program on a line");
  CLI11_PARSE(app, argc, argv);
  try {
    run(given);
    return 0;
  } catch (skel::input_error const& problem) {
    std::cerr << "bench_dynamic_reductions: " << problem.what() << '\n';
    return 2;
  } catch (std::exception const& problem) {
    std::cerr << "bench_dynamic_reductions: " << problem.what() << '\n';
    return 1;
  }
}
