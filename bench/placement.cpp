// How the cost of exact solutions and of the placement search grows with stages and hosts, and how far window closure
// is from the exact throughput. Times are CPU times of this process, which other load on the machine disturbs least.

#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/cost/line_closure.hpp>
#include <skel/detail/cost/line_solver.hpp>
#include <skel/detail/mapping/placement_search.hpp>
#include <skel/detail/platform/files.hpp>

#include "plot.hpp"
#include "support/commands.hpp"
#include "support/cpu_time.hpp"
#include "support/draw.hpp"

namespace {

using namespace skel;
using bench::cpu_seconds;
using bench::draw_log;
using nlohmann::ordered_json;

cost::line random_line(std::mt19937& random, std::size_t stages) {
  cost::line model;
  for (std::size_t i = 0; i < stages; ++i) model.stations.push_back({{}, {{draw_log(random, 5, 20), i}}, 0});
  for (std::size_t i = 0; i <= stages; ++i) model.moves.push_back(draw_log(random, 5, 1e4));
  return model;
}

/// What hosts and stages are like; every pair of hosts has its own link.
struct family {
  char const* name;
  double least_speed, most_speed, least_work, most_work, slowest_link;
};
constexpr family families[] = {
    {"unequal", 0.5, 4, 0.3, 3, 0.3}, {"equal work", 0.5, 4, 1, 1, 0.01}, {"nearly equal", 0.95, 1.05, 1, 1, 0.001}};

mapping::placement_problem random_problem(std::mt19937& random, std::size_t stages, std::size_t hosts,
                                          family const& of) {
  std::vector<platform::cluster> clusters;
  std::vector<platform::cluster_link> links;
  for (std::size_t h = 0; h < hosts; ++h)
    clusters.push_back({fmt::format("h{}", h), 1, draw_log(random, of.least_speed, of.most_speed), 1, {}, {}, {}});
  for (std::size_t a = 0; a < hosts; ++a)
    for (std::size_t b = 0; b < hosts; ++b)
      if (a != b) links.push_back({a, b, {draw_log(random, 1e-4, of.slowest_link)}, {}});
  mapping::placement_problem problem;
  problem.platform = platform::description(1e-4, clusters, links);
  for (std::size_t i = 0; i < stages; ++i) {
    skeletons::stage_shape stage;
    stage.name = fmt::format("s{}", i);
    stage.work = draw_log(random, of.least_work, of.most_work);
    problem.program.stages.push_back(stage);
  }
  return problem;
}

double least(std::vector<double> const& samples) {
  return statistics::quantile(samples, 0);
}
double most(std::vector<double> const& samples) {
  return statistics::quantile(samples, 1);
}

ordered_json measure_solver(std::size_t longest, std::size_t lines, bench::series& curve) {
  fmt::print("exact solution            CPU ms: median      min      max   sweeps  worst residual\n");
  auto rows = ordered_json::array();
  for (std::size_t stages = 3; stages <= longest; ++stages) {
    std::mt19937 random(static_cast<unsigned>(stages));
    std::vector<double> times, sweeps, residuals;
    for (std::size_t k = 0; k < lines; ++k) {
      auto const model = random_line(random, stages);
      double const start = cpu_seconds();
      auto const found = cost::solve_line(model);
      times.push_back(1e3 * (cpu_seconds() - start));
      sweeps.push_back(static_cast<double>(found.sweeps));
      residuals.push_back(found.residual);
    }
    double const middle = statistics::median(times);
    fmt::print("{:2} stages {:9.0f} states {:15.3f} {:8.3f} {:8.3f} {:8.0f} {:15.1e}\n", stages,
               std::pow(3.0, static_cast<double>(stages)), middle, least(times), most(times),
               statistics::median(sweeps), most(residuals));
    rows.push_back({{"stages", stages},
                    {"ms", middle},
                    {"ms_min", least(times)},
                    {"ms_max", most(times)},
                    {"sweeps", statistics::median(sweeps)},
                    {"residual", most(residuals)}});
    curve.points.emplace_back(static_cast<double>(stages), middle * 1e-3);
  }
  return rows;
}

ordered_json measure_search(std::size_t largest, std::size_t problems, double limit,
                            std::vector<bench::series>& curves) {
  fmt::print(
      "\nplacement search                CPU s: median      min      max   solved of placements   proven  "
      "exhaustive s  worst gap after 1 s\n");
  auto rows = ordered_json::array();
  bench::series whole{"exhaustive, unequal", {}};
  for (auto const& of : families) {
    bench::series curve{std::string("search, ").append(of.name), {}};
    for (std::size_t size = 3; size <= largest; ++size) {
      std::mt19937 random(static_cast<unsigned>(100 + size));
      std::vector<double> times, solved, gaps, all;
      std::size_t proven = 0;
      for (std::size_t k = 0; k < problems; ++k) {
        auto const problem = random_problem(random, size, size, of);
        mapping::search_options options;
        options.time_limit = std::chrono::duration<double>(limit);
        double const start = cpu_seconds();
        auto const found = std::get<mapping::decision>(mapping::place(problem, options));
        times.push_back(cpu_seconds() - start);
        solved.push_back(static_cast<double>(found.evaluated));
        proven += found.optimal;
        if (times.back() > 1) {
          options.time_limit = std::chrono::duration<double>(1);
          auto const hurried = std::get<mapping::decision>(mapping::place(problem, options));
          gaps.push_back(hurried.bound / hurried.throughput - 1);
        } else {
          gaps.push_back(found.bound / found.throughput - 1);
        }
        if (size > 5) continue;
        double const before = cpu_seconds();
        auto const oracle = std::get<mapping::decision>(mapping::exhaustive(problem, mapping::line_price(problem)));
        all.push_back(cpu_seconds() - before);
        if (found.optimal && std::abs(oracle.throughput - found.throughput) > 1e-8 * oracle.throughput)
          throw std::runtime_error("the search and the exhaustive oracle disagree");
      }
      double const placements = std::pow(static_cast<double>(size), static_cast<double>(size));
      fmt::print(
          "{:2} stages {:2} hosts {:13} {:9.4f} {:8.4f} {:8.4f} {:8.0f} of {:10.0f} {:5} of {} {:>12} {:14.4f}\n", size,
          size, of.name, statistics::median(times), least(times), most(times), statistics::median(solved), placements,
          proven, problems, all.empty() ? "-" : fmt::format("{:.4f}", statistics::median(all)), most(gaps));
      rows.push_back({{"stages", size},
                      {"hosts", size},
                      {"family", of.name},
                      {"s", statistics::median(times)},
                      {"s_min", least(times)},
                      {"s_max", most(times)},
                      {"solved", statistics::median(solved)},
                      {"placements", placements},
                      {"proven", proven},
                      {"of", problems},
                      {"gap_after_1_s", most(gaps)}});
      curve.points.emplace_back(static_cast<double>(size), statistics::median(times));
      if (!all.empty()) {
        rows.back()["exhaustive_s"] = statistics::median(all);
        if (&of == families) whole.points.emplace_back(static_cast<double>(size), statistics::median(all));
      }
    }
    curves.push_back(std::move(curve));
  }
  curves.push_back(std::move(whole));
  return rows;
}

/// Gap after a second and time to the proof of problems that nothing was tuned on: one seed each.
ordered_json measure_fresh(std::size_t problems, unsigned first_seed, double limit) {
  fmt::print(
      "\n8 stages on 8 hosts, {} problems of seeds {} and up each    worst gap after 1 s   CPU s to the proof:"
      " median    worst  proven\n",
      problems, first_seed);
  auto rows = ordered_json::array();
  for (auto const& of : families) {
    std::vector<double> gaps, times;
    std::size_t proven = 0;
    for (std::size_t k = 0; k < problems; ++k) {
      std::mt19937 random(first_seed + static_cast<unsigned>(k));
      auto const problem = random_problem(random, 8, 8, of);
      mapping::search_options options;
      options.time_limit = std::chrono::duration<double>(1);
      double start = cpu_seconds();
      auto found = std::get<mapping::decision>(mapping::place(problem, options));
      gaps.push_back(found.bound / found.throughput - 1);
      if (!found.optimal) {
        options.time_limit = std::chrono::duration<double>(limit);
        start = cpu_seconds();
        found = std::get<mapping::decision>(mapping::place(problem, options));
      }
      times.push_back(cpu_seconds() - start);
      proven += found.optimal;
    }
    fmt::print("{:13} {:61.4f} {:28.4f} {:8.4f} {:3} of {}\n", of.name, most(gaps), statistics::median(times),
               most(times), proven, problems);
    rows.push_back({{"family", of.name},
                    {"first_seed", first_seed},
                    {"of", problems},
                    {"gap_after_1_s", most(gaps)},
                    {"s", statistics::median(times)},
                    {"s_max", most(times)},
                    {"proven", proven}});
  }
  return rows;
}

/// 1000 hosts: clusters of 25 that are alike, every pair of clusters with its own link.
mapping::placement_problem random_clusters(std::mt19937& random, std::size_t stages, family const& of) {
  auto problem = random_problem(random, stages, 40, of);
  auto clusters = problem.platform.clusters();
  for (auto& one : clusters) one.hosts = 25, one.inside = {.latency = 1e-4};
  problem.platform = platform::description(1e-4, clusters, problem.platform.links());
  return problem;
}

/// A pipeline without ends, as a file has it.
ordered_json to_json(skeletons::shape const& program) {
  ordered_json file = {{"skel_pipeline", 1}, {"stages", ordered_json::array()}};
  for (auto const& one : program.stages) file["stages"].push_back({{"name", one.name}, {"work", one.work}});
  return file;
}

/// How far the bound of long pipelines, which are too long to be solved, lies above the answer when a time is up, of
/// several builds of skel (paths) side by side.
ordered_json measure_long(std::vector<std::string> const& commands, std::size_t problems, unsigned first_seed,
                          double limit) {
  fmt::print("skel place --time-limit {}: {} problems; bound / answer - 1: median (least to most); median answer\n",
             limit, problems);
  bench::scratch_folder const folder;
  std::string const platform = folder.file("platform.json"), pipeline = folder.file("pipeline.json");
  auto rows = ordered_json::array();
  for (std::size_t const stages : {std::size_t{20}, std::size_t{100}})
    for (auto const& of : families) {
      std::vector<std::vector<double>> gaps(commands.size()), answers(commands.size()), times(commands.size());
      for (std::size_t k = 0; k < problems; ++k) {
        std::mt19937 random(first_seed + static_cast<unsigned>(k));
        auto const problem =
            stages == 20 ? random_problem(random, stages, 100, of) : random_clusters(random, stages, of);
        std::ofstream(platform) << platform::to_json(problem.platform) << std::flush;
        std::ofstream(pipeline) << to_json(problem.program) << std::flush;
        auto const runs = bench::compare_commands(
            commands, {"place", platform, pipeline, "--time-limit", fmt::format("{}", limit), "--json"}, 1, false);
        for (std::size_t i = 0; i < commands.size(); ++i) {
          auto const found = ordered_json::parse(runs[i].answers.front());
          answers[i].push_back(found.at("throughput").get<double>());
          gaps[i].push_back(found.at("bound").get<double>() / answers[i].back() - 1);
          times[i].push_back(runs[i].seconds.median);
        }
      }
      for (std::size_t i = 0; i < commands.size(); ++i) {
        fmt::print(
            "{:3} stages {:4} hosts {:13} {:8.4f} ({:.4f} to {:.4f}), {:8.4f} items/s in {:.2f} s (at most {:.2f}) "
            "{}\n",
            stages, stages == 20 ? 100 : 1000, of.name, statistics::median(gaps[i]), least(gaps[i]), most(gaps[i]),
            statistics::median(answers[i]), statistics::median(times[i]), most(times[i]), commands[i]);
        rows.push_back({{"stages", stages},
                        {"family", of.name},
                        {"command", commands[i]},
                        {"of", problems},
                        {"gap", statistics::median(gaps[i])},
                        {"gap_max", most(gaps[i])},
                        {"throughput", statistics::median(answers[i])}});
      }
    }
  return rows;
}

ordered_json measure_closure(std::size_t stages, std::size_t lines) {
  fmt::print("\nwindow closure, {} stages    error: mean    worst    rounds\n", stages);
  auto rows = ordered_json::array();
  for (std::size_t window = 2; window <= 4; ++window) {
    std::mt19937 random(7);
    std::vector<double> errors, rounds;
    for (std::size_t k = 0; k < lines; ++k) {
      auto const model = random_line(random, stages);
      auto const found = cost::close_line(model, {.window = window});
      errors.push_back(std::abs(found.throughput / cost::solve_line(model).throughput - 1));
      rounds.push_back(static_cast<double>(found.rounds));
    }
    fmt::print("{} stations per window {:18.4f} {:8.4f} {:9.0f}\n", window, statistics::mean(errors), most(errors),
               statistics::median(rounds));
    rows.push_back({{"window", window}, {"mean_error", statistics::mean(errors)}, {"worst_error", most(errors)}});
  }
  return rows;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Cost of exact solutions and of the placement search against stages and hosts"};
  bool quick = false;
  double limit = 60;
  std::size_t fresh = 60, many_long = 0;
  unsigned seed = 1000;
  std::string json, picture;
  std::vector<std::string> commands;
  app.add_flag("--quick", quick, "small sizes and few instances");
  app.add_option("--time-limit", limit, "seconds for one search")->check(CLI::PositiveNumber);
  app.add_option("--fresh", fresh, "problems of 8 stages on 8 hosts of each kind, one per seed (not with --quick)");
  app.add_option("--long", many_long, "so many problems of 20 stages on 100 hosts, and of 100 on 1000, instead");
  app.add_option("--commands", commands, "with --long: paths of skel, with commas")->delimiter(',');
  app.add_option("--seed", seed, "the first of their seeds");
  app.add_option("--json", json, "write the figures to FILE");
  app.add_option("--plot", picture, "write an SVG plot to FILE");
  CLI11_PARSE(app, argc, argv);
  try {
    bench::series solver{"one exact solution", {}};
    std::vector<bench::series> searches;
    ordered_json figures;
    if (many_long > 0) {
      figures["long"] = measure_long(commands, many_long, seed, limit);
    } else {
      figures["solver"] = measure_solver(quick ? 7 : 14, quick ? 3 : 7, solver);
      figures["search"] = measure_search(quick ? 4 : 8, quick ? 2 : 5, limit, searches);
      if (!quick) figures["fresh"] = measure_fresh(fresh, seed, limit);
      figures["closure"] = measure_closure(quick ? 6 : 9, quick ? 10 : 200);
    }
    if (!json.empty()) {
      std::ofstream out(json);
      out << figures.dump(2) << '\n';
      if (!out.flush()) throw std::runtime_error(json + ": cannot be written; choose a folder that exists");
    }
    if (!picture.empty()) {
      bench::plot plot("Placement: cost against stages (as many hosts)", {"stages"},
                       {"CPU time [s]", bench::scale::logarithmic});
      plot.add(std::move(solver));
      for (auto& one : searches) plot.add(std::move(one));
      plot.write(picture);
    }
  } catch (std::exception const& e) {
    std::cerr << "bench_placement: " << e.what() << '\n';
    return 1;
  }
  return 0;
}
