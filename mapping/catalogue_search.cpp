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

/// A lower bound of an algorithm [s], which takes less than its price; in a circle that may be the square of the ranks.
/// Otherwise it is computed once: no message takes longer for fewer bytes.
double catalogue_search::bound(collective_algorithm const& algorithm, collective_problem problem) {
  if (algorithm.rounds != nullptr) return cost::circle_bound(*algorithm.rounds, problem, model_);
  std::pair const key(&algorithm, problem.root);
  if (auto const known = start_ups_.find(key); known != start_ups_.end()) return known->second;
  problem.bytes = 0;
  return start_ups_.emplace(key, cost::algorithm_time(algorithm, problem, model_, 0)).first->second;
}

double catalogue_search::price_of(collective_algorithm const& algorithm, collective_request const& request) const {
  return cost::algorithm_time(algorithm, problem_of(request, ranks_), model_, request.gamma);
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
    if (algorithm.rounds != nullptr &&
        cost::circle_work(*algorithm.rounds, problem, model_) > cost::most_circle_messages)
      continue;
    if (routed && bound(algorithm, problem) > enough) continue;
    // Those on trees are taken whole; only what keeps the order of operands comes here.
    found.push_back({std::string(algorithm.name),
                     {.operation = request.operation, .algorithm = std::string(algorithm.name)},
                     price_of(algorithm, request)});
  }
  return found;
}

}  // namespace skel::mapping
