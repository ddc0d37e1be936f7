#pragma once

#include <algorithm>
#include <vector>

#include <skel/detail/cost/communication/model.hpp>
#include <skel/detail/platform/model_parameters.hpp>

namespace skel::cost {

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

}  // namespace skel::cost
