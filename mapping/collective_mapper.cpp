#include <skel/mapping/collective_mapper.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <skel/base/contract.hpp>
#include <skel/base/error.hpp>
#include <skel/base/lru_map.hpp>
#include <skel/cost/usable_time.hpp>
#include <skel/mapping/decision_cache.hpp>
#include <skel/mapping/poly_model.hpp>

#include "catalogue_search.hpp"
#include "collective_words.hpp"
#include "route_search.hpp"
#include "used_clusters.hpp"

namespace skel::mapping {
namespace {

using plan::collective;

/// The kinds of models that have parameters of their own in every cluster of several ranks and on every link, the most
/// detailed first; without any, pLogP from latencies and bandwidths.
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

/// Schedules between clusters take time in the cube of their number: some 10 s for an allreduction over so many.
constexpr std::size_t most_clusters = 256;

used_clusters few_enough(used_clusters clusters) {
  if (clusters.ranks.size() > most_clusters)
    throw error("a collective over " + std::to_string(clusters.ranks.size()) + " clusters cannot be scheduled; over " +
                std::to_string(most_clusters) +
                " at most it can: describe hosts that are near each other as one cluster");
  return clusters;
}

struct request_hash {
  std::size_t operator()(collective_request const& r) const {
    std::size_t seed = static_cast<std::size_t>(r.operation) * 2 + r.commutative;
    for (std::uint64_t part : {r.bytes, std::uint64_t{r.root}, r.unit, std::bit_cast<std::uint64_t>(r.gamma)})
      seed = (seed ^ part) * 0x9e3779b97f4a7c15u;
    return seed;
  }
};

/// What strings and vectors keep beside themselves [B].
std::size_t bytes_of(std::string const& text) {
  return text.capacity() + 1;
}
template <class Value>
std::size_t bytes_of(std::vector<Value> const& all) {
  return all.capacity() * sizeof(Value);
}
std::size_t bytes_of(plan::collective_plan const& plan) {
  std::size_t bytes = bytes_of(plan.algorithm);
  if (!plan.route) return bytes;
  plan::grid_route const& way = *plan.route;
  bytes += bytes_of(way.trees.clusters) + bytes_of(way.trees.parent) + bytes_of(way.trees.order) +
           bytes_of(way.trees.inside) + bytes_of(way.inside_window) + bytes_of(way.edge_window);
  for (auto const& ranks : way.trees.clusters) bytes += bytes_of(ranks);
  return bytes;
}
std::size_t bytes_of(collective_decision const& decision) {
  std::size_t bytes = bytes_of(decision.name) + bytes_of(decision.plan) + bytes_of(decision.schedule) +
                      bytes_of(decision.edges) + bytes_of(decision.inside) + bytes_of(decision.alternatives) +
                      bytes_of(decision.why);
  for (inside_choice const& one : decision.inside) bytes += bytes_of(one.algorithm) + bytes_of(one.model);
  for (collective_candidate const& one : decision.alternatives) bytes += bytes_of(one.name) + bytes_of(one.plan);
  return bytes;
}
std::size_t bytes_of(plan::rank_schedule const& steps) {
  return bytes_of(steps.load) + bytes_of(steps.unload) + bytes_of(steps.steps) + bytes_of(steps.ranges) +
         bytes_of(steps.strands) + bytes_of(steps.windows);
}

/// Nodes and buckets of a map beside an entry: two lists' pointers, a hash, an iterator and the key again.
constexpr std::size_t bytes_of_node = 8 * sizeof(void*) + sizeof(collective_request);

/// Without what its operation does not look at, so that it is decided once.
collective_request in_short(collective_request request) {
  using enum collective;
  bool const reduces = request.operation == reduce || request.operation == allreduce;
  bool const to_all = request.operation == allreduce || request.operation == allgather ||
                      request.operation == alltoall || request.operation == barrier;
  if (to_all) request.root = 0;
  if (!reduces) request.commutative = true, request.gamma = 0;
  return request;
}

}  // namespace

collective_request class_of(collective_request request) {
  request = in_short(request);
  if (request.unit == 0) return request;
  std::uint64_t const elements = request.bytes / request.unit;
  int const below = static_cast<int>(std::bit_width(elements)) - 3;  // digits that are rounded away
  if (below <= 0 || request.bytes % request.unit != 0) return request;
  std::uint64_t const step = std::uint64_t{1} << below;
  request.bytes = (elements / step + (elements % step >= step / 2 ? 1 : 0)) * step * request.unit;
  return request;
}

class collective_mapper::implementation {
 public:
  implementation(platform::description const& machine, std::vector<plan::host_id> const& host_of_rank,
                 collective_options const& options)
      : options_(options),
        clusters_(few_enough(clusters_of_ranks(machine, host_of_rank))),
        sources_(make_sources()),
        beliefs_(model_names_of(sources_)),
        decisions_({.most_entries = most_kept_bytes}),
        uses_(most_counted),
        calls_(most_counted),
        steps_(most_kept_bytes) {}

  std::size_t ranks() const { return clusters_.cluster_of.size(); }

  collective_decision const& decision(collective_request const& request) { return known(in_short(request)).answer; }

  plan::rank_schedule const& steps(collective_request const& asked, std::size_t rank) {
    SKEL_EXPECTS(rank < ranks());
    collective_request const request = in_short(asked);
    decided const& how = known(class_of(request));
    std::pair const key(request, rank);
    if (scheduled* const there = steps_.use(key)) {
      if (there->number != how.number && there->plan == how.answer.plan) there->number = how.number;
      if (there->number == how.number) return there->steps;
    }
    plan::collective_plan const& plan = how.answer.plan;
    scheduled made{how.number, plan, plan::steps_of(plan, problem_of(request, ranks()), rank)};
    std::size_t const bytes = sizeof made + bytes_of_node + bytes_of(made.plan) + bytes_of(made.steps);
    return steps_.put(key, std::move(made), bytes).steps;
  }

  bool is_to_be_timed(collective_request const& asked) {
    collective_request const request = class_of(asked);
    std::uint64_t* const before = calls_.use(request);
    std::uint64_t const calls = before == nullptr ? 1 : ++*before;
    if (before == nullptr) calls_.put(request, calls);
    return calls > 1 && std::has_single_bit(calls);
  }

  void observe(collective_request const& asked, double seconds) {
    collective_request request = class_of(asked);
    auto const* there = decisions_.find(request, 0);
    if (there == nullptr) there = decisions_.find(request = in_short(asked), 0);
    if (there == nullptr || !(seconds > 0) || !std::isfinite(seconds)) return;
    decided const made = *there;
    context const where = context_of(request);
    for (std::size_t i = 0; i < sources_.size(); ++i)
      if (double const predicted = made.by_model[i]; std::isfinite(predicted) && predicted > 0)
        beliefs_.observe(where, i, id_of(made.answer.name), predicted, seconds);
    std::uint64_t const* const before = uses_.look(request);
    std::uint64_t const uses = before == nullptr ? 1 : *before + 1;
    uses_.put(request, uses);
    double const predicted = made.by_model[made.model];
    bool const gone = predicted > 0 && decisions_.observe(request, predicted, seconds);
    if (!gone && std::has_single_bit(uses)) decide(request);
  }

 private:
  /// What one kind of model is asked with.
  struct source {
    source(used_clusters const& clusters, cost::model_kind kind, std::vector<std::size_t> sizes,
           std::vector<std::string> names)
        : models(clusters.machine, kind),
          search(models, std::move(sizes), std::move(names)),
          catalogue(models, clusters) {}

    cost::grid_models models;
    route_search search;
    catalogue_search catalogue;
  };
  /// Requests that models are believed alike for: an operation and a size within a factor of two.
  struct context {
    collective operation;
    int magnitude;

    friend bool operator==(context const&, context const&) = default;
  };
  struct context_hash {
    std::size_t operator()(context const& c) const {
      return static_cast<std::size_t>(c.operation) * 64 + static_cast<std::size_t>(c.magnitude);
    }
  };
  struct decided {
    collective_decision answer;
    std::uint64_t number = 0;      // of the decisions that this mapper has made
    std::size_t model = 0;         // that was believed
    std::vector<double> by_model;  // what each says of the plan [s]; not a number where it cannot
  };
  struct scheduled {
    std::uint64_t number;  // of the decision
    plan::collective_plan plan;
    plan::rank_schedule steps;
  };
  struct steps_hash {
    std::size_t operator()(std::pair<collective_request, std::size_t> const& key) const {
      return request_hash{}(key.first) * 31 + key.second;
    }
  };
  using priced = std::pair<collective_candidate, std::optional<found_route>>;

  /// Classes of requests whose uses are counted: operations, sizes and the roots that programs take in turn.
  static constexpr std::size_t most_counted = 4096;

  decided const& known(collective_request const& request) {
    decided const* const there = decisions_.find(request, 0);
    return there != nullptr ? *there : decide(request);
  }

  std::vector<std::unique_ptr<source>> make_sources() const {
    std::vector<std::unique_ptr<source>> all;
    for (cost::model_kind const kind : known_kinds(clusters_.machine))
      all.push_back(std::make_unique<source>(clusters_, kind, sizes(), cluster_names()));
    return all;
  }
  static std::vector<candidate_model> model_names_of(std::vector<std::unique_ptr<source>> const& sources) {
    std::vector<candidate_model> names;
    for (auto const& one : sources)
      names.push_back({std::string(cost::name_of(one->models.kind())), {.error = usual_error}});
    return names;
  }

  static context context_of(collective_request const& request) {
    return {request.operation, static_cast<int>(std::bit_width(request.bytes))};
  }
  static std::uint64_t id_of(std::string const& name) { return std::hash<std::string>{}(name); }

  std::vector<std::size_t> sizes() const {
    std::vector<std::size_t> result;
    for (auto const& ranks : clusters_.ranks) result.push_back(ranks.size());
    return result;
  }
  std::vector<std::string> cluster_names() const {
    std::vector<std::string> result;
    for (auto const& cluster : clusters_.machine.clusters()) result.push_back(cluster.name);
    return result;
  }
  /// All candidates, with the prices of one model, the least first.
  std::vector<priced> candidates(collective_request const& request, source& by) const {
    std::vector<priced> all;
    bool const reduces = request.operation == collective::reduce || request.operation == collective::allreduce;
    bool const routed = request.operation == collective::broadcast || (reduces && request.commutative);
    if (routed) {
      for (found_route& route : by.search.find(question_of(request))) {
        collective_candidate candidate{name_of(route, clusters_), plan_of(request, route, by.search),
                                       route.price.total};
        all.emplace_back(std::move(candidate), std::move(route));
      }
    }
    double enough = std::numeric_limits<double>::infinity();
    for (priced const& one : all) enough = std::min(enough, one.first.predicted);
    for (auto& candidate : by.catalogue.find(request, routed, enough))
      all.emplace_back(std::move(candidate), std::nullopt);
    if (all.empty()) refuse_for_missing_link(request, by.models);
    std::ranges::stable_sort(all, {}, [](priced const& one) { return one.first.predicted; });
    // Of a tie, what needs the fewest messages; and of these, what spreads the work over the ranks: that a slow link is
    // the bottleneck holds only as long as ports keep up with it.
    auto const messages = [](priced const& one) {
      return one.second ? one.second->outline.segments * 2 + (one.second->outline.stripes > 1 ? 0 : 1)
                        : std::uint64_t{2};
    };
    auto const tied = std::ranges::find_if(all, [&](priced const& one) {
      return one.first.predicted > all.front().first.predicted * (1 + price_tolerance);
    });
    auto const simplest = std::min_element(all.begin(), tied,
                                           [&](priced const& a, priced const& b) { return messages(a) < messages(b); });
    std::rotate(all.begin(), simplest, simplest + 1);
    return all;
  }

  route_search::question question_of(collective_request const& request) const {
    return {.operation = request.operation,
            .bytes = request.bytes,
            .unit = request.unit,
            .root = clusters_.cluster_of[request.root],
            .gamma = request.gamma,
            .most_stripes = options_.most_stripes};
  }

  /// What each model says of a plan; `by` has said it.
  std::vector<double> all_prices(collective_request const& request, priced const& chosen, std::size_t by) {
    std::vector<double> result;
    for (auto const& one : sources_) {
      if (result.size() == by) {
        result.push_back(chosen.first.predicted);
      } else if (chosen.second) {
        result.push_back(one->search.price_of(question_of(request), *chosen.second));
      } else {
        auto const* const how = plan::find_algorithm(request.operation, chosen.first.plan.algorithm);
        result.push_back(one->catalogue.price_of(*how, request));
      }
    }
    return result;
  }

  decided const& decide(collective_request const& request) {
    SKEL_EXPECTS(request.root < ranks() && request.gamma >= 0);
    if (request.unit == 0 || request.bytes % request.unit != 0)
      throw error("a vector of " + std::to_string(request.bytes) + " bytes is not whole elements of " +
                  std::to_string(request.unit) + " bytes");
    cost::require_priceable(request.operation, problem_of(request, ranks()));
    cost::require_usable(request.gamma * static_cast<double>(request.bytes),
                         [&] { return "combining " + std::to_string(request.bytes) + " bytes"; });
    context const where = context_of(request);
    std::uint64_t const* const observed = uses_.look(request);
    double const uses = observed == nullptr ? 1 : static_cast<double>(*observed);
    belief const believed = beliefs_.believe(where, {.uses = uses, .seconds = 1});
    source& by = *sources_[believed.model];
    std::vector<priced> all = candidates(request, by);
    std::size_t index = 0;
    bool trial = false;
    if (observed != nullptr) {
      std::vector<candidate_time> times;
      for (priced const& one : all) times.push_back({id_of(one.first.name), std::max(one.first.predicted, 1e-12)});
      // It will be used twice as often as it was, and is thought of again after half of that.
      candidate_choice const choice = beliefs_.choose(where, believed.model, times, 2 * uses, uses);
      index = choice.index, trial = choice.trial;
    }
    priced chosen = std::move(all[index]);
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(index));
    decided made{explain(request, chosen.first, chosen.second, by.models, clusters_), ++decisions_made_, believed.model,
                 all_prices(request, chosen, believed.model)};
    for (priced& other : all) made.answer.alternatives.push_back(std::move(other.first));
    made.answer.why = reason(made.answer, by.models, observed != nullptr, trial);
    if (sources_.size() > 1) made.answer.why += "; " + believed.why;
    corrected_time const forecast =
        beliefs_.correct(where, believed.model, id_of(made.answer.name), std::max(made.answer.predicted, 1e-12));
    std::size_t const bytes = sizeof made + bytes_of_node + bytes_of(made.answer) + bytes_of(made.by_model);
    return decisions_.put(request, std::move(made), 0, {.bias = forecast.bias, .scatter = forecast.scatter}, bytes);
  }

  plan::collective_plan plan_of(collective_request const& request, found_route const& route,
                                route_search& search) const {
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
      cost::route_times const& times = request.operation == collective::reduce ? search.up(route.segment, request.gamma)
                                                                               : search.down(route.segment);
      way.trees.turns = cost::turns_of(request.operation, route.outline, times);
      way.inside_window = cost::inside_windows(request.operation, route.outline, times, route.price);
      way.root_window = cost::window_of(times.inside[route.outline.root]);
    }
    return {.operation = request.operation, .route = std::move(way)};
  }

  [[noreturn]] void refuse_for_missing_link(collective_request const& request, cost::grid_models const& models) const {
    auto const apart = clusters_apart(models);
    SKEL_EXPECTS(apart.has_value());
    auto const& clusters = clusters_.machine.clusters();
    throw error(std::string(plan::name_of(request.operation)) +
                (request.commutative ? "" : " in the order of the ranks") +
                " needs links between all clusters, and there is none from cluster '" + clusters[apart->first].name +
                "' to cluster '" + clusters[apart->second].name + "'; add it to the platform");
  }

  collective_options options_;
  used_clusters clusters_;
  std::vector<std::unique_ptr<source>> sources_;  // in the order of the models of beliefs_
  poly_model<context, context_hash> beliefs_;
  decision_cache<collective_request, decided, request_hash> decisions_;
  std::uint64_t decisions_made_ = 0;
  lru_map<collective_request, std::uint64_t, request_hash> uses_;   // that were observed
  lru_map<collective_request, std::uint64_t, request_hash> calls_;  // of is_to_be_timed()
  lru_map<std::pair<collective_request, std::size_t>, scheduled, steps_hash> steps_;
};

collective_mapper::collective_mapper(platform::description machine, std::vector<plan::host_id> host_of_rank,
                                     collective_options const& options)
    : self_(std::make_unique<implementation>(machine, host_of_rank, options)) {}
collective_mapper::~collective_mapper() = default;
collective_mapper::collective_mapper(collective_mapper&&) noexcept = default;
collective_mapper& collective_mapper::operator=(collective_mapper&&) noexcept = default;

std::size_t collective_mapper::ranks() const {
  return self_->ranks();
}

collective_decision const& collective_mapper::decide(collective_request const& request) {
  return self_->decision(request);
}

bool collective_mapper::is_to_be_timed(collective_request const& request) {
  return self_->is_to_be_timed(request);
}

void collective_mapper::observe(collective_request const& request, double seconds) {
  self_->observe(request, seconds);
}

plan::rank_schedule const& collective_mapper::steps(collective_request const& request, std::size_t rank) {
  return self_->steps(request, rank);
}

}  // namespace skel::mapping
