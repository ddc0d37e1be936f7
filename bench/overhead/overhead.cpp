// bench_overhead: what a stream costs beyond its work. Alone: source, farm of two, sink in one process, side by side
// with what else one could use. Under mpirun -np 2: a stream from rank 0 to rank 1, side by side with plain MPI.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "overhead/between_ranks.hpp"
#include "overhead/stream.hpp"
#include "overhead/watching.hpp"
#include "support/repeat.hpp"

namespace {

using nlohmann::json;

// The first is the measure of the others, the second is measured against them.
std::vector<bench::competitor> const competitors = {
    {"ideal", bench::run_ideal},  {"skel", bench::run_skel},       {"tbb", bench::run_tbb},
    {"tbb 4x", bench::run_tbb_4}, {"threads", bench::run_threads}, {"threads 64", bench::run_threads_batched},
};

struct options {
  std::vector<double> work_us = {0, 1, 10, 100};
  double target_seconds = 0.3;  // of one run of the ideal, or of one at the cheapest competitor's cost without work
  std::size_t rounds = 9;
  double silence = 4;
  bool as_json = false;
};

double seconds_of(bench::competitor const& who, bench::stream const& s, std::uint64_t expected) {
  auto const begin = std::chrono::steady_clock::now();
  bench::tally const seen = who.run(s, nullptr);
  std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begin;
  if (!seen.right_for(s, expected)) {
    fmt::print(stderr, "bench_overhead: {} lost, doubled or reordered items: {} of {} arrived, sum {} instead of {}\n",
               who.name, seen.count, s.items, seen.sum, expected);
    std::exit(1);
  }
  return took.count();
}

json measure_stream(options const& how, double turn_ns, double work_us, bool ordered) {
  bench::stream s;
  s.ordered = ordered;
  s.turns = static_cast<std::uint64_t>(work_us * 1000 / turn_ns);
  // Without work a run is as long as at 200 ns per item.
  double const item_ns = work_us > 0 ? work_us * 1000 / 2 : 200;
  s.items = static_cast<std::uint64_t>(how.target_seconds * 1e9 / item_ns);
  std::uint64_t const expected = bench::expected_sum(s);

  std::vector<std::function<double()>> runs;
  for (auto const& who : competitors)
    runs.push_back([&] { return seconds_of(who, s, expected) / static_cast<double>(s.items) * 1e9; });
  auto const spreads = bench::interleave(runs, how.rounds);

  json row = {{"work_us", work_us}, {"ordered", ordered}, {"items", s.items}, {"ns_per_item", json::object()}};
  if (!how.as_json)
    fmt::print("\nwork {} us, {}, {} items, ns per item\n{:>12} {:>10} {:>10} {:>10} {:>9} {:>9}\n", work_us,
               ordered ? "ordered" : "unordered", s.items, "", "median", "min", "max", "to ideal", "skel is");
  for (std::size_t i = 0; i < competitors.size(); ++i) {
    auto const& [median, min, max] = spreads[i];
    double const to_ideal = median / spreads[0].median, skel_to_this = spreads[1].median / median;
    row["ns_per_item"][competitors[i].name] = {
        {"median", median}, {"min", min}, {"max", max}, {"to_ideal", to_ideal}, {"skel_to_this", skel_to_this}};
    if (how.as_json) continue;
    fmt::print("{:>12} {:>10.0f} {:>10.0f} {:>10.0f}", competitors[i].name, median, min, max);
    fmt::print(" {:>9} {:>9}\n", work_us > 0 ? fmt::format("{:.3f}", to_ideal) : "",
               work_us > 0 || i > 0 ? fmt::format("{:.3f} x", skel_to_this) : "");
    std::fflush(stdout);
  }
  return row;
}

json measure_silence(options const& how) {
  json shares = json::object();
  bench::stream s;
  s.items = 1000;
  s.silence = std::chrono::duration<double>(how.silence);
  std::uint64_t const expected = bench::expected_sum(s);
  if (!how.as_json) fmt::print("\nCPU while the source is silent for {} s, share of one core\n", how.silence);
  for (auto const& who : competitors) {
    if (who.name == "ideal") continue;
    double used = 0;
    if (!who.run(s, &used).right_for(s, expected)) std::exit(1);
    shares[who.name] = used / how.silence;
    if (!how.as_json) fmt::print("{:>12} {:>9.3f} %\n", who.name, 100 * used / how.silence);
  }
  return {{"seconds", how.silence}, {"share_of_a_core", shares}};
}

int in_process(options const& how) {
  double const turn_ns = bench::turn_time();
  if (!how.as_json)
    fmt::print("source, farm of 2, sink in one process; medians of {} interleaved runs; one turn of work {:.3f} ns\n",
               how.rounds, turn_ns);
  json rows = json::array();
  for (bool ordered : {true, false})
    for (double work_us : how.work_us) rows.push_back(measure_stream(how, turn_ns, work_us, ordered));
  json const result = {{"benchmark", "overhead"},
                       {"turn_ns", turn_ns},
                       {"rounds", how.rounds},
                       {"rows", rows},
                       {"silence", measure_silence(how)}};
  if (how.as_json) fmt::print("{}\n", result.dump());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  options how;
  bool quick = false, watched = false;
  CLI::App app{
      "What a stream costs beyond its work: skel side by side with what else one could use.\n"
      "Alone: source, farm of two, sink in one process, and CPU while the source is silent.\n"
      "Under mpirun -np 2: a stream from rank 0 to rank 1 against plain MPI, 1 KiB and 1 MiB items; with --watching a\n"
      "line of two stages with and without being watched for moving it, 2 s each run."};
  app.add_flag("--json", how.as_json, "one object on stdout instead of tables");
  app.add_flag("--quick", quick, "few and short runs: shows that it works, not what it costs");
  app.add_flag(
      "--watching", watched,
      "what it costs to watch a run for moving it, moves too; under mpirun -np 2 --bind-to core, as its hosts have a "
      "core each");
  app.add_option("--work", how.work_us, "work per item [us]")->check(CLI::NonNegativeNumber)->capture_default_str();
  app.add_option("--rounds", how.rounds, "measured runs of each")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--seconds", how.target_seconds, "length of one run [s]")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--silence", how.silence, "how long the source is silent [s]")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (quick) how.rounds = 3, how.target_seconds = 0.02, how.silence = 0.5;

  if (watched) return bench::watching({how.rounds, how.target_seconds, how.as_json}, how.work_us);
  char const* const ranks = std::getenv("OMPI_COMM_WORLD_SIZE");
  if (ranks == nullptr || std::string(ranks) == "1") return in_process(how);
  return bench::between_ranks(argc, argv, {how.rounds, how.target_seconds, how.as_json});
}
