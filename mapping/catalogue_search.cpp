#include "catalogue_search.hpp"

#include <algorithm>
#include <string>

namespace skel::mapping {

using plan::collective;
using plan::collective_algorithm;
using plan::collective_problem;

collective_problem problem_of(collective_request const& request, std::size_t ranks) {
  return {.ranks = ranks, .root = request.root, .bytes = request.bytes, .unit = request.unit};
}

std::optional<std::pair<std::size_t, std::size_t>> clusters_apart(cost::grid_models const& models) {
  for (std::size_t a = 0; a < models.clusters(); ++a)
    for (std::size_t b = 0; b < models.clusters(); ++b)
      if (a != b && !models.joined(a, b)) return std::pair(a, b);
  return std::nullopt;
}

/// A lower bound of algorithms in which pieces go round all ranks [s], of allreductions twice, otherwise 0. On each
/// round a piece leaves one hop out. O(ranks); their price takes the square.
double catalogue_search::ring_time(collective_algorithm const& algorithm, collective_problem const& problem) const {
  if (algorithm.name != "ring" && algorithm.name != "scatter_allgather") return 0;
  double sum = 0, most = 0;
  for (std::size_t rank = 0; rank < problem.ranks; ++rank) {
    double const hop = model_.transfer(
        {.bytes = static_cast<double>(problem.bytes / problem.ranks), .from = rank, .to = (rank + 1) % problem.ranks});
    sum += hop, most = std::max(most, hop);
  }
  return (algorithm.operation == collective::allreduce ? 2 : 1) * (sum - most);
}

/// A lower bound of an algorithm, computed once: no message takes longer for fewer bytes.
double catalogue_search::start_up(collective_algorithm const& algorithm, collective_problem problem) {
  auto const [at, is_new] = start_ups_.try_emplace({&algorithm, problem.root});
  problem.bytes = 0;
  if (is_new) at->second = cost::completion(algorithm.make(problem), model_);
  return at->second;
}

double catalogue_search::price_of(collective_algorithm const& algorithm, collective_request const& request) const {
  return cost::completion(algorithm.make(problem_of(request, ranks_)), model_, request.gamma);
}

std::vector<collective_candidate> catalogue_search::find(collective_request const& request, bool routed,
                                                         double enough) {
  std::vector<collective_candidate> found;
  if (clusters_apart(models_)) return {};
  collective_problem const problem = problem_of(request, ranks_);
  for (collective_algorithm const& algorithm : plan::collective_algorithms()) {
    if (algorithm.operation != request.operation || (routed && algorithm.shape != nullptr)) continue;
    if (!request.commutative && (algorithm.operands == plan::order::shuffled ||
                                 (algorithm.operands == plan::order::rotated && request.root != 0)))
      continue;
    if (routed && ring_time(algorithm, problem) > enough) continue;
    if (routed && start_up(algorithm, problem) > enough) continue;
    // Those on trees are taken whole; only what keeps the order of operands comes here.
    found.push_back({std::string(algorithm.name),
                     {.operation = request.operation, .algorithm = std::string(algorithm.name)},
                     price_of(algorithm, request)});
  }
  return found;
}

}  // namespace skel::mapping
