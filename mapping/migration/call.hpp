#pragma once

#include <cstddef>
#include <vector>

#include <skel/detail/cost/bsp/superstep_time.hpp>
#include <skel/detail/record/superstep.hpp>

namespace skel::mapping::migration {

/// Memory of hosts while a call puts processes somewhere else.
class host_memory {
 public:
  host_memory(cost::bsp::machine const& machine, record::superstep const& step) : left_(machine.memory) {
    if (left_.empty()) return;
    for (std::size_t p = 0; p < step.hosts.size(); ++p) left_[step.hosts[p]] -= step.state_bytes[p];
  }

  bool fits(std::size_t host, double bytes) const { return left_.empty() || left_[host] >= bytes; }
  void move(std::size_t from, std::size_t to, double bytes) {
    if (left_.empty()) return;
    left_[from] += bytes, left_[to] -= bytes;
  }
  void leave(std::size_t from, double bytes) {
    if (!left_.empty()) left_[from] += bytes;
  }
  void come(std::size_t to, double bytes) {
    if (!left_.empty()) left_[to] -= bytes;
  }

 private:
  std::vector<double> left_;
};

/// The record of a call: accepted candidates with their price, the imbalance that `expected` has where it is and has
/// after them, and the cost of the call. Unless moves are applied, no candidate is accepted.
record::rescheduling finish_call(cost::bsp::machine const& machine, record::superstep const& expected,
                                 std::vector<record::migration_candidate> candidates, bool apply);

}  // namespace skel::mapping::migration
