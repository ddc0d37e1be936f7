#pragma once

#include <cstdint>

#include <skel/detail/cost/communication/any_model.hpp>
#include <skel/detail/cost/grid_models.hpp>
#include <skel/detail/plan/collective.hpp>

namespace skel::cost {

/// Throws skel::error for what cannot be priced: more ranks than most_priced_ranks, more bytes than can be counted, and
/// messages or operators whose times are infinite, or so long that sums of them may be (cost/usable_time.hpp).
/// Hosts are taken to be alike, as by best_segment().
void require_usable(plan::collective_algorithm const& algorithm, plan::collective_problem const& problem,
                    any_model const& model, double gamma = 0);

/// The predicted time of a collective [s]: from the moment all ranks start until the last one has what it is to get.
/// The exact recursion over the schedule that is run (cost/collective_recursion.hpp); for broadcasts and
/// reductions on trees in O(ranks), in a circle in O(rounds) where hosts are alike (cost/circle_price.hpp),
/// otherwise in O(steps). gamma: time of the operator of a reduction per byte [s/B].
/// Throws skel::error for more messages than can be priced. Precondition: require_usable() finds nothing.
double collective_price(plan::collective_algorithm const& algorithm, plan::collective_problem const& problem,
                        any_model const& model, double gamma = 0);
/// The same among ranks in clusters.
double collective_price(plan::collective_algorithm const& algorithm, plan::collective_problem const& problem,
                        ranks_on_grid const& model, double gamma = 0);

/// The segment size [B] with the least price, the largest of equals; the size of the whole vector for algorithms that
/// do not cut it. Hosts are taken to be alike (the message from rank 0 to rank 1 stands for all).
///
/// Between two breakpoints of the model, the time of a broadcast of k = m/s segments on a tree is the largest of
/// A_v(s) + (k-1) p(s), where A_v is the time of the first segment to a vertex and p the pace of the root, all linear
/// in s. The minimum of such a function lies at a breakpoint, where two vertices are as late, or where the derivative
/// vanishes: s = sqrt(m p(0) / (A' - p')) with the intercept p(0) of the line. Each of these is taken with k rounded
/// both ways, and segments that fill k exactly; from the best few of them, steps of half the segment, a quarter and so
/// on take in what a last segment gains by being shorter. Source of the stationary point: Pjesivac-Grbovic et al. 2007,
/// "Performance analysis of MPI collective operations", Cluster Computing 10(2):127-143. Exact for equal segments and
/// models that are linear between their breakpoints. O((points + log ranks) log ranks) prices.
std::uint64_t best_segment(plan::collective_algorithm const& algorithm, plan::collective_problem const& problem,
                           any_model const& model, double gamma = 0);

}  // namespace skel::cost
