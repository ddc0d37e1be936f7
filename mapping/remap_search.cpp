#include <skel/detail/mapping/remap_search.hpp>

#include <algorithm>
#include <map>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/cost/line.hpp>
#include <skel/detail/cost/line_bounds.hpp>
#include <skel/detail/cost/line_simulation.hpp>

#include "local_search.hpp"

namespace skel::mapping {

namespace {

/// Constant times fall into a cycle after as many items as the line holds; a price that is one in a hundred off, as
/// these are at most, is better than what is known of the line.
constexpr std::size_t followed_items = 400;

/// A step that wins less is no step: prices are not surer.
constexpr double least_gain = 1e-3;

/// A processor that leaves is as slow as this beside itself, so that every stage wins by moving away from it.
constexpr double leaving_speed = 1e-6;

cost::line placed(running_line const& line, plan::placement const& where, std::vector<double> const& speed) {
  auto out = cost::make_line(line.problem.program, where, line.problem.platform, line.problem.options);
  for (auto& station : out.stations)
    for (auto& worker : station.workers) {
      if (!speed.empty()) worker.rate *= speed[worker.host];
      if (line.leaves(worker.host)) worker.rate *= leaving_speed;
      if (!line.domain_of.empty()) worker.host = line.domain_of[worker.host];
    }
  return out;
}

bool needs_leaving(running_line const& line, plan::placement const& where) {
  return std::ranges::any_of(where.stages, [&](auto const& stage) {
    return std::ranges::any_of(stage, [&](auto processor) { return line.leaves(processor); });
  });
}

}  // namespace

std::size_t moved_workers(running_line const& line, std::vector<plan::host_id> const& from,
                          std::vector<plan::host_id> const& to) {
  std::map<std::size_t, std::ptrdiff_t> more;
  for (auto processor : from) --more[line.group(processor)];
  for (auto processor : to) ++more[line.group(processor)];
  std::ptrdiff_t come = 0, go = 0;
  for (auto const& [group, count] : more) (count > 0 ? come : go) += std::abs(count);
  return static_cast<std::size_t>(std::max(come, go));
}

double running_price(running_line const& line, plan::placement const& where, std::vector<double> const& speed) {
  cost::simulation_options options;
  options.fewest_first = true;
  options.items = followed_items;
  options.cores = line.cores;
  options.waiting = line.waiting;
  return cost::simulate_line(placed(line, where, speed), options).throughput;
}

double running_bound(running_line const& line, plan::placement const& where, std::vector<double> const& speed) {
  return cost::fluid_bound(placed(line, where, speed), line.cores);
}

std::vector<near_placement> search_near(running_line const& line, plan::placement const& present, std::size_t most) {
  SKEL_EXPECTS(present.stages.size() == line.problem.program.stages.size());
  std::vector<plan::placement> steps;
  auto here = present;
  double now = running_bound(line, here);
  std::size_t const workers_and_hosts = 2 * (present.stages.size() + line.problem.platform.host_count());
  for (std::size_t k = 0; k < workers_and_hosts; ++k) {
    auto best = here;
    double highest = now * (1 + least_gain);
    bool found = false;
    detail::for_each_neighbour(line.problem, here, [&](plan::placement const& next) {
      if (!connected(line.problem, next)) return true;
      if (double const bound = running_bound(line, next); bound >= highest) highest = bound, best = next, found = true;
      return true;
    });
    if (!found) break;
    here = std::exchange(best, {});
    now = highest;
    steps.push_back(here);
  }
  // The last steps win most; of many the ones between are thinned out.
  std::vector<near_placement> all;
  double const stay = running_price(line, present);
  for (std::size_t k = 0; k < most && k < steps.size(); ++k) {
    std::size_t const which = steps.size() <= most ? k : (k + 1) * steps.size() / most - 1;
    near_placement one{steps[which], running_price(line, steps[which]), 0};
    if (one.throughput <= stay || needs_leaving(line, one.where)) continue;
    for (std::size_t s = 0; s < present.stages.size(); ++s)
      one.moved += moved_workers(line, present.stages[s], one.where.stages[s]);
    if (one.moved > 0) all.push_back(std::move(one));
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, &near_placement::throughput);
  return all;
}

}  // namespace skel::mapping
