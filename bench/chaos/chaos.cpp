// bench_chaos: programs, faults, mistakes and files at random, against what is documented.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <skel/detail/record/clock.hpp>

#include "chaos/case_list.hpp"
#include "chaos/outcome.hpp"
#include "chaos/programs.hpp"

namespace {

using bench::outcome;
using bench::part;

struct options {
  std::uint64_t seed = 1;
  std::size_t cases = 0;
  std::vector<std::string> only;
  std::vector<std::uint64_t> replay;
  std::uint64_t moved_items = 0;
  double minutes = 10;
  bench::long_stream stream;
};

constexpr char const* explained =
    "Programs, faults, mistakes and files at random, against what is documented of them.\n\n"
    "compositions  random programs on 1, 2, 4 and 7 ranks, measured and planned by skel or planned at random, half of\n"
    "              them moved while they run, against the sequential engine: results, their order and what functions "
    "keep\n"
    "faults        exceptions in every function of a user on 1, 3 and 7 ranks: every rank is told, and the grid works "
    "on\n"
    "misuse        the ways of misusing a grid that the tests know, on 3 ranks\n"
    "files         damaged files, and extreme ones, over all verbs of the command\n\n"
    "With --moved it runs long streams of such programs instead, which all go on elsewhere every 5 ms, until so many "
    "items\n"
    "and minutes have passed, against the sequential engine.\n\n"
    "Every case has a seed that says everything of it. What is silent for 20 s is ended and counts as failed. Started\n"
    "under mpirun it does cases on the ranks that there are, whatever their seeds say.";

/// Cases on the ranks of this run; a line for each on rank 0.
int run_here(std::vector<std::uint64_t> const& seeds) {
  constexpr std::size_t cases_of_a_grid = 40;
  std::unique_ptr<skel::grid> grid;
  bool failed = false;
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    if (i % cases_of_a_grid == 0) {
      grid.reset();
      char const* const ranks = std::getenv("OMPI_COMM_WORLD_SIZE");
      grid = std::make_unique<skel::grid>(bench::on_near_hosts(ranks == nullptr ? 1 : std::stoul(ranks)));
    }
    outcome const came = bench::part_of(seeds[i]) == part::compositions ? bench::run_composition(*grid, seeds[i])
                                                                        : bench::run_fault(*grid, seeds[i]);
    if (grid->rank() != 0) continue;
    static constexpr char const* words[] = {"fine", "unreached", "failed"};
    fmt::print("{} {} {}\n", words[static_cast<int>(came.what)], seeds[i], came.text);
    std::fflush(stdout);
    failed = failed || came.what == outcome::kind::failed;
  }
  return failed ? 1 : 0;
}

/// The most memory that this process had so far [B].
double most_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

/// Long streams that are moved all the time, on the ranks of this run.
int run_moved(options const& how) {
  skel::runtime::communicator const ranks;
  double const begin = skel::record::now();
  std::uint64_t items = 0, moves = 0, failures = 0, cases = 0;
  std::vector<double> memory;  // of all ranks, at the most, after each case [B]
  bool more = true;
  for (std::size_t i = 0; more; ++i) {
    skel::grid grid(bench::on_near_hosts(static_cast<std::size_t>(ranks.size())));
    std::uint64_t const seed = bench::case_seeds(part::compositions, how.seed, 1, i).front();
    outcome const came = bench::run_composition(grid, seed, how.stream);
    double all = 0;
    for (std::string const& one : ranks.all_gather(std::to_string(most_memory()))) all += std::stod(one);
    if (ranks.rank() == 0) {
      items += came.items, moves += came.moves, ++cases;
      failures += came.what == outcome::kind::failed;
      memory.push_back(all);
      fmt::print("{} {} {}\n", came.what == outcome::kind::failed ? "failed" : "fine", seed, came.text);
      std::fflush(stdout);
    }
    bool const enough = items >= how.moved_items && skel::record::now() - begin >= 60 * how.minutes;
    more = ranks.all_gather(enough ? "enough" : "more").front() == "more";
  }
  if (ranks.rank() != 0) return 0;
  fmt::print("{} items of {} programs on {} ranks, moved {} times in {:.0f} s: {} wrong\n", items, cases, ranks.size(),
             moves, skel::record::now() - begin, failures);
  fmt::print("all ranks together had {:.0f} MB at the most after half of the programs, {:.0f} MB after all\n",
             memory[memory.size() / 2] / 1e6, memory.back() / 1e6);
  return failures == 0 ? 0 : 1;
}

int report(std::vector<bench::row> const& rows) {
  std::size_t failures = 0;
  fmt::print("{:>14}  {:>6}  {:>8}  {:>8}\n", "part", "cases", "failures", "seconds");
  for (auto const& row : rows) {
    fmt::print("{:>14}  {:>6}  {:>8}  {:>8.1f}  {}\n", row.part, row.cases, row.failures.size(), row.seconds, row.note);
    failures += row.failures.size();
  }
  for (auto const& row : rows)
    for (auto const& failure : row.failures) fmt::print("\n{}: {}", row.part, failure);
  if (failures > 0) fmt::print("\n\nOne again: bench_chaos --replay SEED\n");
  return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  options how;
  CLI::App app{explained};
  app.add_option("--seed", how.seed, "which cases")->capture_default_str();
  app.add_option("--cases", how.cases, "of each part; 0: 500 compositions, 150 faults, 5000 and 2000 files");
  app.add_option("--only", how.only, "parts")->check(CLI::IsMember({"compositions", "faults", "misuse", "files"}));
  app.add_option("--replay", how.replay, "seeds of compositions and faults to run again");
  app.add_option("--moved", how.moved_items, "items of long streams that are moved all the time; under mpirun");
  app.add_option("--minutes", how.minutes, "that these last at least")->capture_default_str();
  app.add_option("--stream", how.stream.items, "items of one such stream")->capture_default_str();
  app.add_option("--every", how.stream.every, "seconds between two plans of such a stream")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (how.moved_items > 0) return run_moved(how);
  auto const wanted = [&](std::string const& name) {
    return how.only.empty() || std::find(how.only.begin(), how.only.end(), name) != how.only.end();
  };
  auto const or_else = [&](std::size_t count) { return how.cases == 0 ? count : how.cases; };
  auto compositions = bench::case_seeds(part::compositions, how.seed, wanted("compositions") ? or_else(500) : 0);
  auto faults = bench::case_seeds(part::faults, how.seed, wanted("faults") ? or_else(150) : 0);
  if (std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr) {
    compositions.insert(compositions.end(), faults.begin(), faults.end());
    return run_here(how.replay.empty() ? compositions : how.replay);
  }
  std::vector<bench::row> rows;
  if (!how.replay.empty()) return report({bench::run_cases(argv[0], "replay", how.replay)});
  auto const rest_of = [&](part of, std::size_t drawn) {
    return [of, drawn, seed = how.seed](std::size_t count) mutable {
      return bench::case_seeds(of, seed, count, std::exchange(drawn, drawn + count));
    };
  };
  if (wanted("compositions"))
    rows.push_back(
        bench::run_cases(argv[0], "compositions", compositions, rest_of(part::compositions, compositions.size())));
  if (wanted("faults"))
    rows.push_back(bench::run_cases(argv[0], "faults", faults, rest_of(part::faults, faults.size())));
  if (wanted("misuse")) rows.push_back(bench::run_misuse());
  if (wanted("files")) rows.push_back(bench::run_files(how.seed, or_else(5000), or_else(2000)));
  return report(rows);
} catch (std::exception const& e) {
  fmt::print(stderr, "bench_chaos: {}\n", e.what());
  return 1;
}
