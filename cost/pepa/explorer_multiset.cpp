#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "explorer.hpp"

namespace skel::cost::pepa::detail {
namespace {

/// Distributions of n copies over m outcomes with probabilities p: calls visit(counts, probability) for each.
/// The probability is multinomial: n! / prod k_i! * prod p_i^k_i, in logarithms. O(C(n+m-1, m-1) m).
/// Source of the enumeration: Nijenhuis and Wilf 1978, Combinatorial Algorithms, chapter 5 (NEXCOM).
template <class Visit>
void for_each_distribution(std::uint32_t n, std::vector<double> const& p, Visit visit) {
  std::vector<double> log_factorial(n + std::size_t{1}, 0.0);
  for (std::size_t i = 1; i <= n; ++i) log_factorial[i] = log_factorial[i - 1] + std::log(static_cast<double>(i));
  std::vector<std::uint32_t> counts(p.size(), 0);
  counts.front() = n;
  for (;;) {
    double logarithm = log_factorial[n];
    for (std::size_t i = 0; i < p.size(); ++i) logarithm += counts[i] * std::log(p[i]) - log_factorial[counts[i]];
    visit(counts, std::exp(logarithm));
    if (counts.back() == n) return;
    std::size_t first = 0;
    while (counts[first] == 0) ++first;
    std::uint32_t const moved = counts[first];
    counts[first] = 0;
    counts.front() = moved - 1;
    ++counts[first + 1];
  }
}

/// C(n+m-1, m-1), or more than `limit`.
double distributions(double n, std::size_t m, double limit) {
  double count = 1;
  for (std::size_t i = 1; i < m && count <= limit; ++i) count *= (n + static_cast<double>(i)) / static_cast<double>(i);
  return count;
}

}  // namespace

/// All copies perform the action at once; copies in the same state choose independently and are not told apart.
void explorer::multiset_alternatives(std::span<group const> same, std::span<local_transition const> const* ways) {
  using multiset = std::map<std::uint32_t, std::uint32_t>;
  std::map<multiset, double> partial{{multiset{}, 1.0}};
  for (group const& g : same) {
    std::vector<std::uint32_t> targets;
    std::vector<double> shares;
    double sum = 0;
    for (local_transition const& t : *ways++) targets.push_back(t.target), shares.push_back(t.rate), sum += t.rate;
    for (double& share : shares) share /= sum;
    double const limit = static_cast<double>(max_states_);
    if (distributions(g.copies, targets.size(), limit) * static_cast<double>(partial.size()) > limit)
      refuse_size("one activity of " + std::to_string(g.copies) + " copies together leads to more than " +
                  std::to_string(max_states_) + " states; make the array smaller");
    std::map<multiset, double> grown;
    for_each_distribution(g.copies, shares, [&](std::vector<std::uint32_t> const& counts, double probability) {
      for (auto const& [before, weight] : partial) {
        multiset after = before;
        for (std::size_t i = 0; i < counts.size(); ++i)
          if (counts[i] > 0) after[targets[i]] += counts[i];
        grown[std::move(after)] += weight * probability;
      }
    });
    partial = std::move(grown);
  }
  for (auto const& [result, probability] : partial) {
    alternatives_.push_back({pool_.size(), 1 + 2 * result.size(), probability});
    pool_.push_back(static_cast<std::uint32_t>(result.size()));
    for (auto const& [state, copies] : result) pool_.insert(pool_.end(), {state, copies});
  }
}

}  // namespace skel::cost::pepa::detail
