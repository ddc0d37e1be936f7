#include "mesh_remapper.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/mapping/decision_knowledge.hpp>

namespace skel {
namespace {

/// A program of which nobody knows the end: no entry cost counts beside so many iterations.
constexpr double most_iterations = 1e12;

}  // namespace

mesh_remapper::mesh_remapper(mesh_standing standing, mapping::mesh_to_part mesh, double planning, double error,
                             mapping::decision_setup const& decisions)
    : standing_(std::move(standing)),
      mesh_(std::move(mesh)),
      planning_(planning),
      error_(error),
      decider_(mapping::remap_choice()) {
  SKEL_EXPECTS(standing_.ranks.size() == standing_.partition.parts &&
               standing_.hosts.parts() == standing_.ranks.size());
  decider_.tell(decisions.log);
  decider_.force(decisions.forced);
}

/// The hosts of the parts with what an element took there in each phase.
cost::mesh::part_hosts mesh_remapper::hosts_now(record::mesh_record const& since, std::uint64_t iterations) const {
  auto now = standing_.hosts;
  std::vector<double> elements(standing_.ranks.size());
  for (auto const part : standing_.partition.part_of) ++elements[part];
  for (std::size_t p = 0; p < now.parts(); ++p)
    for (std::size_t s = 0; s < since.steps.size(); ++s)
      if (auto const phase = standing_.phase_of[s]; phase != mesh_standing::no_phase)
        now.seconds[p * now.phases + phase] = since.steps[s].computing[static_cast<std::size_t>(standing_.ranks[p])] /
                                              (elements[p] * static_cast<double>(iterations));
  return now;
}

std::optional<plan::partition> mesh_remapper::review(record::mesh_record const& since, std::uint64_t iterations,
                                                     double paused) {
  if (iterations == 0) return std::nullopt;
  auto const now = hosts_now(since, iterations);
  plan::cell_weights const weights{now.phases, mesh_.weights};
  auto const present = plan::figures_of(*mesh_.graph, standing_.partition, weights, now.cluster_of);
  double const measured = since.iterating / static_cast<double>(iterations),
               modelled = cost::mesh::time_of(now, present).seconds;
  std::vector<double> all(now.phases, 0);
  for (std::size_t p = 0; p < now.parts(); ++p)
    for (std::size_t j = 0; j < now.phases; ++j) all[j] += present.weights[p * now.phases + j];
  double const possible = modelled - cost::mesh::least_seconds(now, all);
  double const missed = std::max(0.0, possible) * static_cast<double>(iterations);
  missed_ += missed, unplanned_ += missed;
  seconds_ += since.iterating;
  record::mesh_review looked{.iteration = since.iterations, .stays = measured, .goes = measured};
  if (unplanned_ <= planning_) {
    reviews_.push_back(looked);
    return std::nullopt;
  }
  unplanned_ = 0;
  double const remaining = standing_.iterations && *standing_.iterations > since.iterations
                               ? static_cast<double>(*standing_.iterations - since.iterations)
                           : standing_.iterations ? 0.0
                                                  : most_iterations;
  mapping::partition_settings settings;
  settings.iterations = std::min(remaining, seconds_ / measured);  // as many as there have been
  auto found = mapping::choose_partition(mesh_, now, settings);
  // What the model does not know of, no partition takes away.
  looked.goes = std::max(0.0, measured - (modelled - found.time.seconds));
  double moved = 0;
  for (std::size_t e = 0; e < found.best.part_of.size(); ++e)
    moved += found.best.part_of[e] != standing_.partition.part_of[e] ? 1 : 0;
  looked.entry = planning_ + paused + moved * standing_.bytes_per_element / standing_.bandwidth;
  double const gain = std::max(0.0, looked.stays - looked.goes);
  looked.lost = possible > 0 ? missed_ * std::min(1.0, gain / possible) : 0;
  mapping::remap_request asked{.program = standing_.program,
                               .seconds = seconds_,
                               .ways = {{std::string(mapping::remap_choice::stay), 0, looked.stays, 0, 0},
                                        {"dealt anew", 1, looked.goes, error_, looked.entry}},
                               .items = gain > 0 ? std::min(remaining, looked.lost / gain) : 0};
  looked.moved = decider_.decide(asked).chosen().plan.index == 1;
  reviews_.push_back(looked);
  if (!looked.moved) return std::nullopt;
  missed_ = 0;
  standing_.partition = found.best;
  return std::move(found.best);
}

}  // namespace skel
