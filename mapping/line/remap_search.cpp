#include <skel/detail/mapping/remap_search.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/cost/line.hpp>
#include <skel/detail/cost/line_bounds.hpp>
#include <skel/detail/cost/line_simulation.hpp>

#include "local_search.hpp"

namespace skel::mapping {

namespace {

/// Constant times fall into a cycle after as many items as the line holds. These prices are off by one in a hundred at
/// most; knowledge of the line is worse.
constexpr std::size_t followed_items = 400;

/// Steps must win more: prices are not more accurate.
constexpr double least_gain = 1e-3;

cost::line placed(running_line const& line, plan::placement const& where, std::vector<double> const& speed) {
  auto out = cost::make_line(line.problem.program, where, line.problem.platform, line.problem.options);
  for (std::size_t s = 0; s < out.stations.size(); ++s)
    for (auto& worker : out.stations[s].workers) {
      if (!speed.empty()) worker.rate *= speed[worker.host];
      if (line.has_to_leave(s, worker.host)) worker.rate *= leaving_speed;
      if (!line.domain_of.empty()) worker.host = line.domain_of[worker.host];
    }
  return out;
}

/// How strongly the tightest limit of a line counts in a climb. If two parts limit it alike, no change of one stage
/// raises the least bound. With a sum of powers each change wins that relieves one of them.
constexpr int sharpness = 8;

/// The objective of a climb, of many placements of one line: (sum of bound^-p)^(-1/p) over all limits
/// (cost::fluid_bounds), p being the sharpness. Nothing is looked up again.
class quick_bound {
 public:
  quick_bound(running_line const& of, detail::placement_tables const& tables)
      : of_(of), tables_(tables), line_{{}, {}, of.problem.options.sharing, of.problem.options.farms} {
    line_.stations.assign(tables.stages(), {{}, {}, of.problem.options.buffer});
    line_.moves.resize(tables.stages() + 1);
  }

  double operator()(plan::placement const& where) {
    std::size_t const n = tables_.stages();
    for (std::size_t i = 0; i < n; ++i) {
      auto& workers = line_.stations[i].workers;
      workers.clear();
      for (auto const h : where.stages[i]) {
        double const rate = (of_.has_to_leave(i, h) ? leaving_speed : 1) / tables_.service(i, h);
        workers.push_back({rate, of_.domain_of.empty() ? h : of_.domain_of[h]});
      }
      line_.moves[i] = 1 / tables_.move(i, where.stages[i == 0 ? 0 : i - 1], where.stages[i]);
    }
    line_.moves[n] = 1 / tables_.move(n, where.stages[n - 1], where.stages[n - 1]);
    double sum = 0;
    for (double const bound : cost::fluid_bounds(line_, of_.cores)) {
      double const square = 1 / (bound * bound), fourth = square * square;
      sum += fourth * fourth;
    }
    return std::pow(sum, -1.0 / sharpness);
  }

 private:
  running_line const& of_;
  detail::placement_tables const& tables_;
  cost::line line_;
};

/// Steps from a placement, each to the neighbour of the highest bound.
std::vector<plan::placement> climb(running_line const& line, plan::placement here, quick_bound& bound) {
  std::vector<plan::placement> steps;
  double now = bound(here);
  std::size_t const most_steps = 2 * (here.stages.size() + line.problem.platform.host_count());
  while (steps.size() < most_steps) {
    std::optional<plan::placement> best;
    double highest = now * (1 + least_gain);
    detail::for_each_neighbour(line.problem, here, [&](plan::placement const& next) {
      if (double const its = bound(next); its >= highest && connected(line.problem, next)) highest = its, best = next;
      return true;
    });
    if (!best) break;
    here = *best;
    now = highest;
    steps.push_back(here);
  }
  return steps;
}

/// Workers that have to leave go. A farm with others loses them; otherwise they go to the highest bound. A climb would
/// not take them from a farm, which is no faster without a worker that does nothing.
void leave(running_line const& line, plan::placement& where, quick_bound& bound) {
  for (std::size_t s = 0; s < where.stages.size(); ++s) {
    auto& workers = where.stages[s];
    auto const goes = [&](plan::host_id processor) { return line.has_to_leave(s, processor); };
    bool const has_others = !std::ranges::all_of(workers, goes);
    if (line.problem.program.stages[s].width == 0 && has_others) {
      std::erase_if(workers, goes);
      continue;
    }
    for (auto& worker : workers) {
      if (!goes(worker)) continue;
      double highest = -1;
      auto best = worker;
      for (plan::host_id h = 0; h < line.problem.platform.host_count(); ++h) {
        if (line.leaves(h)) continue;
        worker = h;
        if (double const its = bound(where); its > highest && connected(line.problem, where)) highest = its, best = h;
      }
      worker = best;
    }
    std::ranges::sort(workers);
  }
}

/// Takes workers from farms as long as that costs nothing. A bound sees no harm in a slow worker, or in one that takes
/// a core from others, but a price does. If the bound falls below the price, the price is not computed.
void narrow(running_line const& line, plan::placement& where, double& price) {
  for (std::size_t s = 0; s < where.stages.size(); ++s) {
    auto const& stage = line.problem.program.stages[s];
    if (!stage.replicable || stage.width > 0 || !stage.at.empty()) continue;
    for (std::size_t w = 0; w < where.stages[s].size() && where.stages[s].size() > 1;) {
      auto without = where;
      without.stages[s].erase(without.stages[s].begin() + static_cast<std::ptrdiff_t>(w));
      bool const may_be_as_good = running_bound(line, without) >= price && connected(line.problem, without);
      double const its = may_be_as_good ? running_price(line, without) : 0;
      if (its < price) {
        ++w;
        continue;
      }
      where = std::move(without);
      price = its;
    }
  }
}

}  // namespace

bool running_line::has_to_leave(plan::placement const& where) const {
  for (std::size_t s = 0; s < where.stages.size(); ++s)
    if (std::ranges::any_of(where.stages[s], [&](auto processor) { return has_to_leave(s, processor); })) return true;
  return false;
}

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
  detail::placement_tables const tables(line.problem);
  quick_bound bound(line, tables);
  auto const steps = climb(line, present, bound);
  // The last of many steps win most; those between are thinned out.
  std::vector<plan::placement> found;
  std::size_t const kept = std::min(most, steps.size());
  for (std::size_t k = 0; k < kept; ++k) found.push_back(steps[(k + 1) * steps.size() / kept - 1]);
  // If no step from here wins, another place may still be better.
  auto elsewhere = detail::spread_out(tables);
  if (connected(line.problem, elsewhere)) {
    if (auto const more = climb(line, elsewhere, bound); !more.empty()) elsewhere = more.back();
    if (!std::ranges::count(found, elsewhere)) found.push_back(std::move(elsewhere));
  }
  if (line.has_to_leave(present)) found.push_back(present);
  for (auto& where : found) leave(line, where, bound);
  std::vector<near_placement> all;
  double const stay = running_price(line, present);
  for (auto& where : found) {
    double const price = running_price(line, where);
    all.push_back({std::move(where), price, 0});
  }
  auto const first = std::ranges::max_element(all, {}, &near_placement::throughput);
  if (first != all.end()) narrow(line, first->where, first->throughput);
  for (auto& one : all)
    for (std::size_t s = 0; s < present.stages.size(); ++s)
      one.moved += moved_workers(line, present.stages[s], one.where.stages[s]);
  std::erase_if(all, [&](near_placement const& one) {
    return one.moved == 0 || line.has_to_leave(one.where) || one.throughput <= stay;
  });
  std::ranges::stable_sort(all, std::ranges::greater{}, &near_placement::throughput);
  return all;
}

}  // namespace skel::mapping
