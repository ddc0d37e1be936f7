#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/mapping/partition_choice.hpp>

namespace skel::mapping {
namespace {

/// Phases in which all cells weigh in the same proportions: the first of them, and the factors of its weights in the
/// others.
struct phase_group {
  std::size_t first = 0;
  std::vector<std::pair<std::size_t, double>> phases;
};

/// The factor between two phases' weights, or 0 if there is none.
double factor_between(mesh_to_part const& mesh, std::size_t phases, std::size_t a, std::size_t b) {
  constexpr double rounding = 1e-9;  // of weights that were computed in two ways
  double sum_a = 0, sum_b = 0;
  std::size_t const cells = mesh.weights.size() / phases;
  for (std::size_t c = 0; c < cells; ++c) sum_a += mesh.weights[c * phases + a], sum_b += mesh.weights[c * phases + b];
  if (!(sum_a > 0) || !(sum_b > 0)) return 0;
  double const factor = sum_b / sum_a;
  for (std::size_t c = 0; c < cells; ++c) {
    double const one = factor * mesh.weights[c * phases + a], other = mesh.weights[c * phases + b];
    if (std::abs(one - other) > rounding * std::max(one, other)) return 0;
  }
  return factor;
}

std::vector<phase_group> groups_of(mesh_to_part const& mesh, std::size_t phases) {
  std::vector<phase_group> groups;
  for (std::size_t j = 0; j < phases; ++j) {
    double factor = 0;
    auto const home = std::ranges::find_if(groups, [&](phase_group const& one) {
      factor = mesh.weights.empty() ? 1 : factor_between(mesh, phases, one.first, j);
      return factor > 0;
    });
    if (home == groups.end())
      groups.push_back({j, {{j, 1.0}}});
    else
      home->phases.emplace_back(j, factor);
  }
  return groups;
}

/// Time of weight 1 on a part in all phases of a group. It is never 0, as no host is endlessly fast.
std::vector<double> seconds_of(phase_group const& group, cost::mesh::part_hosts const& on) {
  std::vector<double> seconds(on.parts(), 0);
  for (std::size_t p = 0; p < on.parts(); ++p)
    for (auto const& one : group.phases) seconds[p] += on.seconds[p * on.phases + one.first] * one.second;
  double const slowest = *std::ranges::max_element(seconds);
  constexpr double fastest = 1e-6;  // of the slowest: more than between any two machines
  for (auto& one : seconds) one = slowest > 0 ? std::max(one, fastest * slowest) : 1;
  return seconds;
}

}  // namespace

partition_problem problem_of(mesh_to_part const& mesh, cost::mesh::part_hosts const& on) {
  SKEL_EXPECTS(mesh.graph != nullptr && on.phases > 0);
  SKEL_EXPECTS(mesh.weights.empty() || mesh.weights.size() == mesh.graph->cells() * on.phases);
  auto const groups = groups_of(mesh, on.phases);
  partition_problem made{.graph = mesh.graph, .constraints = groups.size()};
  if (!mesh.weights.empty())
    for (std::size_t c = 0; c < mesh.graph->cells(); ++c)
      for (auto const& one : groups) made.weights.push_back(mesh.weights[c * on.phases + one.first]);
  made.targets.resize(on.parts() * groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    auto const seconds = seconds_of(groups[g], on);
    double sum = 0;
    for (auto const one : seconds) sum += on.equal ? 1 : 1 / one;
    for (std::size_t p = 0; p < on.parts(); ++p)
      made.targets[p * groups.size() + g] = (on.equal ? 1 : 1 / seconds[p]) / sum;
  }
  made.cluster_of = on.cluster_of;
  made.centres = mesh.centres;
  for (std::size_t c = 0; c < on.clusters(); ++c)
    if (on.port[c] > 0) made.between = std::max(made.between, 1 + on.uplink[c] / on.port[c]);
  return made;
}

}  // namespace skel::mapping
