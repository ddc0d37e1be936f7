#pragma once

#include <cmath>
#include <cstddef>
#include <random>
#include <string>

#include <skel/detail/cost/line_bounds.hpp>
#include <skel/detail/mapping/placement_space.hpp>

namespace skel::mapping {

inline double draw_log(std::mt19937& random, double low, double high) {
  return std::exp(std::uniform_real_distribution(std::log(low), std::log(high))(random));
}

inline std::string numbered(char letter, std::size_t i) {
  return std::string(1, letter).append(std::to_string(i));
}

/// `stages` stages of unequal work on `hosts` single-host clusters of unequal speed; every pair has its own link, each
/// direction its own latency.
inline placement_problem random_problem(std::mt19937& random, std::size_t stages, std::size_t hosts,
                                        double slowest_link = 0.3) {
  std::vector<platform::cluster> clusters;
  std::vector<platform::cluster_link> links;
  for (std::size_t h = 0; h < hosts; ++h)
    clusters.push_back({numbered('h', h), 1, draw_log(random, 0.5, 4), 1, {}, {}, {}});
  for (std::size_t a = 0; a < hosts; ++a)
    for (std::size_t b = 0; b < hosts; ++b)
      if (a != b) links.push_back({a, b, {draw_log(random, 1e-4, slowest_link), draw_log(random, 1e5, 1e8)}, {}});
  placement_problem problem;
  problem.platform = platform::description(1e-4, clusters, links);
  for (std::size_t i = 0; i < stages; ++i) {
    skeletons::stage_shape stage;
    stage.name = numbered('s', i);
    stage.work = draw_log(random, 0.3, 3);
    stage.output_bytes = draw_log(random, 1, 1e4);
    problem.program.stages.push_back(stage);
  }
  return problem;
}

/// Anything the search has to cope with, small enough to enumerate: equal hosts, farms, buffers, dynamic share,
/// fixed input and output, pinned stages, missing links.
inline placement_problem random_small_problem(std::mt19937& random) {
  auto const draw = [&](std::size_t low, std::size_t high) {
    return std::uniform_int_distribution<std::size_t>(low, high)(random);
  };
  auto problem = random_problem(random, draw(1, 4), draw(1, 3));
  auto const hosts = problem.platform.host_count();
  if (draw(0, 2) == 0) {  // one cluster of equal hosts beside the others
    auto clusters = problem.platform.clusters();
    auto links = problem.platform.links();
    clusters.push_back({"equal", 2, 2, 1, {0.01, 1e6}, 2e-4, {}});
    for (std::size_t a = 0; a < hosts; ++a) {
      links.push_back({a, hosts, {0.02}, {}});
      if (draw(0, 3) > 0) links.push_back({hosts, a, {0.05}, {}});
    }
    problem.platform = platform::description(1e-4, clusters, links);
  }
  auto const all = problem.platform.host_count();
  if (draw(0, 2) == 0) problem.program.input = skeletons::terminal{problem.platform.host_name(draw(0, all - 1)), 1e4};
  if (draw(0, 2) == 0) problem.program.output = skeletons::terminal{problem.platform.host_name(draw(0, all - 1)), 1e4};
  if (draw(0, 2) == 0)
    problem.program.stages[draw(0, problem.program.stages.size() - 1)].at = {
        problem.platform.host_name(draw(0, all - 1))};
  if (problem.program.stages.size() <= 3 && draw(0, 1) == 0) {
    auto& farm = problem.program.stages[draw(0, problem.program.stages.size() - 1)];
    if (farm.at.empty()) {
      farm.replicable = true;
      farm.width = draw(0, 1) * draw(1, 2);
    }
  }
  if (draw(0, 2) == 0 && problem.program.stages.size() <= 3) problem.options.buffer = 1;
  problem.options.sharing = draw(0, 1) == 0 ? cost::share::fixed : cost::share::dynamic;
  problem.options.farms = draw(0, 1) == 0 ? cost::dispatch::round_robin : cost::dispatch::on_demand;
  return problem;
}

inline std::size_t draw(std::mt19937& random, std::size_t low, std::size_t high) {
  return std::uniform_int_distribution<std::size_t>(low, high)(random);
}

/// Single workers; links with a latency for each direction; often an input, an output and a pinned stage.
inline placement_problem random_single_workers(std::mt19937& random) {
  auto problem = random_problem(random, draw(random, 1, 5), draw(random, 1, 4));
  auto const any_host = [&] { return problem.platform.host_name(draw(random, 0, problem.platform.host_count() - 1)); };
  if (draw(random, 0, 1) == 0) problem.program.input = skeletons::terminal{any_host(), 1e4};
  if (draw(random, 0, 1) == 0) problem.program.output = skeletons::terminal{any_host(), 1e4};
  if (draw(random, 0, 1) == 0)
    problem.program.stages[draw(random, 0, problem.program.stages.size() - 1)].at = {any_host()};
  return problem;
}

inline plan::placement random_placement(std::mt19937& random, placement_problem const& problem) {
  plan::placement where;
  for (auto const& stage : problem.program.stages)
    where.stages.push_back({stage.at.empty() ? draw(random, 0, problem.platform.host_count() - 1)
                                             : *problem.platform.find_host(stage.at.front())});
  return where;
}

inline cost::line line_at(placement_problem const& problem, plan::placement const& where) {
  return cost::relax(cost::make_line(problem.program, where, problem.platform, problem.options));
}

}  // namespace skel::mapping
