#include "row_planes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include <skel/detail/cost/line_bounds.hpp>

#include "supporting_planes.hpp"

namespace skel::mapping::detail {
namespace {

/// Stations of the rows that tell which wider rows are slow: 81 states.
inline constexpr std::size_t narrow = 4;

/// The nearest weights that are not negative and sum to 1.
/// Source: Held, Wolfe, Crowder 1974, Mathematical Programming 6:62-88.
void project(std::vector<double>& weights) {
  auto sorted = weights;
  std::ranges::sort(sorted, std::greater<>());
  double sum = 0, shift = 0;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    sum += sorted[k];
    double const now = (sum - 1) / static_cast<double>(k + 1);
    if (sorted[k] <= now) break;
    shift = now;
  }
  for (double& one : weights) one = std::max(0.0, one - shift);
  double const all = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& one : weights) one /= all;  // but for rounding 1 already
}

}  // namespace

row_planes::row_planes(placement_tables const& tables)
    : tables_(&tables),
      stages_(tables.stages()),
      hosts_(tables.hosts()),
      of_cluster_(tables.problem().platform.clusters().size()) {
  auto const& problem = tables.problem();
  for (auto const& stage : problem.program.stages)
    pinned_.push_back(stage.at.empty() ? hosts_ : *problem.platform.find_host(stage.at.front()));
  for (plan::host_id h = 0; h < hosts_; ++h) of_cluster_[problem.platform.cluster_of(h)].push_back(h);
  // The first and the last move are their stage's own, the others are split.
  auto const part = [&](std::size_t i) { return i == 0 || i == stages_ ? 1 : 0.5; };
  for (std::size_t i = 0; i < stages_; ++i)
    for (auto const& hosts : of_cluster_) {
      double in = infinity, out = infinity;
      for (auto const h : hosts) {
        if (!may(i, h)) continue;
        in = std::min(in, part(i) * std::max(shortest, tables.least_in(i, h)));
        out = std::min(out, part(i + 1) * std::max(shortest, tables.least_out(i + 1, h)));
      }
      in_.push_back(in), out_.push_back(out);
    }
}

bool row_planes::touch(cost::line const& at, std::size_t width, std::size_t rows, cost::line_solver& solver) {
  width = std::min(width, stages_);
  auto const few = std::min(narrow, width);
  try {
    // Narrow rows tell which wider ones are slow: a high power counts the slowest of them most.
    std::vector<double> slow(stages_ - few + 1, 1.0);
    if (rows < stages_ - width + 1)
      for (std::size_t first = 0; first < slow.size(); ++first)
        slow[first] = std::pow(solver.throughput(cost::sub_line(at, first, few)), -16.0);
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t first = 0; first + width <= stages_; ++first)
      order.emplace_back(std::accumulate(slow.begin() + static_cast<std::ptrdiff_t>(first),
                                         slow.begin() + static_cast<std::ptrdiff_t>(first + width - few + 1), 0.0),
                         first);
    std::ranges::sort(order, std::greater<>());
    for (auto const& [unused, first] : order) {
      if (rows-- == 0) break;
      auto slopes = slopes_of(cost::sub_line(at, first, width), solver);
      planes_.push_back({first, std::move(slopes.service), std::move(slopes.move)});
      weights_.push_back(weights_.empty() ? 1 : 0);
    }
  } catch (stopped const&) {
    return false;
  }
  return true;
}

double row_planes::at(plane const& one, times const& of) const {
  double sum = 0;
  for (std::size_t k = 0; k < one.service.size(); ++k) sum += one.service[k] * of.service[one.first + k];
  for (std::size_t k = 0; k < one.move.size(); ++k) sum += one.move[k] * of.move[one.first + k];
  return sum;
}

double row_planes::time(times const& of) const {
  double most = 0;
  for (auto const& one : planes_) most = std::max(most, at(one, of));
  return most;
}

bool row_planes::take_times(std::vector<plan::host_id> const& where, times& of) const {
  of.service.resize(stages_), of.move.resize(stages_ + 1), of.count.resize(hosts_, 0);
  for (auto const h : where) ++of.count[h];
  for (std::size_t i = 0; i < stages_; ++i)
    of.service[i] = static_cast<double>(of.count[where[i]]) * tables_->service(i, where[i]);
  for (std::size_t i = 0; i <= stages_; ++i)
    of.move[i] = std::max(shortest, tables_->move(i, where[i == 0 ? 0 : i - 1], where[i == stages_ ? i - 1 : i]));
  for (auto const h : where) of.count[h] = 0;
  return *std::ranges::max_element(of.move) < infinity;
}

bool row_planes::is_less(times const& of, double time, std::size_t& last) const {
  if (at(planes_[last], of) >= time) return false;
  for (std::size_t p = 0; p < planes_.size(); ++p)
    if (at(planes_[p], of) >= time) return last = p, false;
  return true;
}

double row_planes::time(std::vector<plan::host_id> const& where) const {
  times of;
  return take_times(where, of) ? time(of) : infinity;
}

std::vector<plan::host_id> row_planes::climb(std::vector<plan::host_id> where, stop_condition const& stop) const {
  double now = time(where);
  times next;
  std::size_t last = 0;  // the plane that excluded a placement last
  for (bool improved = true; improved;) {
    improved = false;
    auto const look = [&] {
      if (!take_times(where, next) || !is_less(next, now * (1 - tie_tolerance), last)) return false;
      now = time(next), improved = true;
      return true;
    };
    for (std::size_t i = 0; i < stages_; ++i) {
      if (stop.met()) return where;
      if (pinned_[i] != hosts_) continue;
      for (auto const& hosts : of_cluster_) {
        bool empty = false;  // unused hosts are alike
        for (auto const h : hosts) {
          bool const free = std::ranges::find(where, h) == where.end();
          if (where[i] == h || (free && std::exchange(empty, true))) continue;
          if (auto const before = std::exchange(where[i], h); !look()) where[i] = before;
        }
      }
      for (std::size_t j = 0; j < i; ++j) {
        if (pinned_[j] != hosts_ || where[i] == where[j]) continue;
        std::swap(where[i], where[j]);
        if (!look()) std::swap(where[i], where[j]);
      }
    }
  }
  return where;
}

// Each stage in turn gets a place by the path of least cost through places that others would leave for others. The
// places of a cluster are taken in turn, the first of each of its hosts before the second ones. Places behind its first
// free one cost as much or more, and need no look.
double row_planes::assign(std::vector<double> const& weights, std::vector<plan::host_id>& where, times& there) const {
  constexpr auto nobody = static_cast<std::size_t>(-1);
  struct place {
    std::size_t cluster, number, stage;
    double price;
  };
  auto const clusters = of_cluster_.size();
  std::vector<double> service(stages_, 0.0), move(stages_ + 1, 0.0), load(stages_ * clusters),
      moves(stages_ * clusters);
  for (std::size_t p = 0; p < planes_.size(); ++p) {
    if (weights[p] == 0) continue;
    auto const& one = planes_[p];
    for (std::size_t k = 0; k < one.service.size(); ++k) service[one.first + k] += weights[p] * one.service[k];
    for (std::size_t k = 0; k < one.move.size(); ++k) move[one.first + k] += weights[p] * one.move[k];
  }
  for (std::size_t i = 0; i < stages_; ++i)
    for (std::size_t c = 0; c < clusters; ++c) {
      auto const at = i * clusters + c;
      load[at] = service[i] * tables_->service(i, of_cluster_[c].front());
      bool const may = in_[at] < infinity && out_[at] < infinity;
      moves[at] = may ? move[i] * in_[at] + move[i + 1] * out_[at] : infinity;
    }
  auto const factor = [&](place const& p) {
    std::size_t const before = p.number / of_cluster_[p.cluster].size();
    return static_cast<double>(2 * before + 1);
  };
  auto const cost = [&](std::size_t i, place const& p) {
    return factor(p) * load[i * clusters + p.cluster] + moves[i * clusters + p.cluster];
  };
  std::vector<place> places;
  for (std::size_t c = 0; c < clusters; ++c) places.push_back({c, 0, nobody, 0});
  std::vector<double> rent(stages_, 0.0), least;
  std::vector<std::size_t> from, passed;
  for (std::size_t i = 0; i < stages_; ++i) {
    least.assign(places.size(), infinity), from.assign(places.size(), nobody), passed.clear();
    std::vector<char> done(places.size(), 0);
    std::size_t stage = i, reached = nobody;
    double way = 0;  // to the place that `stage` has
    while (true) {
      std::size_t nearest = nobody;
      for (std::size_t p = 0; p < places.size(); ++p) {
        if (done[p] != 0) continue;
        if (double const next = way + cost(stage, places[p]) - rent[stage] - places[p].price; next < least[p])
          least[p] = next, from[p] = reached;
        if (nearest == nobody || least[p] < least[nearest]) nearest = p;
      }
      if (std::isinf(least[nearest])) return infinity;
      way = least[nearest], reached = nearest, stage = places[reached].stage;
      if (stage == nobody) break;
      done[reached] = 1, passed.push_back(reached);
    }
    rent[i] += way;
    for (auto const p : passed) rent[places[p].stage] += way - least[p], places[p].price -= way - least[p];
    places.push_back({places[reached].cluster, places[reached].number + 1, nobody, 0});
    for (auto p = reached; p != nobody; p = from[p]) places[p].stage = from[p] == nobody ? i : places[from[p]].stage;
  }
  where.assign(stages_, 0);
  there.service.assign(stages_, 0.0), there.move.assign(stages_ + 1, 0.0);
  double sum = 0;
  for (auto const& one : places) {
    if (one.stage == nobody) continue;
    auto const i = one.stage, at = i * clusters + one.cluster;
    auto const& hosts = of_cluster_[one.cluster];
    where[i] = pinned_[i] == hosts_ ? hosts[one.number % hosts.size()] : pinned_[i];
    sum += cost(i, one);
    there.service[i] = factor(one) * tables_->service(i, hosts.front());
    there.move[i] += in_[at], there.move[i + 1] += out_[at];
  }
  return sum;
}

cost::line row_planes::improve(std::size_t steps, double target, stop_condition const& stop) {
  auto best = weights_;
  double highest = -infinity, pace = 1;
  std::size_t failed = 0;
  double rounds = 0, met = met_.empty() ? infinity : time(met_);
  std::vector<plan::host_id> where;
  times there, mean;
  std::vector<double> slope(planes_.size());
  for (std::size_t step = 0; step < steps && !stop.met(); ++step) {
    double const value = assign(weights_, where, there);
    if (std::isinf(value)) {
      least_ = infinity;
      break;
    }
    if (double const real = time(where); real < met) met = real, met_ = where;
    if (step == 0 || step == steps / 2) mean = {}, rounds = 0;
    mean.service.resize(stages_), mean.move.resize(stages_ + 1), ++rounds;
    for (std::size_t i = 0; i < stages_; ++i) mean.service[i] += there.service[i];
    for (std::size_t i = 0; i <= stages_; ++i) mean.move[i] += there.move[i];
    if (value > highest) {
      highest = value, best = weights_, failed = 0;
    } else if (++failed == patience) {
      pace /= 2, failed = 0;
    }
    if (highest >= target) break;
    for (std::size_t p = 0; p < planes_.size(); ++p) slope[p] = at(planes_[p], there) - value;
    double const norm = std::inner_product(slope.begin(), slope.end(), slope.begin(), 0.0);
    if (norm == 0) break;
    // No step leads farther than from one plane to another.
    double const length = std::min(pace * std::max(target - value, least_step * target) / norm, std::sqrt(2 / norm));
    for (std::size_t p = 0; p < planes_.size(); ++p) weights_[p] += length * slope[p];
    project(weights_);
  }
  weights_ = best;
  least_ = std::max(least_, highest * (1 - tie_tolerance));
  cost::line line;
  if (rounds == 0) return line;
  for (std::size_t i = 0; i < stages_; ++i) line.stations.push_back({{}, {{rounds / mean.service[i], i}}, 0});
  for (double const time : mean.move) line.moves.push_back(std::min(rounds / time, cost::fastest_rate));
  return line;
}

}  // namespace skel::mapping::detail
