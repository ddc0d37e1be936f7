#include "placed_processes.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace skel::mapping::migration {

placed_processes::placed_processes(assignment_problem const& problem, std::span<std::size_t const> hosts)
    : problem_(problem),
      beta_(problem.machine->beta),
      hosts_(hosts.size(), no_host),
      speed_(problem.speeds()),
      load_(problem.work.size(), std::vector<double>(speed_.size())),
      supersteps_(std::accumulate(problem.supersteps.begin(), problem.supersteps.end(), 0.0)) {
  problem.each_part([&](std::span<record::bsp_message const> messages, double part) {
    std::vector<double> const none(speed_.size());
    auto& one = talks_.emplace_back(talk{messages, part, {}, {}, none, none});
    one.of.resize(hosts_.size());
    for (std::size_t m = 0; m < messages.size(); ++m) {
      one.of[messages[m].from].push_back(m);
      if (messages[m].to != messages[m].from) one.of[messages[m].to].push_back(m);
    }
  });
  for (std::size_t p = 0; p < hosts.size(); ++p) put(p, hosts[p]);
}

void placed_processes::put(std::size_t process, std::size_t to) {
  std::size_t const from = std::exchange(hosts_[process], to);
  if (from == to) return;
  for (std::size_t k = 0; k < load_.size(); ++k) {
    if (from != no_host) load_[k][from] -= problem_.work[k][process];
    if (to != no_host) load_[k][to] += problem_.work[k][process];
  }
  looks_ += load_.size();
  for (auto& all : talks_) {
    for (auto const m : all.of[process]) {
      auto const& one = all.messages[m];
      auto const& other = hosts_[one.from == process ? one.to : one.from];
      auto const counted = [&](std::size_t here, std::size_t there, bool comes) {
        if (one.from != process) std::swap(here, there);
        count(all, here, there, one.bytes, comes);
      };
      counted(from, one.from == one.to ? from : other, false);
      counted(to, other, true);
    }
    looks_ += all.of[process].size();
  }
}

void placed_processes::count(talk& of, std::size_t from, std::size_t to, double bytes, bool comes) {
  if (from == no_host || to == no_host || (beta_ && from == to)) return;
  double more = comes ? bytes : -bytes;
  if (beta_) {
    more *= *beta_;
  } else {
    auto const [at, is_new] = of.pairs.try_emplace(from * speed_.size() + to);
    auto& [all, path, time] = at->second;
    if (is_new) path = problem_.machine->hosts.path(from, to);
    all.bytes += more, comes ? ++all.messages : --all.messages;
    double const before = std::exchange(time, all.time(path));
    more = time - before;
  }
  of.sent[from] += more, of.got[to] += more;
}

void placed_processes::make(change const& one) {
  if (one.back) put(*one.back, hosts_[one.process]);
  put(one.process, one.to);
}

std::size_t placed_processes::talk::slowest() const {
  std::size_t which = 0;
  double most = 0;
  for (std::size_t h = 0; h < sent.size(); ++h)
    if (double const its = seconds(h); its > most) most = its, which = h;
  return which;
}

double placed_processes::longest_messages() const {
  double sum = 0;
  if (!beta_)
    for (auto const& one : talks_) sum += one.part * one.seconds(one.slowest());
  return sum;
}

double placed_processes::seconds() const {
  double sum = supersteps_ * longest_messages();
  for (std::size_t k = 0; k < load_.size(); ++k) {
    double most = 0;
    for (std::size_t h = 0; h < speed_.size(); ++h) most = std::max(most, time(k, h));
    sum += problem_.supersteps[k] * most;
  }
  return sum;
}

std::vector<bool> placed_processes::critical() {
  slowest_.clear();
  std::vector<bool> slow(speed_.size()), is(hosts_.size());
  std::vector<std::size_t> order(speed_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  auto const many = static_cast<std::ptrdiff_t>(std::min<std::size_t>(3, order.size()));
  for (std::size_t k = 0; k < load_.size(); ++k) {
    std::ranges::partial_sort(order, order.begin() + many, [&](std::size_t a, std::size_t b) {
      return std::pair(time(k, b), a) < std::pair(time(k, a), b);
    });
    slowest_.emplace_back(order.begin(), order.begin() + many);
    slow[order.front()] = true;
  }
  for (std::size_t p = 0; p < is.size(); ++p) is[p] = slow[hosts_[p]];
  for (auto& all : talks_) {
    all.busiest = beta_ ? no_host : all.slowest();  // beta: found above
    all.near.assign(hosts_.size(), false);
    for (auto const& one : all.messages) {
      auto const from = hosts_[one.from], to = hosts_[one.to];
      if (from != all.busiest && to != all.busiest) continue;
      all.near[one.from] = all.near[one.to] = true;
      if (from != to) is[one.from] = is[one.to] = true;
    }
    looks_ += all.messages.size();
  }
  looks_ += hosts_.size();
  return is;
}

double placed_processes::seconds_with(change const& one, double most) {
  std::size_t const from = hosts_[one.process];
  double sum = 0;
  for (std::size_t k = 0; k < load_.size() && sum < most; ++k) {
    double const work = problem_.work[k][one.process] - (one.back ? problem_.work[k][*one.back] : 0);
    double slowest = std::max((load_[k][from] - work) / speed_[from], (load_[k][one.to] + work) / speed_[one.to]);
    auto const rest = std::ranges::find_if(slowest_[k], [&](std::size_t h) { return h != from && h != one.to; });
    if (rest != slowest_[k].end()) slowest = std::max(slowest, work_time(k, *rest));
    sum += problem_.supersteps[k] * slowest;
  }
  looks_ += load_.size() + talks_.size();
  double longest = 0;  // at least: of the slowest hosts, if the change does not concern their messages
  for (auto const& all : talks_)
    if (!beta_ && from != all.busiest && one.to != all.busiest && !all.near[one.process] &&
        !(one.back && all.near[*one.back]))
      longest += all.part * all.seconds(all.busiest);
  if (!(sum + supersteps_ * longest < most)) return sum + supersteps_ * longest;
  looks_ += (beta_ ? 3 * load_.size() : talks_.size()) * speed_.size();
  make(one);
  sum = beta_ ? seconds() : sum + supersteps_ * longest_messages();
  make({one.process, from, one.back});
  return sum;
}

}  // namespace skel::mapping::migration
