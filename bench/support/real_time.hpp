#pragma once

#include <sched.h>

namespace bench {

/// Real-time priority for the calling thread and those that it starts, where the system grants it, until the end of the
/// scope: threads that mostly sleep then wake at once, whatever else the machine does. Not for threads that compute.
class real_time {
 public:
  explicit real_time(bool wanted) {
    sched_param priority{};
    priority.sched_priority = sched_get_priority_min(SCHED_RR);
    granted_ = wanted && sched_setscheduler(0, SCHED_RR, &priority) == 0;
  }
  ~real_time() {
    sched_param const none{};
    if (granted_) sched_setscheduler(0, SCHED_OTHER, &none);
  }
  real_time(real_time const&) = delete;
  real_time& operator=(real_time const&) = delete;

  bool is_granted() const { return granted_; }

 private:
  bool granted_;
};

}  // namespace bench
