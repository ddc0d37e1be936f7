#pragma once

#include "incumbent.hpp"
#include "lens_search.hpp"

namespace skel::mapping::selection {

/// What any set takes at least: a single cluster, or all sums with the best worst cases and the least latency [s].
/// O(clusters^2).
double root_bound(cost::mesh::program const& of);

/// The best set of clusters. A set of several has two clusters that are the farthest from each other, d; all others are
/// in their lens: no farther than d from both. So the pairs are taken by what a set with them takes at least, and the
/// lens of each is searched that may hold the best one. Where latencies are those of a tree no two clusters of a lens
/// are farther than d from each other: l(k,m) + l(i,j) <= max(l(k,i) + l(m,j), l(k,j) + l(m,i)) <= 2 d.
/// Returns what is proven of all sets [s]: that of the best one, or less where the effort was spent.
double search_exactly(cost::mesh::program const& of, incumbent& best, effort& may);

/// All sets; the same. O(2^clusters clusters).
double search_all(cost::mesh::program const& of, incumbent& best, effort& may);

}  // namespace skel::mapping::selection
