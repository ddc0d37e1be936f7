#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/cost/communication/any_model.hpp>
#include <skel/detail/cost/communication/model.hpp>
#include <skel/detail/cost/grid_models.hpp>
#include <skel/detail/plan/collective.hpp>

namespace skel::cost {

/// The longest time of a message or operation that can be computed with [s]. Sums of as many as can be counted must
/// stay finite, because a search among infinite times finds no least.
inline constexpr double longest_time = std::numeric_limits<double>::max() * 0x1p-64;

/// True if it is a number and not longer than that.
inline bool is_usable(double seconds) {
  return seconds <= longest_time;
}

/// Throws skel::error for a time that is not usable. `what` names its cause: "a message of 8 bytes in cluster 'a'".
template <class What>
void require_usable(double seconds, What const& what) {
  if (is_usable(seconds)) return;
  throw error(std::string(what()) + " would take " + shown(seconds) +
              " s, which is too long to compute with; correct the parameters, or ask for fewer bytes");
}

/// The longest time by a model for messages of at most m.bytes bytes between its ranks [s]. Functions that are linear
/// between `sizes` have it at one of these or at an end. A time that is not usable is returned at once.
template <communication_model Model>
double longest_message(Model const& model, message m, std::vector<double> sizes) {
  double const most = m.bytes;
  double longest = 0;
  sizes.insert(sizes.end(), {0, most});
  for (double const bytes : sizes) {
    if (bytes > most) continue;
    m.bytes = bytes;
    for (double const time :
         {model.send_busy(m), model.transfer(m), model.receive_busy(m), model.receive_overhead(m)}) {
      if (!is_usable(time)) return time;
      longest = time > longest ? time : longest;
    }
  }
  return longest;
}

/// Throws skel::error if a price is not possible: for more ranks than most_priced_ranks, or more bytes than can be
/// counted. Also for messages or operators with infinite times, or so long that sums of them may be infinite
/// (is_usable()). Hosts count as alike, as in best_segment().
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
