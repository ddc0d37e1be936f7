#include "assignment_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/mapping/migration/host_memory.hpp>

#include "even_loads.hpp"
#include "host_traffic.hpp"

namespace skel::mapping::migration {

namespace {

/// Shares of the possible gain that the search tries; most moves and exchanges from the best assignment; most pairs of
/// processes that it tests for one exchange.
constexpr std::size_t shares = 12, most_changes = 64, most_exchanges = 100'000;

/// Most looks at works and messages for such changes: some ten milliseconds.
constexpr std::size_t most_looks = 2'000'000;

class search {
 public:
  explicit search(assignment_problem const& problem)
      : problem_(problem),
        machine_(*problem.machine),
        present_(*problem.present),
        memory_(machine_, present_),
        speed_(machine_.hosts.host_count()) {
    if (problem_.messages.empty()) talks_.push_back({present_.load.messages, 1});
    for (auto const& one : problem_.messages) talks_.push_back({one.messages, one.part});
    for (std::size_t h = 0; h < speed_.size(); ++h) speed_[h] = machine_.speed(h, present_.external_load);
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
    for (auto& hosts : even_loads(problem_, memory_).find()) put(found, std::move(hosts));
    auto const change_last = [&](std::vector<std::size_t> const& from, bool exchanges) {
      put(found, machine_.beta ? less_by_volume(problem_, memory_with(from), from) : improve(from, exchanges));
    };
    change_last(best_of(found).hosts, true);
    change_last(present_.hosts, false);
    if (is_small(problem_))
      if (auto hosts = best_assignment(
              problem_, memory_, [&](std::vector<std::size_t> const& at) { return total(priced(at)); },
              total(best_of(found))))
        put(found, std::move(*hosts));
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
  /// Messages of a part of the supersteps.
  struct talk {
    std::span<record::bsp_message const> messages;
    double part;
  };
  using loads = std::vector<std::vector<double>>;  // work, of each superstep and host

  std::vector<std::pair<std::size_t, std::size_t>> spans() const {
    auto const last = problem_.work.size();
    std::vector<std::pair<std::size_t, std::size_t>> all;
    for (auto const& [begin, end] :
         {std::pair{std::size_t{0}, last}, {std::size_t{0}, last / 2}, {std::size_t{0}, last / 4}, {last / 2, last}})
      if (begin < end && std::ranges::find(all, std::pair(begin, end)) == all.end()) all.emplace_back(begin, end);
    return all;
  }

  bool is_pinned(std::size_t p) const { return !problem_.pinned->empty() && (*problem_.pinned)[p]; }

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
    if (machine_.beta) return cost::bsp::barrier_time(machine_, hosts);
    double sum = cost::bsp::barrier_time(machine_, hosts);
    for (auto const& one : talks_)
      sum += one.part * std::ranges::max(cost::bsp::message_times(machine_, one.messages, hosts));
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
      if (!is_over[hosts[p]] || is_pinned(p)) continue;
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

  /// One process goes to a host, perhaps another one from there to its place.
  struct change {
    std::size_t process = 0, to = 0;
    std::optional<std::size_t> back{};
  };

  /// Moves and, if wanted, exchanges of processes that limit superstep times, as long as one saves time.
  std::vector<std::size_t> improve(std::vector<std::size_t> hosts, bool exchanges) {
    host_memory memory = memory_with(hosts);
    looks_ = 0;
    for (std::size_t made = 0; made < most_changes && looks_ < most_looks; ++made) {
      auto const best = best_change(hosts, memory, exchanges);
      if (!best) break;
      auto const from = std::exchange(hosts[best->process], best->to);
      memory.leave(best->process);
      if (best->back) memory.move(*best->back, from), hosts[*best->back] = from;
      memory.come(best->process, best->to);
    }
    return hosts;
  }

  /// The change that saves most time, if one does. For exchanges, messages count as they are now.
  std::optional<change> best_change(std::vector<std::size_t>& hosts, host_memory& memory, bool exchanges) {
    auto const load = loads_of(hosts);
    auto const top = slowest_hosts(load);
    std::vector<host_traffic> traffic;
    for (auto const& one : talks_) {
      traffic.emplace_back(machine_, one.messages, hosts);
      looks_ += one.messages.size() + hosts.size();
    }
    std::optional<change> best;
    double least = std::numeric_limits<double>::infinity();
    // Time of all supersteps, or some time that is no less than `least` if it cannot be less.
    auto const time_with = [&](change const& one, double longest_messages) {
      double sum = 0;
      for (std::size_t k = 0; k < load.size() && sum < least; ++k) {
        double const more = problem_.work[k][one.process] - (one.back ? problem_.work[k][*one.back] : 0);
        sum += problem_.supersteps[k] *
               (slowest_with(load[k], top[k], more, hosts[one.process], one.to) + longest_messages);
      }
      return sum;
    };
    auto const consider = [&](change const& one, double longest_messages) {
      double const sum = time_with(one, longest_messages);
      if (sum < least && (!one.back || memory.can_exchange(one.process, *one.back))) least = sum, best = one;
    };
    double now = 0;
    for (std::size_t k = 0; k < talks_.size(); ++k) now += talks_[k].part * traffic[k].most();
    for (std::size_t k = 0; k < load.size(); ++k)
      least = (k == 0 ? 0 : least) + problem_.supersteps[k] * (slowest(load[k]) + now);
    least *= 1 - equal_times;
    auto const wanted = critical(hosts, top, traffic);
    for (auto const p : wanted) {
      std::size_t looks = load.size();
      for (auto const& one : traffic) looks += one.of(p).size();
      for (std::size_t to = 0; to < speed_.size() && looks_ < most_looks; ++to)
        if (to != hosts[p] && memory.fits(to, p)) {
          looks_ += looks;
          // The work alone makes most moves too slow, without a look at messages.
          if (time_with({p, to}, 0) < least) consider({p, to}, messages_with(traffic, p, to));
        }
    }
    if (best || !exchanges || wanted.size() * hosts.size() > most_exchanges) return best;
    for (auto const p : wanted)
      for (std::size_t q = 0; q < hosts.size() && looks_ < most_looks; ++q)
        if (hosts[q] != hosts[p] && !is_pinned(q)) {
          looks_ += load.size();
          consider({p, hosts[q], q}, now);
        }
    return best;
  }

  /// The three slowest hosts of each superstep, the slowest first.
  std::vector<std::vector<std::size_t>> slowest_hosts(loads const& load) const {
    std::vector<std::vector<std::size_t>> all;
    std::vector<std::size_t> hosts(speed_.size());
    std::iota(hosts.begin(), hosts.end(), std::size_t{0});
    auto const many = static_cast<std::ptrdiff_t>(std::min<std::size_t>(3, hosts.size()));
    for (auto const& one : load) {
      std::ranges::partial_sort(hosts, hosts.begin() + many, [&](std::size_t a, std::size_t b) {
        return std::pair(one[b] / speed_[b], a) < std::pair(one[a] / speed_[a], b);
      });
      all.emplace_back(hosts.begin(), hosts.begin() + many);
    }
    return all;
  }
  /// Time of the slowest host in a superstep when work goes from one host to another. O(1).
  double slowest_with(std::vector<double> const& load, std::vector<std::size_t> const& top, double work,
                      std::size_t from, std::size_t to) const {
    double const most = std::max((load[from] - work) / speed_[from], (load[to] + work) / speed_[to]);
    for (auto const h : top)
      if (h != from && h != to) return std::max(most, load[h] / speed_[h]);
    return most;
  }

  /// The longest messages of a host when a process goes to another one, as the mean over supersteps.
  double messages_with(std::vector<host_traffic> const& traffic, std::size_t process, std::size_t to) const {
    double sum = 0;
    for (std::size_t k = 0; k < talks_.size(); ++k) sum += talks_[k].part * traffic[k].most_with(process, to);
    return sum;
  }

  /// Processes of the slowest host of each superstep; those of the host with the longest messages that talk to other
  /// hosts; and the processes with which they talk.
  std::vector<std::size_t> critical(std::vector<std::size_t> const& hosts,
                                    std::vector<std::vector<std::size_t>> const& top,
                                    std::vector<host_traffic> const& traffic) const {
    std::vector<bool> slow(speed_.size()), is(hosts.size());
    for (auto const& one : top) slow[one.front()] = true;
    for (std::size_t p = 0; p < hosts.size(); ++p) is[p] = slow[hosts[p]];
    for (auto const& all : traffic)
      for (std::size_t p = 0; p < hosts.size(); ++p) {
        if (hosts[p] != all.slowest()) continue;
        for (auto const m : all.of(p)) {
          auto const& one = all.message(m);
          if (hosts[one.from] != hosts[one.to]) is[one.from] = is[one.to] = true;
        }
      }
    std::vector<std::size_t> all;
    for (std::size_t p = 0; p < is.size(); ++p)
      if (is[p] && !is_pinned(p)) all.push_back(p);
    return all;
  }

  assignment_problem const& problem_;
  cost::bsp::machine const& machine_;
  record::superstep const& present_;
  host_memory memory_;               // with processes where they are now
  std::vector<double> speed_;        // of hosts
  std::vector<talk> talks_;          // each superstep has one of them
  std::vector<double> bound_;        // of supersteps
  std::vector<double> computation_;  // of supersteps, where processes are now
  std::size_t looks_ = 0;            // for changes
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

std::vector<cost::bsp::migration> migrations_between(std::span<std::size_t const> from, std::span<std::size_t const> to,
                                                     std::span<double const> state_bytes) {
  std::vector<cost::bsp::migration> moves;
  for (std::size_t p = 0; p < from.size(); ++p)
    if (from[p] != to[p]) moves.push_back({p, from[p], to[p], state_bytes[p]});
  return moves;
}

}  // namespace skel::mapping::migration
