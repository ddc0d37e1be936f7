#pragma once

#include <algorithm>
#include <vector>

#include <skel/detail/cost/communication/model.hpp>
#include <skel/detail/platform/model_parameters.hpp>

/// Models with the same parameters for all pairs of ranks, which do not look at competing messages.
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

/// One short message: L + 2o; a rank sends (receives) at most one per max(g, o). L latency [s], o overhead of a
/// processor [s], g gap between messages [s]. Source: Culler, Karp, Patterson, Sahay, Santos, Schauser, Subramonian,
/// von Eicken 1996, "LogP: a practical model of parallel computation", Communications of the ACM 39(11):78-85. All
/// messages cost as much as a short one, so believe it only for these.
class logp {
 public:
  static constexpr bool contended = false;

  explicit logp(platform::logp_parameters parameters) : p_(parameters) {}

  double send_busy(message const&) const { return std::max(p_.g, p_.o); }
  double transfer(message const&) const { return p_.L + 2 * p_.o; }
  double receive_busy(message const&) const { return std::max(p_.g, p_.o); }
  double receive_overhead(message const&) const { return p_.o; }
  std::vector<double> breakpoints() const { return {}; }

  platform::logp_parameters const& parameters() const { return p_; }

 private:
  platform::logp_parameters p_;
};

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
