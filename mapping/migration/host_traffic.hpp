#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <skel/detail/cost/bsp/superstep_time.hpp>
#include <skel/detail/record/superstep.hpp>

namespace skel::mapping::migration {

/// Times of the messages of hosts, as by cost::bsp::message_times(), while processes move one by one. Construction
/// takes O(messages + hosts log hosts). Machine and messages outlive it.
class host_traffic {
 public:
  host_traffic(cost::bsp::machine const& machine, std::span<record::bsp_message const> messages,
               std::vector<std::size_t> const& hosts);

  /// Of the host with the longest messages [s].
  double most() const { return seconds(order_.front()); }
  /// That host.
  std::size_t slowest() const { return order_.front(); }
  /// most() when a process goes to a host. O(messages of the process, and their hosts).
  double most_with(std::size_t process, std::size_t to) const;
  /// Numbers of the messages that a process sends or gets.
  std::vector<std::size_t> const& of(std::size_t process) const { return of_[process]; }
  record::bsp_message const& message(std::size_t which) const { return messages_[which]; }

 private:
  using host_pair = std::pair<std::size_t, std::size_t>;
  struct change {
    host_pair pair;
    double bytes = 0;
    std::ptrdiff_t messages = 0;
  };

  double seconds(std::size_t host) const { return std::max(sent_[host], got_[host]); }
  std::size_t key(host_pair const& of) const { return of.first * sent_.size() + of.second; }

  cost::bsp::machine const* machine_;
  std::span<record::bsp_message const> messages_;
  std::vector<std::size_t> hosts_;                                       // of each process
  std::vector<std::vector<std::size_t>> of_;                             // messages of each process
  std::unordered_map<std::size_t, cost::bsp::messages_together> pairs_;  // by key
  std::vector<double> sent_, got_;                                       // of each host [s]
  std::vector<std::size_t> order_;                                       // hosts, the slowest first
};

}  // namespace skel::mapping::migration
