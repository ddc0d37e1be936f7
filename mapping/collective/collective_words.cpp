#include "collective_selection.hpp"

#include <cmath>
#include <cstddef>

namespace skel::mapping {
namespace {

std::string algorithm_name(plan::inside_tree const& tree, bool segmented) {
  std::string const name(plan::name_of(tree.shape));
  if (!segmented) return name;
  return tree.shape == plan::tree_shape::chain ? "pipeline" : "segmented_" + name;
}

/// From here on a percentage says no more than "much".
constexpr double much = 1e4;

std::string compared(double part) {
  if (!(part < much)) return "much more";
  long const whole = std::lround(100 * part);
  return whole == 0 ? "as much" : std::to_string(std::abs(whole)) + (whole > 0 ? " % more" : " % less");
}

}  // namespace

bool is_tree(std::string_view name) {
  name.remove_prefix(name.rfind(' ') + 1);  // none: from the beginning
  constexpr std::string_view cut = "segmented_";
  if (name == "pipeline") return true;
  if (name.starts_with(cut)) name.remove_prefix(cut.size());
  using enum plan::tree_shape;
  for (auto const shape : {flat, chain, binary, binomial, k_nomial})
    if (name == plan::name_of(shape)) return true;
  return false;
}

std::string name_of(found_route const& route, used_clusters const& clusters) {
  std::string name;
  for (std::size_t c = 0; c < route.inside.size(); ++c) {
    std::string const inside =
        clusters.ranks[c].size() > 1 ? algorithm_name(route.inside[c], route.outline.segments > 1) : "";
    if (!inside.empty() && name.find(inside) == std::string::npos) name += (name.empty() ? "" : "+") + inside;
  }
  if (name.empty()) name = "direct";
  if (!route.schedule.empty()) name = std::string(route.schedule) + (route.improved ? "*" : "") + " " + name;
  if (route.outline.segments > 1) name += ", " + std::to_string(route.segment) + " B";
  if (route.outline.stripes > 1) name += ", " + std::to_string(route.outline.stripes) + " stripes";
  return name;
}

collective_decision explain(collective_request const& request, collective_candidate const& best,
                            std::optional<found_route> const& route, cost::grid_models const& models,
                            used_clusters const& clusters) {
  collective_decision decision;
  decision.name = best.name;
  decision.plan = best.plan;
  decision.predicted = best.predicted;
  std::string const model(cost::name_of(models.kind()));
  if (route) {
    decision.schedule = std::string(route->schedule) + (route->improved ? " improved" : "");
    decision.between = models.clusters() > 1 ? route->price.between : 0;
    for (std::uint32_t c : route->outline.order)
      decision.edges.emplace_back(clusters.original[route->outline.parent[c]], clusters.original[c]);
    for (std::size_t c = 0; c < route->inside.size(); ++c)
      decision.inside.push_back({.cluster = clusters.original[c],
                                 .algorithm = algorithm_name(route->inside[c], route->outline.segments > 1),
                                 .segment = route->segment,
                                 .model = model,
                                 .predicted = route->price.inside[c]});
  } else {
    for (std::size_t c : clusters.original)
      decision.inside.push_back(
          {.cluster = c, .algorithm = best.name, .segment = request.bytes, .model = model, .predicted = 0});
  }
  return decision;
}

std::string reason(collective_decision const& made, cost::grid_models const& models, bool corrected, bool trial) {
  std::string const by = " by " + std::string(cost::name_of(models.kind())) + " (" + models.from() + ")" +
                         (corrected ? " and what was measured" : "");
  auto const* const next = made.alternatives.empty() ? nullptr : &made.alternatives.front();
  if (trial) return made.name + " is tried, because knowing its time is expected to pay" + by;
  bool const tie = !corrected && next != nullptr && next->predicted < made.predicted;
  std::string text = made.name + (tie ? " takes as good as least, and asks less of the machine," : " takes least") + by;
  if (next != nullptr) text += "; next is " + next->name + ", " + compared(next->predicted / made.predicted - 1);
  return text;
}

}  // namespace skel::mapping
