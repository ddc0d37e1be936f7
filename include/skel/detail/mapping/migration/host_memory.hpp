#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <vector>

#include <skel/detail/cost/bsp/superstep_time.hpp>
#include <skel/detail/record/superstep.hpp>

namespace skel::mapping::migration {

/// Memory of hosts while a call puts processes elsewhere: their states, or record::memory_needs. A process takes O(log
/// processes) to come or go; a copy takes O(hosts (blocks + kinds of working memory)).
class host_memory {
 public:
  host_memory(cost::bsp::machine const& machine, record::superstep const& step);

  /// True if the host has memory for a process that is not there.
  bool fits(std::size_t host, std::size_t process) const;
  /// True if a host keeps to its limit.
  bool is_kept(std::size_t host) const;

  void leave(std::size_t process);
  void come(std::size_t process, std::size_t host);
  void move(std::size_t process, std::size_t to) {
    leave(process);
    come(process, to);
  }
  /// True if two processes of different hosts can change places. Both are back at their hosts afterwards.
  bool can_exchange(std::size_t one, std::size_t other);

  /// True if processes of the host hold a block already.
  bool has_block(std::size_t host, std::size_t block) const {
    return !uses_.empty() && uses_[host].holders.contains(block);
  }
  bool is_limited() const { return !left_.empty(); }
  /// Of a host [B]: the rest beside the working memory of its processes, infinite without a limit; and the largest
  /// working memory of one process.
  double left(std::size_t host) const { return left_.empty() ? std::numeric_limits<double>::infinity() : left_[host]; }
  double most_working(std::size_t host) const { return uses_.empty() ? 0 : uses_[host].most(); }
  /// Of a process [B]: its memory beside a block that it shares; and while it computes.
  double bytes_of(std::size_t process) const {
    return left_.empty() ? 0 : needs_ ? needs_->footprint[process] : (*state_bytes_)[process];
  }
  double working_of(std::size_t process) const { return left_.empty() || !needs_ ? 0 : needs_->working[process]; }

 private:
  struct use {
    std::map<std::size_t, std::size_t> holders;             // processes of each block
    std::map<double, std::size_t, std::greater<>> working;  // processes of each working memory, most first
    double most() const { return working.empty() ? 0 : working.begin()->first; }
  };

  std::shared_ptr<record::memory_needs const> needs_;
  std::vector<double> const* state_bytes_;
  std::vector<std::size_t> hosts_;  // of each process
  std::vector<double> left_;        // of each host, beside the largest working memory; empty: no limit
  std::vector<use> uses_;           // of each host; empty: only states count
};

}  // namespace skel::mapping::migration
