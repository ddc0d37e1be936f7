#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <skel/detail/cost/communication/model.hpp>
#include <skel/detail/platform/model_parameters.hpp>

namespace skel::cost {

/// LogP with the waiting of messages for a processor that handles n of them: L + 2o + C(n).
///
/// As in LoPC, the waiting comes from approximate mean value analysis and needs no parameter of its own. The processor
/// is a station of a closed network in which each of n messages goes round: o at its sender, L on the way, R at the
/// handler. An arriving message finds what the n - 1 others leave there on average (Bard 1979, Schweitzer 1979):
///
///   R = o (1 + (n-1)/n q),  q = R / (o + L + R)   so that   C(n) = R - o,
///
/// the positive root of a quadratic. C(1) = 0, and C(n) < o: contention costs about one more handler, LoPC's rule of
/// thumb. n = message::at_receiver.
/// Source: Frank, Agarwal, Vernon 1997, "LoPC: modeling contention in parallel algorithms", 6th ACM SIGPLAN Symposium
/// on Principles and Practice of Parallel Programming, 276-287. Theirs is a cycle of request and reply. This is one
/// direction of it, for messages without a reply.
class lopc {
 public:
  static constexpr bool contended = true;

  explicit lopc(platform::lopc_parameters parameters) : p_(parameters) {}

  double send_busy(message const&) const { return std::max(p_.g, p_.o); }
  double transfer(message const& m) const { return p_.L + 2 * p_.o + contention(m.at_receiver); }
  double receive_busy(message const&) const { return std::max(p_.g, p_.o); }
  double receive_overhead(message const&) const { return p_.o; }
  std::vector<double> breakpoints() const { return {}; }

  /// C(n) [s].
  double contention(double n) const {
    if (n <= 1 || p_.o == 0) return 0;
    // R^2 + R (L + o - o - o (n-1)/n) - o (o + L) = 0
    double const b = p_.L - p_.o * (n - 1) / n, c = p_.o * (p_.o + p_.L);
    double const root = std::sqrt(b * b + 4 * c);
    double const handler = b > 0 ? 2 * c / (b + root) : (root - b) / 2;  // the form that does not cancel
    return std::max(handler - p_.o, 0.0);
  }

  platform::lopc_parameters const& parameters() const { return p_; }

 private:
  platform::lopc_parameters p_;
};

}  // namespace skel::cost
