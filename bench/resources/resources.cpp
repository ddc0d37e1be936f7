// Tables 1, 2 and 3 of "Efficient Grid Resource Selection for a CEM Application" beside what skel's algorithms
// find on platforms of the same three families, drawn anew. --random: exact against exhaustive on random platforms.
// --times: how long exact takes by the number of clusters; --by-size: the best sets of all sizes; --commands: what the
// whole command takes, of several builds side by side.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <skel/detail/base/error.hpp>
#include <skel/detail/mapping/cluster_selection.hpp>
#include <skel/detail/platform/files.hpp>
#include <skel/detail/platform/mesh_app_file.hpp>
#include <skel/detail/platform/mesh_platforms.hpp>
#include <skel/detail/record/clock.hpp>

#include "../plot.hpp"
#include "../support/commands.hpp"
#include "random_case.hpp"

namespace {

using namespace skel;
using mapping::selection_algorithm;

/// What the paper says of an algorithm: failures in a thousand, mean and largest error [%], mean or largest time [ms].
struct published {
  std::string_view failures, mean, most, time;
};
using published_table = std::map<std::string_view, published>;

struct table {
  std::string_view title;
  platform::mesh_family family;
  double elements;        ///< with which the paper's errors come out; it does not say
  std::string_view time;  ///< that the paper tells
  published_table paper;
};

std::array<table, 3> const tables{table{"Table 1: heterogeneous",
                                        platform::mesh_family::heterogeneous,
                                        588245,
                                        "mean",
                                        {{"exhaustive", {"0", "0", "0", "706"}},
                                         {"rnd", {"1000", "601", "2410", "0"}},
                                         {"rnd1k", {"782", "22", "363", "185"}},
                                         {"greedy", {"2", "<1", "4", "37"}},
                                         {"grouping", {"0", "0", "0", "59"}},
                                         {"sa", {"630", "19", "209", "57"}},
                                         {"sa.greedy", {"1", "<1", "4", "96"}},
                                         {"sa.grouping", {"0", "0", "0", "118"}}}},
                                  table{"Table 2: very heterogeneous",
                                        platform::mesh_family::very_heterogeneous,
                                        588245,
                                        "largest",
                                        {{"rnd", {"926.6", "278", "1107", "13"}},
                                         {"rnd1k", {"828.1", "184", "973", "3247"}},
                                         {"greedy", {"4.9", "<1", "14", "13660"}},
                                         {"grouping", {"1.6", "<1", "4", "16259"}},
                                         {"sa", {"776.8", "50", "874", "499"}},
                                         {"sa.greedy", {"3.8", "<1", "14", "13927"}},
                                         {"sa.grouping", {"0.5", "<1", "1", "16782"}}}},
                                  table{"Table 3: close to homogeneous",
                                        platform::mesh_family::near_homogeneous,
                                        5135732,
                                        "mean",
                                        {{"exhaustive", {"0", "0", "0", "43"}},
                                         {"rnd", {"688", "96", "491", "0"}},
                                         {"rnd1k", {"15", "0", "17", "171"}},
                                         {"greedy", {"127", "2", "36", "27"}},
                                         {"grouping", {"2", "<1", "<1", "40"}},
                                         {"sa", {"335", "5", "84", "61"}},
                                         {"sa.greedy", {"0", "0", "0", "90"}},
                                         {"sa.grouping", {"0", "0", "0", "103"}}}}};

/// Of one algorithm over all platforms.
struct outcome {
  std::size_t failures = 0;
  double error = 0, largest_error = 0;  // of all, in parts
  double seconds = 0, longest = 0;
};

void print_table(table const& of, std::uint64_t seed, std::size_t count, double elements) {
  constexpr double failed = 1e-9;  // as far as times of the same set may differ
  std::map<std::string_view, outcome> all;
  for (std::size_t k = 0; k < count; ++k) {
    auto made = platform::generate_mesh_platform(of.family, seed, k);
    made.app.elements = elements;
    cost::mesh::program const program(made.machine, made.app);
    auto const least = mapping::select_clusters(program).time.seconds;
    for (auto const name : mapping::selection_algorithms) {
      if (name == "exhaustive" && !of.paper.contains(name)) continue;
      auto const found =
          mapping::select_clusters(program, {.algorithm = *mapping::selection_algorithm_of(name), .seed = seed + k});
      auto& one = all[name];
      double const error = found.time.seconds / least - 1;
      if (error > failed) ++one.failures;
      one.error += error, one.largest_error = std::max(one.largest_error, error);
      one.seconds += found.seconds, one.longest = std::max(one.longest, found.seconds);
    }
  }
  fmt::print("{}: {} platforms of {:.0f} elements, seed {}; errors against exact, beside the paper's\n", of.title,
             count, elements, seed);
  fmt::print("{:<12}{:>18}{:>20}{:>22}{:>12}{:>12}{:>18}\n", "", "failures/1000", "mean error %", "largest error %",
             "mean ms", "largest ms", fmt::format("paper {} ms", of.time));
  auto const many = static_cast<double>(count);
  for (auto const name : mapping::selection_algorithms) {
    if (!all.contains(name)) continue;
    auto const& one = all[name];
    auto const paper = of.paper.find(name);
    auto const said = paper == of.paper.end() ? published{"-", "-", "-", "-"} : paper->second;
    fmt::print("{:<12}{:>11.1f} {:>6}{:>13.3f} {:>6}{:>15.2f} {:>6}{:>12.4f}{:>12.4f}{:>18}\n", name,
               1000 * static_cast<double>(one.failures) / many, said.failures, 100 * one.error / many, said.mean,
               100 * one.largest_error, said.most, 1e3 * one.seconds / many, 1e3 * one.longest, said.time);
  }
  fmt::print("\n");
}

/// Exact against exhaustive on platforms of 1 to 12 clusters, so many of each kind. Whether all agree to 1e-9.
bool compare_with_exhaustive(std::size_t count, std::uint64_t seed) {
  bool all_agree = true;
  for (auto const kind : bench::latency_kinds) {
    std::size_t differ = 0, nothing = 0;
    double exact = 0, exhaustive = 0;
    for (std::size_t k = 0; k < count; ++k) {
      auto const program =
          bench::draw_case(kind, seed + k, {.clusters = 1 + k % 12, .alike = k % 7 == 3, .whole_latencies = k % 5 == 2})
              .program();
      auto const one = mapping::select_clusters(program);
      auto const other = mapping::select_clusters(program, {.algorithm = selection_algorithm::exhaustive});
      exact += one.seconds, exhaustive += other.seconds;
      if (one.clusters.empty() && other.clusters.empty())
        ++nothing;
      else if (one.clusters.empty() != other.clusters.empty() || !one.optimal ||
               !(std::abs(one.time.seconds / other.time.seconds - 1) <= 1e-9))
        ++differ;
    }
    auto const many = static_cast<double>(count);
    fmt::print(
        "{:<12} {} platforms of 1 to 12 clusters, {} without room: {} differ; exact {:.4f} ms, exhaustive {:.4f} ms\n",
        kind, count, nothing, differ, 1e3 * exact / many, 1e3 * exhaustive / many);
    all_agree = all_agree && differ == 0;
  }
  return all_agree;
}

/// Exact against all choices of hosts that a budget pays, on platforms of 1 to 6 clusters of 4 hosts at most, so many
/// of each kind. Whether all agree to 1e-9.
bool compare_within_budgets(std::size_t count, std::uint64_t seed) {
  bool all_agree = true;
  for (auto const kind : bench::latency_kinds) {
    std::size_t differ = 0, nothing = 0;
    double seconds = 0, longest = 0;
    for (std::size_t k = 0; k < count; ++k) {
      auto const program = bench::draw_case(kind, seed + k, {.clusters = 1 + k % 6, .priced_hosts = 4}).program();
      double const budget = bench::price_of_all(program) * (0.05 + 0.1 * static_cast<double>(k % 10));
      auto const found = mapping::select_clusters(program, {.budget = budget});
      auto const least = bench::least_within(program, budget);
      seconds += found.seconds, longest = std::max(longest, found.seconds);
      if (found.clusters.empty() && !std::isfinite(least))
        ++nothing;
      else if (found.clusters.empty() || !found.optimal || !(std::abs(found.time.seconds / least - 1) <= 1e-9))
        ++differ;
    }
    fmt::print(
        "{:<12} {} platforms of 1 to 6 clusters, {} where nothing can be paid: {} differ; exact {:.4f} ms, {:.4f} "
        "ms at most\n",
        kind, count, nothing, differ, 1e3 * seconds / static_cast<double>(count), 1e3 * longest);
    all_agree = all_agree && differ == 0;
  }
  return all_agree;
}

/// How long exact takes with half of what all hosts cost, by the number of clusters of 16 hosts at most.
void print_times_within_budgets(std::size_t count, std::uint64_t seed, std::size_t most) {
  fmt::print("{:<12}{:>10}{:>10}{:>12}{:>12}{:>10}{:>14}\n", "", "clusters", "platforms", "mean ms", "largest ms",
             "proven", "largest gap %");
  for (auto const kind : {"tree", "arbitrary"})
    for (std::size_t const clusters : {4, 8, 12, 18, 40}) {
      if (clusters > most) break;
      outcome one;
      std::size_t proven = 0;
      double gap = 0;
      for (std::size_t k = 0; k < count; ++k) {
        auto const program =
            bench::draw_case(kind, seed + k, {.clusters = clusters, .memory = false, .priced_hosts = 16}).program();
        auto const found = mapping::select_clusters(program, {.budget = bench::price_of_all(program) / 2});
        one.seconds += found.seconds, one.longest = std::max(one.longest, found.seconds);
        proven += found.optimal ? 1U : 0U;
        gap = std::max(gap, 1 - found.bound / found.time.seconds);
      }
      fmt::print("{:<12}{:>10}{:>10}{:>12.4f}{:>12.4f}{:>10}{:>14.2f}\n", kind, clusters, count,
                 1e3 * one.seconds / static_cast<double>(count), 1e3 * one.longest, proven, 100 * gap);
    }
}

/// How long exact takes by the number of clusters, and the others as far as they take seconds at most.
void print_times(std::size_t count, std::uint64_t seed, std::size_t most, std::string const& file) {
  constexpr std::array<std::size_t, 9> sizes{4, 8, 12, 18, 40, 64, 120, 320, 1000};
  bench::plot picture("Time of a selection, mean", {"clusters", bench::scale::logarithmic},
                      {"ms", bench::scale::logarithmic});
  fmt::print("{:<30}{:>10}{:>10}{:>12}{:>12}{:>10}{:>14}\n", "", "clusters", "platforms", "mean ms", "largest ms",
             "proven", "largest gap %");
  auto const row = [&](std::string_view kind, selection_algorithm algorithm, std::size_t largest) {
    bench::series line{.name = fmt::format("{}, {}", name_of(algorithm), kind), .points = {}};
    for (auto const clusters : sizes) {
      if (clusters > most || clusters > largest) break;
      outcome one;
      std::size_t proven = 0;
      double gap = 0;
      std::size_t const many = clusters >= 320 ? std::min<std::size_t>(count, 20) : count;
      for (std::size_t k = 0; k < many; ++k) {
        auto const program = bench::draw_case(kind, seed + k, {.clusters = clusters, .memory = false}).program();
        auto const found = mapping::select_clusters(program, {.algorithm = algorithm});
        one.seconds += found.seconds, one.longest = std::max(one.longest, found.seconds);
        proven += found.optimal ? 1U : 0U;
        gap = std::max(gap, 1 - found.bound / found.time.seconds);
      }
      double const mean = one.seconds / static_cast<double>(many);
      fmt::print("{:<30}{:>10}{:>10}{:>12.4f}{:>12.4f}{:>10}{:>14.2f}\n", line.name, clusters, many, 1e3 * mean,
                 1e3 * one.longest, proven, 100 * gap);
      line.points.emplace_back(static_cast<double>(clusters), 1e3 * mean);
    }
    picture.add(std::move(line));
  };
  for (auto const kind : {"tree", "ultrametric"}) row(kind, selection_algorithm::exact, sizes.back());
  for (auto const kind : {"euclidean", "arbitrary"}) row(kind, selection_algorithm::exact, 64);
  row("tree", selection_algorithm::exhaustive, 18);
  row("tree", selection_algorithm::greedy, 320);
  row("tree", selection_algorithm::grouping, 64);
  row("tree", selection_algorithm::rnd1k, sizes.back());
  if (!file.empty()) picture.write(file);
}

/// How long the best sets of all sizes take, and how many of them are proven.
void print_times_by_size(std::size_t count, std::uint64_t seed, std::size_t most) {
  fmt::print("{:<14}{:>10}{:>12}{:>12}{:>12}{:>10}\n", "", "clusters", "platforms", "mean ms", "largest ms",
             "proven %");
  for (auto const kind : bench::latency_kinds)
    for (std::size_t const clusters : std::array<std::size_t, 5>{8, 18, 40, 120, 320}) {
      if (clusters > most) break;
      double all = 0, longest = 0;
      std::ptrdiff_t proven = 0;
      for (std::size_t k = 0; k < count; ++k) {
        auto const program = bench::draw_case(kind, seed + k, {.clusters = clusters, .memory = false}).program();
        double const begin = record::now();
        auto const found = mapping::select_by_size(program);
        double const took = record::now() - begin;
        all += took, longest = std::max(longest, took);
        proven += std::ranges::count(found, true, &mapping::sized_clusters::proven);
      }
      auto const many = static_cast<double>(count);
      fmt::print("{:<14}{:>10}{:>12}{:>12.3f}{:>12.3f}{:>10.1f}\n", kind, clusters, count, 1e3 * all / many,
                 1e3 * longest, 100 * static_cast<double>(proven) / (many * static_cast<double>(clusters)));
    }
}

/// What `skel select` takes on a tree of so many clusters, all linked to each other: the whole command, and its search.
void print_commands(std::vector<std::string> const& commands, std::size_t clusters, std::size_t times,
                    std::uint64_t seed) {
  bench::scratch_folder const folder;
  std::string const platform = folder.file("platform.json"), app = folder.file("app.json");
  bench::in_a_process([&] {
    auto const made = bench::draw_case("tree", seed, {.clusters = clusters, .memory = false});
    auto links = made.machine.links();
    for (auto& one : links)  // short numbers: skel reads 32 MiB at most
      one.path = {.latency = 1e-6 * std::round(1e6 * one.path.latency)};
    std::ofstream(platform) << skel::platform::to_json(platform::description(0, made.machine.clusters(), links))
                            << std::flush;
    std::ofstream(app) << skel::platform::to_json(made.app) << std::flush;
  });
  auto const runs = bench::compare_commands(commands, {"select", platform, app, "--json"}, times);
  fmt::print("skel select on {} clusters of a tree, {:.1f} MiB of JSON, {} times in turn: median (least to most)\n",
             clusters, static_cast<double>(std::filesystem::file_size(platform)) * 0x1p-20, times);
  std::string chosen;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    std::vector<double> searches;
    for (auto const& answer : runs[i].answers) {
      auto const found = nlohmann::json::parse(answer);
      searches.push_back(1e3 * found.at("seconds").get<double>());
      if (!found.at("optimal").get<bool>()) continue;
      if (auto const clusters_of_it = found.at("clusters").dump(); chosen.empty())
        chosen = clusters_of_it;
      else if (chosen != clusters_of_it)
        throw skel::error("the commands have proven different clusters to be the best");
    }
    auto const search = bench::spread_of(searches);
    auto const &s = runs[i].seconds, &m = runs[i].mebibytes;
    fmt::print(
        "{}\n  {:.3f} s ({:.3f} to {:.3f}), search {:.1f} ms ({:.1f} to {:.1f}), {:.0f} MiB ({:.0f} to {:.0f})\n",
        commands[i], s.median, s.min, s.max, search.median, search.min, search.max, m.median, m.min, m.max);
  }
}

int run(int argc, char** argv) {
  CLI::App app{"Which clusters take part in a mesh program: the paper's tables, and how long the exact answer takes"};
  std::size_t tables_of = 1000, random = 0, times = 0, by_size = 0, most = 1000;
  std::uint64_t seed = 1;
  double elements = 0;
  int only = 0;
  bool budget = false;
  std::string plot;
  std::vector<std::string> commands;
  app.add_option("--count", tables_of, "platforms of a table")->capture_default_str();
  app.add_option("--table", only, "one of them: 1, 2 or 3");
  app.add_option("--elements", elements, "of the mesh, instead of each table's");
  app.add_option("--random", random, "exact against exhaustive on so many platforms of each kind instead");
  app.add_flag("--budget", budget, "with --random or --times: hosts have prices, and not all of them can be paid");
  auto* const timing =
      app.add_option("--times", times, "how long selections take on so many platforms of each size instead");
  app.add_option("--by-size", by_size, "how long the best sets of all sizes take, on so many platforms, instead");
  app.add_option("--commands", commands,
                 "what select of these builds (paths of skel) takes, with --times: so often each, on --most clusters")
      ->delimiter(',');
  app.add_option("--most", most, "with --times and --by-size: clusters at most")->capture_default_str();
  app.add_option("--plot", plot, "with --times: a picture of it (SVG)")->needs(timing);
  app.add_option("--seed", seed, "of the platforms")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (!commands.empty()) {
    print_commands(commands, most, std::max<std::size_t>(times, 1), seed);
    return 0;
  }
  if (random > 0) return (budget ? compare_within_budgets : compare_with_exhaustive)(random, seed) ? 0 : 1;
  if (times > 0 && budget) {
    print_times_within_budgets(times, seed, most);
    return 0;
  }
  if (by_size > 0) {
    print_times_by_size(by_size, seed, most);
    return 0;
  }
  if (times > 0) {
    print_times(times, seed, most, plot);
    return 0;
  }
  for (std::size_t k = 0; k < tables.size(); ++k)
    if (only == 0 || static_cast<std::size_t>(only) == k + 1)
      print_table(tables[k], seed, tables_of, elements > 0 ? elements : tables[k].elements);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (std::exception const& e) {
    std::cerr << "bench_resources: " << e.what() << '\n';
    return 1;
  }
}
