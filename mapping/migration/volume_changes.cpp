#include "assignment_search.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace skel::mapping::migration {

namespace {

/// Most looks at hosts and messages: some milliseconds.
constexpr std::size_t most_looks = 4'000'000;

class changes {
 public:
  changes(assignment_problem const& problem, host_memory memory, std::vector<std::size_t> hosts)
      : problem_(problem),
        memory_(std::move(memory)),
        hosts_(std::move(hosts)),
        talks_(hosts_.size()),
        sent_(problem.machine->hosts.host_count()),
        got_(sent_.size()),
        time_(problem.work.size(), std::vector<double>(sent_.size())) {
    for (std::size_t h = 0; h < sent_.size(); ++h)
      speed_.push_back(problem.machine->speed(h, problem.present->external_load));
    for (std::size_t k = 0; k < time_.size(); ++k)
      for (std::size_t p = 0; p < hosts_.size(); ++p) time_[k][hosts_[p]] += problem.work[k][p] / speed_[hosts_[p]];
    for (auto const& one : problem.present->load.messages) {
      if (one.from == one.to) continue;
      talks_[one.from].push_back(one), talks_[one.to].push_back(one);
      count(one, 1);
    }
  }

  std::vector<std::size_t> run() {
    while (looks_ < most_looks)
      if (!step()) break;
    return std::move(hosts_);
  }

 private:
  bool is_pinned(std::size_t p) const { return !problem_.pinned->empty() && (*problem_.pinned)[p]; }

  void count(record::bsp_message const& one, double sign) {
    if (hosts_[one.from] == hosts_[one.to]) return;
    sent_[hosts_[one.from]] += sign * one.bytes, got_[hosts_[one.to]] += sign * one.bytes;
  }
  void put(std::size_t p, std::size_t to) {
    for (auto const& one : talks_[p]) count(one, -1);
    for (std::size_t k = 0; k < time_.size(); ++k) {
      time_[k][hosts_[p]] -= problem_.work[k][p] / speed_[hosts_[p]];
      time_[k][to] += problem_.work[k][p] / speed_[to];
    }
    hosts_[p] = to;
    for (auto const& one : talks_[p]) count(one, 1);
    looks_ += talks_[p].size() + time_.size() * speed_.size();
  }
  double at(std::size_t k, std::size_t h) const {
    return time_[k][h] + *problem_.machine->beta * std::max(sent_[h], got_[h]);
  }
  double total() const {
    double sum = 0;
    for (std::size_t k = 0; k < time_.size(); ++k) {
      double most = 0;
      for (std::size_t h = 0; h < speed_.size(); ++h) most = std::max(most, at(k, h));
      sum += problem_.supersteps[k] * most;
    }
    return sum;
  }

  /// Makes the change that saves most time; false if none saves any.
  bool step() {
    std::vector<bool> slow(speed_.size());
    for (std::size_t k = 0; k < time_.size(); ++k) {
      std::size_t most = 0;
      for (std::size_t h = 1; h < speed_.size(); ++h)
        if (at(k, h) > at(k, most)) most = h;
      slow[most] = true;
    }
    struct change {
      std::size_t process, to;
      std::optional<std::size_t> back;
    };
    std::optional<change> best;
    double least = total() * (1 - equal_times);
    for (bool const exchange : {false, true}) {
      for (std::size_t p = 0; p < hosts_.size() && looks_ < most_looks; ++p) {
        if (!slow[hosts_[p]] || is_pinned(p)) continue;
        std::size_t const from = hosts_[p];
        for (std::size_t other = 0; other < (exchange ? hosts_.size() : speed_.size()); ++other) {
          std::size_t const to = exchange ? hosts_[other] : other;
          if (to == from || (exchange && is_pinned(other)) || looks_ >= most_looks) continue;
          put(p, to);
          if (exchange) put(other, from);
          double const time = total();
          if (exchange) put(other, to);
          put(p, from);
          if (time < least && (exchange ? memory_.can_exchange(p, other) : memory_.fits(to, p)))
            least = time, best = change{p, to, exchange ? std::optional(other) : std::nullopt};
        }
      }
      if (best) break;
    }
    if (!best) return false;
    auto const from = hosts_[best->process];
    memory_.leave(best->process);
    if (best->back) memory_.move(*best->back, from), put(*best->back, from);
    memory_.come(best->process, best->to), put(best->process, best->to);
    return true;
  }

  assignment_problem const& problem_;
  host_memory memory_;
  std::vector<std::size_t> hosts_;
  std::vector<std::vector<record::bsp_message>> talks_;  // messages of each process with others
  std::vector<double> sent_, got_, speed_;               // of hosts; bytes to others and from them
  std::vector<std::vector<double>> time_;                // of each host in each superstep, for work
  std::size_t looks_ = 0;
};

}  // namespace

std::vector<std::size_t> less_by_volume(assignment_problem const& problem, host_memory memory,
                                        std::vector<std::size_t> hosts) {
  return changes(problem, std::move(memory), std::move(hosts)).run();
}

}  // namespace skel::mapping::migration
