// bench_prediction: what the models predict against what skel's engine does, on random programs and platforms whose
// processors are emulated by timed waits. One rank is one host.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <sys/prctl.h>
#include <unistd.h>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <skel/base/statistics.hpp>
#include <skel/runtime/communicator.hpp>
#include <skel/runtime/launched.hpp>

#include "prediction/models.hpp"
#include "prediction/random_case.hpp"
#include "prediction/run_case.hpp"

namespace {

using bench::random_case;
using bench::service;
using nlohmann::json;
namespace statistics = skel::statistics;

constexpr int emulated_hosts = 8;

struct options {
  std::size_t cases = 20, first = 0, items = 1500;
  std::uint64_t seed = 1;
  double cycle_ms = 6;
  bool in_process = false, quick = false;
  std::string json_file;
};

/// A case as rank 0 has drawn it, for the others.
std::string encode(random_case const& it) {
  json text = {{"number", it.number},     {"speeds", it.speeds},     {"placement", it.placement.stages},
               {"capacity", it.capacity}, {"searched", it.searched}, {"stages", json::array()}};
  for (auto const& stage : it.program.stages)
    text["stages"].push_back({{"name", stage.name},
                              {"work", stage.work},
                              {"replicable", stage.replicable},
                              {"ordered", stage.ordered},
                              {"width", stage.width}});
  return text.dump();
}

random_case decode(std::string const& encoded) {
  json const text = json::parse(encoded);
  random_case it;
  it.number = text["number"];
  it.speeds = text["speeds"].get<std::vector<double>>();
  it.placement.stages = text["placement"].get<std::vector<std::vector<std::size_t>>>();
  it.capacity = text["capacity"];
  it.searched = text["searched"];
  for (json const& each : text["stages"]) {
    skel::pattern::stage_shape stage;
    stage.name = each["name"];
    stage.work = each["work"];
    stage.replicable = each["replicable"];
    stage.ordered = each["ordered"];
    stage.width = each["width"];
    it.program.stages.push_back(std::move(stage));
  }
  return it;
}

/// "1 2o+3 1": the host of each stage, those of a farm joined by +, with o after an ordered farm.
std::string placed(random_case const& it) {
  std::string text;
  for (std::size_t i = 0; i < it.placement.stages.size(); ++i) {
    auto const& hosts = it.placement.stages[i];
    if (i > 0) text += ' ';
    for (std::size_t w = 0; w < hosts.size(); ++w) text += (w > 0 ? "+" : "") + std::to_string(hosts[w]);
    if (it.program.stages[i].replicable) text += it.program.stages[i].ordered ? "o" : "u";
  }
  return text;
}

double error_of(double predicted, double measured) {
  return predicted / measured - 1;
}

struct result {
  random_case it;
  std::vector<bench::prediction> predicted;
  double exponential = 0, constant = 0;
};

void print_heading() {
  fmt::print("{:>4} {:>2} {:>2} {:>2} {:1} {:24}", "case", "st", "ho", "k", "p", "hosts of the stages");
  for (auto const& model : bench::models()) fmt::print(" {:>8}", model.name);
  fmt::print(" | {:>8} {:>7} {:>7} | {:>8} {:>7} {:>7}\n", "expon.", "pepa", "as run", "constant", "cycle", "events");
}

void print_row(result const& r) {
  fmt::print("{:>4} {:>2} {:>2} {:>2} {:1} {:24}", r.it.number, r.it.program.stages.size(), r.it.hosts(), r.it.capacity,
             r.it.searched ? 's' : 'r', placed(r.it));
  for (auto const& each : r.predicted) fmt::print(" {:>8.2f}", each.throughput);
  auto const error = [&](std::size_t model, double measured) {
    return 100 * error_of(r.predicted[model].throughput, measured);
  };
  fmt::print(" | {:>8.2f} {:>+6.1f}% {:>+6.1f}%", r.exponential, error(0, r.exponential), error(1, r.exponential));
  fmt::print(" | {:>8.2f} {:>+6.1f}% {:>+6.1f}%\n", r.constant, error(4, r.constant), error(5, r.constant));
  std::fflush(stdout);
}

json summarise(std::vector<result> const& results) {
  json summary = json::array();
  fmt::print("\nabsolute relative error [%]{:>23} {:>8} {:>8} {:>8} {:>9}\n", "median", "p90", "max", "mean +-",
             "best of");
  for (auto const kind : {service::exponential, service::constant}) {
    auto const measured = [&](result const& r) { return kind == service::exponential ? r.exponential : r.constant; };
    for (std::size_t m = 0; m < bench::models().size(); ++m) {
      std::vector<double> errors, signed_errors;
      std::size_t best = 0;
      for (result const& r : results) {
        auto const absolute = [&](std::size_t which) {
          return std::abs(error_of(r.predicted[which].throughput, measured(r)));
        };
        errors.push_back(absolute(m));
        signed_errors.push_back(error_of(r.predicted[m].throughput, measured(r)));
        bool is_best = true;
        for (std::size_t other = 0; other < bench::models().size(); ++other)
          is_best = is_best && absolute(m) <= absolute(other);
        best += is_best ? 1 : 0;
      }
      std::string const name = kind == service::exponential ? "exponential" : "constant";
      double const median = statistics::median(errors), p90 = statistics::quantile(errors, 0.9);
      double const max = statistics::quantile(errors, 1), mean = statistics::mean(signed_errors);
      fmt::print("{:12} {:8} {:>28.2f} {:>8.2f} {:>8.2f} {:>+8.2f} {:>9}\n", name, bench::models()[m].name,
                 100 * median, 100 * p90, 100 * max, 100 * mean, best);
      summary.push_back({{"service", name},
                         {"model", bench::models()[m].name},
                         {"median", median},
                         {"p90", p90},
                         {"max", max},
                         {"mean_signed", mean},
                         {"best_of_cases", best}});
    }
  }
  return summary;
}

json to_json(result const& r) {
  json row = json::parse(encode(r.it));
  row["measured"] = {{"exponential", r.exponential}, {"constant", r.constant}};
  for (auto const& each : r.predicted) row["predicted"][each.model] = each.throughput;
  return row;
}

int run(options const& how) {
  skel::runtime::communicator const ranks;
  bool const here = ranks.rank() == 0;
  auto const size = static_cast<std::size_t>(ranks.size());
  double const bias = here ? bench::processor_bias() : 0;
  (void)ranks.broadcast("");  // nobody else runs meanwhile
  auto const moves = bench::measure_moves(ranks);
  bench::case_limits limits;
  limits.cycle = how.cycle_ms * 1e-3;
  if (how.quick) limits.most_stages = 3, limits.most_states = 1e4;
  if (here) {
    fmt::print(
        "{} cases of seed {}, {} items each, on {} rank{}; a move takes {:.0f} us on a host, {:.0f} us between "
        "hosts;\na lone stage on an emulated processor takes {:+.2f} % longer than its nominal time\n\n",
        how.cases, how.seed, how.items, size, size == 1 ? "" : "s", 1e6 * moves.local, 1e6 * moves.remote, 100 * bias);
    for (auto const& model : bench::models()) fmt::print("{:>8}: {}\n", model.name, model.what);
    fmt::print(
        "placed (p) by search (s) or at random (r); farms ordered (o) or unordered (u); items per second;\n"
        "error = predicted / measured - 1\n\n");
    print_heading();
  }
  std::vector<result> results;
  for (std::size_t i = how.first; i < how.first + how.cases; ++i) {
    auto const text = ranks.broadcast(here ? encode(bench::draw_case(how.seed, i, moves, limits)) : "");
    result r;
    r.it = decode(text);
    r.exponential = bench::measure(r.it, service::exponential, how.items, how.seed, ranks);
    r.constant = bench::measure(r.it, service::constant, how.items, how.seed, ranks);
    if (!here) continue;
    r.predicted = bench::predict(r.it, moves, size);
    print_row(r);
    results.push_back(std::move(r));
  }
  if (!here) return 0;
  json const summary = summarise(results);
  if (!how.json_file.empty()) {
    json rows = json::array();
    for (auto const& r : results) rows.push_back(to_json(r));
    std::ofstream file(how.json_file);
    file << json{{"benchmark", "prediction"},
                 {"seed", how.seed},
                 {"items", how.items},
                 {"ranks", size},
                 {"moves", {{"local", moves.local}, {"remote", moves.remote}}},
                 {"processor_bias", bias},
                 {"cases", rows},
                 {"summary", summary}}
                .dump(2)
         << '\n';
    if (!file.flush()) {
      fmt::print(stderr, "bench_prediction: cannot write {}: check the folder and the space left\n", how.json_file);
      return 1;
    }
  }
  return 0;
}

/// Replaces this process by mpirun with a rank per emulated host. Returns only when there is no mpirun.
void start_ranks(int argc, char** argv) {
  std::vector<std::string> words = {"mpirun",
                                    "--oversubscribe",
                                    "--bind-to",
                                    "none",
                                    "--mca",
                                    "mpi_yield_when_idle",
                                    "1",
                                    "-np",
                                    std::to_string(emulated_hosts)};
  words.insert(words.end(), argv, argv + argc);
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  if (geteuid() == 0) {  // containers have no other user; mpirun asks to be told that this is meant
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  }
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
  app.add_option("--cycle", how.cycle_ms, "predicted time per item that works are scaled to [ms]")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--in-process", how.in_process, "emulate all hosts in one process, without MPI");
  app.add_flag("--quick", how.quick, "two small cases: shows that it works, not what the models are worth");
  app.add_option("--json", how.json_file, "write everything into this file");
  CLI11_PARSE(app, argc, argv);
  if (how.quick) how.cases = 2, how.items = 200, how.cycle_ms = 2;

  // Timers of this process and its threads at once instead of up to 50 us later.
  prctl(PR_SET_TIMERSLACK, 1UL);
  if (!how.in_process && !skel::runtime::is_launched()) {
    start_ranks(argc, argv);
    fmt::print(stderr, "bench_prediction: cannot start mpirun; install Open MPI or use --in-process\n");
    return 1;
  }
  return run(how);
}
