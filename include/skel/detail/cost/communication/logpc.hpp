#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <skel/detail/cost/communication/model.hpp>
#include <skel/detail/platform/model_parameters.hpp>

namespace skel::cost {

/// LoGPC: LogGP with the waiting of messages for the channels of the network: L + 2o + (m-1)G + C(m, n).
///
/// The network is a cube of d dimensions in which a message crosses k channels per dimension on average; it holds a
/// channel for B = m G. Of its N nodes, n - 1 send beside this one, each again as soon as its message is through. So a
/// channel is used for the part
///
///   rho = lambda B k / 2,  lambda = (n-1)/N / (L + 2o + (m-1)G + C)
///
/// of the time (channels lead both ways), and (Agarwal 1991, equation of the mean delay per channel)
///
///   C = d k  rho B / (1 - rho)  (k-1)/k^2  (1 + 1/d).
///
/// The fixed point is the positive root of a quadratic in the cycle time. Zero if no other node sends, or if each
/// message crosses one channel. n = message::in_network.
/// Sources: Moritz and Frank 2001, "LoGPC: modeling network contention in message-passing programs", IEEE Transactions
/// on Parallel and Distributed Systems 12(4):404-415; Agarwal 1991, "Limits on interconnection network performance",
/// IEEE Transactions on Parallel and Distributed Systems 2(4):398-412. Between breakpoints it is not quite linear in m.
class logpc {
 public:
  static constexpr bool contended = true;

  explicit logpc(platform::logpc_parameters parameters) : p_(parameters) {}

  double send_busy(message const& m) const { return std::max(p_.g, p_.o) + body(m); }
  double transfer(message const& m) const { return alone(m) + contention(m); }
  double receive_busy(message const& m) const { return send_busy(m); }
  double receive_overhead(message const&) const { return p_.o; }
  std::vector<double> breakpoints() const { return {1}; }

  /// C(m, n) [s].
  double contention(message const& m) const {
    double const k = p_.distance, d = p_.dimensions, held = m.bytes * p_.G;
    double const senders = std::clamp((m.in_network - 1) / p_.nodes, 0.0, 1.0);
    if (senders == 0 || held == 0 || k <= 1) return 0;
    // With R = alone + C and u = senders B k / 2: rho = u / R, so C = w u / (R - u), w = d k B (k-1)/k^2 (1 + 1/d).
    // (R - alone)(R - u) = w u.
    double const u = senders * held * k / 2, a = alone(m);
    double const w = (d + 1) * held * (k - 1) / k;
    double const cycle = ((a + u) + std::sqrt((a - u) * (a - u) + 4 * w * u)) / 2;
    return std::max(cycle - a, 0.0);
  }

  platform::logpc_parameters const& parameters() const { return p_; }

 private:
  double body(message const& m) const { return std::max(m.bytes - 1, 0.0) * p_.G; }
  double alone(message const& m) const { return p_.L + 2 * p_.o + body(m); }

  platform::logpc_parameters p_;
};

}  // namespace skel::cost
