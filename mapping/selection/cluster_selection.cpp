#include <skel/detail/mapping/cluster_selection.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/record/clock.hpp>

#include "budget_search.hpp"
#include "searches.hpp"

namespace skel::mapping {
namespace {

/// Runs the search, and returns its proven bound of all sets.
double search_by_settings(cost::mesh::program const& of, selection_settings const& settings, selection::incumbent& best,
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

void take_all_hosts(cost::mesh::program const& of, cluster_selection& on) {
  on.hosts.clear(), on.price = 0;
  for (auto const c : on.clusters) {
    on.hosts.push_back(static_cast<std::size_t>(of.hosts(c)));
    on.price += of.price(c) * of.hosts(c);
  }
}

/// The best hosts that the budget pays, if it does not pay all hosts of `made`, the best of all. Returns the time of an
/// iteration on them [s].
double search_within(cost::mesh::program const& of, selection_settings const& settings, double until,
                     cluster_selection& made) {
  using enum selection_algorithm;
  SKEL_EXPECTS(settings.algorithm == exact || settings.algorithm == exhaustive);
  bool const all = settings.algorithm == exhaustive;
  SKEL_EXPECTS(!all || host_choices(of) <= std::exp2(most_exhaustive));
  selection::effort may(all ? std::numeric_limits<std::uint64_t>::max() : settings.most_nodes, until);
  selection::budget_search within(of, settings.budget, may);
  if (!all) within.offer_most_of(made.clusters);
  made.bound = std::max(made.bound, all ? within.run_all() : within.run());
  made.evaluated += within.evaluated();
  made.clusters = within.best().clusters, made.hosts = within.best().hosts, made.price = 0;
  for (std::size_t k = 0; k < made.clusters.size(); ++k)
    made.price += of.price(made.clusters[k]) * static_cast<double>(made.hosts[k]);
  return within.best().seconds;
}

}  // namespace

std::optional<selection_algorithm> selection_algorithm_of(std::string_view name) {
  auto const found = std::ranges::find(selection_algorithms, name);
  if (found == selection_algorithms.end()) return std::nullopt;
  return static_cast<selection_algorithm>(found - selection_algorithms.begin());
}

cluster_selection select_clusters(cost::mesh::program const& of, selection_settings const& settings) {
  double const begin = record::now(), until = begin + settings.time_limit;
  selection::incumbent best(of);
  cluster_selection made;
  made.bound = search_by_settings(of, settings, best, until);
  made.clusters = best.clusters();
  made.evaluated = best.evaluated();
  take_all_hosts(of, made);
  double seconds = best.seconds();
  if (made.price > settings.budget * (1 + selection::same)) seconds = search_within(of, settings, until, made);
  made.optimal = !made.clusters.empty() && made.bound >= seconds * (1 - selection::same);
  made.seconds = record::now() - begin;
  if (!made.clusters.empty()) made.time = cost::mesh::time_of(of, made.clusters, made.hosts);
  return made;
}

double host_choices(cost::mesh::program const& of) {
  double all = 1;
  for (std::size_t c = 0; c < of.clusters(); ++c) all *= 1 + of.hosts(c);
  return all;
}

cluster_selection price_clusters(cost::mesh::program const& of, std::vector<std::size_t> clusters,
                                 selection_settings const& settings) {
  auto made = select_clusters(of, settings);
  made.time = cost::mesh::time_of(of, clusters);
  made.clusters = std::move(clusters);
  take_all_hosts(of, made);
  made.optimal = made.time.seconds <= made.bound * (1 + selection::same);
  return made;
}

}  // namespace skel::mapping
