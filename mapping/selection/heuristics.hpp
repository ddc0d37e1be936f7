#pragma once

#include <cstdint>
#include <random>

#include "incumbent.hpp"

/// Searches that prove nothing. Source: Caron, Klein and Perez, "Efficient Grid Resource Selection for a CEM
/// Application", 3.1; what it leaves open is said with each.
namespace skel::mapping::selection {

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
