// Schedules between clusters: how far the policies, the local search and best_schedule() are from the exact optimum,
// and what a decision takes. Times are CPU times of this process, which other load on the machine disturbs least.

#include <cmath>
#include <fstream>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/mapping/cluster_schedule.hpp>

#include "support/cpu_time.hpp"
#include "support/draw.hpp"

namespace {

using namespace skel;
using bench::draw_log;
using mapping::cluster_schedule_problem;
using nlohmann::ordered_json;

constexpr char const* families[] = {"grid", "heavy", "equal gaps"};

/// "grid": latencies 20 us to 60 ms, 10 MB/s to 10 GB/s, 1 KiB to 4 MiB, local broadcasts of 0.1 to 100 ms. "heavy":
/// the gaps of 0.1 to 0.6 s, latencies of 1 to 15 ms and local times up to 3 s that Barchet-Estefanel and Mounie 2006
/// draw. "equal gaps": one gap, local times of up to three of them, so that the order of sends decides.
cluster_schedule_problem random_problem(std::mt19937& random, std::string const& family, std::size_t n) {
  auto const between = [&](double low, double high) { return std::uniform_real_distribution(low, high)(random); };
  cluster_schedule_problem problem;
  problem.clusters = n;
  problem.root = random() % n;
  double const bytes = draw_log(random, 1024, 4 << 20);
  for (std::size_t pair = 0; pair < n * n; ++pair) {
    problem.latency.push_back(family == "heavy" ? between(1e-3, 15e-3) : draw_log(random, 2e-5, 6e-2));
    problem.gap.push_back(family == "grid"    ? 1e-5 + bytes / draw_log(random, 1e7, 1e10)
                          : family == "heavy" ? between(0.1, 0.6)
                                              : bytes / 1e8);
  }
  for (std::size_t k = 0; k < n; ++k)
    problem.local.push_back(family == "grid"    ? draw_log(random, 1e-4, 1e-1)
                            : family == "heavy" ? between(0.02, 3)
                                                : between(0, 3 * bytes / 1e8));
  return problem;
}

ordered_json ratios_of(std::string const& family, std::size_t n, std::string const& name,
                       std::vector<double> const& ratios) {
  double const mean = statistics::mean(ratios), worst = statistics::quantile(ratios, 1);
  fmt::print("{:11} {:8} {:22} {:8.4f} {:8.4f} {:8.4f}\n", family, n, name, mean, statistics::quantile(ratios, 0.95),
             worst);
  return {{"family", family}, {"clusters", n}, {"schedule", name}, {"mean", mean}, {"worst", worst}};
}

/// Completion over that of the exact schedule.
ordered_json measure_ratios(std::size_t least, std::size_t most, std::size_t problems) {
  fmt::print("completion over the exact one\nfamily      clusters schedule                   mean      p95    worst\n");
  auto rows = ordered_json::array();
  for (std::string const family : families)
    for (std::size_t n = least; n <= most; ++n) {
      std::mt19937 random(static_cast<unsigned>(n));
      auto const policies = mapping::schedule_policies();
      std::vector<std::vector<double>> ratios(policies.size() + 3);
      for (std::size_t k = 0; k < problems; ++k) {
        auto const problem = random_problem(random, family, n);
        double const exact = mapping::exact_schedule(problem).completion;
        double best_policy = std::numeric_limits<double>::infinity(), best_improved = best_policy;
        for (std::size_t p = 0; p < policies.size(); ++p) {
          auto const schedule = mapping::make_schedule(policies[p], problem);
          if (schedule.completion < exact * (1 - 1e-9))
            throw std::runtime_error(fmt::format("{} is better than the exact schedule", policies[p].name));
          ratios[p].push_back(schedule.completion / exact);
          best_policy = std::min(best_policy, schedule.completion);
          best_improved = std::min(best_improved, mapping::improve(schedule, problem).completion);
        }
        ratios[policies.size()].push_back(best_policy / exact);
        ratios[policies.size() + 1].push_back(best_improved / exact);
        ratios[policies.size() + 2].push_back(mapping::best_schedule(problem).completion / exact);
      }
      for (std::size_t p = 0; p < policies.size(); ++p)
        rows.push_back(ratios_of(family, n, std::string(policies[p].name), ratios[p]));
      rows.push_back(ratios_of(family, n, "best policy", ratios[policies.size()]));
      rows.push_back(ratios_of(family, n, "all policies, improved", ratios[policies.size() + 1]));
      rows.push_back(ratios_of(family, n, "best_schedule", ratios[policies.size() + 2]));
    }
  return rows;
}

/// What a decision takes, and what more nodes would still find.
ordered_json measure_times(std::vector<std::size_t> const& sizes, std::size_t problems, std::size_t reference_nodes) {
  fmt::print(
      "\nbest_schedule      CPU us per decision            proven   over {} nodes, of which proven\n"
      "family      clusters  median      p95      max      share     mean    worst    share\n",
      reference_nodes);
  auto rows = ordered_json::array();
  for (std::string const family : families)
    for (std::size_t n : sizes) {
      std::mt19937 random(static_cast<unsigned>(n));
      std::vector<double> times, ratios;
      double proven = 0, reference_proven = 0;
      for (std::size_t k = 0; k < problems; ++k) {
        auto const problem = random_problem(random, family, n);
        double const start = bench::cpu_seconds();
        auto const found = mapping::best_schedule(problem);
        times.push_back(1e6 * (bench::cpu_seconds() - start));
        auto const reference = mapping::best_schedule(problem, reference_nodes);
        ratios.push_back(found.completion / reference.completion);
        proven += found.optimal;
        reference_proven += reference.optimal;
      }
      double const middle = statistics::median(times), late = statistics::quantile(times, 0.95),
                   worst = statistics::quantile(times, 1), count = static_cast<double>(problems);
      fmt::print("{:11} {:8} {:7.1f} {:8.1f} {:8.1f} {:10.3f} {:8.4f} {:8.4f} {:8.3f}\n", family, n, middle, late,
                 worst, proven / count, statistics::mean(ratios), statistics::quantile(ratios, 1),
                 reference_proven / count);
      rows.push_back({{"family", family},
                      {"clusters", n},
                      {"us", middle},
                      {"us_p95", late},
                      {"us_max", worst},
                      {"proven", proven / count},
                      {"mean_ratio", statistics::mean(ratios)},
                      {"worst_ratio", statistics::quantile(ratios, 1)},
                      {"reference_proven", reference_proven / count}});
    }
  return rows;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Schedules between clusters against the exact optimum, and the time of a decision"};
  bool quick = false;
  std::size_t problems = 1000, nodes = 1'000'000;
  std::string json;
  app.add_flag("--quick", quick, "few clusters and few problems");
  app.add_option("--problems", problems, "random problems of each family and number of clusters")
      ->check(CLI::PositiveNumber);
  app.add_option("--nodes", nodes, "nodes of the search that decisions for many clusters are compared with");
  app.add_option("--json", json, "write the figures to FILE");
  CLI11_PARSE(app, argc, argv);
  if (quick) problems = std::min<std::size_t>(problems, 20), nodes = std::min<std::size_t>(nodes, 20'000);
  try {
    ordered_json figures;
    figures["ratios"] = measure_ratios(2, quick ? 5 : 8, problems);
    figures["decisions"] = measure_times({4, 8, 10, 12, 16, 32}, (problems + 9) / 10, nodes);
    if (!json.empty()) {
      std::ofstream out(json);
      out << figures.dump(2) << '\n';
      if (!out.flush()) throw std::runtime_error(json + ": cannot be written; choose a folder that exists");
    }
  } catch (std::exception const& e) {
    std::cerr << "bench_cluster_schedules: " << e.what() << '\n';
    return 1;
  }
  return 0;
}
