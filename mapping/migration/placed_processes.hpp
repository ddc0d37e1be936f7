#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include <skel/detail/cost/bsp/superstep_time.hpp>
#include <skel/detail/record/superstep.hpp>

#include "assignment_search.hpp"

namespace skel::mapping::migration {

/// One process goes to a host, perhaps another one from there to its place.
struct change {
  std::size_t process = 0, to = 0;
  std::optional<std::size_t> back{};
};

/// Expected times of hosts while processes come and go one by one: for their work, and for messages between those that
/// have a host. The deviation of work and the barrier do not count. The problem outlives it.
class placed_processes {
 public:
  static constexpr std::size_t no_host = std::numeric_limits<std::size_t>::max();

  /// Each process on one of `hosts`, or on none. O(messages + supersteps (processes + hosts)).
  placed_processes(assignment_problem const& problem, std::span<std::size_t const> hosts);

  std::vector<std::size_t> const& hosts() const { return hosts_; }
  /// Puts a process on a host, or on none. O(messages of the process + supersteps).
  void put(std::size_t process, std::size_t to);
  void make(change const& one);
  /// Time of all supersteps of the problem [s]: of the slowest host and the longest messages. O(supersteps hosts).
  double seconds() const;
  /// Processes of the slowest host of each superstep. Unless hosts count messages, also those of the host with the
  /// longest messages that talk to other hosts, and their partners. O(supersteps hosts + processes + messages).
  std::vector<bool> critical();
  /// seconds() after a change, or some time that is no less than `most` if it cannot be less. Work, and messages that
  /// the change does not concern, exclude most changes in O(supersteps). Precondition: critical() since the last change
  /// that was made.
  double seconds_with(change const& one, double most);
  /// Figures that were looked at so far.
  std::size_t looks() const { return looks_; }

 private:
  struct traffic {
    cost::bsp::messages_together all{};
    platform::link path{};
    double seconds = 0;
  };
  /// Messages of a part of the supersteps, and times of hosts for those sent and got [s].
  struct talk {
    std::span<record::bsp_message const> messages;
    double part = 1;
    std::vector<std::vector<std::size_t>> of;        // messages of each process
    std::unordered_map<std::size_t, traffic> pairs;  // by hosts: from * hosts + to
    std::vector<double> sent, got;
    std::size_t busiest = no_host;  // the host with the longest messages
    std::vector<bool> near{};       // processes that have some of these

    double seconds(std::size_t host) const { return std::max(sent[host], got[host]); }
    std::size_t slowest() const;
  };

  double work_time(std::size_t k, std::size_t h) const { return load_[k][h] / speed_[h]; }
  /// Of work, and of messages if hosts count them.
  double time(std::size_t k, std::size_t h) const { return work_time(k, h) + (beta_ ? talks_[0].seconds(h) : 0); }
  /// Messages between hosts that take longest, beside those of time() [s].
  double longest_messages() const;
  void count(talk& of, std::size_t from, std::size_t to, double bytes, bool comes);

  assignment_problem const& problem_;
  std::optional<double> beta_;
  std::vector<std::size_t> hosts_;                 // of processes
  std::vector<double> speed_;                      // of hosts
  std::vector<std::vector<double>> load_;          // of each host in each superstep
  std::vector<std::vector<std::size_t>> slowest_;  // three hosts of each superstep, the slowest first
  std::vector<talk> talks_;                        // each superstep has one of them
  double supersteps_ = 0;
  std::size_t looks_ = 0;
};

}  // namespace skel::mapping::migration
