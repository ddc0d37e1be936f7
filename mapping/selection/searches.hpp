#pragma once

#include <cstdint>
#include <random>

#include "incumbent.hpp"
#include "lens_search.hpp"

namespace skel::mapping::selection {

/// Least time of any set: a single cluster, or all sums with the best worst cases and the least latency [s].
/// O(clusters^2).
double root_bound(cost::mesh::program const& of);

/// Each cluster alone.
void try_single_clusters(cost::mesh::program const& of, incumbent& best);

/// The best set of clusters. A set of several has two clusters that are the farthest from each other, with latency d.
/// All others are in their lens: no farther than d from both. So the search takes the pairs by the least time of a set
/// with them, and searches each lens that may hold the best set. If latencies are those of a tree, no two clusters of a
/// lens are farther than d from each other: l(k,m) + l(i,j) <= max(l(k,i) + l(m,j), l(k,j) + l(m,i)) <= 2 d. Returns a
/// proven bound of all sets [s]: the best time, or less if the effort was spent.
double search_exactly(cost::mesh::program const& of, incumbent& best, effort& may);

/// All sets; the same. O(2^clusters clusters).
double search_all(cost::mesh::program const& of, incumbent& best, effort& may);

/// From each cluster, adds one cluster at a time, or a group if `groups` has some, while an iteration gets shorter.
/// O(clusters^3), with groups O(clusters^2 sum of their sizes).
void search_greedily(cost::mesh::program const& of, incumbent& best, std::vector<cluster_set> const& groups);

/// Groups of near clusters: each that forms when the two nearest groups are joined again and again, without the single
/// clusters. Distances of groups are those of their nearest clusters. The paper's groups are cities or countries, which
/// no platform file tells. O(clusters^3) at most.
std::vector<cluster_set> near_groups(cost::mesh::program const& of);

/// The best of so many sets that have each cluster with probability 1/2, but not none.
void search_randomly(cost::mesh::program const& of, incumbent& best, std::uint64_t seed, std::size_t sets);

/// Simulated annealing from the best set so far, or the best single cluster. Puts a random cluster in or out, 200 times
/// for each cluster. Takes better sets, and one that is worse by x with probability exp(-x / temperature). The
/// temperature goes down geometrically from a tenth to a ten thousandth of the first set's time. The paper does not
/// give these figures.
void anneal(cost::mesh::program const& of, incumbent& best, std::uint64_t seed);

}  // namespace skel::mapping::selection
