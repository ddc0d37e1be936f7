#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <utility>

#include "assignment_search.hpp"

namespace skel::mapping::migration {

namespace {

constexpr std::size_t no_block = record::memory_needs::no_block;

/// Assignments kept between the present and the most even one; hosts tested for a transfer before the best is taken.
constexpr std::size_t stages = 8, near = 8;

/// Processes that a search may look at until its first end: beyond that it is no longer near to linear. And the looks
/// that it has to get away from there: half a millisecond.
constexpr std::size_t most_looks_each = 200, least_looks = 100'000, more_looks = 200'000;

/// Time of copying the groups of a host, in looks.
constexpr std::size_t looks_of_a_copy = 64;

/// Hosts as even as this are not evened out further at random: forecasts of loads are hardly ever better.
constexpr double even_enough = 1.01;

/// Random changes before hosts are evened out again.
constexpr std::size_t shakes = 3;

/// While it helps, the slowest host h and another one g, the fastest first, divide their processes anew. Both take
/// equally long after a transfer of the work x = (t_h - t_g) / (1 / speed_h + 1 / speed_g). Processes of one group of h
/// go to g, the largest that fit into x first. Or a whole group of g comes back too, and so much more of h's goes to g.
/// Or two processes whose loads differ by about x change places.
///
/// A group is the processes of a host that share a block of memory, so that blocks are on few hosts. Processes without
/// a block are one group, and so are all if memory has no limit. When no transfer helps, some processes and groups go
/// elsewhere at random (the same for the same problem), and it tries again from there. Less even results are forgotten.
/// Memory is a hard limit. Sources: TemperedWMin of DARMA-tasking/vt, which swaps clusters of objects that share
/// memory; iterated local search, Lourenco, Martin and Stuetzle 2003, Handbook of Metaheuristics, 320-353.
///
/// O(processes log processes + steps hosts log hosts), and for each step O(groups^2 processes of a group) for some of
/// the hosts. Steps end when the search has looked at its most processes.
class even_search {
 public:
  even_search(assignment_problem const& problem, host_memory const& memory)
      : problem_(problem), speed_(problem.speeds()), now_{problem.present->hosts, {}, {}, memory} {
    auto const& hosts = problem.present->hosts;
    work_.assign(hosts.size(), 0.0);
    for (std::size_t k = 0; k < problem.work.size(); ++k)
      for (std::size_t p = 0; p < work_.size(); ++p) work_[p] += problem.supersteps[k] * problem.work[k][p];
    double const supersteps = std::accumulate(problem.supersteps.begin(), problem.supersteps.end(), 0.0);
    for (auto& one : work_) one /= supersteps > 0 ? supersteps : 1;
    bool const has_blocks = memory.is_limited() && problem.present->memory != nullptr;
    block_ = has_blocks ? problem.present->memory->block : std::vector<std::size_t>(hosts.size(), no_block);
    std::vector<double> pinned(speed_.size());
    now_.load.assign(speed_.size(), 0.0);
    now_.of_host.resize(speed_.size());
    for (std::size_t p = 0; p < hosts.size(); ++p) {
      now_.load[hosts[p]] += work_[p];
      auto& its = now_.of_host[hosts[p]][block_[p]];
      if (problem.is_pinned(p)) {
        pinned[hosts[p]] += work_[p], ++its.pinned;
      } else {
        its.load += work_[p], its.processes.push_back(p), movable_.push_back(p);
      }
    }
    for (auto& all : now_.of_host)
      for (auto& [block, one] : all)
        std::ranges::stable_sort(one.processes, std::ranges::greater{}, [&](std::size_t p) { return work_[p]; });
    bound_ = cost::bsp::least_slowest(work_, speed_);
    for (std::size_t h = 0; h < speed_.size(); ++h) bound_ = std::max(bound_, pinned[h] / speed_[h]);
    most_ = least_looks + most_looks_each * hosts.size();
  }

  std::vector<std::vector<std::size_t>> find() {
    std::vector<std::vector<std::size_t>> found;
    if (movable_.empty() || speed_.size() < 2) return found;
    double const first = time(slowest());
    double next = first - (first - bound_) / stages;
    while (!is_even() && !is_tired() && step()) {
      double const most = time(slowest());
      if (!(most < next)) continue;
      found.push_back(now_.hosts);
      next = most - (first - bound_) / stages;
    }
    found.push_back(now_.hosts);
    std::mt19937 random;  // NOLINT: the same for the same problem
    state best = now_;
    auto least = measure();
    bool more = false;
    most_ = looked_ + more_looks;
    while (least.slowest > bound_ * even_enough && !is_tired()) {
      shake(random);
      while (!is_even() && !is_tired() && step()) {
      }
      if (auto const reached = measure(); reached <= least) {
        more = more || reached.slowest < least.slowest * (1 - equal_times);
        least = reached, best = now_;
      } else {
        now_ = best;
      }
      looked_ += work_.size() + looks_of_a_copy * speed_.size();
    }
    if (more) found.push_back(best.hosts);
    return found;
  }

 private:
  static constexpr std::size_t no_host = std::numeric_limits<std::size_t>::max();

  struct group {
    double load = 0;
    std::vector<std::size_t> processes;  // that may move, those with most load first
    std::size_t pinned = 0;              // others, which keep the block at its host
  };
  using groups = std::map<std::size_t, group>;  // by block
  /// Processes that go from one host to another, and those that come back.
  struct transfer {
    std::size_t to = no_host;
    std::vector<std::size_t> gone{}, back{};
    double slower = 0;  // time of the slower of the two hosts afterwards
  };
  struct part {
    std::vector<std::size_t> processes{};
    double load = 0, bytes = 0, working = 0;
  };
  struct evenness {
    double slowest = 0, squares = 0;
    friend auto operator<=>(evenness const&, evenness const&) = default;
  };
  struct state {
    std::vector<std::size_t> hosts;  // of each process
    std::vector<double> load;        // of each host
    std::vector<groups> of_host;
    host_memory memory;
  };

  double time(std::size_t host) const { return now_.load[host] / speed_[host]; }
  bool is_tired() const { return looked_ > most_; }
  std::size_t slowest() const {
    std::size_t most = 0;
    for (std::size_t h = 1; h < speed_.size(); ++h)
      if (time(h) > time(most)) most = h;
    return most;
  }
  evenness measure() const {
    evenness all;
    for (std::size_t h = 0; h < speed_.size(); ++h) {
      all.slowest = std::max(all.slowest, time(h));
      all.squares += time(h) * time(h);
    }
    return all;
  }
  bool is_even() const { return time(slowest()) <= bound_ * (1 + equal_times); }

  /// Takes load from the slowest host; false if no such transfer was found.
  bool step() {
    std::size_t const from = slowest();
    std::vector<std::size_t> order(speed_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t h) { return time(h); });
    transfer best{.slower = time(from) * (1 - equal_times)};
    for (bool const groups_first : {true, false}) {
      std::size_t tried = 0;
      for (auto const to : order) {
        if (to == from || !(time(to) < best.slower) || is_tired()) continue;
        groups_first ? divide(from, to, best) : exchange(from, to, best);
        if (++tried >= near && best.to != no_host) break;
      }
      if (best.to != no_host) break;
    }
    for (auto const p : best.gone) move(p, best.to);
    for (auto const q : best.back) move(q, from);
    return best.to != no_host;
  }

  /// Time of the slower of two hosts when so much load goes from one to the other.
  double after(std::size_t from, std::size_t to, double load) const {
    return std::max((now_.load[from] - load) / speed_[from], (now_.load[to] + load) / speed_[to]);
  }

  /// Memory of a host for processes of a block, beside the block itself and when a whole group has left.
  double room(std::size_t host, std::size_t block, std::size_t without_block, group const* without) const {
    double left = now_.memory.left(host);
    if (block != no_block && !now_.memory.has_block(host, block)) left -= problem_.present->memory->block_bytes[block];
    if (without == nullptr) return left;
    for (auto const p : without->processes) left += now_.memory.bytes_of(p);
    if (without_block != no_block && without->pinned == 0) left += problem_.present->memory->block_bytes[without_block];
    return left;
  }

  /// Processes of a group with at most so much load, the largest first, that fit into so much memory of a host.
  part largest_within(group const& of, double load, std::size_t host, double bytes) {
    part taken{.working = now_.memory.most_working(host)};
    double const most = load * (1 + equal_times);
    looked_ += of.processes.size();
    for (auto const p : of.processes)
      if (work_[p] > 0 && taken.load + work_[p] <= most && can_take(taken, p, bytes)) take(taken, p);
    return taken;
  }
  bool can_take(part const& taken, std::size_t process, double bytes) const {
    return taken.bytes + now_.memory.bytes_of(process) + std::max(taken.working, now_.memory.working_of(process)) <=
           bytes;
  }
  void take(part& taken, std::size_t process) const {
    taken.processes.push_back(process);
    taken.load += work_[process], taken.bytes += now_.memory.bytes_of(process);
    taken.working = std::max(taken.working, now_.memory.working_of(process));
  }

  void divide(std::size_t from, std::size_t to, transfer& best) {
    double const x = (time(from) - time(to)) / (1 / speed_[from] + 1 / speed_[to]);
    auto const consider = [&](part&& gone, double back_load, std::vector<std::size_t> const* back) {
      if (gone.processes.empty()) return;
      double const slower = after(from, to, gone.load - back_load);
      if (slower < best.slower * (1 - equal_times))
        best = {to, std::move(gone.processes), back == nullptr ? std::vector<std::size_t>{} : *back, slower};
    };
    for (auto const& [block, here] : now_.of_host[from]) {
      if (here.processes.empty()) continue;
      // A group takes no more away than its load up to x.
      if (!(after(from, to, std::min(x, here.load)) < best.slower * (1 - equal_times))) continue;
      double const space = room(to, block, no_block, nullptr);
      auto some = largest_within(here, x, to, space);
      // One more, the smallest that was left.
      for (auto p = here.processes.rbegin(); p != here.processes.rend(); ++p)
        if (work_[*p] > 0 && std::ranges::find(some.processes, *p) == some.processes.end()) {
          if (part more = some; can_take(more, *p, space)) {
            take(more, *p);
            consider(std::move(more), 0, nullptr);
          }
          break;
        }
      consider(std::move(some), 0, nullptr);
      for (auto const& [other, there] : now_.of_host[to]) {
        if (other == no_block || other == block || there.processes.empty() || there.pinned > 0) continue;
        double const net = std::min(x, here.load - there.load);
        if (!(net > 0 && after(from, to, net) < best.slower * (1 - equal_times))) continue;
        auto gone = largest_within(here, x + there.load, to, room(to, block, other, &there));
        bool const all = gone.processes.size() == here.processes.size() && here.pinned == 0;
        part come{.working = now_.memory.most_working(from)};
        for (auto const p : there.processes) take(come, p);
        looked_ += there.processes.size();
        if (come.bytes + come.working > room(from, other, all ? block : no_block, all ? &here : nullptr)) continue;
        consider(std::move(gone), there.load, &there.processes);
      }
    }
  }

  void exchange(std::size_t from, std::size_t to, transfer& best) {
    double const x = (time(from) - time(to)) / (1 / speed_[from] + 1 / speed_[to]);
    for (auto const& [block, here] : now_.of_host[from])
      for (auto const& [other, there] : now_.of_host[to]) {
        if (there.processes.empty()) continue;
        for (auto const p : here.processes) {
          ++looked_;
          // The two with loads next to the wanted one; loads fall.
          auto const above = std::ranges::lower_bound(there.processes, work_[p] - x, std::ranges::greater{},
                                                      [&](std::size_t q) { return work_[q]; });
          for (auto const at : {above - there.processes.begin() - 1, above - there.processes.begin()}) {
            if (at < 0 || at >= std::ssize(there.processes)) continue;
            auto const q = there.processes[static_cast<std::size_t>(at)];
            double const slower = after(from, to, work_[p] - work_[q]);
            if (work_[p] > work_[q] && slower < best.slower * (1 - equal_times) && now_.memory.can_exchange(p, q))
              best = {to, {p}, {q}, slower};
          }
        }
      }
  }

  void move(std::size_t process, std::size_t to) {
    std::size_t const from = now_.hosts[process], block = block_[process];
    auto const at = [&](group& of) {
      return std::ranges::lower_bound(of.processes, std::pair(-work_[process], process), {},
                                      [&](std::size_t p) { return std::pair(-work_[p], p); });
    };
    auto& old = now_.of_host[from][block];
    old.processes.erase(at(old)), old.load -= work_[process];
    if (old.processes.empty()) old.load = 0;
    if (old.processes.empty() && old.pinned == 0) now_.of_host[from].erase(block);
    auto& its = now_.of_host[to][block];
    its.processes.insert(at(its), process), its.load += work_[process];
    now_.load[from] -= work_[process], now_.load[to] += work_[process];
    now_.memory.move(process, to);
    now_.hosts[process] = to;
  }

  /// Some processes go to other hosts, and groups to hosts that have their blocks.
  void shake(std::mt19937& random) {
    for (std::size_t k = 0; k < shakes; ++k) {
      std::size_t const process = movable_[random() % movable_.size()], from = now_.hosts[process],
                        to = random() % speed_.size();
      bool const whole = block_[process] != no_block && random() % 2 == 0;
      if (to == from) continue;
      auto const moving = whole ? now_.of_host[from][block_[process]].processes : std::vector{process};
      for (auto const p : moving)
        if (now_.memory.fits(to, p)) move(p, to);
    }
  }

  assignment_problem const& problem_;
  std::vector<double> work_;   // of each process
  std::vector<double> speed_;  // of each host
  std::vector<std::size_t> block_, movable_;
  state now_;
  double bound_ = 0;  // no assignment takes less time
  std::size_t looked_ = 0, most_ = 0;
};

}  // namespace

std::vector<std::vector<std::size_t>> even_loads(assignment_problem const& problem, host_memory const& memory) {
  return even_search(problem, memory).find();
}

}  // namespace skel::mapping::migration
