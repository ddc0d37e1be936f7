#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <Eigen/Dense>

#include "chain.hpp"

namespace skel::cost::pepa::detail {
namespace {

constexpr std::uint32_t unassigned = ~std::uint32_t{0};

/// A chain, a division of its states into groups, and the chain of the groups.
struct level {
  explicit level(incoming const& of) : chain(of) {}
  explicit level(std::unique_ptr<incoming> of) : own(std::move(of)), chain(*own) {}

  std::unique_ptr<incoming> own;  // of all but the finest level
  incoming const& chain;
  std::vector<double> probability;
  std::vector<std::uint32_t> group;  // per state
  std::vector<std::uint32_t> slot;   // per transition: its place in the coarser chain, unassigned inside a group
  std::unique_ptr<level> coarser;
};

void sweep_once(level& here) {
  // Rare states must not become impossible: a group needs a positive probability. Rates may still scale it down.
  constexpr double smallest = std::numeric_limits<double>::min() / std::numeric_limits<double>::epsilon();
  incoming const& q = here.chain;
  for (std::size_t s = 0; s < q.states(); ++s) {
    double in = 0;
    for (std::size_t t = q.first[s]; t < q.first[s + 1]; ++t) in += here.probability[q.source[t]] * q.rate[t];
    double const each = 1 / q.exit[s];  // ready before the sum is; infinite for the smallest rates
    here.probability[s] = std::max(std::isfinite(each) ? in * each : in / q.exit[s], smallest);
  }
}

/// Puts every state into the group of the state that sends it the largest flow: their relative errors are nearly equal
/// after a sweep. A group that is full is passed over if another sends a comparable flow. Returns the number of groups,
/// at most half that of the states.
std::uint32_t divide(level& here) {
  constexpr std::uint32_t full = 4;    // groups of 2, 4 and 8 were measured: 4 takes the fewest sweeps in all
  constexpr double comparable = 0.25;  // the usual threshold of a strong connection (Stueben 2001)
  incoming const& q = here.chain;
  here.group.assign(q.states(), unassigned);
  std::vector<std::uint32_t> size;
  for (std::size_t s = 0; s < q.states(); ++s) {
    if (here.group[s] != unassigned) continue;
    double strongest = -1, strongest_free = -1;
    std::uint32_t source = 0, free = 0;
    for (std::size_t t = q.first[s]; t < q.first[s + 1]; ++t) {
      double const flow = here.probability[q.source[t]] * q.rate[t];
      std::uint32_t const group = here.group[q.source[t]];
      if (flow > strongest) strongest = flow, source = q.source[t];
      if (flow > strongest_free && (group == unassigned || size[group] < full))
        strongest_free = flow, free = q.source[t];
    }
    std::uint32_t& group = here.group[strongest_free >= comparable * strongest ? free : source];
    if (group == unassigned) group = static_cast<std::uint32_t>(size.size()), size.push_back(1);
    here.group[s] = group;
    ++size[group];
  }
  return static_cast<std::uint32_t>(size.size());
}

/// The chain of the groups, without its rates.
std::unique_ptr<level> coarsen(level& here) {
  std::uint32_t const groups = divide(here);
  incoming const& q = here.chain;
  std::vector<std::uint32_t> start(groups + std::size_t{1}, 0), member(q.states());
  for (std::uint32_t const g : here.group) ++start[g + std::size_t{1}];
  std::partial_sum(start.begin(), start.end(), start.begin());
  auto next = start;
  for (std::uint32_t s = 0; s < q.states(); ++s) member[next[here.group[s]]++] = s;

  auto result = std::make_unique<level>(std::make_unique<incoming>());
  incoming& coarse = *result->own;
  coarse.exit.resize(groups);
  coarse.first.push_back(0);
  here.slot.assign(q.rate.size(), unassigned);
  std::vector<std::uint32_t> place(groups, unassigned);  // of the latest transition from each group
  for (std::uint32_t to = 0; to < groups; ++to) {
    for (std::uint32_t m = start[to]; m < start[to + std::size_t{1}]; ++m)
      for (std::size_t t = q.first[member[m]]; t < q.first[member[m] + std::size_t{1}]; ++t) {
        std::uint32_t const from = here.group[q.source[t]];
        if (from == to) continue;
        if (place[from] == unassigned || place[from] < coarse.first.back()) {
          place[from] = static_cast<std::uint32_t>(coarse.source.size());
          coarse.source.push_back(from);
        }
        here.slot[t] = place[from];
      }
    coarse.first.push_back(coarse.source.size());
  }
  coarse.rate.resize(coarse.source.size());
  result->probability.resize(groups);
  return result;
}

/// The probabilities of the groups and the rates between them, under the probabilities of the states. Sums, products
/// and quotients of positive numbers only: what crosses a cut keeps all its digits, however fast the states inside.
void aggregate(level const& here) {
  level& to = *here.coarser;
  incoming& chain = *to.own;
  std::fill(to.probability.begin(), to.probability.end(), 0.0);
  std::fill(chain.rate.begin(), chain.rate.end(), 0.0);
  std::fill(chain.exit.begin(), chain.exit.end(), 0.0);
  for (std::size_t s = 0; s < here.group.size(); ++s) to.probability[here.group[s]] += here.probability[s];
  for (std::size_t t = 0; t < here.slot.size(); ++t)
    if (here.slot[t] != unassigned)
      chain.rate[here.slot[t]] += here.probability[here.chain.source[t]] * here.chain.rate[t];
  for (std::size_t t = 0; t < chain.rate.size(); ++t) {
    std::uint32_t const from = chain.source[t];
    chain.rate[t] /= to.probability[from];
    chain.exit[from] += chain.rate[t];
  }
}

/// Improves the probabilities of a level by those of its groups; each coarser level gets `visits` improvements.
void improve(level& here, bool divide_anew, int visits) {
  constexpr std::size_t few = 64;  // states; elimination then takes less than the sweeps around it
  if (here.chain.states() <= few) {
    here.probability = eliminate(here.chain);
    return;
  }
  sweep_once(here);
  if (divide_anew) here.coarser.reset(), here.coarser = coarsen(here);  // both together are large
  aggregate(here);
  std::vector<double> const before = here.coarser->probability;
  improve(*here.coarser, divide_anew, 2);
  if (visits > 1 && here.coarser->chain.states() > few) improve(*here.coarser, false, 2);
  std::vector<double>& factor = here.coarser->probability;
  double const scale =
      std::accumulate(before.begin(), before.end(), 0.0) / std::accumulate(factor.begin(), factor.end(), 0.0);
  for (std::size_t g = 0; g < factor.size(); ++g) factor[g] *= scale / before[g];
  for (std::size_t s = 0; s < here.group.size(); ++s) here.probability[s] *= factor[here.group[s]];
  sweep_once(here);
}

double distance(std::vector<double> const& a, std::vector<double> const& b) {
  return std::transform_reduce(a.begin(), a.end(), b.begin(), 0.0, std::plus<>(),
                               [](double x, double y) { return std::abs(x - y); });
}

/// Anderson's acceleration of x -> g(x): the combination of the latest results whose changes cancel best, in the norm
/// that weighs a change by 1 / probability.
class accelerator {
 public:
  /// x becomes the next point to go on from; g is the result of a cycle from x.
  void advance(std::vector<double>& x, std::vector<double> const& g) {
    constexpr Eigen::Index block = 512;  // states whose changes the cache keeps
    auto const n = static_cast<Eigen::Index>(x.size());
    Eigen::Map<Eigen::VectorXd> point(x.data(), n);
    Eigen::Map<Eigen::VectorXd const> const result(g.data(), n);
    if (results_ > 0) {
      if (changes_.size() == 0) changes_.resize(n, kept), steps_.resize(n, kept);
      changes_.col((results_ - 1) % kept) = (result - point - last_change_).cast<float>();
      steps_.col((results_ - 1) % kept) = (result - last_result_).cast<float>();
    }
    last_change_ = result - point;
    last_result_ = result;
    auto const m = std::min(results_++, kept);
    x = g;
    if (m == 0) return;
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(m, m);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(m);
    for (Eigen::Index at = 0; at < n; at += block) {
      auto const many = std::min(block, n - at);
      Eigen::MatrixXd const change = changes_.block(at, 0, many, m).cast<double>();
      Eigen::MatrixXd const weighted = result.segment(at, many).cwiseInverse().asDiagonal() * change;
      gram += weighted.transpose() * change;
      right += weighted.transpose() * last_change_.segment(at, many);
    }
    Eigen::VectorXd const share = gram.completeOrthogonalDecomposition().solve(right);
    for (Eigen::Index i = 0; i < m; ++i) point -= share[i] * steps_.col(i).cast<double>();
    for (std::size_t s = 0; s < x.size(); ++s)  // a combination says little where a state is rare
      if (!(x[s] > g[s] / 2 && x[s] < g[s] * 2)) x[s] = g[s];
    normalise(x);
  }

  void forget() { results_ = 0; }

 private:
  static constexpr Eigen::Index kept = 5;
  Eigen::Index results_ = 0;
  Eigen::MatrixXf changes_, steps_;  // from a result to the next one, a column each; of single precision, as a guide
  Eigen::VectorXd last_change_, last_result_;
};

}  // namespace

// Horton and Leutenegger 1994, SIGMETRICS, pp. 191-200: a cycle sweeps, adds states up into groups, improves the chain
// of the groups in the same way (twice: a W-cycle), and scales each group. Groups follow the flows, as those of De
// Sterck et al. 2008, SIAM Journal on Scientific Computing 30(5):2235-2262. Acceleration as in De Sterck et al. 2010,
// SIAM Journal on Scientific Computing 32(3):1652-1671, but by Anderson's combination.
iterated multilevel(incoming const& q, std::vector<double>& probability, double tolerance, std::size_t most) {
  constexpr std::size_t window = 20;    // cycles
  constexpr std::size_t divisions = 2;  // the first one knows only rates, the second one also rough probabilities
  iterated result;
  level finest(q);
  accelerator accelerate;
  double best = std::numeric_limits<double>::infinity(), before = best, worst_since = 0;
  std::size_t best_at = 0;
  bool accelerated = true;
  for (;;) {
    finest.probability = probability;
    improve(finest, result.iterations < divisions, 2);
    normalise(finest.probability);
    ++result.iterations;
    double const change = distance(finest.probability, probability);
    if (!std::isfinite(change)) {
      result.error = change;
      result.settled = false;
      return result;
    }
    if (result.iterations <= divisions || change > before) accelerate.forget();
    before = change;
    // A single cycle is not combined with any other: copies of large vectors would be for nothing.
    std::vector<double> next;
    if (accelerated && most > 1) accelerate.advance(next = probability, finest.probability);
    // The accelerated step leads to where all further cycles would, as far as the latest ones tell.
    result.error = next.empty() ? change : std::max(change, distance(next, probability));
    result.settled = result.error <= tolerance && imbalance(q, finest.probability) <= tolerance;
    if (result.settled || result.iterations >= most) return probability = finest.probability, result;
    worst_since = std::max(worst_since, result.error);
    if (result.error < 0.9 * best) best = result.error, best_at = result.iterations, worst_since = result.error;
    if (accelerated && result.iterations - best_at >= window / 2) {  // rare states may mislead the combinations
      accelerated = false;
      next.clear();
      best = result.error;
      best_at = result.iterations;
    }
    if (result.iterations - best_at >= window) {  // rounding, or no convergence
      result.error = worst_since;
      return probability = finest.probability, result;
    }
    probability = next.empty() ? finest.probability : std::move(next);
  }
}

}  // namespace skel::cost::pepa::detail
