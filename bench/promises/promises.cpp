// bench_promises: what skel predicts of real programs, before they run and while they do, against what is measured.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <skel/detail/record/clock.hpp>

#include "promises/programs.hpp"
#include "promises/results.hpp"
#include "support/busy_processes.hpp"
#include "support/cpu_time.hpp"
#include "support/machine_load.hpp"

namespace {

using bench::promise_result;
using nlohmann::json;

struct options {
  std::optional<std::size_t> asked_runs;
  std::size_t runs = 20;
  double seconds = 2;
  std::vector<std::size_t> ranks{1, 2, 4};
  std::vector<std::string> programs;
  std::string json_file, plot_file;
  bool quick = false;
  std::vector<std::size_t> busy;  ///< numbers of busy processes to run beside; none: nothing is started
  std::string knowledge;  ///< a folder for what runs learn; empty: nothing is known and nothing is kept
  std::size_t items = 0;  ///< a rank of one run: how many items
};

constexpr char const* explained =
    "Predicted against measured throughput of real programs.\n\n"
    "Every run is a process of its own under mpirun, as users start it; programs and numbers of ranks take turns. "
    "Before\n"
    "them each program runs once on each number of ranks, which is not counted, to find how many items take "
    "--seconds.\n\n"
    "before the run   the forecast from before, error |measured / predicted - 1| over the whole run; `covered`: share "
    "of\n"
    "                 the runs whose throughput lies in its interval (-: it states none)\n"
    "what stood       the forecast from before until a later one replaces it, and so on to the end of the run: the "
    "error\n"
    "                 of each over the part of the run that it stood for, weighted by how long it stood; `covered`: "
    "share\n"
    "                 of the time of forecasts with an interval in which it holds what is measured over their part\n"
    "made             forecasts made while the program ran, mean of the runs\n"
    "preparation      calibration and planning, of all the time from the first item on\n"
    "other load       of the processor time of all cores during all this, what went to other processes or was "
    "stolen\n\n"
    "No run is left out. Intervals are meant to hold 90 %.\n\n"
    "With --knowledge FOLDER, a program on a number of ranks keeps what its runs learn in a file of its own there, "
    "which is\n"
    "removed first; the first run, from which the others learn, is told apart. Otherwise nothing is known of runs "
    "before.\n\n"
    "With --busy 0 1 2 4, all runs are made beside so many processes that compute all the time, first 0, then 1, and "
    "so "
    "on:\n"
    "they are started before the first run and ended after the last one. Programs whose items drift are left out. A "
    "table\n"
    "says how forecasts from before the run were kept by load and number of ranks, and lines below it what falls short "
    "of\n"
    "the goal: intervals hold 85 to 95 % of the runs, the median error is at most 8 % (5 % alone). --busy without "
    "--runs\n"
    "makes 4 runs of each program: 20 for each load and number of ranks, in about 20 minutes.";

/// One run, on this rank; rank 0 prints what came out as a line of JSON.
int run_one(skel::grid& grid, std::string const& name, std::size_t items) {
  auto const all = bench::promise_programs();
  auto const it = std::find_if(all.begin(), all.end(), [&](auto const& p) { return p.name == name; });
  if (it == all.end()) throw skel::error("there is no program '" + name + "'; see bench_promises --help");
  (void)grid.ranks().broadcast("");  // all are there before the clock starts
  double const own = bench::cpu_seconds(), host = bench::host_cpu_seconds(), begin = skel::record::now();
  auto const report = it->run(grid, items);
  double const seconds = skel::record::now() - begin, busy = bench::host_cpu_seconds() - host;
  double ours = 0;
  for (auto const& text : grid.ranks().all_gather(std::to_string(bench::cpu_seconds() - own))) ours += std::stod(text);
  if (grid.rank() != 0) return 0;
  promise_result out;
  out.program = name;
  out.ranks = static_cast<std::size_t>(grid.size());
  out.items = items;
  out.seconds = report.run.seconds;
  out.throughput = report.run.throughput();
  out.calibration = report.calibration_seconds;
  out.planning = report.planning_seconds;
  out.others = std::clamp((busy - ours) / (seconds * std::max(1u, std::thread::hardware_concurrency())), 0.0, 1.0);
  out.forecasts.assign(report.run.forecasts.begin(), report.run.forecasts.end());
  fmt::print("{}\n", bench::to_json(out).dump());
  return 0;
}

/// Starts ranks for one run and reads what they print. Nothing where that fails, of which mpirun has told.
std::optional<promise_result> start(std::string const& self, std::string const& name, std::size_t ranks,
                                    std::size_t items, std::string const& knowledge) {
  static std::string const words[] = {SKEL_MPIRUN}, variables[] = {SKEL_MPIRUN_ENVIRONMENT};
  std::string command = "env";
  for (auto const& word : variables) command += " " + word;
  for (auto const& word : words) command += " '" + word + "'";
  command +=
      fmt::format(" -np {} '{}' --programs {} --items {} --skel-knowledge '{}'", ranks, self, name, items, knowledge);
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string text;
  char part[4096];
  while (std::size_t const n = std::fread(part, 1, sizeof part, pipe)) text.append(part, n);
  if (pclose(pipe) != 0) return std::nullopt;
  json const found = json::parse(text, nullptr, false);
  if (found.is_discarded()) return std::nullopt;
  return bench::promise_from_json(found);
}

bool write(std::string const& name, std::string const& text) {
  std::ofstream file(name);
  file << text;
  if (file.flush()) return true;
  fmt::print(stderr, "bench_promises: cannot write {}: check the folder and the space left\n", name);
  return false;
}

/// Programs whose items drift have no forecast from before that is of the run: beside others they run where they are
/// named.
bool is_wanted(bench::promise_program const& p, options const& how) {
  if (how.programs.empty()) return how.busy.empty() || !p.drifts;
  return std::find(how.programs.begin(), how.programs.end(), p.name) != how.programs.end();
}

int run_all(std::string const& self, options const& how) {
  using what = std::pair<std::string, std::size_t>;  // program, ranks
  std::vector<what> turns;
  for (auto const& p : bench::promise_programs())
    if (is_wanted(p, how))
      for (std::size_t const ranks : how.ranks) {
        if (ranks == how.ranks.front()) fmt::print("{:>18}: {}\n", p.name, p.what);
        turns.emplace_back(p.name, ranks);
      }
  std::map<what, std::size_t> items;
  std::map<what, std::vector<promise_result>> results;
  std::size_t failed = 0;
  auto const run = [&](what const& one, std::size_t count, std::string const& knowledge = "off") {
    auto const found = start(self, one.first, one.second, count, knowledge);
    if (!found) {
      ++failed;
      fmt::print(stderr, "bench_promises: {} on {} ranks failed\n", one.first, one.second);
    }
    return found;
  };
  for (auto const& p : bench::promise_programs())
    for (what const& one : turns)
      if (one.first == p.name) {
        auto const pilot = run(one, p.items);
        double const took = pilot ? pilot->seconds + pilot->calibration : 0;
        items[one] = took > 0 ? std::max<std::size_t>(
                                    1, static_cast<std::size_t>(static_cast<double>(p.items) * how.seconds / took))
                              : p.items;
      }
  bool const learns = !how.knowledge.empty();
  auto const file_of = [&](what const& one) {
    return learns ? fmt::format("{}/{}-{}.txt", how.knowledge, one.first, one.second) : std::string("off");
  };
  if (learns) std::filesystem::create_directories(how.knowledge);
  for (what const& one : turns)
    if (learns) std::filesystem::remove(file_of(one));
  std::vector<promise_result> first_runs;
  auto const row_of = [&](what const& one, std::size_t busy) {
    return how.busy.empty() ? one : what(fmt::format("{} +{}", one.first, busy), one.second);
  };
  auto const loads = how.busy.empty() ? std::vector<std::size_t>{0} : how.busy;
  std::size_t const rounds = how.runs + (learns ? 1 : 0), all_runs = loads.size() * rounds * turns.size();
  std::size_t begun = 0;
  auto const cores = std::max(1u, std::thread::hardware_concurrency());
  for (std::size_t const busy : loads) {
    bench::busy_processes const others(busy);
    // As long as alone, where others take their part.
    double const slower = std::max(1.0, static_cast<double>(cores + busy) / cores);
    for (std::size_t round = 0; round < rounds; ++round)
      for (std::size_t i = 0; i < turns.size(); ++i) {
        what const& one = turns[round % 2 == 0 ? i : turns.size() - 1 - i];
        ++begun;
        if (!how.busy.empty())
          fmt::print(stderr, "beside {} busy: run {} of {}, {} on {} ranks\n", busy, begun, all_runs, one.first,
                     one.second);
        auto const count = std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(items[one]) / slower));
        auto found = run(one, count, file_of(one));
        if (!found) continue;
        found->busy = busy;
        (learns && round == 0 ? first_runs : results[row_of(one, busy)]).push_back(*found);
      }
  }
  fmt::print("\n{} runs of about {} s each\n\n", how.runs, how.seconds);
  bench::print_promises_heading();
  json rows = json::array(), each = json::array();
  std::vector<promise_result> all;
  for (std::size_t const busy : loads)
    for (what const& turn : turns) {
      auto const one = row_of(turn, busy);
      rows.push_back(bench::print_promises(one.first, std::to_string(one.second), results[one]));
      for (auto const& r : results[one]) all.push_back(r), each.push_back(bench::to_json(r));
    }
  json const total = bench::print_promises(learns ? "all but the first" : "all", "", all);
  json const first = learns ? bench::print_promises("first runs", "", first_runs) : json();
  json const by_load = how.busy.empty() ? json() : bench::print_loads(all);
  if (failed > 0) fmt::print("\n{} runs failed\n", failed);
  bool written = true;
  if (!how.json_file.empty()) {
    json const text = {
        {"benchmark", "promises"}, {"seconds", how.seconds}, {"failed", failed}, {"summary", rows}, {"all", total},
        {"first", first},          {"loads", by_load},       {"runs", each}};
    written = write(how.json_file, text.dump(2) + "\n");
  }
  if (!how.plot_file.empty()) written = write(how.plot_file, bench::plot_of_promises(all)) && written;
  return written && failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  options how;
  CLI::App app{explained};
  app.allow_extras();  // of a rank: what skel::grid takes
  app.add_option("--runs", how.asked_runs,
                 "counted runs of each program on each number of ranks (20; with --busy 4 beside each)");
  app.add_option("--busy", how.busy, "make the runs beside so many busy processes, one number after the other");
  app.add_option("--seconds", how.seconds, "how long a run takes")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--ranks", how.ranks, "numbers of ranks")->capture_default_str();
  app.add_option("--programs", how.programs, "names of programs; all where none is given");
  app.add_flag("--quick", how.quick, "one short run of each: shows that it works, not what predictions are worth");
  app.add_option("--plot", how.plot_file, "draw the shares of runs with at most an error into this SVG file");
  app.add_option("--json", how.json_file, "write everything into this file");
  app.add_option("--knowledge", how.knowledge, "folder for what the runs of a program learn of each other");
  app.add_option("--items", how.items, "under mpirun: run the one program on so many items and print a line of JSON");
  CLI11_PARSE(app, argc, argv);
  if (how.items > 0) {
    skel::grid grid(argc, argv);
    return run_one(grid, how.programs.empty() ? "" : how.programs.front(), how.items);
  }
  how.runs = how.asked_runs.value_or(how.busy.empty() ? 20 : 4);
  if (how.quick) how.runs = 1, how.seconds = 0.2;
  return run_all(argv[0], how);
} catch (std::exception const& e) {
  fmt::print(stderr, "bench_promises: {}\n", e.what());
  return 1;
}
