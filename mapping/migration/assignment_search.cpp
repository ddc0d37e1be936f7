#include "assignment_search.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include <skel/detail/base/contract.hpp>

#include "placed_processes.hpp"

namespace skel::mapping::migration {

namespace {

/// Shares of the possible gain that the search tries; most moves and exchanges from the best assignment; most pairs of
/// processes that it tests for one exchange.
constexpr std::size_t shares = 12, most_changes = 64, most_exchanges = 100'000;

/// Most looks at works and messages for such changes: a tenth of a second.
constexpr std::size_t most_looks = 16'000'000;

/// For a search of all assignments about a millisecond, as the rest of a call: calls with few processes should take no
/// longer than others.
constexpr double most_counted = 0x1p21;
constexpr std::size_t most_priced = std::size_t{1} << 14U;

std::vector<std::size_t> movable(assignment_problem const& problem) {
  std::vector<std::size_t> all;
  for (std::size_t p = 0; p < problem.present->hosts.size(); ++p)
    if (!problem.is_pinned(p)) all.push_back(p);
  return all;
}

class search {
 public:
  explicit search(assignment_problem const& problem)
      : problem_(problem),
        machine_(*problem.machine),
        present_(*problem.present),
        memory_(machine_, present_),
        speed_(problem.speeds()) {
    for (auto const& work : problem_.work) bound_.push_back(cost::bsp::least_slowest(work, speed_));
  }

  std::vector<assignment> run() {
    std::vector<assignment> found{priced(present_.hosts)};
    auto const last = problem_.work.size();
    for (auto const& [begin, end] : spans()) {
      for (std::size_t k = 0; k < shares; ++k) {
        std::vector<double> target(last, std::numeric_limits<double>::infinity());
        for (auto s = begin; s < end; ++s)
          target[s] = bound_[s] + static_cast<double>(k) / shares * (computation_[s] - bound_[s]);
        if (auto hosts = relieve(target)) put(found, std::move(*hosts));
      }
    }
    for (auto& hosts : even_loads(problem_, memory_)) put(found, std::move(hosts));
    put(found, improve(best_of(found).hosts, true));
    put(found, improve(present_.hosts, machine_.beta.has_value()));
    if (is_small(problem_)) {
      branches all(problem_, memory_, best_of(found).hosts, total(best_of(found)));
      branch(all, 0);
      put(found, std::move(all.best));
    }
    return found;
  }

  assignment priced(std::vector<std::size_t> hosts) {
    assignment one{std::move(hosts), {}};
    double const messages = communication(one.hosts);
    std::vector<double> variance(speed_.size());
    for (std::size_t p = 0; p < one.hosts.size(); ++p)
      variance[one.hosts[p]] += problem_.deviation[p] * problem_.deviation[p];
    auto const volume = cost::bsp::volume_times(machine_, present_.load.messages, one.hosts);
    auto all = loads_of(one.hosts);
    if (computation_.empty())
      for (auto const& load : all) computation_.push_back(slowest(load));
    for (auto& load : all) {
      for (std::size_t h = 0; h < load.size(); ++h)
        load[h] += (load[h] > 0 ? std::sqrt(variance[h]) : 0) + volume[h] * speed_[h];
      one.seconds.push_back(slowest(load) + messages);
    }
    return one;
  }

 private:
  using loads = std::vector<std::vector<double>>;  // work, of each superstep and host

  std::vector<std::pair<std::size_t, std::size_t>> spans() const {
    auto const last = problem_.work.size();
    std::vector<std::pair<std::size_t, std::size_t>> all;
    for (auto const& [begin, end] :
         {std::pair{std::size_t{0}, last}, {std::size_t{0}, last / 2}, {std::size_t{0}, last / 4}, {last / 2, last}})
      if (begin < end && std::ranges::find(all, std::pair(begin, end)) == all.end()) all.emplace_back(begin, end);
    return all;
  }

  loads loads_of(std::vector<std::size_t> const& hosts) const {
    loads all(problem_.work.size(), std::vector<double>(speed_.size()));
    for (std::size_t k = 0; k < all.size(); ++k)
      for (std::size_t p = 0; p < hosts.size(); ++p) all[k][hosts[p]] += problem_.work[k][p];
    return all;
  }
  double slowest(std::vector<double> const& load) const {
    double most = 0;
    for (std::size_t h = 0; h < load.size(); ++h) most = std::max(most, load[h] / speed_[h]);
    return most;
  }
  /// Messages, if hosts do not count them, and the barrier.
  double communication(std::vector<std::size_t> const& hosts) const {
    double sum = cost::bsp::barrier_time(machine_, hosts);
    problem_.each_part([&](std::span<record::bsp_message const> messages, double part) {
      if (!machine_.beta) sum += part * std::ranges::max(cost::bsp::message_times(machine_, messages, hosts));
    });
    return sum;
  }
  assignment const& best_of(std::vector<assignment> const& found) const {
    return *std::ranges::min_element(found, {}, [&](assignment const& one) { return total(one); });
  }
  host_memory memory_with(std::vector<std::size_t> const& hosts) const {
    auto memory = memory_;
    for (std::size_t p = 0; p < hosts.size(); ++p)
      if (hosts[p] != present_.hosts[p]) memory.move(p, hosts[p]);
    return memory;
  }
  double total(assignment const& one) const {
    return std::inner_product(one.seconds.begin(), one.seconds.end(), problem_.supersteps.begin(), 0.0);
  }
  void put(std::vector<assignment>& found, std::vector<std::size_t> hosts) {
    if (std::ranges::none_of(found, [&](assignment const& one) { return one.hosts == hosts; }))
      found.push_back(priced(std::move(hosts)));
  }

  /// Every host within its target in each superstep; nothing if that was not found.
  std::optional<std::vector<std::size_t>> relieve(std::vector<double> const& target) const {
    auto hosts = present_.hosts;
    auto load = loads_of(hosts);
    auto const over = [&](std::size_t h) {
      for (std::size_t k = 0; k < target.size(); ++k)
        if (load[k][h] > target[k] * speed_[h] * (1 + equal_times)) return true;
      return false;
    };
    std::vector<bool> is_over(speed_.size());
    for (std::size_t h = 0; h < speed_.size(); ++h) is_over[h] = over(h);
    host_memory memory = memory_;
    std::vector<std::pair<double, std::size_t>> out;  // largest part of a target that a process needs, and its number
    for (std::size_t p = 0; p < hosts.size(); ++p) {
      if (!is_over[hosts[p]] || problem_.is_pinned(p)) continue;
      double needs = 0;
      for (std::size_t k = 0; k < target.size(); ++k) {
        load[k][hosts[p]] -= problem_.work[k][p];
        if (problem_.work[k][p] > 0 && std::isfinite(target[k]))
          needs = std::max(needs, problem_.work[k][p] / target[k]);
      }
      memory.leave(p);
      out.emplace_back(needs, p);
    }
    std::ranges::stable_sort(out, [](auto const& a, auto const& b) { return a.first > b.first; });
    for (auto const& one : out) {
      std::size_t const p = one.second;
      // The largest part of a target that the host uses with it.
      auto const used = [&](std::size_t h) {
        double most = 0;
        for (std::size_t k = 0; k < target.size(); ++k)
          if (problem_.work[k][p] > 0)
            most = std::max(most, (load[k][h] + problem_.work[k][p]) / (target[k] * speed_[h]));
        return most;
      };
      auto const fits = [&](std::size_t h) { return memory.fits(h, p); };
      std::size_t to = hosts[p];
      if (!fits(to) || used(to) > 1 + equal_times) {
        double least = 1 + equal_times;
        std::optional<std::size_t> best;
        for (std::size_t h = 0; h < speed_.size(); ++h)
          if (double const part = used(h); part < least * (1 - equal_times) && fits(h)) best = h, least = part;
        if (!best) return std::nullopt;
        to = *best;
      }
      for (std::size_t k = 0; k < target.size(); ++k) load[k][to] += problem_.work[k][p];
      memory.come(p, to);
      hosts[p] = to;
    }
    return hosts;
  }

  /// Moves and, if wanted, exchanges of processes that limit superstep times, as long as one saves time.
  std::vector<std::size_t> improve(std::vector<std::size_t> const& hosts, bool exchanges) const {
    host_memory memory = memory_with(hosts);
    placed_processes now(problem_, hosts);
    for (std::size_t made = 0; made < most_changes && now.looks() < most_looks; ++made) {
      auto const best = best_change(now, memory, exchanges);
      if (!best) break;
      auto const from = now.hosts()[best->process];
      memory.leave(best->process);
      if (best->back) memory.move(*best->back, from);
      memory.come(best->process, best->to);
      now.make(*best);
    }
    return now.hosts();
  }

  /// The change that saves most time, if one does: an exchange if no move does.
  std::optional<change> best_change(placed_processes& now, host_memory& memory, bool exchanges) const {
    std::optional<change> best;
    double least = now.seconds() * (1 - equal_times);
    auto const consider = [&](change const& one) {
      double const its = now.seconds_with(one, least);
      if (its < least && (!one.back || memory.can_exchange(one.process, *one.back))) least = its, best = one;
    };
    auto const& hosts = now.hosts();
    auto const is_critical = now.critical();
    std::vector<std::size_t> wanted;
    for (std::size_t p = 0; p < hosts.size(); ++p)
      if (is_critical[p] && !problem_.is_pinned(p)) wanted.push_back(p);
    for (auto const p : wanted)
      for (std::size_t to = 0; to < speed_.size() && now.looks() < most_looks; ++to)
        if (to != hosts[p] && memory.fits(to, p)) consider({p, to});
    if (best || !exchanges || wanted.size() * hosts.size() > most_exchanges) return best;
    for (auto const p : wanted)
      for (std::size_t q = 0; q < hosts.size() && now.looks() < most_looks; ++q)
        if (hosts[q] != hosts[p] && !problem_.is_pinned(q)) consider({p, hosts[q], q});
    return best;
  }

  /// A search of all assignments: branch and bound, the processes with most work first.
  struct branches {
    branches(assignment_problem const& problem, host_memory const& beside, std::vector<std::size_t> known, double most)
        : order(movable(problem)),
          now(problem, problem.present->hosts),
          memory(beside),
          best(std::move(known)),
          least(most * (1 - equal_times)) {
      std::vector<double> work(best.size());
      for (auto const& one : problem.work)
        for (std::size_t p = 0; p < work.size(); ++p) work[p] += one[p];
      std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t p) { return work[p]; });
      for (auto const p : order) now.put(p, placed_processes::no_host), memory.leave(p);
    }

    std::vector<std::size_t> order;
    placed_processes now;
    host_memory memory;
    std::vector<std::size_t> best;
    double least;  // others have to be below it [s]
    std::size_t priced = 0;
  };

  /// A branch ends when its processes so far take as long as the best. That bound is weak if messages over paths take
  /// long: it takes the best of the first most_priced assignments that pass it.
  void branch(branches& all, std::size_t depth) {
    if (all.priced >= most_priced || !(all.now.seconds() < all.least)) return;
    if (depth == all.order.size()) {
      ++all.priced;
      if (double const time = total(priced(all.now.hosts())); time < all.least)
        all.least = time * (1 - equal_times), all.best = all.now.hosts();
      return;
    }
    std::size_t const p = all.order[depth], present = present_.hosts[p];
    // Its present host is first: of equally long assignments, one with few migrations.
    for (std::size_t k = 0; k <= speed_.size(); ++k) {
      std::size_t const h = k == 0 ? present : k - 1;
      if ((k > 0 && h == present) || !all.memory.fits(h, p)) continue;
      all.now.put(p, h), all.memory.come(p, h);
      branch(all, depth + 1);
      all.memory.leave(p);
    }
    all.now.put(p, placed_processes::no_host);
  }

  assignment_problem const& problem_;
  cost::bsp::machine const& machine_;
  record::superstep const& present_;
  host_memory memory_;               // with processes where they are now
  std::vector<double> speed_;        // of hosts
  std::vector<double> bound_;        // of supersteps
  std::vector<double> computation_;  // of supersteps, where processes are now
};

}  // namespace

std::vector<assignment> near_assignments(assignment_problem const& problem) {
  SKEL_EXPECTS(!problem.work.empty() && problem.work.size() == problem.supersteps.size());
  return search(problem).run();
}

assignment priced(assignment_problem const& problem, std::vector<std::size_t> hosts) {
  SKEL_EXPECTS(!problem.work.empty() && problem.work.size() == problem.supersteps.size());
  return search(problem).priced(std::move(hosts));
}

bool is_small(assignment_problem const& problem) {
  if (problem.machine->hosts.host_count() < 2) return false;
  double const hosts = static_cast<double>(problem.machine->hosts.host_count()),
               processes = static_cast<double>(problem.present->hosts.size()),
               supersteps = static_cast<double>(problem.work.size()),
               assignments = std::pow(hosts, static_cast<double>(movable(problem).size())),
               nodes = assignments * hosts / (hosts - 1);  // of all depths
  double const clusters = static_cast<double>(problem.machine->hosts.clusters().size()),
               barrier = clusters * std::min(processes, clusters);
  std::size_t messages = problem.messages.empty() ? problem.present->load.messages.size() : 0;
  for (auto const& one : problem.messages) messages += one.messages.size();
  double const of_prices = std::min(assignments, static_cast<double>(most_priced)) *
                           (supersteps * (hosts + processes) + static_cast<double>(messages) + barrier);
  return nodes * supersteps * hosts <= most_counted && of_prices <= most_counted;
}

std::vector<cost::bsp::migration> migrations_between(std::span<std::size_t const> from, std::span<std::size_t const> to,
                                                     std::span<double const> state_bytes) {
  std::vector<cost::bsp::migration> moves;
  for (std::size_t p = 0; p < from.size(); ++p)
    if (from[p] != to[p]) moves.push_back({p, from[p], to[p], state_bytes[p]});
  return moves;
}

}  // namespace skel::mapping::migration
