#pragma once

#include <algorithm>

#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/team.hpp>

namespace skel {

/// How long what a reduction does takes: on the wall's clock, or as it would with virtual threads.
class reduction_clock {
 public:
  /// `imagined`: the virtual threads, or nothing.
  explicit reduction_clock(runtime::virtual_team* imagined) : imagined_(imagined) {}

  /// [s]; in virtual threads their phases, and what the calling thread does between them.
  double now() {
    if (imagined_ == nullptr) return record::now();
    for (auto const& one : imagined_->phases()) more_ += one.seconds() - one.total;
    imagined_->clear();
    more_ -= static_cast<double>(record::thread_clock_ns()) * 1e-9;  // what asking takes is not counted
    return last_ = std::max(last_, static_cast<double>(record::thread_ns()) * 1e-9 + more_);
  }

 private:
  runtime::virtual_team* imagined_;
  double more_ = 0;  // what phases took in virtual threads more than on the one that there is [s]
  double last_ = 0;
};

}  // namespace skel
