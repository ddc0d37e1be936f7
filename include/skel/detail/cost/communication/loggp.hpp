#pragma once

#include <algorithm>
#include <vector>

#include <skel/detail/cost/communication/model.hpp>
#include <skel/detail/platform/model_parameters.hpp>

namespace skel::cost {

/// One message: L + 2o + (m-1)G; a rank sends (receives) at most one per max(g, o) + (m-1)G. L latency [s], o overhead
/// of a processor [s], g gap between messages [s], G gap per byte [s/B], m [B]; an empty message is as one of a byte.
/// Source: Alexandrov, Ionescu, Schauser, Scheiman 1995, "LogGP: incorporating long messages into the LogP model", 7th
/// ACM Symposium on Parallel Algorithms and Architectures, 95-105.
class loggp {
 public:
  static constexpr bool contended = false;

  explicit loggp(platform::loggp_parameters parameters) : p_(parameters) {}

  double send_busy(message const& m) const { return std::max(p_.g, p_.o) + body(m); }
  double transfer(message const& m) const { return p_.L + 2 * p_.o + body(m); }
  double receive_busy(message const& m) const { return send_busy(m); }
  double receive_overhead(message const&) const { return p_.o; }
  std::vector<double> breakpoints() const { return {1}; }

  platform::loggp_parameters const& parameters() const { return p_; }

 private:
  double body(message const& m) const { return std::max(m.bytes - 1, 0.0) * p_.G; }

  platform::loggp_parameters p_;
};

}  // namespace skel::cost
