#include "collective_selection.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <unordered_set>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/cost/collective_price.hpp>
#include <skel/detail/platform/survey.hpp>

namespace skel::mapping {
namespace {

using skel::plan::collective;

/// The kinds of models with parameters of their own in every cluster of several ranks and on every link. The most
/// detailed comes first. Without any, pLogP from latencies and bandwidths.
std::vector<cost::model_kind> known_kinds(platform::description const& machine) {
  using enum cost::model_kind;
  std::vector<cost::model_kind> known;
  for (cost::model_kind const kind : {plogp, steffenel, lmo, hloggp, loggp, logpc, lopc, logp, hockney}) {
    std::string const key(cost::name_of(kind));
    auto const has = [&](auto const& part) { return part.parameters.contains(key); };
    bool const inside = std::ranges::all_of(machine.clusters(), [&](auto const& c) { return c.hosts == 1 || has(c); });
    bool const any = std::ranges::any_of(machine.clusters(), has) || std::ranges::any_of(machine.links(), has);
    if (any && inside && std::ranges::all_of(machine.links(), has)) known.push_back(kind);
  }
  if (known.empty()) known.push_back(plogp);
  return known;
}

std::vector<std::size_t> sizes_of(used_clusters const& clusters) {
  std::vector<std::size_t> result;
  for (auto const& ranks : clusters.ranks) result.push_back(ranks.size());
  return result;
}
std::vector<std::string> names_of(used_clusters const& clusters) {
  std::vector<std::string> result;
  for (auto const& cluster : clusters.machine.clusters()) result.push_back(cluster.name);
  return result;
}

bool has_routes(collective operation) {
  using enum collective;
  return operation == broadcast || operation == reduce || operation == allreduce || operation == barrier;
}

template <class Value>
std::size_t bytes_in(std::vector<Value> const& all) {
  return all.capacity() * sizeof(Value);
}

}  // namespace

std::size_t request_hash::operator()(collective_request const& r) const {
  std::size_t seed = static_cast<std::size_t>(r.operation) * 2 + r.commutative;
  for (std::uint64_t part : {r.bytes, std::uint64_t{r.root}, r.unit, std::bit_cast<std::uint64_t>(r.gamma)})
    seed = (seed ^ part) * 0x9e3779b97f4a7c15u;
  return seed;
}

std::size_t bytes_of(plan::collective_plan const& plan) {
  std::size_t bytes = plan.algorithm.capacity() + 1;
  if (!plan.route) return bytes;
  plan::grid_route const& way = *plan.route;
  bytes += bytes_in(way.trees.clusters) + bytes_in(way.trees.parent) + bytes_in(way.trees.order) +
           bytes_in(way.trees.inside) + bytes_in(way.inside_window) + bytes_in(way.edge_window);
  for (auto const& ranks : way.trees.clusters) bytes += bytes_in(ranks);
  return bytes;
}

collective_request in_short(collective_request request) {
  using enum collective;
  bool const reduces = request.operation == reduce || request.operation == allreduce;
  bool const to_all = request.operation == allreduce || request.operation == allgather ||
                      request.operation == alltoall || request.operation == barrier;
  if (to_all) request.root = 0;
  if (!reduces) request.commutative = true, request.gamma = 0;
  return request;
}

collective_selection::source::source(used_clusters const& clusters, cost::model_kind kind)
    : models(clusters.machine, kind),
      search(models, sizes_of(clusters), names_of(clusters)),
      catalogue(models, clusters) {}

collective_selection::collective_selection(used_clusters clusters, collective_options const& options)
    : options_(options), clusters_(std::make_unique<used_clusters const>(std::move(clusters))) {
  for (cost::model_kind const kind : known_kinds(clusters_->machine)) {
    sources_.push_back(std::make_unique<source>(*clusters_, kind));
    names_.push_back({std::string(cost::name_of(kind)), {.error = usual_error}});
  }
  if ((tolerance = options.tolerance) > 0)
    tolerance = std::max(tolerance, platform::residual_of(clusters_->machine, names_.front().name));
}

decision_context collective_selection::context_of(request const& asked) {
  return {static_cast<std::int64_t>(asked.operation), static_cast<std::int64_t>(std::bit_width(asked.bytes))};
}

std::string collective_selection::describe(request const& asked) const {
  std::string text(skel::plan::name_of(asked.operation));
  text += " of " + std::to_string(asked.bytes) + " bytes among " + std::to_string(ranks()) + " ranks";
  if (asked.unit != 1) text += ", elements of " + std::to_string(asked.unit);
  if (asked.root != 0) text += ", root " + std::to_string(asked.root);
  if (!asked.commutative) text += ", in the order of the ranks";
  if (asked.gamma > 0) text += ", " + fixed(1e9 * asked.gamma, 6) + " ns to combine a byte";
  return text;
}

std::size_t collective_selection::bytes_of(candidate<collective_way> const& one) {
  std::size_t bytes = mapping::bytes_of(one.plan.what.plan) + one.plan.what.name.capacity() + 1;
  if (!one.plan.route) return bytes;
  found_route const& route = *one.plan.route;
  return bytes + bytes_in(route.outline.parent) + bytes_in(route.outline.order) + bytes_in(route.outline.hosts) +
         bytes_in(route.outline.inside) + bytes_in(route.inside) + bytes_in(route.price.inside);
}

void collective_selection::require_possible(request const& asked) const {
  SKEL_EXPECTS(asked.root < ranks() && asked.gamma >= 0);
  if (asked.unit == 0 || asked.bytes % asked.unit != 0)
    throw error("a vector of " + std::to_string(asked.bytes) + " bytes is not whole elements of " +
                std::to_string(asked.unit) + " bytes");
  cost::require_priceable(asked.operation, mapping::problem_of(asked, ranks()));
  cost::require_usable(asked.gamma * static_cast<double>(asked.bytes),
                       [&] { return "combining " + std::to_string(asked.bytes) + " bytes"; });
}

std::vector<candidate<collective_way>> collective_selection::candidates(request const& asked, std::size_t model,
                                                                        bool every) {
  require_possible(asked);
  source& by = *sources_[model];
  std::vector<collective_way> all;
  bool const routed = options_.only.empty() && has_routes(asked.operation) && asked.commutative;
  std::optional<double> enough;
  if (!every && (routed || !options_.only.empty())) enough = std::numeric_limits<double>::infinity();
  if (routed) {
    route_search::question what_routes = question_of(asked);
    what_routes.all = every;
    for (found_route& route : by.search.find(what_routes)) {
      collective_candidate what{mapping::name_of(route, *clusters_), plan_of(asked, route, by.search),
                                route.price.total};
      if (enough) enough = std::min(*enough, what.predicted);
      all.push_back({std::move(what), std::move(route)});
    }
  }
  for (auto& what : by.catalogue.find(asked, routed && !every, enough, options_.only)) all.push_back({std::move(what)});
  if (all.empty()) refuse_for_missing_link(asked, by.models);
  auto const messages = [&](collective_way const& one) {
    if (one.route) return one.route->outline.segments * 2 + (one.route->outline.stripes > 1 ? 0 : 1);
    std::uint64_t const segment = one.what.plan.segment;
    return segment == 0 ? 2 : 2 * ((asked.bytes - 1) / segment + 1);
  };
  std::ranges::stable_sort(all, {}, [](collective_way const& one) { return one.what.predicted; });
  if (every) {  // of equal names, the best
    std::unordered_set<std::string> known;
    std::erase_if(all, [&](collective_way const& one) { return !known.insert(one.what.name).second; });
  }
  std::ranges::stable_sort(all, {}, messages);
  std::vector<candidate<collective_way>> priced;
  for (collective_way& one : all) {
    std::uint64_t const id = id_of(one.what.name);
    double const seconds = std::max(least_per_use, one.what.predicted);
    priced.push_back({std::move(one), id, 0, seconds});
  }
  return priced;
}

std::string collective_selection::why_not(request const& asked, std::string_view forced) const {
  auto const word = forced.substr(0, forced.find(", "));
  auto const* const how = skel::plan::find_algorithm(asked.operation, word);
  std::string const operation(skel::plan::name_of(asked.operation));
  if (how == nullptr && !(is_tree(word) && has_routes(asked.operation))) return operation + " has no such algorithm";
  if (how != nullptr && !catalogue_search::keeps_order(*how, asked))
    return "it combines in another order than that of the ranks, and the operator does not commute (skel::commutative "
           "says that one does)";
  if (how == nullptr && !asked.commutative)
    return "its trees combine in another order than that of the ranks, and the operator does not commute "
           "(skel::commutative says that one does)";
  if (!options_.only.empty() && std::ranges::find(options_.only, how) == options_.only.end())
    return "it is none of those that alone may be taken";
  if (how != nullptr && !sources_.front()->catalogue.is_priced(*how, asked))
    return "among so many ranks it would send more messages than can be priced";
  return "there is none with such segments or such a schedule here";
}

double collective_selection::price(request const& asked, std::size_t model, candidate<collective_way> const& one) {
  source& by = *sources_[model];
  if (one.plan.route) return by.search.price_of(question_of(asked), *one.plan.route);
  auto const* const how = skel::plan::find_algorithm(asked.operation, one.plan.what.plan.algorithm);
  return by.catalogue.price_of(*how, asked, one.plan.what.plan.segment);
}

route_search::question collective_selection::question_of(request const& asked) const {
  bool const joins = asked.operation == collective::barrier;  // an allreduction of nothing
  return {.operation = joins ? collective::allreduce : asked.operation,
          .bytes = joins ? 0 : asked.bytes,
          .unit = asked.unit,
          .root = clusters_->cluster_of[asked.root],
          .gamma = asked.gamma,
          .most_stripes = options_.most_stripes};
}

skel::plan::collective_plan collective_selection::plan_of(request const& asked, found_route const& route,
                                                          route_search& search) const {
  skel::plan::grid_route way{.how = route.outline.how, .segment = route.outline.segments > 1 ? route.segment : 0};
  bool const free_root = asked.operation == collective::allreduce || asked.operation == collective::barrier;
  way.trees = {
      .clusters = clusters_->ranks,
      .root = free_root ? clusters_->ranks[route.outline.root].front() : static_cast<std::uint32_t>(asked.root),
      .parent = route.outline.parent,
      .order = route.outline.order,
      .inside = route.inside,
      .stripes = static_cast<std::uint32_t>(route.outline.stripes)};
  way.trees.parent[route.outline.root] = static_cast<std::uint32_t>(route.outline.root);
  if (route.outline.segments > 1) {
    cost::route_times const& times =
        asked.operation == collective::reduce ? search.up(route.segment, asked.gamma) : search.down(route.segment);
    way.trees.turns = cost::turns_of(asked.operation, route.outline, times);
    way.inside_window = cost::inside_windows(asked.operation, route.outline, times, route.price);
    way.root_window = cost::window_of(times.inside[route.outline.root]);
  }
  return {.operation = asked.operation, .route = std::move(way)};
}

void collective_selection::refuse_for_missing_link(request const& asked, cost::grid_models const& models) const {
  auto const apart = clusters_apart(models);
  SKEL_EXPECTS(apart.has_value());
  auto const& clusters = clusters_->machine.clusters();
  throw error(std::string(skel::plan::name_of(asked.operation)) +
              (asked.commutative ? "" : " in the order of the ranks") +
              " needs links between all clusters, and there is none from cluster '" + clusters[apart->first].name +
              "' to cluster '" + clusters[apart->second].name + "'; add it to the platform");
}

}  // namespace skel::mapping
