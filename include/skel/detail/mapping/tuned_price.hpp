#pragma once

#include <memory>
#include <vector>

#include <skel/detail/mapping/collective_decision.hpp>
#include <skel/detail/plan/placement.hpp>
#include <skel/detail/platform/description.hpp>

namespace skel::mapping {

/// Expected size of ln(measured / predicted) of tuned_price: the root mean square of 23 kinds of calls of 8 B to 2 MiB
/// on three emulated grids. Computed by hand from a run of `bench_testbed --collectives --calls 16`, 2026-11-28: no
/// command prints it. Most errors are within 0.1. Calls of 2 MiB, where parameters are extrapolated, take half to two
/// thirds of the prediction.
inline constexpr double tuned_error = 0.33;

/// Least time of collectives as Open MPI 4.1 does them by itself. Its component coll/tuned, if not configured, chooses
/// the algorithm (mapping/tuned_decisions.txt); pLogP prices it. Messages of one rank over separate ways are assumed to
/// be under way at once, as if none waited for another.
class tuned_price {
 public:
  /// Rank r is on host host_of_rank[r] of the machine. O(clusters^2 + ranks). Throws as collective_mapper's
  /// constructor.
  tuned_price(platform::description const& machine, std::vector<plan::host_id> const& host_of_rank);
  ~tuned_price();
  tuned_price(tuned_price&&) noexcept;
  tuned_price& operator=(tuned_price&&) noexcept;

  /// For the sizes of the class of this request [s]; 0 if the algorithm or a way between clusters is not known. Pure.
  /// O(messages). Throws as collective_mapper::decide().
  double least(collective_request const& request) const;

 private:
  class implementation;
  std::unique_ptr<implementation> self_;
};

}  // namespace skel::mapping
