#pragma once

#include <algorithm>
#include <vector>

#include <skel/detail/cost/communication/model.hpp>
#include <skel/detail/platform/model_parameters.hpp>

namespace skel::cost {

/// Sizes at which a function of `p` has a point, or max(g, or) goes from one to the other, or L falls to zero.
std::vector<double> breakpoints_of(platform::plogp_parameters const& p);

/// Parameterised LogP: L(m) + g(m). Gap g(m) and the overheads os(m), or(m) of sender and receiver are functions of the
/// size, linear between measured points [B, s]. A rank sends one message per g(m) and receives one per max(g(m),
/// or(m)). L is one number in the source. Here it may be a function of the size too: windows and handshakes of a far
/// path take several latencies, in which other messages can be under way.
/// Source: Kielmann, Bal, Gorlatch, Verstoep, Hofman 2001, "Network performance-aware collective communication for
/// clustered wide-area systems", Parallel Computing 27(11):1431-1456.
class plogp {
 public:
  static constexpr bool contended = false;

  explicit plogp(platform::plogp_parameters parameters) : p_(std::move(parameters)) {}

  double send_busy(message const& m) const { return p_.g(m.bytes); }
  double transfer(message const& m) const { return p_.latency(m.bytes) + p_.g(m.bytes); }
  double receive_busy(message const& m) const { return std::max(p_.g(m.bytes), p_.or_(m.bytes)); }
  double receive_overhead(message const& m) const { return p_.or_(m.bytes); }
  std::vector<double> breakpoints() const { return breakpoints_of(p_); }

  platform::plogp_parameters const& parameters() const { return p_; }

 private:
  platform::plogp_parameters p_;
};

}  // namespace skel::cost
