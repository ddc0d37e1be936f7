#include "local_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace skel::mapping::detail {
namespace {

/// Least gain of a step: a tenth of the least gain that readers of three digits would notice.
inline constexpr double least_gain = 1e-4;

/// The first choice for stage i as a one-host or given-width farm on host h.
std::vector<plan::host_id> on_host(placement_problem const& problem, std::size_t i, plan::host_id h) {
  auto const& stage = problem.program.stages[i];
  if (!stage.at.empty()) {
    std::vector<plan::host_id> pinned;
    for (auto const& name : stage.at) pinned.push_back(*problem.platform.find_host(name));
    return pinned;
  }
  return std::vector<plan::host_id>(stage.replicable && stage.width > 0 ? stage.width : 1, h);
}

partial_placement as_partial(placement_tables const& tables, plan::placement const& where) {
  partial_placement all{0, where.stages.size(), where.stages, std::vector<std::size_t>(tables.hosts(), 0)};
  for (auto const& stage : where.stages)
    for (auto h : stage) ++all.count[h];
  return all;
}

/// Places stages one by one in pipeline order, each at the highest quick bound. When time is up, the rest is spread
/// out. So are farms of given width, because on_host() would put all their workers on one host.
plan::placement greedy(placement_tables const& tables, std::function<bool()> const& out_of_time) {
  auto const& problem = tables.problem();
  partial_placement part;
  part.hosts.resize(tables.stages());
  part.count.assign(tables.hosts(), 0);
  auto const spread = spread_out(tables);
  for (std::size_t i = 0; i < tables.stages(); ++i) {
    part.last = i + 1;
    if (spread.stages[i].size() > 1 || out_of_time()) {
      part.hosts[i] = spread.stages[i];
      for (auto g : part.hosts[i]) ++part.count[g];
      continue;
    }
    double highest = -1;
    plan::host_id chosen = 0;
    for (plan::host_id h = 0; h < tables.hosts() && !(h > 0 && out_of_time()); ++h) {
      part.hosts[i] = on_host(problem, i, h);
      for (auto g : part.hosts[i]) ++part.count[g];
      if (double const bound = quick_bound(tables, part); bound > highest) highest = bound, chosen = h;
      for (auto g : part.hosts[i]) --part.count[g];
    }
    part.hosts[i] = on_host(problem, i, chosen);
    for (auto g : part.hosts[i]) ++part.count[g];
  }
  return {part.hosts};
}

}  // namespace

plan::placement spread_out(placement_tables const& tables) {
  auto const& problem = tables.problem();
  std::vector<double> count(tables.hosts(), 0), slowest(tables.hosts(), 0);
  plan::placement result;
  for (std::size_t i = 0; i < tables.stages(); ++i) {
    auto& mine = result.stages.emplace_back(on_host(problem, i, 0));
    bool const pinned = !problem.program.stages[i].at.empty();
    for (auto& worker : mine) {
      double least = std::numeric_limits<double>::infinity();
      for (plan::host_id h = 0; h < tables.hosts() && !pinned; ++h) {
        double const time = (count[h] + 1) * std::max(slowest[h], tables.service(i, h));
        if (time < least) least = time, worker = h;
      }
      ++count[worker];
      slowest[worker] = std::max(slowest[worker], tables.service(i, worker));
    }
    if (!pinned) std::sort(mine.begin(), mine.end());
  }
  return result;
}

std::optional<plan::placement> connect(placement_tables const& tables) {
  auto const& problem = tables.problem();
  auto const stages = tables.stages(), hosts = tables.hosts();
  // cost[i][c]: least sum of moves up to stage i in its c-th choice: a host, or its pinned hosts.
  std::vector<std::vector<double>> cost(stages);
  std::vector<std::vector<std::size_t>> before(stages);
  auto const choices = [&](std::size_t i) { return problem.program.stages[i].at.empty() ? hosts : std::size_t{1}; };
  auto const hosts_of = [&](std::size_t i, std::size_t c) {
    return problem.program.stages[i].at.empty() ? std::vector<plan::host_id>{c} : on_host(problem, i, c);
  };
  for (std::size_t i = 0; i < stages; ++i) {
    cost[i].assign(choices(i), std::numeric_limits<double>::infinity());
    before[i].assign(choices(i), 0);
    for (std::size_t c = 0; c < choices(i); ++c) {
      auto const here = hosts_of(i, c);
      double const end = i + 1 == stages ? tables.move(stages, here, here) : 0;
      if (i == 0) cost[i][c] = tables.move(0, here, here) + end;
      for (std::size_t b = 0; i > 0 && b < choices(i - 1); ++b)
        if (double const sum = cost[i - 1][b] + tables.move(i, hosts_of(i - 1, b), here) + end; sum < cost[i][c])
          cost[i][c] = sum, before[i][c] = b;
    }
  }
  auto const least = std::min_element(cost.back().begin(), cost.back().end());
  if (std::isinf(*least)) return std::nullopt;
  plan::placement result;
  result.stages.resize(stages);
  for (std::size_t i = stages, c = static_cast<std::size_t>(least - cost.back().begin()); i-- > 0; c = before[i][c])
    result.stages[i] = on_host(problem, i, c);
  return result;
}

void for_each_neighbour(placement_problem const& problem, plan::placement const& where,
                        std::function<bool(plan::placement const&)> const& visit) {
  auto const hosts = problem.platform.host_count();
  auto const widest = std::min(problem.max_width == 0 ? hosts : problem.max_width, hosts);
  auto next = where;
  for (std::size_t i = 0; i < where.stages.size(); ++i) {
    auto const& stage = problem.program.stages[i];
    if (!stage.at.empty()) continue;
    auto const& mine = where.stages[i];
    bool const free_width = stage.replicable && stage.width == 0;
    auto& now = next.stages[i];
    auto const offer = [&] {
      std::sort(now.begin(), now.end());
      bool const twice = free_width && std::adjacent_find(now.begin(), now.end()) != now.end();
      bool const goes_on = twice || visit(next);
      now = mine;
      return goes_on;
    };
    for (plan::host_id h = 0; h < hosts; ++h) {
      for (std::size_t w = 0; w < mine.size(); ++w) {
        if (mine[w] == h || (w > 0 && mine[w] == mine[w - 1])) continue;
        now[w] = h;
        if (!offer()) return;
      }
      if (free_width && mine.size() < widest) {
        now.push_back(h);
        if (!offer()) return;
      }
    }
    for (std::size_t w = 0; free_width && mine.size() > 1 && w < mine.size(); ++w) {
      now.erase(now.begin() + static_cast<std::ptrdiff_t>(w));
      if (!offer()) return;
    }
  }
  for (std::size_t i = 0; i < where.stages.size(); ++i)
    for (std::size_t j = i + 1; j < where.stages.size(); ++j) {
      auto const &a = problem.program.stages[i], &b = problem.program.stages[j];
      bool const alike = a.at.empty() && b.at.empty() && a.replicable == b.replicable && a.width == b.width;
      if (!alike || where.stages[i] == where.stages[j]) continue;
      std::swap(next.stages[i], next.stages[j]);
      bool const goes_on = visit(next);
      std::swap(next.stages[i], next.stages[j]);
      if (!goes_on) return;
    }
}

std::optional<plan::placement> climb(placement_tables const& tables, rough_price const& price,
                                     std::function<bool()> const& out_of_time) {
  auto const& problem = tables.problem();
  std::vector<plan::placement> starts{greedy(tables, out_of_time), spread_out(tables)};
  plan::host_id fastest = 0;
  for (plan::host_id h = 0; h < tables.hosts(); ++h)
    if (problem.platform.speed(h) > problem.platform.speed(fastest)) fastest = h;
  plan::placement together;
  for (std::size_t i = 0; i < tables.stages(); ++i) together.stages.push_back(on_host(problem, i, fastest));
  starts.push_back(std::move(together));

  std::erase_if(starts, [&](auto const& one) { return !connected(problem, one); });
  if (starts.empty())
    if (auto one = connect(tables)) starts.push_back(std::move(*one));

  std::optional<plan::placement> best;
  double highest = 0;
  for (auto here : starts) {
    if (best && out_of_time()) break;
    double now = price(here, 0);
    for (bool improved = true; improved && !out_of_time();) {
      improved = false;
      std::optional<plan::placement> step;
      for_each_neighbour(problem, here, [&](plan::placement const& next) {
        double const enough = now * (1 + least_gain);
        if (quick_bound(tables, as_partial(tables, next)) < enough || !connected(problem, next)) return !out_of_time();
        if (double const value = price(next, enough); value >= enough) {
          now = value;
          step = next;
        }
        return !out_of_time();
      });
      if (step) here = *step, improved = true;
    }
    if (!best || now > highest) highest = now, best = here;
  }
  return best;
}

}  // namespace skel::mapping::detail
