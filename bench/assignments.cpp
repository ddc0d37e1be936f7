// What the search of the policy "skel" finds for programs in data files of DARMA/vt: the largest work of a host beside
// the bound max(mean, largest task), and the time of one search. Made-up programs, or files that are named.

#include <algorithm>
#include <cstddef>
#include <exception>
#include <iostream>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <skel/detail/base/statistics.hpp>
#include <skel/detail/formats/lb_data_file.hpp>
#include <skel/detail/record/clock.hpp>

#include "mapping/migration/assignment_search.hpp"
#include "support/lb_case.hpp"

namespace {

using namespace skel;

platform::measured_program joined(bench::lb_case const& of) {
  std::vector<formats::lb_data_file> files;
  std::vector<std::string> names;
  for (std::size_t r = 0; r < of.ranks.size(); ++r) {
    names.push_back("rank " + std::to_string(r));
    files.push_back(formats::parse_lb_data_file(of.file(r), names.back(), r));
  }
  return formats::join_lb_data(files, names, false, of.tasks());
}

struct limits {
  double memory = 0;  // of each host; 0: no limit
  std::optional<double> beta;
};

void print_row(std::string const& name, platform::measured_program const& of, limits const& given,
               std::size_t searches) {
  cost::bsp::machine machine{platform::description(0, {{"host", of.rank_count, 1, 1, {0, 1e10}, {}, {}}}, {})};
  if (given.memory > 0) machine.memory.assign(of.rank_count, given.memory);
  machine.beta = given.beta;
  record::superstep present{
      .load = of.program.steps.front(), .hosts = of.ranks, .state_bytes = of.state_bytes, .memory = of.memory};
  std::vector<bool> const pinned = of.pinned;
  auto const& work = present.load.work;
  mapping::migration::assignment_problem const problem{.machine = &machine,
                                                       .present = &present,
                                                       .pinned = &pinned,
                                                       .work = {work},
                                                       .supersteps = {1},
                                                       .deviation = std::vector<double>(work.size())};
  std::vector<double> took;
  std::vector<mapping::migration::assignment> found;
  for (std::size_t k = 0; k < searches; ++k) {
    double const begin = record::now();
    found = mapping::migration::near_assignments(problem);
    took.push_back(record::now() - begin);
  }
  auto const& best = *std::ranges::min_element(found, {}, [](auto const& one) { return one.seconds.front(); });
  auto const moved = mapping::migration::migrations_between(of.ranks, best.hosts, of.state_bytes).size();
  double const bound = std::max(std::accumulate(work.begin(), work.end(), 0.0) / static_cast<double>(of.rank_count),
                                std::ranges::max(work));
  fmt::print("{:<34} {:>5} {:>6} {:>10.6g} {:>10.6g} {:>10.6g} {:>8.2f} {:>6} {:>9.2f}\n", name, of.rank_count,
             work.size(), bound, found.front().seconds.front(), best.seconds.front(),
             100 * (best.seconds.front() / bound - 1), moved, 1e3 * statistics::median(took));
}

int run(int argc, char** argv) {
  CLI::App app{"What the search for assignments finds beside the bound max(mean load, largest task), and its time"};
  std::string prefix;
  limits given;
  double beta = 0;
  std::size_t searches = 5;
  app.add_option("--files", prefix, "data files PREFIX.0.json, PREFIX.1.json, ... instead of made-up programs");
  app.add_option("--memory", given.memory, "of each host, with --files [B]")->check(CLI::PositiveNumber);
  auto const* with_beta = app.add_option("--beta", beta, "of a byte between hosts, with --files [s/B]");
  app.add_option("--searches", searches, "how often each search is timed; the median is printed")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (with_beta->count() > 0) given.beta = beta;
  fmt::print("{:<34} {:>5} {:>6} {:>10} {:>10} {:>10} {:>8} {:>6} {:>9}\n", "largest work of a host", "hosts", "tasks",
             "bound", "before", "found", "over, %", "moved", "time, ms");
  if (!prefix.empty()) {
    print_row(prefix.size() > 34 ? prefix.substr(prefix.size() - 34) : prefix,
              formats::read_lb_data(prefix, std::nullopt, false, 50'000'000), given, searches);
    return 0;
  }
  auto const nine = joined(bench::nine_tasks(1)), few = joined(bench::thirty_two_tasks(1)),
             more = joined(bench::tasks_with_blocks(16, 274, 1)),
             many = joined(bench::tasks_with_blocks(64, 23'709, 1));
  print_row("9 tasks, by load", nine, {}, searches);
  print_row("9 tasks, with messages", nine, {.memory = 1e9, .beta = 1}, searches);
  print_row("32 tasks, memory of 4 blocks", few, {.memory = 7.5e9, .beta = {}}, searches);
  print_row("274 tasks, memory of 5 blocks", more, {.memory = 7.5e9, .beta = {}}, searches);
  print_row("274 tasks, no limit", more, {}, searches);
  print_row("23,709 tasks, memory of 5 blocks", many, {.memory = 7.5e9, .beta = {}}, searches);
  print_row("23,709 tasks, no limit", many, {}, searches);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (std::exception const& e) {
    std::cerr << "bench_assignments: " << e.what() << '\n';
    return 1;
  }
}
