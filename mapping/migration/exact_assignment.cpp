#include "assignment_search.hpp"

#include <algorithm>
#include <cmath>

namespace skel::mapping::migration {

namespace {

/// About a millisecond, as the rest of a call: calls with few processes should take no longer than others.
constexpr double most_counted = 0x1p21;
constexpr std::size_t most_priced = std::size_t{1} << 14U;

std::vector<std::size_t> movable(assignment_problem const& problem) {
  std::vector<std::size_t> all;
  for (std::size_t p = 0; p < problem.present->hosts.size(); ++p)
    if (problem.pinned->empty() || !(*problem.pinned)[p]) all.push_back(p);
  return all;
}

class branches {
 public:
  branches(assignment_problem const& problem, host_memory const& memory,
           std::function<double(std::vector<std::size_t> const&)> const& time, double most)
      : problem_(problem), memory_(memory), time_(time), least_(most), hosts_(problem.present->hosts) {
    order_ = movable(problem);
    std::vector<double> work(hosts_.size());
    for (auto const& one : problem.work)
      for (std::size_t p = 0; p < work.size(); ++p) work[p] += one[p];
    std::ranges::stable_sort(order_, std::ranges::greater{}, [&](std::size_t p) { return work[p]; });
    for (std::size_t h = 0; h < problem.machine->hosts.host_count(); ++h)
      speed_.push_back(problem.machine->speed(h, problem.present->external_load));
    load_.assign(problem.work.size(), std::vector<double>(speed_.size()));
    sent_.assign(speed_.size(), 0.0), got_ = sent_;
    talks_.resize(hosts_.size());
    if (problem.machine->beta)
      for (auto const& one : problem.present->load.messages)
        if (one.from != one.to) talks_[one.from].push_back(one), talks_[one.to].push_back(one);
    placed_.assign(hosts_.size(), false);
    std::vector<bool> moves(hosts_.size());
    for (auto const p : order_) moves[p] = true, memory_.leave(p);
    for (std::size_t p = 0; p < hosts_.size(); ++p)
      if (!moves[p]) add(p, 1), placed_[p] = true;
  }

  std::optional<std::vector<std::size_t>> run() {
    branch(0);
    return best_;
  }

 private:
  /// Adds the work of a process, and messages between it and placed ones.
  void add(std::size_t p, double sign) {
    for (std::size_t k = 0; k < load_.size(); ++k)
      load_[k][hosts_[p]] += sign * problem_.work[k][p] / speed_[hosts_[p]];
    for (auto const& one : talks_[p]) {
      auto const from = hosts_[one.from], to = hosts_[one.to];
      if (!placed_[one.from == p ? one.to : one.from] || from == to) continue;
      sent_[from] += sign * one.bytes, got_[to] += sign * one.bytes;
    }
  }
  double time_so_far() const {
    double const beta = problem_.machine->beta.value_or(0);
    double sum = 0;
    for (std::size_t k = 0; k < load_.size(); ++k) {
      double most = 0;
      for (std::size_t h = 0; h < speed_.size(); ++h)
        most = std::max(most, load_[k][h] + beta * std::max(sent_[h], got_[h]));
      sum += problem_.supersteps[k] * most;
    }
    return sum;
  }
  void branch(std::size_t depth) {
    if (priced_ >= most_priced || !(time_so_far() < least_ * (1 - equal_times))) return;
    if (depth == order_.size()) {
      ++priced_;
      if (double const time = time_(hosts_); time < least_ * (1 - equal_times)) least_ = time, best_ = hosts_;
      return;
    }
    std::size_t const p = order_[depth], present = problem_.present->hosts[p];
    // Its present host is first: of equally long assignments, one with few migrations.
    for (std::size_t k = 0; k <= speed_.size(); ++k) {
      std::size_t const h = k == 0 ? present : k - 1;
      if ((k > 0 && h == present) || !memory_.fits(h, p)) continue;
      hosts_[p] = h;
      add(p, 1), memory_.come(p, h), placed_[p] = true;
      branch(depth + 1);
      add(p, -1), memory_.leave(p), placed_[p] = false;
    }
  }

  assignment_problem const& problem_;
  host_memory memory_;
  std::function<double(std::vector<std::size_t> const&)> const& time_;
  double least_;
  std::vector<std::size_t> hosts_, order_;
  std::vector<double> speed_, sent_, got_;               // of hosts
  std::vector<std::vector<record::bsp_message>> talks_;  // of each process, if hosts count them
  std::vector<bool> placed_;
  std::vector<std::vector<double>> load_;  // time of each host in each superstep
  std::size_t priced_ = 0;
  std::optional<std::vector<std::size_t>> best_;
};

}  // namespace

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

std::optional<std::vector<std::size_t>> best_assignment(
    assignment_problem const& problem, host_memory const& memory,
    std::function<double(std::vector<std::size_t> const&)> const& time, double most) {
  return branches(problem, memory, time, most).run();
}

}  // namespace skel::mapping::migration
