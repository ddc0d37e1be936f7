#include <skel/mapping/collective_mapper.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include <skel/base/contract.hpp>
#include <skel/base/error.hpp>
#include <skel/cost/collective_recursion.hpp>

#include "route_search.hpp"

namespace skel::mapping {
namespace {

using plan::collective;
using plan::collective_problem;

/// The clusters that ranks are in, with as many hosts as ranks.
struct used_clusters {
  platform::description machine;
  std::vector<std::vector<std::uint32_t>> ranks;
  std::vector<std::size_t> original;    // index in the given description
  std::vector<std::size_t> cluster_of;  // of each rank
};

used_clusters used(platform::description const& machine, std::vector<plan::host_id> const& host_of_rank) {
  if (host_of_rank.empty()) throw error("there is no rank to choose a collective for");
  used_clusters result;
  std::vector<std::size_t> index(machine.clusters().size(), machine.clusters().size());
  std::vector<std::vector<std::uint32_t>> by_cluster(machine.clusters().size());
  for (std::uint32_t rank = 0; rank < host_of_rank.size(); ++rank) {
    if (host_of_rank[rank] >= machine.host_count())
      throw error("rank " + std::to_string(rank) + " is on host " + std::to_string(host_of_rank[rank]) +
                  ", but the platform has " + std::to_string(machine.host_count()) + " hosts");
    by_cluster[machine.cluster_of(host_of_rank[rank])].push_back(rank);
  }
  std::vector<platform::cluster> clusters;
  for (std::size_t c = 0; c < by_cluster.size(); ++c) {
    if (by_cluster[c].empty()) continue;
    // Ranks of one host stand together, so that trees inside keep them together where they can.
    std::ranges::stable_sort(by_cluster[c], {}, [&](std::uint32_t rank) { return host_of_rank[rank]; });
    index[c] = result.ranks.size();
    clusters.push_back(machine.clusters()[c]);
    clusters.back().hosts = by_cluster[c].size();
    result.original.push_back(c);
    result.ranks.push_back(std::move(by_cluster[c]));
  }
  std::vector<platform::cluster_link> links;
  for (platform::cluster_link link : machine.links()) {
    link.from = index[link.from], link.to = index[link.to];
    if (link.from < clusters.size() && link.to < clusters.size()) links.push_back(std::move(link));
  }
  result.cluster_of.resize(host_of_rank.size());
  for (std::size_t c = 0; c < result.ranks.size(); ++c)
    for (std::uint32_t rank : result.ranks[c]) result.cluster_of[rank] = c;
  result.machine =
      platform::description(machine.local_latency(), std::move(clusters), std::move(links), machine.parameters());
  return result;
}

/// The most detailed model that has parameters of its own somewhere.
cost::model_kind best_known(platform::description const& machine) {
  using enum cost::model_kind;
  for (cost::model_kind const kind : {plogp, steffenel, lmo, hloggp, loggp, logpc, lopc, logp, hockney}) {
    std::string const key(cost::name_of(kind));
    auto const has = [&](auto const& part) { return part.parameters.contains(key); };
    if (std::ranges::any_of(machine.clusters(), has) || std::ranges::any_of(machine.links(), has)) return kind;
  }
  return plogp;
}

std::string algorithm_name(plan::inside_tree const& tree, bool segmented) {
  std::string const name(plan::name_of(tree.shape));
  if (!segmented) return name;
  return tree.shape == plan::tree_shape::chain ? "pipeline" : "segmented_" + name;
}

/// Messages under way on a path that keep its sender busy all the time: as long as one is under way, over how long one
/// keeps it busy.
std::uint32_t window_of(cost::route_times::path const& path) {
  double const messages = path.busy > 0 ? path.transfer / path.busy : 1;
  return static_cast<std::uint32_t>(std::clamp(std::ceil(2 * messages), 2.0, 1e6));
}

struct request_hash {
  std::size_t operator()(collective_request const& r) const {
    std::size_t seed = static_cast<std::size_t>(r.operation) * 4 + r.commutative * 2u + r.exact;
    for (std::uint64_t part : {r.bytes, std::uint64_t{r.root}, r.unit, std::bit_cast<std::uint64_t>(r.gamma)})
      seed = (seed ^ part) * 0x9e3779b97f4a7c15u;
    return seed;
  }
};

}  // namespace

class collective_mapper::implementation {
 public:
  implementation(platform::description const& machine, std::vector<plan::host_id> const& host_of_rank)
      : clusters_(used(machine, host_of_rank)),
        models_(clusters_.machine, best_known(clusters_.machine)),
        search_(models_, sizes(), names()) {}

  std::size_t ranks() const { return clusters_.cluster_of.size(); }

  struct entry {
    collective_decision decision;
    std::unordered_map<std::size_t, plan::rank_schedule> steps;
  };

  entry& decided(collective_request const& request) {
    if (auto const at = entries_.find(request); at != entries_.end()) return at->second;
    if (entries_.size() >= most_entries) entries_.clear();
    return entries_.emplace(request, entry{decide(request), {}}).first->second;
  }

  plan::rank_schedule const& steps(collective_request const& request, std::size_t rank) {
    entry& one = decided(request);
    auto const [at, is_new] = one.steps.try_emplace(rank);
    if (is_new) at->second = plan::steps_of(one.decision.plan, problem_of(request), rank);
    return at->second;
  }

 private:
  /// Decisions that are kept; a schedule takes some ten bytes for each message.
  static constexpr std::size_t most_entries = 4096;

  std::vector<std::size_t> sizes() const {
    std::vector<std::size_t> result;
    for (auto const& ranks : clusters_.ranks) result.push_back(ranks.size());
    return result;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (auto const& cluster : clusters_.machine.clusters()) result.push_back(cluster.name);
    return result;
  }
  collective_problem problem_of(collective_request const& request) const {
    return {.ranks = ranks(), .root = request.root, .bytes = request.bytes, .unit = request.unit};
  }

  collective_decision decide(collective_request const& request) {
    SKEL_EXPECTS(request.root < ranks());
    if (request.unit == 0 || request.bytes % request.unit != 0)
      throw error("a vector of " + std::to_string(request.bytes) + " bytes is not whole elements of " +
                  std::to_string(request.unit) + " bytes");
    std::vector<std::pair<collective_candidate, std::optional<found_route>>> all;
    bool const routed = request.operation == collective::broadcast ||
                        ((request.operation == collective::reduce || request.operation == collective::allreduce) &&
                         request.commutative);
    if (routed) {
      for (found_route& route : search_.find({.operation = request.operation,
                                .bytes = request.bytes,
                                .unit = request.unit,
                                .root = clusters_.cluster_of[request.root],
                                .gamma = request.gamma,
                                .exact = request.exact})) {
        collective_candidate candidate{name_of(route), plan_of(request, route), route.price.total};
        all.emplace_back(std::move(candidate), std::move(route));
      }
    }
    for (auto& candidate : from_catalogue(request, routed)) all.emplace_back(std::move(candidate), std::nullopt);
    std::ranges::stable_sort(all, {}, [](auto const& one) { return one.first.predicted; });
    SKEL_ENSURES(!all.empty());
    collective_decision decision = explain(request, all.front().first, all.front().second);
    for (std::size_t i = 1; i < all.size(); ++i) decision.alternatives.push_back(std::move(all[i].first));
    if (!decision.alternatives.empty())
      decision.why += "; next is " + decision.alternatives.front().name + ", " +
                      percent(decision.alternatives.front().predicted / decision.predicted - 1) + " more";
    return decision;
  }

  static std::string percent(double part) {
    return std::isfinite(part) ? std::to_string(static_cast<long>(std::lround(100 * part))) + " %" : "much";
  }

  std::string name_of(found_route const& route) const {
    std::string name;
    for (std::size_t c = 0; c < route.inside.size(); ++c) {
      std::string const inside =
          clusters_.ranks[c].size() > 1 ? algorithm_name(route.inside[c], route.outline.segments > 1) : "";
      if (!inside.empty() && name.find(inside) == std::string::npos) name += (name.empty() ? "" : "+") + inside;
    }
    if (name.empty()) name = "direct";
    if (!route.schedule.empty()) name = std::string(route.schedule) + (route.improved ? "*" : "") + " " + name;
    if (route.outline.segments > 1) name += ", " + std::to_string(route.segment) + " B";
    if (route.outline.stripes > 1) name += ", " + std::to_string(route.outline.stripes) + " stripes";
    return name;
  }

  plan::collective_plan plan_of(collective_request const& request, found_route const& route) {
    plan::grid_route way{.how = route.outline.how, .segment = route.outline.segments > 1 ? route.segment : 0};
    bool const free_root = request.operation == collective::allreduce;
    way.trees = {
        .clusters = clusters_.ranks,
        .root = free_root ? clusters_.ranks[route.outline.root].front() : static_cast<std::uint32_t>(request.root),
        .parent = route.outline.parent,
        .order = route.outline.order,
        .inside = route.inside,
        .stripes = static_cast<std::uint32_t>(route.outline.stripes)};
    way.trees.parent[route.outline.root] = static_cast<std::uint32_t>(route.outline.root);
    if (route.outline.segments > 1) {
      cost::route_times const& times = request.operation == collective::reduce
                                           ? search_.up(route.segment, request.gamma)
                                           : search_.down(route.segment);
      for (auto const& path : times.inside) way.inside_window.push_back(window_of(path));
    }
    return {.operation = request.operation, .route = std::move(way)};
  }

  /// Algorithms of the catalogue that no route is: all of other operations, and those that are not on a tree.
  std::vector<collective_candidate> from_catalogue(collective_request const& request, bool routed) const {
    std::vector<collective_candidate> found;
    cost::ranks_on_grid const model(models_, clusters_.cluster_of);
    for (plan::collective_algorithm const& algorithm : plan::collective_algorithms()) {
      if (algorithm.operation != request.operation || (routed && algorithm.shape != nullptr)) continue;
      if (!request.commutative && (algorithm.operands == plan::order::shuffled ||
                                   (algorithm.operands == plan::order::rotated && request.root != 0)))
        continue;
      if (!joined(algorithm)) continue;
      collective_problem problem = problem_of(request);
      // Those on trees are taken whole; only what keeps the order of operands comes here.
      double const predicted = cost::completion(algorithm.make(problem), model, request.gamma);
      found.push_back({std::string(algorithm.name),
                       {.operation = request.operation, .algorithm = std::string(algorithm.name)},
                       predicted});
    }
    return found;
  }

  /// Whether all ranks can send to all: algorithms of the catalogue know nothing of missing links.
  bool joined(plan::collective_algorithm const&) const {
    for (std::size_t a = 0; a < models_.clusters(); ++a)
      for (std::size_t b = 0; b < models_.clusters(); ++b)
        if (a != b && !models_.joined(a, b)) return false;
    return true;
  }

  collective_decision explain(collective_request const& request, collective_candidate const& best,
                              std::optional<found_route> const& route) const {
    collective_decision decision;
    decision.name = best.name;
    decision.plan = best.plan;
    decision.predicted = best.predicted;
    std::string const model(cost::name_of(models_.kind()));
    if (route) {
      decision.schedule = std::string(route->schedule) + (route->improved ? " improved" : "");
      decision.between = models_.clusters() > 1 ? route->price.between : 0;
      for (std::uint32_t c : route->outline.order)
        decision.edges.emplace_back(clusters_.original[route->outline.parent[c]], clusters_.original[c]);
      for (std::size_t c = 0; c < route->inside.size(); ++c)
        decision.inside.push_back({.cluster = clusters_.original[c],
                                   .algorithm = algorithm_name(route->inside[c], route->outline.segments > 1),
                                   .segment = route->segment,
                                   .model = model,
                                   .predicted = route->price.inside[c]});
    } else {
      for (std::size_t c : clusters_.original)
        decision.inside.push_back(
            {.cluster = c, .algorithm = best.name, .segment = request.bytes, .model = model, .predicted = 0});
    }
    decision.why = best.name + " takes least by " + model + " (" + models_.from() + ")";
    return decision;
  }

  used_clusters clusters_;
  cost::grid_models models_;
  route_search search_;
  std::unordered_map<collective_request, entry, request_hash> entries_;
};

collective_mapper::collective_mapper(platform::description machine, std::vector<plan::host_id> host_of_rank)
    : self_(std::make_unique<implementation>(machine, host_of_rank)) {}
collective_mapper::~collective_mapper() = default;
collective_mapper::collective_mapper(collective_mapper&&) noexcept = default;
collective_mapper& collective_mapper::operator=(collective_mapper&&) noexcept = default;

std::size_t collective_mapper::ranks() const {
  return self_->ranks();
}

collective_decision const& collective_mapper::decide(collective_request const& request) {
  return self_->decided(request).decision;
}

plan::rank_schedule const& collective_mapper::steps(collective_request const& request, std::size_t rank) {
  return self_->steps(request, rank);
}

}  // namespace skel::mapping
