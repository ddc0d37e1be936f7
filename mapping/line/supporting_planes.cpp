#include "supporting_planes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace skel::mapping::detail {
namespace {

/// Subgradient steps for a new plane: a fraction of the time of its derivatives.
inline constexpr std::size_t root_steps = 300;
/// For a node, whose prices begin near the best.
inline constexpr std::size_t node_steps = 30;
/// With more hosts, prices of a node take longer (node_steps * stages * hosts^2) than the exact solution of 8 stages.
inline constexpr std::size_t most_planned_hosts = 64;

/// A host's answer to the prices: number of its stages and their cost. Candidates are its free stages.
struct host_choice {
  double cost = 0;
  std::size_t taken = 0;  ///< stages, those that are fixed there included
};

}  // namespace

/// One node of the search as the decomposition sees it.
class supporting_planes::decomposition {
 public:
  decomposition(supporting_planes const& planes, partial_placement const& where) : all_(planes) {
    fixed_.assign(all_.stages_, all_.hosts_);
    for (std::size_t i = 0; i < all_.stages_; ++i) {
      fixed_[i] = where.has(i) ? where.hosts[i].front() : all_.pinned_[i];
      (fixed_[i] == all_.hosts_ ? free_ : held_).push_back(i);
    }
  }

  std::vector<std::size_t> const& free() const { return free_; }
  std::size_t fixed(std::size_t i) const { return fixed_[i]; }

  /// Least cost of host h over the sets of stages it may take. For n stages each costs n * load - price, so the
  /// cheapest are taken. Costs that are not negative need not be: a smaller n does without them.
  host_choice host(plane const& one, plan::host_id h, std::vector<std::size_t>* taken = nullptr) const {
    auto const hosts = all_.hosts_;
    double load = 0, price = 0;
    std::size_t fixed = 0;
    for (auto const i : held_)
      if (fixed_[i] == h) load += one.load[i * hosts + h], price += one.price[i * hosts + h], ++fixed;
    host_choice best{static_cast<double>(fixed) * load - price, fixed};
    if (taken) taken->clear();
    for (std::size_t more = 1; more <= free_.size(); ++more) {
      auto const n = static_cast<double>(fixed + more);
      gains_.clear();
      for (auto i : free_)
        if (double const gain = n * one.load[i * hosts + h] - one.price[i * hosts + h]; gain < 0)
          gains_.push_back({gain, i});
      if (gains_.empty()) break;
      bool const last = gains_.size() <= more;
      if (!last) std::nth_element(gains_.begin(), gains_.begin() + static_cast<std::ptrdiff_t>(more) - 1, gains_.end());
      double cost = n * load - price;
      auto const count = std::min(more, gains_.size());
      for (std::size_t k = 0; k < count; ++k) cost += gains_[k].first;
      if (cost < best.cost) {
        best = {cost, fixed + count};
        if (taken) {
          taken->clear();
          for (std::size_t k = 0; k < count; ++k) taken->push_back(gains_[k].second);
        }
      }
      if (last) break;
    }
    return best;
  }

  double hosts(plane const& one) const {
    double sum = 0;
    for (plan::host_id h = 0; h < all_.hosts_; ++h) sum += host(one, h).cost;
    return sum;
  }

  /// Shortest path of the moves through all stages; `path` gets its hosts.
  double moves(plane const& one, std::vector<plan::host_id>& path) const {
    auto const hosts = all_.hosts_, stages = all_.stages_;
    cost_.assign(stages * hosts, infinity);
    auto const cost_of = [&](std::size_t i, plan::host_id h) { return cost_[i * hosts + h]; };
    auto const allowed = [&](std::size_t i, plan::host_id h) { return fixed_[i] == hosts || fixed_[i] == h; };
    for (std::size_t i = 0; i < stages; ++i) {
      double* const here = cost_.data() + i * hosts;
      for (plan::host_id g = 0; g < hosts; ++g) {
        if (i == 0) {
          here[g] = all_.cost(one, 0, g, g);
          continue;
        }
        double const before = cost_of(i - 1, g), weight = one.move[i];
        double const* const times = all_.times_.data() + (i * hosts + g) * hosts;
        if (std::isinf(before)) continue;
        for (plan::host_id h = 0; h < hosts; ++h) here[h] = std::min(here[h], before + weight * times[h]);
      }
      for (plan::host_id h = 0; h < hosts; ++h) here[h] = allowed(i, h) ? here[h] + one.price[i * hosts + h] : infinity;
    }
    double least = infinity;
    path.assign(stages, 0);
    for (auto i = stages; i-- > 0;) {
      double nearest = infinity;
      for (plan::host_id h = 0; h < hosts; ++h)
        if (double const cost = cost_of(i, h) + all_.cost(one, i + 1, h, i + 1 < stages ? path[i + 1] : h);
            cost < nearest)
          nearest = cost, path[i] = h;
      if (i + 1 == stages) least = nearest;
    }
    return least;
  }

 private:
  supporting_planes const& all_;
  std::vector<std::size_t> fixed_, free_, held_;
  mutable std::vector<std::pair<double, std::size_t>> gains_;
  mutable std::vector<double> cost_;
};

supporting_planes::supporting_planes(placement_tables const& tables)
    : tables_(&tables), stages_(tables.stages()), hosts_(tables.hosts()) {
  auto const& problem = tables.problem();
  for (auto const& stage : problem.program.stages)
    pinned_.push_back(stage.at.empty() ? hosts_ : *problem.platform.find_host(stage.at.front()));
  for (std::size_t i = 0; i <= stages_; ++i)
    for (plan::host_id a = 0; a < hosts_; ++a)
      for (plan::host_id b = 0; b < hosts_; ++b) times_.push_back(std::max(tables.move(i, a, b), shortest));
}

bool are_event_graphs(placement_problem const& problem) {
  auto const& stages = problem.program.stages;
  return problem.options.sharing == cost::share::fixed && problem.options.buffer == 0 &&
         std::all_of(stages.begin(), stages.end(), [](auto const& stage) {
           return stage.at.empty() ? !stage.replicable || stage.width == 1 : stage.at.size() == 1;
         });
}

bool supporting_planes::apply_to(placement_problem const& problem) {
  return problem.platform.host_count() <= most_planned_hosts && are_event_graphs(problem);
}

double supporting_planes::cost(plane const& one, std::size_t i, plan::host_id from, plan::host_id to) const {
  return one.move[i] * times_[(i * hosts_ + from) * hosts_ + to];
}

line_slopes slopes_of(cost::line const& at, cost::line_solver& solver) {
  auto const slopes = solver.sensitivity(at);
  // dT/d(1/rate) = (rate / X)^2 dX/d rate. Rounding must not lift the plane above T. No single time is longer than T,
  // so a relative margin covers absolute errors of the slopes too. Slopes are positive, so endless times cost without
  // limit.
  auto const slope = [&](double rate, double derivative) {
    double const ratio = rate / slopes.throughput;
    return std::max(std::numeric_limits<double>::min(), ratio * ratio * derivative * (1 - tie_tolerance));
  };
  line_slopes made;
  for (std::size_t i = 0; i < at.stations.size(); ++i)
    made.service.push_back(slope(at.stations[i].workers.front().rate, slopes.workers[i].front()));
  for (std::size_t i = 0; i < at.moves.size(); ++i) made.move.push_back(slope(at.moves[i], slopes.moves[i]));
  return made;
}

void supporting_planes::touch(cost::line const& at, cost::line_solver& solver) {
  plane one;
  one.at = at;
  auto slopes = slopes_of(at, solver);
  one.service = std::move(slopes.service), one.move = std::move(slopes.move);
  for (std::size_t i = 0; i < stages_; ++i)
    for (plan::host_id h = 0; h < hosts_; ++h) one.load.push_back(one.service[i] * tables_->service(i, h));
  one.price = one.load;
  fill(one);
  auto const lane = planes_.size() % together;
  if (lane == 0) groups_.emplace_back(2 * stages_ + 1);
  for (std::size_t j = 0; j < 2 * stages_ + 1; ++j) {
    auto& slopes_here = groups_.back()[j];
    double const mine = j < stages_ ? one.service[j] : one.move[j - stages_];
    std::fill(slopes_here.begin() + static_cast<std::ptrdiff_t>(lane), slopes_here.end(), mine);
  }
  order_.insert(order_.begin(), planes_.size());
  planes_.push_back(std::move(one));
}

void supporting_planes::fill(plane& one) const {
  one.left.assign(stages_ * hosts_, infinity);
  one.right.assign(stages_ * hosts_, infinity);
  auto const allowed = [&](std::size_t i, plan::host_id h) { return pinned_[i] == hosts_ || pinned_[i] == h; };
  for (std::size_t i = 0; i < stages_; ++i)
    for (plan::host_id h = 0; h < hosts_; ++h) {
      auto& here = one.left[i * hosts_ + h];
      if (i == 0) here = cost(one, 0, h, h);
      for (plan::host_id g = 0; i > 0 && g < hosts_; ++g)
        if (allowed(i - 1, g))
          here = std::min(here, one.left[(i - 1) * hosts_ + g] + one.price[(i - 1) * hosts_ + g] + cost(one, i, g, h));
    }
  for (auto i = stages_; i-- > 0;)
    for (plan::host_id h = 0; h < hosts_; ++h) {
      auto& here = one.right[i * hosts_ + h];
      if (i + 1 == stages_) here = cost(one, stages_, h, h);
      for (plan::host_id g = 0; i + 1 < stages_ && g < hosts_; ++g)
        if (allowed(i + 1, g))
          here = std::min(here,
                          one.right[(i + 1) * hosts_ + g] + one.price[(i + 1) * hosts_ + g] + cost(one, i + 1, h, g));
    }
}

double supporting_planes::least(plane const& one, partial_placement const& where, decomposition const& split) const {
  double path = 0;
  if (where.first == where.last) {
    path = infinity;
    for (plan::host_id h = 0; h < hosts_; ++h)
      if (pinned_[0] == hosts_ || pinned_[0] == h) path = std::min(path, one.right[h] + one.price[h] + one.left[h]);
  } else {
    auto const at = [&](std::size_t i) { return where.hosts[i].front(); };
    path = one.left[where.first * hosts_ + at(where.first)] + one.right[(where.last - 1) * hosts_ + at(where.last - 1)];
    for (auto i = where.first; i < where.last; ++i) {
      path += one.price[i * hosts_ + at(i)];
      if (i > where.first) path += cost(one, i, at(i - 1), at(i));
    }
  }
  return path + split.hosts(one);
}

double supporting_planes::improve(plane& one, decomposition const& split, double target, std::size_t steps,
                                  cost::line* mixture) const {
  auto best = one.price;
  double highest = -infinity, pace = 1;
  std::size_t failed = 0;
  std::vector<plan::host_id> path;
  std::vector<std::size_t> taken;
  std::vector<double> slope(stages_ * hosts_), service(stages_, 0.0), times(stages_, 0.0), move(stages_ + 1, 0.0);
  double rounds = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    double value = split.moves(one, path);
    if (std::isinf(value)) return infinity;
    std::fill(slope.begin(), slope.end(), 0.0);
    for (auto i : split.free()) slope[i * hosts_ + path[i]] += 1;
    bool const settled = mixture && 2 * step >= steps;
    if (settled) {
      ++rounds;
      for (std::size_t i = 0; i <= stages_; ++i)
        move[i] += times_[(i * hosts_ + path[i == 0 ? 0 : i - 1]) * hosts_ + path[i == stages_ ? i - 1 : i]];
    }
    for (plan::host_id h = 0; h < hosts_; ++h) {
      auto const choice = split.host(one, h, &taken);
      value += choice.cost;
      for (auto i : taken) slope[i * hosts_ + h] -= 1;
      if (!settled) continue;
      auto const count = [&](std::size_t i) {
        service[i] += static_cast<double>(choice.taken) * tables_->service(i, h), ++times[i];
      };
      for (auto i : taken) count(i);
      for (std::size_t i = 0; i < stages_; ++i)
        if (split.fixed(i) == h) count(i);
    }
    if (value > highest) {
      highest = value, best = one.price, failed = 0;
    } else if (++failed == patience) {
      pace /= 2, failed = 0;
    }
    double const norm = std::inner_product(slope.begin(), slope.end(), slope.begin(), 0.0);
    if (highest > target * (1 + 2 * tie_tolerance) || (norm == 0 && 2 * step >= steps)) break;
    if (norm > 0)
      for (std::size_t k = 0; k < slope.size(); ++k)
        one.price[k] += pace * std::max(target - value, least_step * target) / norm * slope[k];
  }
  one.price = best;
  if (rounds > 0) {
    *mixture = {};
    for (std::size_t i = 0; i < stages_; ++i)
      mixture->stations.push_back(
          {{}, {{times[i] > 0 ? times[i] / service[i] : 1 / tables_->service(i, path[i]), i}}, 0});
    for (double time : move) mixture->moves.push_back(std::min(rounds / time, cost::fastest_rate));
  }
  return highest;
}

cost::line supporting_planes::price_newest(partial_placement const& where, double target) {
  cost::line mixture;
  improve(planes_.back(), decomposition(*this, where), target, root_steps, &mixture);
  fill(planes_.back());
  return mixture;
}

double supporting_planes::bound(partial_placement const& where, double enough, std::size_t most, plane const* near) {
  decomposition const split(*this, where);
  double bound = near ? 1 / least(*near, where, split) : infinity;
  for (std::size_t k = 0; k < std::min(most, order_.size()) && bound >= enough; ++k)
    bound = std::min(bound, 1 / least(planes_[order_[k]], where, split));
  return bound;
}

supporting_planes::node_bound supporting_planes::close_bound(partial_placement const& where, double target) {
  decomposition const split(*this, where);
  std::vector<double> values;
  for (auto const& one : planes_) values.push_back(least(one, where, split));
  std::sort(order_.begin(), order_.end(), [&](auto a, auto b) { return values[a] > values[b]; });
  node_bound result{planes_[order_.front()], 0};
  double highest = values[order_.front()];
  highest = std::max(highest, improve(result.closest, split, target, node_steps, nullptr));
  fill(result.closest);
  result.bound = 1 / highest;
  return result;
}

double supporting_planes::bound(std::vector<plan::host_id> const& where, double enough) {
  count_.assign(hosts_, 0);
  at_.resize(2 * stages_ + 1);
  for (auto h : where) ++count_[h];
  for (std::size_t i = 0; i < stages_; ++i) {
    at_[i] = static_cast<double>(count_[where[i]]) * tables_->service(i, where[i]);
    at_[stages_ + i] = time(i, where[i == 0 ? 0 : i - 1], where[i]);
  }
  at_[2 * stages_] = time(stages_, where.back(), where.back());
  double least = infinity;
  auto const ask = [&](std::size_t k) {
    std::array<double, together> value{};
    for (std::size_t j = 0; j < at_.size(); ++j)
      for (std::size_t lane = 0; lane < together; ++lane) value[lane] += groups_[k][j][lane] * at_[j];
    least = std::min(least, 1 / *std::max_element(value.begin(), value.end()));
    return least < enough;
  };
  if (groups_.empty() || ask(last_)) return least;
  for (std::size_t k = 0; k < groups_.size(); ++k)
    if (k != last_ && ask(k)) {
      last_ = k;
      break;
    }
  return least;
}

}  // namespace skel::mapping::detail
