#pragma once

#include <vector>

#include "delay_queue.hpp"
#include "descriptor.hpp"
#include "lateness.hpp"

namespace skel::testbed {

/// Carries packets between the devices of hosts as a delay_queue says. It sleeps until a packet comes or is due.
class packet_switch {
 public:
  /// `devices`: of the hosts of the queue's network, in their order. Throws skel::error where the system refuses.
  packet_switch(delay_queue& queue, std::vector<descriptor> devices);

  /// Carries packets until something else wants to be looked at: one of the files given to watch().
  void carry();
  void watch(int file);

  lateness const& late() const { return late_; }

 private:
  void take_in(std::size_t from);
  void hand_over();
  void set_timer();

  delay_queue& queue_;
  std::vector<descriptor> devices_;
  descriptor watched_, timer_;
  std::vector<std::byte> buffer_;
  moment timer_is_for_{};
  lateness late_;
};

/// Lets the calling thread run before all that is not so urgent, as one that keeps promises of microseconds has to.
/// False where the system does not allow it.
bool run_at_once();

}  // namespace skel::testbed
