/// A BSP program of uneven processes, run under each policy of migration in turn: its time beside that of never moving,
/// who moved, and whether the states are the same bits. Hosts may be made unequal while it runs (scripts/bsp_policies).
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <skel/bsp.hpp>
#include <skel/detail/base/hash.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/skel.hpp>

namespace {

struct program_options {
  std::size_t processes = 32, supersteps = 400, steps = 20'000, state_bytes = 64 * 1024, rounds = 3;
  std::string load = "even";
  bool reports = false;
};

struct cells {
  std::vector<double> values;
  double residue = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(values, residue);
  }
};

/// How much a process has to do beside the mean, 1.
double load_of(program_options const& of, std::size_t process, std::uint64_t superstep) {
  auto const at = static_cast<double>(process) / static_cast<double>(of.processes);
  if (of.load == "linear") return 2 * (at + 0.5 / static_cast<double>(of.processes));
  if (of.load == "hot-spot") {
    double const middle = static_cast<double>(superstep) / static_cast<double>(of.supersteps),
                 far = std::abs(at - middle);
    return 0.5 + 3 * std::exp(-far * far / 0.01);
  }
  return 1;
}

/// A sweep that depends on itself: about a nanosecond a step.
void sweep(cells& mine, std::size_t steps) {
  auto& values = mine.values;
  double residue = mine.residue;
  for (std::size_t i = 0; i < steps; ++i) {
    double& one = values[i % values.size()];
    one = one * 0.75 + residue * 0.25;
    residue = one + 1e-3 * static_cast<double>(i % 7);
    residue -= std::floor(residue);
  }
  mine.residue = residue;
}

auto program(program_options const& of, std::string const& policy) {
  return skel::bsp<double, double>(
             "policies", of.processes,
             [of](std::size_t process) {
               return cells{
                   std::vector<double>(of.state_bytes / sizeof(double), 1.0 / static_cast<double>(process + 1))};
             },
             [of](skel::superstep<double, double>& now, cells& mine) {
               for (auto const& [from, value] : now.received()) mine.residue += 1e-6 * value;
               sweep(mine, static_cast<std::size_t>(static_cast<double>(of.steps) *
                                                    load_of(of, now.process(), now.number())));
               if (now.number() == of.supersteps) return now.halt();
               now.contribute(mine.residue);
               if (now.process() > 0) now.send(now.process() - 1, mine.values.front());
               if (now.process() + 1 < now.processes()) now.send(now.process() + 1, mine.values.back());
             },
             skel::maximum())
      .migrated_by({.name = policy, .supersteps = of.supersteps});
}

std::uint64_t bits_of(cells const& mine) {
  skel::fnv1a hash;
  for (double const one : mine.values) hash.add(std::bit_cast<std::uint64_t>(one));
  return hash.add(std::bit_cast<std::uint64_t>(mine.residue)).value();
}

/// What the runs under a policy came to.
struct measured {
  std::vector<double> seconds;
  std::uint64_t calls = 0, moved = 0;  // of the last run
  std::vector<std::uint64_t> bits;     // of all processes, in the first run
  bool same = true;                    // in the others
};

void run_once(skel::grid& grid, program_options const& of, std::string const& policy, measured& to) {
  auto const [report, bits] = grid.run(program(of, policy), [](std::size_t, cells& mine) { return bits_of(mine); });
  to.seconds.push_back(report.run.seconds);
  to.calls = report.run.decisions.calls.all(), to.moved = report.run.migrated;
  if (to.bits.empty()) to.bits = bits;
  to.same = to.same && to.bits == bits;
  if (of.reports && grid.rank() == 0) std::cout << report;
}

}  // namespace

int main(int argc, char** argv) {
  skel::grid grid(argc, argv);
  CLI::App app(
      "BSP programs under policies of migration. Each rank takes part: start it with mpirun. Times are of rank 0, "
      "medians "
      "of rounds in which the policies take turns.");
  program_options of;
  auto policies = skel::skeletons::migration_policies().names();
  app.add_option("--processes", of.processes, "of the program")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--supersteps", of.supersteps, "of each run")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--steps", of.steps, "of a process in a superstep, on average; one takes one to three nanoseconds")
      ->capture_default_str();
  app.add_option("--state-bytes", of.state_bytes, "of a process")->check(CLI::Range(8, 1 << 30))->capture_default_str();
  app.add_option("--rounds", of.rounds, "in which each policy has a run")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--load", of.load, "even, linear, or a hot-spot that moves")
      ->check(CLI::IsMember({"even", "linear", "hot-spot"}))
      ->capture_default_str();
  app.add_flag("--reports", of.reports, "also what each run says of itself");
  app.add_option("--policies", policies, "that are run")->delimiter(',');
  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& e) {
    return grid.rank() == 0 ? app.exit(e) : e.get_exit_code();
  }
  std::map<std::string, measured> runs;
  for (std::size_t round = 0; round < of.rounds; ++round)
    for (auto const& policy : policies) run_once(grid, of, policy, runs[policy]);
  if (grid.rank() != 0) return 0;
  fmt::print("{} load, {} processes of {} steps on {} ranks, {} supersteps, states of {} B, {} rounds\n", of.load,
             of.processes, of.steps, grid.size(), of.supersteps, of.state_bytes, of.rounds);
  fmt::print("  {:14}{:>10}{:>10}{:>10}{:>10}{:>8}{:>8}\n", "policy", "median s", "least s", "most s", "/ first",
             "calls", "moved");
  bool same = true;
  double const first = skel::statistics::median(runs[policies.front()].seconds);
  for (auto const& policy : policies) {
    auto const& one = runs[policy];
    auto const [least, most] = std::ranges::minmax(one.seconds);
    double const median = skel::statistics::median(one.seconds);
    fmt::print("  {:14}{:>10.3f}{:>10.3f}{:>10.3f}{:>10.3f}{:>8}{:>8}\n", policy, median, least, most, median / first,
               one.calls, one.moved);
    same = same && one.same && one.bits == runs[policies.front()].bits;
  }
  fmt::print("  results are {}\n", same ? "the same bits" : "NOT the same");
  return same ? 0 : 1;
}
