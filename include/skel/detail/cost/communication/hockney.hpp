#pragma once

#include <vector>

#include <skel/detail/cost/communication/model.hpp>
#include <skel/detail/platform/model_parameters.hpp>

namespace skel::cost {

/// One message: alpha + beta m, during which both ends are busy. alpha start-up [s], beta [s/B], m [B].
/// Source: Hockney 1994, "The communication challenge for MPP: Intel Paragon and Meiko CS-2", Parallel Computing
/// 20(3):389-398. Knows neither overlap of messages nor contention.
class hockney {
 public:
  static constexpr bool contended = false;

  explicit hockney(platform::hockney_parameters parameters) : p_(parameters) {}

  double send_busy(message const& m) const { return p_.alpha + p_.beta * m.bytes; }
  double transfer(message const& m) const { return send_busy(m); }
  double receive_busy(message const& m) const { return send_busy(m); }
  double receive_overhead(message const& m) const { return send_busy(m); }
  std::vector<double> breakpoints() const { return {}; }

  platform::hockney_parameters const& parameters() const { return p_; }

 private:
  platform::hockney_parameters p_;
};

}  // namespace skel::cost
