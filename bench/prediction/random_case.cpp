#include "prediction/random_case.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <variant>

#include <skel/detail/cost/line.hpp>
#include <skel/detail/cost/line_solver.hpp>
#include <skel/detail/mapping/placement_search.hpp>

namespace bench {
namespace {

constexpr std::chrono::seconds search_time{20};

/// What moves are taken to cost while cases are drawn: the order of what the engine takes between processes of one
/// machine, and the same everywhere, so that the cases are.
constexpr move_times assumed_moves{1e-5, 5e-5};

/// The standard's distributions differ between libraries; these do not.
struct dice {
  std::mt19937_64 bits;

  double unit() { return static_cast<double>(bits() >> 11U) * 0x1p-53; }
  double between(double low, double high) { return low * std::pow(high / low, unit()); }
  std::size_t among(std::size_t low, std::size_t high) {
    return low + static_cast<std::size_t>(unit() * static_cast<double>(high - low + 1));
  }
};

skel::plan::placement random_placement(dice& roll, skel::skeletons::shape const& program, std::size_t hosts) {
  skel::plan::placement where;
  for (auto const& stage : program.stages) {
    std::vector<std::size_t> all(hosts);
    std::iota(all.begin(), all.end(), std::size_t{0});
    for (std::size_t w = 0; w < stage.width; ++w) std::swap(all[w], all[roll.among(w, hosts - 1)]);
    all.resize(stage.width);
    std::sort(all.begin(), all.end());
    where.stages.push_back(std::move(all));
  }
  return where;
}

skel::cost::line line_of(random_case const& it) {
  return skel::cost::make_line(it.program, it.placement, platform_of(it, assumed_moves),
                               {skel::cost::share::dynamic, skel::cost::dispatch::on_demand, it.capacity});
}

}  // namespace

random_case draw_case(std::uint64_t seed, std::size_t number, case_limits const& limits) {
  dice roll{std::mt19937_64(seed * 1'000'003 + number)};
  random_case it;
  it.number = number;
  std::size_t const stages = roll.among(2, limits.most_stages);
  for (std::size_t i = 0; i < stages; ++i) {
    skel::skeletons::stage_shape stage;
    stage.name = "stage " + std::to_string(i + 1);
    stage.work = roll.between(1, 4);
    stage.replicable = roll.unit() < 1.0 / 3;
    stage.width = stage.replicable ? roll.among(2, 3) : 1;
    stage.ordered = roll.unit() < 0.5;
    if (stage.replicable) stage.work *= static_cast<double>(stage.width);  // so that farms, too, can be the bottleneck
    it.program.stages.push_back(std::move(stage));
  }
  std::size_t const hosts = roll.among(3, 8);
  for (std::size_t h = 0; h < hosts; ++h) it.speeds.push_back(roll.between(0.5, 2));
  it.capacity = std::vector<std::size_t>{0, 1, 2, 4}[roll.among(0, 3)];
  it.placement = random_placement(roll, it.program, hosts);
  double const spread = roll.between(0.6, 1.5);

  it.searched = number % 2 == 1;
  if (it.searched) {
    // The program in its final size, roughly: how work compares with moves decides what is near enough.
    for (auto& stage : it.program.stages) stage.work *= limits.cycle / 2;
    skel::mapping::placement_problem problem{
        it.program, platform_of(it, assumed_moves), {skel::cost::share::dynamic, skel::cost::dispatch::on_demand, 0}};
    skel::mapping::search_options search;
    search.time_limit = search_time;
    auto const answer = std::get<skel::mapping::decision>(skel::mapping::place(problem, search));
    it.placement = answer.placement;
    it.proven = answer.optimal;
  }
  while (it.capacity > 0 && skel::cost::count_states(line_of(it)) > limits.most_states) --it.capacity;

  double const scale = limits.cycle * spread * skel::cost::solve_line(line_of(it)).throughput;
  for (auto& stage : it.program.stages) stage.work *= scale;
  return it;
}

skel::platform::description platform_of(random_case const& it, move_times const& moves) {
  std::vector<skel::platform::cluster> clusters;
  std::vector<skel::platform::cluster_link> links;
  for (std::size_t h = 0; h < it.hosts(); ++h) {
    skel::platform::cluster one;
    one.name = "h" + std::to_string(h);
    one.speed = it.speeds[h];
    clusters.push_back(std::move(one));
    for (std::size_t other = 0; other < it.hosts(); ++other)
      if (other != h) {
        skel::platform::cluster_link link;
        link.from = h;
        link.to = other;
        link.path.latency = moves.remote;
        links.push_back(std::move(link));
      }
  }
  return {moves.local, std::move(clusters), std::move(links)};
}

skel::plan::run_plan plan_of(random_case const& it, std::size_t ranks) {
  skel::plan::run_plan plan;
  plan.batch_bytes = 1;  // every item fills its batch
  auto const rank = [&](std::size_t host) { return static_cast<int>(host % ranks); };
  plan.stations.push_back({{rank(it.placement.stages.front().front())}, it.capacity});
  for (auto const& hosts : it.placement.stages) {
    skel::plan::station_plan station;
    for (auto host : hosts) station.ranks.push_back(rank(host));
    station.capacity = it.capacity;
    plan.stations.push_back(std::move(station));
  }
  plan.stations.push_back({{rank(it.placement.stages.back().front())}, it.capacity});
  return plan;
}

}  // namespace bench
