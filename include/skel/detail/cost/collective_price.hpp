#pragma once

#include <cstdint>

#include <skel/detail/cost/communication/any_model.hpp>
#include <skel/detail/cost/grid_models.hpp>
#include <skel/detail/plan/collective.hpp>

namespace skel::cost {

/// Throws skel::error if a price is not possible: for more ranks than most_priced_ranks, or more bytes than can be
/// counted. Also for messages or operators with infinite times, or so long that sums of them may be infinite
/// (cost/usable_time.hpp). Hosts count as alike, as in best_segment().
void require_usable(plan::collective_algorithm const& algorithm, plan::collective_problem const& problem,
                    any_model const& model, double gamma = 0);

/// The predicted time of a collective [s], from the start of all ranks until the last one has its result. It is the
/// exact recursion over the schedule of the run (cost/collective_recursion.hpp). O(ranks) for broadcasts and reductions
/// on trees, O(rounds) in a circle of like hosts (cost/circle_price.hpp), otherwise O(steps). gamma: time of the
/// operator of a reduction per byte [s/B]. Throws skel::error for more messages than can be priced. Precondition:
/// require_usable() finds nothing.
double collective_price(plan::collective_algorithm const& algorithm, plan::collective_problem const& problem,
                        any_model const& model, double gamma = 0);
/// The same among ranks in clusters.
double collective_price(plan::collective_algorithm const& algorithm, plan::collective_problem const& problem,
                        ranks_on_grid const& model, double gamma = 0);

/// The segment size [B] with the least price, the largest of equals; the size of the whole vector for algorithms that
/// do not cut it. Hosts count as alike (the message from rank 0 to rank 1 stands for all).
///
/// Let a broadcast have k = m/s segments on a tree. Between two breakpoints of the model its time is the largest of
/// A_v(s) + (k-1) p(s). A_v is the time of the first segment to a vertex and p the pace of the root, all linear in s.
/// The minimum lies at a breakpoint, where two vertices are as late, or where the derivative vanishes: s = sqrt(m p(0)
/// / (A' - p')) with the intercept p(0) of the line. Each of these is tried with k rounded both ways, and with segments
/// that fill k exactly. From the best few, steps of half the segment, a quarter and so on find the gain of a shorter
/// last segment. Source of the stationary point: Pjesivac-Grbovic et al. 2007, "Performance analysis of MPI collective
/// operations", Cluster Computing 10(2):127-143. Exact for equal segments and models that are linear between their
/// breakpoints. O((points + log ranks) log ranks) prices.
std::uint64_t best_segment(plan::collective_algorithm const& algorithm, plan::collective_problem const& problem,
                           any_model const& model, double gamma = 0);

}  // namespace skel::cost
