#include "placement_tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <skel/detail/cost/line_bounds.hpp>

namespace skel::mapping::detail {
namespace {

double at_least_shortest(double time) {
  return std::max(time, shortest);
}

/// Bound of one worker: see cost::station_bound.
double alone(double in, double service, double out, bool buffered) {
  return 1 / ((buffered ? 0 : in) + service + out);
}

/// Bound of a stage from its workers' moves and services.
class stage_bound {
 public:
  stage_bound(cost::dispatch farms, bool buffered) : farms_(farms), buffered_(buffered) {}
  void add(double in, double service, double out) {
    double const one = alone(in, service, out, buffered_);
    sum_ += one;
    least_ = std::min(least_, one);
    ++width_;
  }
  double value() const { return farms_ == cost::dispatch::round_robin ? least_ * static_cast<double>(width_) : sum_; }

 private:
  cost::dispatch farms_;
  bool buffered_;
  double sum_ = 0, least_ = infinity;
  std::size_t width_ = 0;
};

}  // namespace

placement_tables::placement_tables(placement_problem const& problem)
    : problem_(&problem), hosts_(problem.platform.host_count()) {
  auto const& program = problem.program;
  auto const& platform = problem.platform;
  auto const clusters = platform.clusters().size();
  std::vector<plan::host_id> first_of(clusters, 0), second_of(clusters, 0);
  for (plan::host_id h = hosts_; h-- > 0;) {
    second_of[platform.cluster_of(h)] = first_of[platform.cluster_of(h)];
    first_of[platform.cluster_of(h)] = h;
  }
  for (auto const& stage : program.stages)
    for (plan::host_id h = 0; h < hosts_; ++h) service_.push_back(at_least_shortest(stage.work / platform.speed(h)));
  for (std::size_t c = 0; c < clusters; ++c) local_.push_back(platform.path(first_of[c], first_of[c]).latency);
  between_.assign(clusters * clusters, {.latency = infinity});
  for (std::size_t a = 0; a < clusters; ++a)
    for (std::size_t b = 0; b < clusters; ++b) {
      auto const from = first_of[a], to = a == b ? second_of[b] : first_of[b];
      if (platform.connected(from, to)) between_[a * clusters + b] = platform.path(from, to);
    }
  auto const end = [&](std::optional<skeletons::terminal> const& terminal, bool input) {
    for (plan::host_id h = 0; h < hosts_; ++h) {
      double time = local_[platform.cluster_of(h)];
      if (terminal) {
        auto const fixed = *platform.find_host(terminal->at);
        auto const from = input ? fixed : h, to = input ? h : fixed;
        time = platform.connected(from, to) ? platform.path(from, to).time(terminal->bytes) : infinity;
      }
      ends_.push_back(time);
    }
  };
  end(program.input, true);
  end(program.output, false);
  least_in_.assign((stages() + 1) * hosts_, infinity);
  least_out_.assign((stages() + 1) * hosts_, infinity);
  for (plan::host_id h = 0; h < hosts_; ++h) {
    least_in_[h] = least_out_[h] = ends_[h];
    least_in_[stages() * hosts_ + h] = least_out_[stages() * hosts_ + h] = ends_[hosts_ + h];
  }
  // Hosts of a cluster have alike paths: to themselves, to another of their cluster if there is one, to other clusters.
  struct least_of_clusters {
    std::vector<double> out, in;
  };
  std::map<double, least_of_clusters> of_bytes;
  for (std::size_t i = 1; i < stages(); ++i) {
    double const bytes = program.stages[i - 1].output_bytes;
    auto const [found, is_new] = of_bytes.try_emplace(bytes, least_of_clusters{local_, local_});
    auto& [out, in] = found->second;
    for (std::size_t a = 0; a < clusters && is_new; ++a)
      for (std::size_t b = 0; b < clusters; ++b) {
        if (a == b && platform.clusters()[a].hosts < 2) continue;
        double const time = between(a, b, bytes);
        out[a] = std::min(out[a], time);
        in[b] = std::min(in[b], time);
      }
    for (plan::host_id h = 0; h < hosts_; ++h) {
      least_out_[i * hosts_ + h] = out[platform.cluster_of(h)];
      least_in_[i * hosts_ + h] = in[platform.cluster_of(h)];
    }
  }
  for (std::size_t i = 0; i <= stages(); ++i) {
    auto const row = least_in_.begin() + static_cast<std::ptrdiff_t>(i * hosts_);
    least_.push_back(*std::min_element(row, row + static_cast<std::ptrdiff_t>(hosts_)));
  }
}

double placement_tables::move(std::size_t i, plan::host_id from, plan::host_id to) const {
  if (i == 0) return ends_[to];
  if (i == stages()) return ends_[hosts_ + from];
  auto const& platform = problem_->platform;
  auto const a = platform.cluster_of(from), b = platform.cluster_of(to);
  return from == to ? local_[a] : between(a, b, problem_->program.stages[i - 1].output_bytes);
}

double placement_tables::move(std::size_t i, std::vector<plan::host_id> const& from,
                              std::vector<plan::host_id> const& to) const {
  double sum = 0;
  if (i == 0) {
    for (auto b : to) sum += move(i, b, b);
    return sum / static_cast<double>(to.size());
  }
  if (i == stages()) {
    for (auto a : from) sum += move(i, a, a);
    return sum / static_cast<double>(from.size());
  }
  for (auto a : from)
    for (auto b : to) sum += move(i, a, b);
  return sum / static_cast<double>(from.size() * to.size());
}

double placement_tables::root_bound() const {
  double work = 0, speed = 0;
  for (auto const& stage : problem_->program.stages) work += stage.work;
  for (plan::host_id h = 0; h < hosts_; ++h) speed += problem_->platform.speed(h);
  partial_placement nothing;
  nothing.hosts.resize(stages());
  nothing.count.assign(hosts_, 0);
  return std::min(work > 0 ? speed / work : infinity, quick_bound(*this, nothing));
}

double quick_bound(placement_tables const& tables, partial_placement const& where) {
  auto const& problem = tables.problem();
  auto const& program = problem.program;
  auto const farms = problem.options.farms;
  bool const buffered = problem.options.buffer > 0, fixed = tables.fixed_share();
  auto const stages = tables.stages(), hosts = tables.hosts();
  auto const time_in = [&](std::size_t i, plan::host_id h) {
    if (i == 0 || !where.has(i - 1)) return tables.least_in(i, h);
    double sum = 0;
    for (auto a : where.hosts[i - 1]) sum += tables.move(i, a, h);
    return sum / static_cast<double>(where.hosts[i - 1].size());
  };
  auto const time_out = [&](std::size_t i, plan::host_id h) {
    if (i + 1 == stages || !where.has(i + 1)) return tables.least_out(i + 1, h);
    double sum = 0;
    for (auto b : where.hosts[i + 1]) sum += tables.move(i + 1, h, b);
    return sum / static_cast<double>(where.hosts[i + 1].size());
  };
  // slowed[h]: bound of the stages on h with one more worker; load[h]: time per item under dynamic share.
  static thread_local std::vector<double> slowed, load, best;
  slowed.assign(hosts, infinity);
  load.assign(hosts, 0);
  double bound = infinity;
  for (std::size_t i = where.first; i < where.last; ++i) {
    auto const& mine = where.hosts[i];
    // The move's own mean over all pairs; it is shared by all workers of a farm.
    double in = 0, out = 0;
    for (auto h : mine) in += time_in(i, h), out += time_out(i, h);
    in = at_least_shortest(in / static_cast<double>(mine.size()));
    out = at_least_shortest(out / static_cast<double>(mine.size()));
    if (std::isinf(in) || std::isinf(out)) return 0;
    stage_bound now(farms, buffered);
    for (auto h : mine) now.add(in, tables.service(i, h) * (fixed ? static_cast<double>(where.count[h]) : 1), out);
    bound = std::min({bound, now.value(), 1 / in, 1 / out});
    if (fixed) {
      for (auto h : mine) {
        stage_bound then(farms, buffered);
        for (auto g : mine)
          then.add(in, tables.service(i, g) * static_cast<double>(where.count[g] + (g == h ? 1 : 0)), out);
        slowed[h] = std::min(slowed[h], then.value());
      }
    } else if (std::all_of(mine.begin(), mine.end(), [&](auto h) { return h == mine.front(); })) {
      load[mine.front()] += tables.service(i, mine.front());
    }
  }
  if (!fixed)
    for (double one : load) bound = std::min(bound, 1 / one);
  for (std::size_t i = 0; i < stages; ++i) {
    if (where.has(i) || !program.stages[i].at.empty()) continue;
    auto const& stage = program.stages[i];
    std::size_t const width = !stage.replicable ? 1
                              : stage.width > 0 ? stage.width
                                                : std::min(problem.max_width ? problem.max_width : hosts, hosts);
    best.clear();
    for (plan::host_id h = 0; h < hosts; ++h) {
      double const in = at_least_shortest(time_in(i, h)), out = at_least_shortest(time_out(i, h));
      if (std::isinf(in) || std::isinf(out)) continue;
      double const service = tables.service(i, h) * (fixed ? static_cast<double>(where.count[h] + 1) : 1);
      // A farm's moves are means over its workers, so a worker may count on the least of them.
      double one = width == 1 ? alone(in, service, out, buffered) : 1 / service;
      if (width == 1) one = std::min({one, 1 / in, 1 / out, fixed ? slowed[h] : 1 / (load[h] + service)});
      best.push_back(one);
    }
    if (best.empty()) return 0;
    double value = 0;
    if (width == 1) {
      value = *std::max_element(best.begin(), best.end());
    } else if (stage.width > 0) {
      value = static_cast<double>(width) * *std::max_element(best.begin(), best.end());
    } else {
      std::sort(best.begin(), best.end(), std::greater<>());
      for (std::size_t w = 0; w < std::min(width, best.size()); ++w) value += best[w];
    }
    bound = std::min(bound, value);
  }
  return bound;
}

bool room_for_the_rest(placement_tables const& tables, partial_placement const& where, double throughput) {
  auto const& program = tables.problem().program;
  if (!tables.fixed_share() || !(throughput > 0)) return true;
  double least_work = infinity;
  std::size_t left = 0;
  for (std::size_t i = 0; i < tables.stages(); ++i)
    if (!where.has(i) && program.stages[i].at.empty())
      ++left, least_work = std::min(least_work, program.stages[i].work);
  if (left == 0) return true;
  // A single worker on a host with n workers: n * service <= 1 / throughput.
  double const slack = 1 / throughput * (1 + tie_tolerance);
  double room = 0;
  for (plan::host_id h = 0; h < tables.hosts(); ++h) {
    double most = least_work > 0 ? slack * tables.problem().platform.speed(h) / least_work : infinity;
    for (std::size_t i = where.first; i < where.last; ++i)
      if (where.hosts[i].size() == 1 && where.hosts[i].front() == h)
        most = std::min(most, slack / tables.service(i, h));
    room += std::max(0.0, std::floor(most) - static_cast<double>(where.count[h]));
  }
  // A stage that is left may be a farm with workers on several hosts. It needs room for one worker that keeps up only
  // when it is not replicable.
  for (std::size_t i = 0; i < tables.stages(); ++i)
    if (!where.has(i) && program.stages[i].replicable) return true;
  return room >= static_cast<double>(left);
}

cost::line relaxed_line(placement_tables const& tables, partial_placement const& where, double enough) {
  auto const& problem = tables.problem();
  auto const& stages = problem.program.stages;
  auto const& options = problem.options;
  bool const fixed = tables.fixed_share();
  auto const joins = [&](std::size_t i) { return !stages[i].replicable && stages[i].at.empty(); };
  auto first = where.first, last = where.last;
  while (first > 0 && joins(first - 1)) --first;
  while (last < tables.stages() && joins(last)) ++last;

  auto const mean = [](std::vector<plan::host_id> const& hosts, auto const& time) {
    double sum = 0;
    for (auto h : hosts) sum += time(h);
    return sum / static_cast<double>(hosts.size());
  };
  auto const move_time = [&](std::size_t i) {
    bool const from = i > 0 && where.has(i - 1), to = i < tables.stages() && where.has(i);
    if (from && to) return tables.move(i, where.hosts[i - 1], where.hosts[i]);
    if (from) return mean(where.hosts[i - 1], [&](auto h) { return tables.least_out(i, h); });
    if (to) return mean(where.hosts[i], [&](auto h) { return tables.least_in(i, h); });
    return tables.least_move(i);
  };
  auto const service = [&](std::size_t i, plan::host_id h, std::size_t workers) {
    return tables.service(i, h) * (fixed ? static_cast<double>(workers) : 1);
  };

  // Hosts that cannot take one more stage: another stage there would need more time per item than there is.
  double const slack = enough > 0 ? 1 / enough : infinity;
  std::vector<char> full(tables.hosts(), 0);
  for (auto i = where.first; i < where.last; ++i)
    if (where.hosts[i].size() == 1) {
      auto const h = where.hosts[i].front();
      double const in = options.buffer > 0 ? 0 : move_time(i), out = move_time(i + 1);
      full[h] = full[h] || (fixed && in + service(i, h, where.count[h] + 1) + out > slack);
    }

  cost::line result;
  result.farms = options.farms;
  std::size_t next = 0;  // each worker has a host for itself: the shares are in the rates
  for (auto i = first; i < last; ++i) {
    result.moves.push_back(1 / at_least_shortest(move_time(i)));
    cost::station one{{}, {}, options.buffer};
    if (where.has(i)) {
      for (auto h : where.hosts[i]) one.workers.push_back({1 / service(i, h, where.count[h]), next++});
    } else {
      double least = infinity;
      for (plan::host_id h = 0; h < tables.hosts(); ++h)
        if (!full[h]) least = std::min(least, service(i, h, where.count[h] + 1));
      if (std::isinf(least)) return {};
      one.workers.push_back({1 / least, next++});
    }
    result.stations.push_back(std::move(one));
  }
  result.moves.push_back(1 / at_least_shortest(move_time(last)));
  return cost::relax(result);
}

}  // namespace skel::mapping::detail
