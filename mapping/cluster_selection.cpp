#include <skel/detail/mapping/cluster_selection.hpp>

#include <algorithm>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/record/clock.hpp>

#include "selection/exact.hpp"
#include "selection/heuristics.hpp"

namespace skel::mapping {
namespace {

/// Runs the search, and gives what it has proven of all sets.
double search(cost::mesh::program const& of, selection_settings const& settings, selection::incumbent& best,
              double until) {
  using enum selection_algorithm;
  constexpr std::size_t thousand = 1000;  // rnd1k's
  constexpr auto no_limit = std::numeric_limits<std::uint64_t>::max();
  auto const greedily = [&](bool grouping) {
    selection::search_greedily(of, best, grouping ? selection::near_groups(of) : std::vector<selection::cluster_set>{});
  };
  switch (settings.algorithm) {
    case exact: {
      selection::effort may(settings.most_nodes, until);
      return selection::search_exactly(of, best, may);
    }
    case exhaustive: {
      SKEL_EXPECTS(of.clusters() <= most_exhaustive);
      selection::effort may(no_limit, until);
      return selection::search_all(of, best, may);
    }
    case greedy:
    case grouping:
      greedily(settings.algorithm == grouping);
      break;
    case rnd:
    case rnd1k:
      selection::search_randomly(of, best, settings.seed, settings.algorithm == rnd ? 1 : thousand);
      break;
    case sa:
      selection::anneal(of, best, settings.seed);
      break;
    case sa_greedy:
    case sa_grouping:
      greedily(settings.algorithm == sa_grouping);
      selection::anneal(of, best, settings.seed);
      break;
  }
  return std::min(best.seconds(), selection::root_bound(of));
}

}  // namespace

std::optional<selection_algorithm> selection_algorithm_of(std::string_view name) {
  auto const found = std::ranges::find(selection_algorithms, name);
  if (found == selection_algorithms.end()) return std::nullopt;
  return static_cast<selection_algorithm>(found - selection_algorithms.begin());
}

cluster_selection select_clusters(cost::mesh::program const& of, selection_settings const& settings) {
  double const begin = record::now();
  selection::incumbent best(of);
  cluster_selection made;
  made.bound = search(of, settings, best, begin + settings.time_limit);
  made.clusters = best.clusters();
  made.evaluated = best.evaluated();
  made.optimal = !made.clusters.empty() && made.bound >= best.seconds() * (1 - selection::same);
  made.seconds = record::now() - begin;
  if (!made.clusters.empty()) made.time = cost::mesh::time_of(of, made.clusters);
  return made;
}

cluster_selection price_clusters(cost::mesh::program const& of, std::vector<std::size_t> clusters,
                                 selection_settings const& settings) {
  auto made = select_clusters(of, settings);
  made.time = cost::mesh::time_of(of, clusters);
  made.clusters = std::move(clusters);
  made.optimal = made.time.seconds <= made.bound * (1 + selection::same);
  return made;
}

}  // namespace skel::mapping
