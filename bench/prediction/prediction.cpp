// bench_prediction: what the models predict against what skel's engine does, on random programs and platforms whose
// processors are emulated by timed waits. One rank is one host.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <sys/prctl.h>
#include <unistd.h>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <skel/detail/runtime/ranks/communicator.hpp>
#include <skel/detail/runtime/ranks/native.hpp>

#include "prediction/models.hpp"
#include "prediction/random_case.hpp"
#include "prediction/results.hpp"
#include "prediction/run_case.hpp"
#include "support/real_time.hpp"

namespace {

using bench::service;
using nlohmann::json;

constexpr int emulated_hosts = 8;

struct options {
  std::size_t cases = 20, first = 0, items = 1500;
  std::uint64_t seed = 1;
  double cycle_ms = 6;
  bool in_process = false, quick = false, real_time = true;
  std::string json_file, plot_file;
};

bool write(std::string const& name, std::string const& text) {
  std::ofstream file(name);
  file << text;
  if (file.flush()) return true;
  fmt::print(stderr, "bench_prediction: cannot write {}: check the folder and the space left\n", name);
  return false;
}

int run(options const& how) {
  skel::runtime::communicator const ranks;
  bool const here = ranks.rank() == 0;
  auto const size = static_cast<std::size_t>(ranks.size());
  double bias = 0;
  bench::move_times moves;
  bool real_time = false;
  {
    bench::real_time const priority(how.real_time);
    real_time = priority.is_granted();
    if (here) bias = bench::processor_bias();
    (void)ranks.broadcast("");  // nobody else runs meanwhile
    moves = bench::measure_moves(ranks);
  }
  bench::case_limits limits;
  limits.cycle = how.cycle_ms * 1e-3;
  if (how.quick) limits.most_stages = 3, limits.most_states = 1e4;
  if (here) {
    fmt::print(
        "{} cases of seed {}, {} items each, on {} rank{}; a move takes {:.0f} us on a host, {:.0f} us between "
        "hosts;\na lone stage on an emulated processor takes {:+.2f} % longer than its nominal time; {}\n\n",
        how.cases, how.seed, how.items, size, size == 1 ? "" : "s", 1e6 * moves.local, 1e6 * moves.remote, 100 * bias,
        real_time ? "waits have real-time priority"
                  : "without real-time priority, what else the machine does delays what is measured");
    for (auto const& model : bench::models()) fmt::print("{:>8}: {}\n", model.name, model.what);
    fmt::print(
        "placed (p) by a search to its end (s), by one ended by its time (t) or at random (r); farms ordered (o) or "
        "unordered (u); items per second;\n"
        "error = predicted / measured - 1\n\n");
    bench::print_heading();
  }
  std::vector<bench::case_result> results;
  for (std::size_t i = how.first; i < how.first + how.cases; ++i) {
    auto const text = ranks.broadcast(here ? bench::encode(bench::draw_case(how.seed, i, limits)) : "");
    bench::case_result r;
    r.it = bench::decode(text);
    {
      bench::real_time const priority(how.real_time);
      r.exponential = bench::measure(r.it, service::exponential, how.items, how.seed, ranks);
      r.constant = bench::measure(r.it, service::constant, how.items, how.seed, ranks);
    }
    if (!here) continue;
    r.predicted = bench::predict(r.it, moves, size);
    r.scatter = bench::run_scatter(r.it, moves, size, bench::measured_items(how.items));
    bench::print_row(r);
    results.push_back(std::move(r));
  }
  if (!here) return 0;
  json const summary = bench::summarise(results);
  json rows = json::array();
  for (auto const& r : results) rows.push_back(bench::to_json(r));
  json const all = {{"benchmark", "prediction"},
                    {"seed", how.seed},
                    {"items", how.items},
                    {"ranks", size},
                    {"moves", {{"local", moves.local}, {"remote", moves.remote}}},
                    {"processor_bias", bias},
                    {"real_time", real_time},
                    {"cases", rows},
                    {"summary", summary}};
  bool written = true;
  if (!how.json_file.empty()) written = write(how.json_file, all.dump(2) + "\n");
  if (!how.plot_file.empty()) written = write(how.plot_file, bench::plot_of(results)) && written;
  return written ? 0 : 1;
}

/// Replaces this process by mpirun with a rank per emulated host. Returns only when there is no mpirun.
void start_ranks(int argc, char** argv) {
  std::vector<std::string> words = {SKEL_MPIRUN, "-np", std::to_string(emulated_hosts)};
  words.insert(words.end(), argv, argv + argc);
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  static std::string variables[] = {SKEL_MPIRUN_ENVIRONMENT};
  for (std::string& variable : variables) putenv(variable.data());
  execvp(arguments.front(), arguments.data());
}

}  // namespace

int main(int argc, char** argv) {
  options how;
  CLI::App app{
      "Predicted against measured throughput on random programs and platforms.\n"
      "Hosts are emulated: stages wait as long as their work would take, and share their host while they are busy.\n"
      "Without mpirun it starts itself with 8 ranks, one per host; with fewer, a rank emulates several hosts."};
  app.add_option("--cases", how.cases, "number of cases")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--first", how.first, "number of the first case")->capture_default_str();
  app.add_option("--items", how.items, "length of the stream")
      ->check(CLI::Range(100, 10'000'000))
      ->capture_default_str();
  app.add_option("--seed", how.seed, "what the cases are drawn from")->capture_default_str();
  app.add_option("--cycle", how.cycle_ms, "time per item that works are scaled to, 0.6 to 1.5 times this [ms]")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--in-process", how.in_process, "emulate all hosts in one process, without MPI");
  app.add_flag("--quick", how.quick, "two small cases: shows that it works, not what the models are worth");
  app.add_flag("!--no-real-time", how.real_time, "do not ask for real-time priority while waiting");
  app.add_option("--plot", how.plot_file, "draw predicted against measured into this SVG file");
  app.add_option("--json", how.json_file, "write everything into this file");
  CLI11_PARSE(app, argc, argv);
  if (how.quick) how.cases = 2, how.items = 200, how.cycle_ms = 2, how.real_time = false;

  // Timers of this process and its threads at once instead of up to 50 us later.
  prctl(PR_SET_TIMERSLACK, 1UL);
  if (!how.in_process && !skel::runtime::is_launched()) {
    start_ranks(argc, argv);
    fmt::print(stderr, "bench_prediction: cannot start mpirun; install Open MPI or use --in-process\n");
    return 1;
  }
  return run(how);
}
