#pragma once

#include <memory>
#include <vector>

#include <skel/detail/mapping/collective_decision.hpp>
#include <skel/detail/plan/placement.hpp>
#include <skel/detail/platform/description.hpp>

namespace skel::mapping {

/// Expected size of ln(measured / predicted) of tuned_price: the root mean square of 23 kinds of calls of 8 B to 2 MiB
/// on three emulated grids (computed by hand from a run of `bench_testbed --collectives --calls 16`, 2026-11-28: no
/// command prints it). Most are within 0.1; those of 2 MiB, for which parameters are extrapolated, take half to two
/// thirds of what is predicted.
inline constexpr double tuned_error = 0.33;

/// What collectives take at least if Open MPI 4.1 does them by itself: the algorithm that its component coll/tuned
/// takes unless it is configured (mapping/tuned_decisions.txt), priced by pLogP. Messages of one rank over ways that
/// are apart are taken to be under way at once, as if none waited for another one.
class tuned_price {
 public:
  /// Rank r is on host host_of_rank[r] of the machine. O(clusters^2 + ranks). Throws as collective_mapper's
  /// constructor.
  tuned_price(platform::description const& machine, std::vector<plan::host_id> const& host_of_rank);
  ~tuned_price();
  tuned_price(tuned_price&&) noexcept;
  tuned_price& operator=(tuned_price&&) noexcept;

  /// For the sizes of the class of this request [s]; 0 where the algorithm or a way between clusters is not known.
  /// Pure. O(messages). Throws as collective_mapper::decide().
  double least(collective_request const& request) const;

 private:
  class implementation;
  std::unique_ptr<implementation> self_;
};

}  // namespace skel::mapping
