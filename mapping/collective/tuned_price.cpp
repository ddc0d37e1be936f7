#include <skel/detail/mapping/tuned.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include <skel/detail/base/number.hpp>
#include <skel/detail/base/split.hpp>
#include <skel/detail/cost/circle_price.hpp>
#include <skel/detail/cost/collective_tree.hpp>
#include <skel/detail/cost/grid_models.hpp>
#include <skel/detail/plan/collective.hpp>

#include "catalogue_search.hpp"
#include "tuned_decisions_text.hpp"

namespace skel::mapping {
namespace {

using plan::collective;
using plan::collective_problem;

/// Open MPI's: the children of a vertex are as many places on as its level has vertices, and twice as many.
plan::tree binary_shape(std::size_t ranks, std::size_t) {
  std::vector<std::uint32_t> parent(ranks, 0);
  for (std::size_t v = 1; v < ranks; ++v) {
    std::size_t const level = std::bit_floor(v + 1), up = v + 1 - level < level / 2 ? level / 2 : level;
    parent[v] = static_cast<std::uint32_t>(v - up);
  }
  return plan::tree(std::move(parent), false);
}

/// Open MPI's for broadcasts: a parent lacks the highest bit of its child.
plan::tree binomial_shape(std::size_t ranks, std::size_t) {
  std::vector<std::uint32_t> parent(ranks, 0);
  for (std::size_t v = 1; v < ranks; ++v) parent[v] = static_cast<std::uint32_t>(v - std::bit_floor(v));
  return plan::tree(std::move(parent), false);
}

/// Partners at distance 1, 2, 4 ... give each other all that they have. Precondition: the ranks are a power of two.
plan::schedule doubling_allgather(collective_problem const& problem) {
  plan::schedule all{std::vector<plan::rank_schedule>(problem.ranks)};
  std::size_t phase = 0;
  for (std::size_t distance = 1; distance < problem.ranks; distance *= 2, ++phase)
    for (std::size_t rank = 0; rank < problem.ranks; ++rank)
      for (auto const what : {plan::step::action::send, plan::step::action::receive})
        all.ranks[rank].add(what, rank ^ distance, phase, {.first = 0, .bytes = distance * problem.bytes});
  return all;
}

/// Ranks on a grid whose ways between clusters are separate: messages to other clusters do not wait for each other. A
/// communication_model.
struct ranks_apart {
  static constexpr bool contended = false;

  cost::ranks_on_grid const& ranks;
  std::vector<std::size_t> const& cluster_of;
  double apart;

  cost::message_times times(cost::message const& m) const {
    cost::message_times all = ranks.times(m);
    if (cluster_of[m.from] == cluster_of[m.to]) return all;
    all.send_busy *= 1 - apart, all.receive_busy *= 1 - apart;
    return all;
  }
  double send_busy(cost::message const& m) const { return times(m).send_busy; }
  double transfer(cost::message const& m) const { return ranks.transfer(m); }
  double receive_busy(cost::message const& m) const { return times(m).receive_busy; }
  double receive_overhead(cost::message const& m) const { return ranks.receive_overhead(m); }
  std::vector<double> breakpoints() const { return ranks.breakpoints(); }
};

/// Of each operation: by the least number of ranks, by the least number of bytes, the algorithm.
using decisions = std::map<std::string_view, std::map<std::uint64_t, std::map<std::uint64_t, std::string_view>>>;

decisions const& known_decisions() {
  static decisions const known = [] {
    decisions all;
    for (std::string_view const line : lines_in(tuned_decisions_text())) {
      auto const words = words_in(line);
      if (words.empty() || words[0].starts_with('#')) continue;
      auto& of = all[words[0]][number_in<std::uint64_t>(words[1]).value()];
      for (std::size_t i = 2; i + 1 < words.size(); i += 2)
        of[number_in<std::uint64_t>(words[i]).value()] = words[i + 1];
    }
    return all;
  }();
  return known;
}

constexpr std::string_view unknown = "-";
/// Longer messages wait for their receivers [B]: btl_tcp_eager_limit of Open MPI 4.1.
constexpr std::uint64_t most_eager = 64 << 10;
/// With more ranks, decisions are not known.
constexpr std::size_t most_ranks = 255;

std::string_view algorithm_of(collective operation, std::size_t ranks, std::uint64_t bytes) {
  auto const last = [](auto const& all, std::uint64_t at) { return std::prev(all.upper_bound(at)); };
  if (ranks > most_ranks) return unknown;
  return last(last(known_decisions().at(plan::name_of(operation)), ranks)->second, bytes)->second;
}

}  // namespace

class tuned_price::implementation {
 public:
  implementation(platform::description const& machine, std::vector<plan::host_id> const& host_of_rank)
      : clusters_(clusters_of_ranks(machine, host_of_rank)),
        models_(clusters_.machine, cost::model_kind::plogp),
        ranks_(models_, clusters_.cluster_of),
        apart_{ranks_, clusters_.cluster_of, models_.apart()},
        is_joined_(!clusters_apart(models_)) {}

  double least(collective_request const& request) const {
    if (!is_joined_ || !request.commutative) return 0;
    // A class has sizes that are up to an eighth less or more.
    std::uint64_t const eighth = request.bytes / 8;
    double const below = price(request, request.bytes - eighth), above = price(request, request.bytes + eighth);
    return std::min(below, above);
  }

 private:
  /// By the decision for so many bytes.
  double price(collective_request const& request, std::uint64_t decides) const {
    using enum collective;
    collective const operation = request.operation;
    collective_problem const problem = problem_of(request, clusters_.cluster_of.size());
    std::string_view algorithm = algorithm_of(operation, problem.ranks, decides);
    if (algorithm == unknown) return 0;
    auto const on = [&](plan::tree const& shape, bool up) {
      if (!up) return cost::tree_broadcast_time(shape, problem, apart_, false);
      // Receivers of long messages take them one after the other.
      return problem.bytes > most_eager ? cost::tree_reduce_time(shape, problem, ranks_, false, 0)
                                        : cost::tree_reduce_time(shape, problem, apart_, false, 0);
    };
    if (algorithm == "linear") {
      plan::tree const flat = plan::flat_tree(problem.ranks);
      return on(flat, true) + on(flat, false);
    }
    if (algorithm == "nonoverlapping") {
      collective_request part = request;
      part.operation = reduce;
      double const up = price(part, decides);
      part.operation = broadcast;
      double const down = price(part, decides);
      return up > 0 && down > 0 ? up + down : 0;
    }
    // The others become this one if ranks have no element each.
    bool const few = operation == allreduce && request.bytes / request.unit < problem.ranks;
    if (few) algorithm = "recursive_doubling";
    if (operation == broadcast || operation == reduce) {
      auto shape = plan::find_algorithm(operation, algorithm)->shape;
      if (algorithm == "binary") shape = binary_shape;
      if (algorithm == "binomial" && operation == broadcast) shape = binomial_shape;
      if (shape != nullptr) return on(shape(problem.ranks, problem.radix), operation == reduce);
    }
    if (operation == allgather && algorithm == "recursive_doubling") {
      if (std::has_single_bit(problem.ranks)) return cost::completion(doubling_allgather(problem), apart_, 0);
      algorithm = "bruck";
    }
    bool const joins = operation == barrier && algorithm == "recursive_doubling";
    return cost::algorithm_time(*plan::find_algorithm(joins ? allreduce : operation, algorithm), problem, apart_, 0);
  }

  used_clusters clusters_;
  cost::grid_models models_;
  cost::ranks_on_grid ranks_;
  ranks_apart apart_;
  bool is_joined_;
};

tuned_price::tuned_price(platform::description const& machine, std::vector<plan::host_id> const& host_of_rank)
    : self_(std::make_unique<implementation>(machine, host_of_rank)) {}
tuned_price::~tuned_price() = default;
tuned_price::tuned_price(tuned_price&&) noexcept = default;
tuned_price& tuned_price::operator=(tuned_price&&) noexcept = default;

double tuned_price::least(collective_request const& request) const {
  return self_->least(request);
}

}  // namespace skel::mapping
