#include <skel/detail/mapping/collective_mapper.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/lru_map.hpp>
#include <skel/detail/mapping/decider.hpp>
#include <skel/detail/mapping/decision_knowledge.hpp>

#include "catalogue_search.hpp"
#include "collective_selection.hpp"

namespace skel::mapping {
namespace {

/// Schedules between clusters take time in the cube of their number: some 10 s for an allreduction over so many.
constexpr std::size_t most_clusters = 256;

used_clusters few_enough(used_clusters clusters) {
  if (clusters.ranks.size() > most_clusters)
    throw error("a collective over " + std::to_string(clusters.ranks.size()) + " clusters cannot be scheduled; over " +
                std::to_string(most_clusters) +
                " at most it can: describe hosts that are near each other as one cluster");
  return clusters;
}

/// Part of the bytes of decisions that explanations in words may take.
constexpr std::size_t most_explained = most_kept_bytes / 4;

std::size_t bytes_of(std::string const& text) {
  return text.capacity() + 1;
}
template <class Value>
std::size_t bytes_of(std::vector<Value> const& all) {
  return all.capacity() * sizeof(Value);
}
std::size_t bytes_of(collective_decision const& decision) {
  std::size_t bytes = bytes_of(decision.name) + mapping::bytes_of(decision.plan) + bytes_of(decision.schedule) +
                      bytes_of(decision.edges) + bytes_of(decision.inside) + bytes_of(decision.alternatives) +
                      bytes_of(decision.why);
  for (inside_choice const& one : decision.inside) bytes += bytes_of(one.algorithm) + bytes_of(one.model);
  for (collective_candidate const& one : decision.alternatives)
    bytes += bytes_of(one.name) + mapping::bytes_of(one.plan);
  return bytes;
}
std::size_t bytes_of(plan::rank_schedule const& steps) {
  return bytes_of(steps.load) + bytes_of(steps.unload) + bytes_of(steps.steps) + bytes_of(steps.ranges) +
         bytes_of(steps.strands) + bytes_of(steps.windows);
}

/// Nodes and buckets of a map beside an entry: two lists' pointers, a hash, an iterator and the key again.
constexpr std::size_t bytes_of_node = 8 * sizeof(void*) + sizeof(collective_request);

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
      : host_of_rank_(host_of_rank),
        options_(options),
        decider_(collective_selection(few_enough(clusters_of_ranks(machine, host_of_rank)), options),
                 {.most_bytes = most_kept_bytes - most_explained}),
        explained_(most_explained),
        steps_(most_kept_bytes) {}

  std::size_t ranks() const { return decider_.problem().ranks(); }
  void set_up(decision_setup const& as) { mapping::set_up(decider_, as); }
  decision_entries learnt() const { return to_entries(decider_.knowledge()); }

  void turn_to(std::uint64_t picture, platform::description const& machine) {
    decider_.turn_to(picture, collective_selection(few_enough(clusters_of_ranks(machine, host_of_rank_)), options_));
  }

  collective_decision const& decision(collective_request const& asked) {
    collective_request const request = in_short(asked);
    auto const& made = decider_.decide(request);
    if (explanation* const there = explained_.use(request); there != nullptr && there->number == made.number)
      return there->answer;
    explanation fresh{made.number, explain(made, request)};
    std::size_t const bytes = sizeof fresh + bytes_of_node + bytes_of(fresh.answer);
    return explained_.put(request, std::move(fresh), bytes).answer;
  }

  double predicted(collective_request const& request) {
    return decider_.decide(in_short(request)).chosen().plan.what.predicted;
  }

  double unlearnt(collective_request const& request) {
    double least = std::numeric_limits<double>::infinity();
    for (auto const& one : decider_.problem().candidates(in_short(request), 0, false))
      least = std::min(least, one.plan.what.predicted);
    return least;
  }

  bool begin(collective_request const& request) {
    (void)decider_.use(class_of(request));
    return decider_.is_to_be_observed(class_of(request));
  }

  void observe(collective_request const& request, double seconds) { decider_.observe(class_of(request), seconds); }

  plan::rank_schedule const& steps(collective_request const& asked, std::size_t rank) {
    SKEL_EXPECTS(rank < ranks());
    collective_request const request = in_short(asked);
    auto const& made = decider_.decide(class_of(request));
    plan::collective_plan const& plan = made.chosen().plan.what.plan;
    std::pair const key(request, rank);
    if (scheduled* const there = steps_.use(key)) {
      if (there->number != made.number && there->plan == plan) there->number = made.number;
      if (there->number == made.number) return there->steps;
    }
    scheduled fresh{made.number, plan, plan::steps_of(plan, problem_of(request, ranks()), rank)};
    std::size_t const bytes = sizeof fresh + bytes_of_node + mapping::bytes_of(fresh.plan) + bytes_of(fresh.steps);
    return steps_.put(key, std::move(fresh), bytes).steps;
  }

 private:
  struct explanation {
    std::uint64_t number;  // of the decision
    collective_decision answer;
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

  collective_decision explain(decided<collective_way> const& made, collective_request const& request) const {
    collective_selection const& problem = decider_.problem();
    collective_way const& way = made.chosen().plan;
    cost::grid_models const& by = problem.model(made.model);
    collective_decision answer = mapping::explain(request, way.what, way.route, by, problem.clusters());
    bool corrected = false;
    for (auto const& one : made.ranked) corrected = corrected || one.time.bias != 0;
    for (std::size_t k = 1; k < made.ranked.size(); ++k) answer.alternatives.push_back(made.ranked[k].way.plan.what);
    std::ranges::stable_sort(answer.alternatives, {}, &collective_candidate::predicted);
    answer.why = reason(answer, by, corrected, made.why == decision_reason::trial);
    if (problem.models().size() > 1) answer.why += "; " + decider_.why_believed(request);
    return answer;
  }

  std::vector<plan::host_id> host_of_rank_;
  collective_options options_;
  decider<collective_selection> decider_;
  lru_map<collective_request, explanation, request_hash> explained_;
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

void collective_mapper::set_up(decision_setup const& as) {
  self_->set_up(as);
}

decision_entries collective_mapper::learnt() const {
  return self_->learnt();
}

void collective_mapper::turn_to(std::uint64_t picture, platform::description const& machine) {
  self_->turn_to(picture, machine);
}

collective_decision const& collective_mapper::decide(collective_request const& request) {
  return self_->decision(request);
}

double collective_mapper::predicted(collective_request const& request) {
  return self_->predicted(request);
}

double collective_mapper::unlearnt(collective_request const& request) {
  return self_->unlearnt(request);
}

bool collective_mapper::begin(collective_request const& request) {
  return self_->begin(request);
}

void collective_mapper::observe(collective_request const& request, double seconds) {
  self_->observe(request, seconds);
}

plan::rank_schedule const& collective_mapper::steps(collective_request const& request, std::size_t rank) {
  return self_->steps(request, rank);
}

}  // namespace skel::mapping
