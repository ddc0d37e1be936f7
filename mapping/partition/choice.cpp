#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/mapping/partition_choice.hpp>

#include "attempt.hpp"
#include "price_refinement.hpp"

namespace skel::mapping {
namespace {

/// Approximate time of a method [s].
double effort(partition_method const& method, partition_problem const& of) {
  return method.seconds_per_entry * static_cast<double>(of.graph->neighbours.size()) *
         static_cast<double>(std::bit_width(of.parts()));
}

/// Partitions as they are made, with the time of an iteration with each.
class judged {
 public:
  judged(mesh_to_part const& mesh, cost::mesh::part_hosts const& on) : mesh_(mesh), on_(on) {}

  void fail(std::string method, std::string why) {
    candidates_.push_back({std::move(method), std::numeric_limits<double>::infinity(), std::move(why)});
  }
  /// Time of an iteration [s].
  double judge(std::string method, std::vector<std::uint32_t> parts, std::string fault) {
    plan::partition made{on_.parts(), std::move(parts), method};
    auto figures = plan::figures_of(*mesh_.graph, made, weights(), on_.cluster_of);
    auto time = cost::mesh::time_of(on_, figures);
    candidates_.push_back({std::move(method), time.seconds, std::move(fault)});
    double const seconds = time.seconds;
    if (!best_ || seconds < least()) best_ = partition_choice{std::move(made), std::move(figures), std::move(time), {}};
    return seconds;
  }
  plan::cell_weights weights() const { return {on_.phases, mesh_.weights}; }
  double least() const { return best_ ? best_->time.seconds : std::numeric_limits<double>::infinity(); }

  partition_choice take() {
    std::string faults;
    for (auto const& one : candidates_)
      if (!one.fault.empty()) partitioning::append(faults, one.method, one.fault);
    if (!best_) throw error("partition: no method gives one: " + faults);
    if (!std::isfinite(least())) throw error("partition: no iteration is possible: " + why_impossible());
    best_->candidates = std::move(candidates_);
    std::ranges::stable_sort(best_->candidates, {}, &partition_candidate::seconds);
    auto& words = best_->best.method;
    if (best_->candidates.size() > 1) words += ", the best of " + counted(best_->candidates.size(), "partition");
    if (!faults.empty()) words += " (" + faults + ")";
    return std::move(*best_);
  }

 private:
  std::string why_impossible() const {
    if (!std::isfinite(on_.latency)) return "clusters have no link to each other; leave some out, or add the link";
    for (std::size_t p = 0; p < on_.parts(); ++p)
      if (static_cast<double>(best_->figures.cells[p]) > on_.most_cells[p])
        return "part " + std::to_string(p) + " has " + counted(best_->figures.cells[p], "cell") +
               ", and its host has memory for " + shown(std::floor(on_.most_cells[p])) +
               "; add hosts or memory, or take a smaller mesh";
    return "a part takes infinitely long";
  }

  mesh_to_part const& mesh_;
  cost::mesh::part_hosts const& on_;
  std::vector<partition_candidate> candidates_;
  std::optional<partition_choice> best_;
};

}  // namespace

partition_choice choose_partition(mesh_to_part const& mesh, cost::mesh::part_hosts const& on,
                                  partition_settings const& settings) {
  auto const problem = problem_of(mesh, on);
  expect_problem(problem);
  judged all(mesh, on);
  if (problem.parts() == 1) {
    all.judge("one part", partitioning::one_part(problem).part_of, {});
    return all.take();
  }
  std::vector<double> weigh(on.phases, 0);
  for (std::size_t c = 0; c < problem.cells(); ++c)
    for (std::size_t j = 0; j < on.phases; ++j) weigh[j] += all.weights().of(c, j);
  double const bound = cost::mesh::least_seconds(on, weigh);
  for (auto const& method : settings.methods) {
    if (problem.clusters() == 1 && method.between_clusters) continue;
    std::vector<std::uint32_t> best;
    std::string best_name;
    double least = std::numeric_limits<double>::infinity();
    for (auto const tolerance : settings.tolerances) {
      if (effort(method, problem) > settings.iterations * (all.least() - bound)) continue;
      auto const name = method.name + ", " + shown(100 * tolerance) + " %";
      auto made = partitioning::try_method(method, problem, tolerance);
      if (!made.broken.empty()) {
        all.fail(name, made.broken);
        continue;
      }
      double const seconds = all.judge(name, made.parts, made.unbalanced);
      if (best.empty() || seconds < least) best = std::move(made.parts), best_name = name, least = seconds;
    }
    if (best.empty() || !std::isfinite(on.latency)) continue;
    partitioning::move_by_price(*mesh.graph, all.weights(), on, best);
    all.judge(best_name + ", refined", std::move(best), {});
  }
  return all.take();
}

}  // namespace skel::mapping
