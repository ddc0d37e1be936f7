#include <skel/detail/mapping/tuned_rules.hpp>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/cost/circle_price.hpp>
#include <skel/detail/cost/collective_price.hpp>
#include <skel/detail/cost/grid_models.hpp>
#include <skel/detail/cost/usable_time.hpp>

namespace skel::mapping {
namespace {

using plan::collective;

/// Shorter segments do not make shorter packets (Ethernet's carry 1460 B), which models that know no more than latency
/// and bandwidth cannot tell: with them a segment of one byte would be best.
constexpr std::uint64_t least_segment = 1024;

/// An operation's number in coll/tuned: its place in the alphabet of all 22 that it knows.
int number_of(collective operation) {
  static std::map<collective, int> const numbers{
      {collective::allgather, 0}, {collective::allreduce, 2}, {collective::alltoall, 3}, {collective::barrier, 6},
      {collective::broadcast, 7}, {collective::gather, 9},    {collective::reduce, 11},  {collective::scatter, 15}};
  return numbers.at(operation);
}

/// What Open MPI counts for one byte of ours.
std::size_t parts_of(collective operation, std::size_t ranks) {
  return plan::in_parts(operation) ? ranks : 1;
}

std::vector<std::size_t> usual_ranks(std::size_t hosts) {
  std::vector<std::size_t> result;
  for (std::size_t ranks = 2; ranks < hosts; ranks *= 2) result.push_back(ranks);
  result.push_back(hosts);
  return result;
}

std::vector<std::uint64_t> usual_bytes() {
  std::vector<std::uint64_t> result;
  for (std::uint64_t bytes = 256; bytes <= 16 << 20; bytes *= 2) result.push_back(bytes);
  return result;
}

template <class Numbers>
void sort_once(Numbers& numbers) {
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

struct pricing {
  cost::ranks_on_grid const& model;
  double gamma;

  /// The rule with the best segment; nothing where the algorithm certainly takes longer than `enough` [s].
  std::optional<tuned_rule> best(tuned_algorithm const& one, plan::collective_problem problem, double enough) const {
    auto const& algorithm = *plan::find_algorithm(one.operation, one.name);
    if (cost::price_bound(algorithm, problem, model) > enough) return std::nullopt;
    std::vector<std::uint64_t> segments{0};
    if (algorithm.segmented)
      for (std::uint64_t size = least_segment; size < problem.bytes; size *= 2) segments.push_back(size);
    std::optional<tuned_rule> result;
    for (std::uint64_t const segment : segments) {
      problem.segment = segment;
      double const predicted = cost::collective_price(algorithm, problem, model, gamma);
      if (!result || predicted < result->predicted)
        result = tuned_rule{0, one.number, one.fanout, segment, one.name, predicted};
    }
    return result;
  }
};

/// The algorithms of an operation, those whose prices may take the square of the ranks last.
std::vector<tuned_algorithm> by_effort(collective operation) {
  std::vector<tuned_algorithm> result;
  std::ranges::copy_if(tuned_algorithms(), std::back_inserter(result),
                       [&](tuned_algorithm const& one) { return one.operation == operation; });
  std::stable_partition(result.begin(), result.end(), [](tuned_algorithm const& one) {
    return plan::find_algorithm(one.operation, one.name)->rounds == nullptr;
  });
  return result;
}

/// Of equals, the one that stands first in the table.
bool better(tuned_rule const& a, tuned_rule const& b) {
  return a.predicted != b.predicted ? a.predicted < b.predicted : a.algorithm < b.algorithm;
}

std::vector<tuned_rule> rules_for(collective operation, std::size_t ranks, tuned_request const& request,
                                  pricing const& prices) {
  std::vector<tuned_rule> result;
  for (std::uint64_t const bytes : request.bytes) {
    plan::collective_problem const problem{.ranks = ranks, .bytes = bytes / parts_of(operation, ranks)};
    std::optional<tuned_rule> best;
    for (auto const& one : by_effort(operation)) {
      if (request.every_operator && !one.every_operator) continue;
      double const enough = best ? best->predicted : std::numeric_limits<double>::infinity();
      auto const rule = prices.best(one, problem, enough);
      if (rule && (!best || better(*rule, *best))) best = rule;
    }
    best->bytes = bytes;
    auto const same = [&](tuned_rule const& last) {
      return last.algorithm == best->algorithm && last.fanout == best->fanout && last.segment == best->segment;
    };
    if (result.empty() || !same(result.back())) result.push_back(*best);
    if (operation == collective::barrier) break;
  }
  return result;
}

/// Throws where two of the first clusters are not joined, or the longest message that rules are for takes too long.
void require_usable_paths(platform::description const& machine, std::size_t clusters, cost::grid_models const& models,
                          tuned_request const& request) {
  auto const bytes = static_cast<double>(request.bytes.back());
  cost::require_usable(request.gamma * bytes,
                       [&] { return "combining " + std::to_string(request.bytes.back()) + " bytes"; });
  std::size_t a = 0;
  for (std::size_t from = 0; from < clusters; a += machine.clusters()[from++].hosts) {
    models.inside(from, bytes);
    std::size_t b = 0;
    for (std::size_t to = 0; to < clusters; b += machine.clusters()[to++].hosts) {
      if (from == to) continue;
      machine.path(a, b);  // throws where there is none
      models.between(from, to, bytes);
    }
  }
}

}  // namespace

std::vector<tuned_algorithm> const& tuned_algorithms() {
  using enum plan::collective;
  static std::vector<tuned_algorithm> const all{
      {broadcast, "flat", 1, 0, true},
      {broadcast, "chain", 2, 1, true},
      {broadcast, "pipeline", 3, 0, true},
      {broadcast, "binary", 5, 0, true},
      {broadcast, "segmented_binary", 5, 0, true},
      {broadcast, "binomial", 6, 0, true},
      {broadcast, "segmented_binomial", 6, 0, true},
      {broadcast, "k_nomial", 7, 0, true},
      {broadcast, "segmented_k_nomial", 7, 0, true},
      {broadcast, "scatter_allgather", 9, 0, true},
      {reduce, "flat", 1, 0, true},
      {reduce, "chain", 2, 1, false},
      {reduce, "pipeline", 3, 0, false},
      {reduce, "binary", 4, 0, false},
      {reduce, "segmented_binary", 4, 0, false},
      {reduce, "binomial", 5, 0, false},
      {reduce, "segmented_binomial", 5, 0, false},
      {reduce, "rabenseifner", 7, 0, false},
      {allreduce, "recursive_doubling", 3, 0, true},
      {allreduce, "ring", 4, 0, false},
      {allreduce, "rabenseifner", 6, 0, false},
      {scatter, "flat", 1, 0, true},
      {scatter, "binomial", 2, 0, true},
      {gather, "flat", 1, 0, true},
      {gather, "binomial", 2, 0, true},
      {allgather, "bruck", 2, 0, true},
      {allgather, "ring", 4, 0, true},
      {alltoall, "spread_out", 1, 0, true},
      {alltoall, "pairwise", 2, 0, true},
      {alltoall, "bruck", 3, 0, true},
      {barrier, "dissemination", 4, 0, true},
  };
  return all;
}

std::vector<tuned_collective> make_tuned_rules(platform::description const& machine, tuned_request const& wanted,
                                               std::string const& source) {
  tuned_request request = wanted;
  std::size_t const hosts = machine.host_count();
  if (hosts < 2) throw error(source + ": has 1 host; rules are for 2 hosts or more");
  if (request.ranks.empty()) request.ranks = usual_ranks(hosts);
  if (request.bytes.empty()) request.bytes = usual_bytes();
  request.bytes.push_back(0);
  sort_once(request.ranks);
  sort_once(request.bytes);
  if (request.ranks.front() < 2) throw error("rules for fewer than 2 ranks have nothing to choose; leave them out");
  std::size_t const most = request.ranks.back();
  if (most > hosts)
    throw error("rules for " + std::to_string(most) + " ranks are wanted, and " + source + " has " +
                std::to_string(hosts) + " hosts; add hosts, or ask for fewer ranks");
  std::size_t const clusters = machine.cluster_of(most - 1) + 1;
  cost::grid_models const models(machine, clusters == 1 ? cost::model_kind::plogp : cost::model_kind::steffenel,
                                 source);
  require_usable_paths(machine, clusters, models, request);
  std::vector<cost::ranks_on_grid> among;  // each number of ranks
  for (std::size_t const ranks : request.ranks) {
    cost::require_priceable(collective::alltoall, {.ranks = ranks, .bytes = request.bytes.back() / ranks});
    std::vector<std::size_t> cluster_of(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) cluster_of[rank] = machine.cluster_of(rank);
    among.emplace_back(models, std::move(cluster_of));
  }
  std::vector<tuned_collective> result;
  for (auto const& one : tuned_algorithms()) {
    if (!result.empty() && result.back().operation == one.operation) continue;
    tuned_collective rules{one.operation, number_of(one.operation), {}};
    for (std::size_t i = 0; i < among.size(); ++i) {
      std::size_t const ranks = request.ranks[i];
      rules.sizes.push_back({ranks, rules_for(one.operation, ranks, request, {among[i], request.gamma})});
    }
    result.push_back(std::move(rules));
  }
  return result;
}

std::string to_text(std::vector<tuned_collective> const& rules, std::string const& source) {
  std::string const name = source.substr(0, source.find('\n'));
  std::string text = "# Rules of Open MPI's coll/tuned, from the models of " + name + "\n" +
                     std::to_string(rules.size()) + " # collectives\n";
  auto const line = [&](std::uint64_t number, std::string const& comment) {
    text += std::to_string(number).append(" # ").append(comment).append("\n");
  };
  for (auto const& of : rules) {
    line(static_cast<std::uint64_t>(of.number), std::string(name_of(of.operation)));
    line(of.sizes.size(), "communicator sizes");
    for (auto const& [ranks, choices] : of.sizes) {
      line(ranks, "ranks and more");
      line(choices.size(), "rules: bytes and more, algorithm, fanout, segment");
      for (auto const& rule : choices)
        text += std::to_string(rule.bytes) + " " + std::to_string(rule.algorithm) + " " + std::to_string(rule.fanout) +
                " " + std::to_string(rule.segment) + " # " + std::string(rule.name) + "\n";
    }
  }
  return text;
}

}  // namespace skel::mapping
