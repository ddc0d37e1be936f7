#pragma once

#include <cstdint>
#include <random>

#include "incumbent.hpp"
#include "lens_search.hpp"

namespace skel::mapping::selection {

/// What any set takes at least: a single cluster, or all sums with the best worst cases and the least latency [s].
/// O(clusters^2).
double root_bound(cost::mesh::program const& of);

/// Each cluster alone.
void try_single_clusters(cost::mesh::program const& of, incumbent& best);

/// The best set of clusters. A set of several has two clusters that are the farthest from each other, d; all others are
/// in their lens: no farther than d from both. So the pairs are taken by what a set with them takes at least, and the
/// lens of each is searched that may hold the best one. Where latencies are those of a tree no two clusters of a lens
/// are farther than d from each other: l(k,m) + l(i,j) <= max(l(k,i) + l(m,j), l(k,j) + l(m,i)) <= 2 d.
/// Returns what is proven of all sets [s]: that of the best one, or less where the effort was spent.
double search_exactly(cost::mesh::program const& of, incumbent& best, effort& may);

/// All sets; the same. O(2^clusters clusters).
double search_all(cost::mesh::program const& of, incumbent& best, effort& may);

/// Adds one cluster at a time, or a group if `groups` has some, as long as an iteration becomes shorter; from each
/// cluster. O(clusters^3), with groups O(clusters^2 sum of their sizes).
void search_greedily(cost::mesh::program const& of, incumbent& best, std::vector<cluster_set> const& groups);

/// Groups of near clusters: each that forms when the two nearest groups are joined again and again, but for the single
/// clusters; distances of groups are those of their nearest clusters. The paper's are those of the same city or
/// country, which no platform file tells. O(clusters^3) at most.
std::vector<cluster_set> near_groups(cost::mesh::program const& of);

/// The best of so many sets that have each cluster with probability 1/2, but not none.
void search_randomly(cost::mesh::program const& of, incumbent& best, std::uint64_t seed, std::size_t sets);

/// Simulated annealing from the best set so far, or the best single cluster: puts a random cluster in or out, 200 times
/// for each cluster; takes what is better, and what is worse by x with probability exp(-x / temperature), which goes
/// down geometrically from a tenth to a ten thousandth of the first set's time. The paper says nothing of these
/// figures.
void anneal(cost::mesh::program const& of, incumbent& best, std::uint64_t seed);

}  // namespace skel::mapping::selection
