#include "host_traffic.hpp"

#include <algorithm>
#include <numeric>

namespace skel::mapping::migration {

host_traffic::host_traffic(cost::bsp::machine const& machine, std::span<record::bsp_message const> messages,
                           std::vector<std::size_t> const& hosts)
    : machine_(&machine),
      messages_(messages),
      hosts_(hosts),
      of_(hosts.size()),
      sent_(machine.hosts.host_count()),
      got_(sent_.size()),
      order_(sent_.size()) {
  for (std::size_t m = 0; m < messages.size(); ++m) {
    auto const& one = messages[m];
    of_[one.from].push_back(m);
    if (one.to != one.from) of_[one.to].push_back(m);
    auto& all = pairs_[key({hosts[one.from], hosts[one.to]})];
    all.bytes += one.bytes, ++all.messages;
  }
  for (auto const& [which, all] : pairs_) {
    std::size_t const from = which / sent_.size(), to = which % sent_.size();
    double const time = all.time(machine.hosts.path(from, to));
    sent_[from] += time, got_[to] += time;
  }
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::ranges::stable_sort(order_, std::ranges::greater{}, [&](std::size_t h) { return seconds(h); });
}

double host_traffic::most_with(std::size_t process, std::size_t to) const {
  if (of_[process].empty() || hosts_[process] == to) return most();
  std::vector<change> changes;
  for (auto const m : of_[process]) {
    auto const& one = messages_[m];
    auto const moved = [&](std::size_t p) { return p == process ? to : hosts_[p]; };
    changes.push_back({{hosts_[one.from], hosts_[one.to]}, -one.bytes, -1});
    changes.push_back({{moved(one.from), moved(one.to)}, one.bytes, 1});
  }
  std::ranges::sort(changes, {}, &change::pair);
  // Changes of sent and received bytes at hosts against the present ones.
  struct difference {
    std::size_t host;
    double sent = 0, got = 0;
  };
  std::vector<difference> differences;
  for (std::size_t k = 0; k < changes.size();) {
    auto const pair = changes[k].pair;
    auto const found = pairs_.find(key(pair));
    auto const now = found == pairs_.end() ? cost::bsp::messages_together() : found->second;
    auto then = now;
    for (; k < changes.size() && changes[k].pair == pair; ++k)
      then.bytes += changes[k].bytes, then.messages += static_cast<std::size_t>(changes[k].messages);
    auto const path = machine_->hosts.path(pair.first, pair.second);
    double const more = then.time(path) - now.time(path);
    differences.push_back({pair.first, more, 0});
    differences.push_back({pair.second, 0, more});
  }
  std::ranges::sort(differences, {}, &difference::host);
  double most = 0;
  for (std::size_t k = 0; k < differences.size();) {
    auto all = difference{differences[k].host};
    for (; k < differences.size() && differences[k].host == all.host; ++k)
      all.sent += differences[k].sent, all.got += differences[k].got;
    most = std::max({most, sent_[all.host] + all.sent, got_[all.host] + all.got});
  }
  for (auto const h : order_)
    if (!std::ranges::binary_search(differences, h, {}, &difference::host)) return std::max(most, seconds(h));
  return most;
}

}  // namespace skel::mapping::migration
