#pragma once

#include <skel/detail/plan/run_plan.hpp>

#include "planner.hpp"

namespace skel {

/// Chooses the tree on which a broadcast stage's root shows each batch to the ranks of its copies and gets their
/// results back: a binomial tree inside each cluster of ranks (platform::robust_clusters of the latencies between
/// them), and between the clusters the schedule that completes first (mapping::best_schedule), so that each slow link
/// is crossed once. Orders `station.ranks` by it and sets `station.parents`; the first rank stays the root. `bytes`: of
/// a batch and of what is made of it, together [B]. O(ranks^3 log ranks). Throws skel::error where a cluster of ranks
/// has no link to the others.
void choose_tree(plan::station_plan& station, double bytes, processor_map const& processors);

}  // namespace skel
