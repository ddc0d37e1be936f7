#include "line_model.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/plan/run_plan.hpp>

#include "planner.hpp"

namespace skel::line_model {
namespace {

bool has(std::vector<int> const& ranks, int rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

std::vector<std::string> hosts_of_ranks(processor_map const& processors, std::vector<int> const& ranks) {
  std::vector<std::string> names;
  for (std::size_t p = 0; p < processors.rank_of.size(); ++p)
    if (has(ranks, processors.rank_of[p])) names.push_back(processors.platform.host_name(p));
  return names;
}

/// Pins of a farm's workers: the name of a host means the processors of its ranks, in turn, of `stays` alone where that
/// is one of them.
std::vector<std::string> processors_named(std::vector<std::string> names, processor_map const& processors,
                                          std::optional<int> stays) {
  std::map<std::string, std::size_t> met;
  for (auto& name : names) {
    if (processors.platform.find_host(name)) continue;
    auto const ranks = processors.find_ranks(name);
    auto const own = hosts_of_ranks(processors, stays && has(ranks, *stays) ? std::vector{*stays} : ranks);
    if (own.empty()) continue;  // none that is known
    auto const turn = met[name]++;
    name = own[turn % own.size()];
  }
  return names;
}

/// Serial stations that have to be on some ranks: the greatest work first, each goes to the processor of those ranks
/// that has least so far. Source: Graham 1969, SIAM J. Appl. Math. 17(2):416-429 (longest processing time first).
std::vector<std::string> spread_over_ranks(std::vector<double> const& work, std::vector<std::vector<int>> const& ranks,
                                           processor_map const& processors) {
  std::vector<std::size_t> order;
  for (std::size_t s = 0; s < work.size(); ++s)
    if (!ranks[s].empty()) order.push_back(s);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return work[a] > work[b]; });
  std::vector<double> load(processors.rank_of.size(), 0);
  std::vector<std::string> names(work.size());
  for (std::size_t s : order) {
    std::size_t best = load.size();
    for (std::size_t p = 0; p < load.size(); ++p)
      if (has(ranks[s], processors.rank_of[p]) && (best == load.size() || load[p] < load[best])) best = p;
    SKEL_EXPECTS(best < load.size());
    load[best] += work[s];
    names[s] = processors.platform.host_name(best);
  }
  return names;
}

}  // namespace

double work_of(runtime::station const& s, runtime::station_cost const& cost, double reference_speed) {
  if (std::isnan(s.notes.work)) return cost.seconds * reference_speed;
  return s.renumbered ? s.notes.work * cost.takes : s.notes.work;
}

int source_rank(runtime::program const& line, processor_map const& processors) {
  auto const& at = line.stations.front().notes.at;
  if (at.empty()) return 0;
  auto const rank = processors.find_rank(at.front());
  if (!rank) throw error("the source is pinned to host '" + at.front() + "', which is not in the platform");
  return *rank;
}

skeletons::shape searched(model_shape const& model) {
  skeletons::shape shape = model.shape;
  for (std::size_t i = 0; i < shape.stages.size(); ++i) shape.stages[i].work *= 1 - model.waiting[i];
  return shape;
}

model_shape shape_of(runtime::program const& line, std::vector<runtime::station_cost> const& costs, double reference,
                     processor_map const& processors, std::vector<std::optional<int>> const& state_on,
                     run_settings const& settings) {
  std::size_t const n = line.size();
  std::vector<double> work(n);
  double slowest = 0, most_bytes = 1;
  for (std::size_t s = 0; s < n; ++s) {
    work[s] = work_of(line.stations[s], costs[s], reference);
    if (s > 0 && line.stations[s - 1].folds_in_farm()) continue;  // takes no items, but the results of a farm
    if (line.stations[s].folds_in_farm() && !std::isnan(line.stations[s].notes.work))
      work[s] += work_of(line.stations[s + 1], costs[s + 1], reference);  // the measured time includes it
    slowest = std::max(slowest, work[s]);
    if (!line.stations[s].folds_in_farm()) most_bytes = std::max(most_bytes, costs[s].bytes);
  }
  model_shape out;
  double const by_time = slowest > 0 ? settings.batch_latency * reference / slowest : 1;
  out.batch =
      std::max(1.0, std::floor(std::min(by_time, static_cast<double>(plan::run_plan{}.batch_bytes) / most_bytes)));

  // Folds of a farm's workers give one item for a batch, or some, or none before the stream ends.
  auto const given = [&](std::size_t s) {
    auto const& station = line.stations[s];
    return !station.folds_in_farm() ? out.batch
           : station.gives_at_end   ? 0.0
           : station.gives_blocks   ? runtime::mean_blocks(out.batch)
                                    : 1.0;
  };

  auto const tied = tied_to_source(line);
  int const source = source_rank(line, processors);
  auto const home = hosts_of_ranks(processors, {source});
  std::vector<std::vector<int>> ranks_of(n);  // of which a serial station has to be on one
  for (std::size_t s = 0; s < n; ++s) {
    auto const& station = line.stations[s];
    if (spreads(station)) continue;
    bool const end = s == 0 || s + 1 == n;
    auto const stays = end || tied[s] ? source : state_on[s];
    if (station.notes.at.size() == 1 && !processors.platform.find_host(station.notes.at.front())) {
      auto& pinned = ranks_of[s] = processors.find_ranks(station.notes.at.front());
      if (stays && has(pinned, *stays)) pinned = {*stays};
      if (end && pinned.size() > 1)
        pinned.erase(pinned.begin() + 1, pinned.end());  // the same one in every run, as long as ranks are the same
    }
    if (!station.notes.at.empty() || processors.one_rank()) continue;
    if (stays) ranks_of[s] = {*stays};
  }
  auto const spread = spread_over_ranks(work, ranks_of, processors);
  auto pin_of = [&](std::size_t s) -> std::vector<std::string> {
    if (!ranks_of[s].empty()) return {spread[s]};
    if (!line.stations[s].notes.at.empty())
      return processors_named(line.stations[s].notes.at, processors, tied[s] ? std::optional(source) : std::nullopt);
    if (tied[s] && spreads(line.stations[s]) && !processors.one_rank()) return home;
    return {};
  };
  auto const end_of = [&](std::size_t s) {
    if (!ranks_of[s].empty()) return spread[s];
    auto const& at = line.stations[s].notes.at;
    return at.empty() ? home.front() : at.front();
  };
  for (std::size_t s = 0; s < n; ++s) {
    bool const end = s == 0 || s + 1 == n;
    if (end && work[s] <= negligible * slowest) {
      skeletons::terminal terminal{end_of(s), costs[s == 0 ? 0 : n - 2].bytes * out.batch};
      (s == 0 ? out.shape.input : out.shape.output) = terminal;
      continue;
    }
    skeletons::stage_shape stage;
    stage.name = line.stations[s].notes.name;
    stage.work = work[s] * (s == 0 ? out.batch : given(s - 1));
    stage.output_bytes = costs[s].bytes * given(s);
    stage.replicable = spreads(line.stations[s]);
    stage.ordered = line.stations[s].notes.ordered;
    stage.width = stage.replicable ? line.stations[s].notes.width : 1;
    stage.at = pin_of(s);
    out.station_of.push_back(s);
    // Copies of a broadcast stage share the work of each item, so that one waits no less where there are more.
    bool const copies = line.stations[s].copies != nullptr;
    out.waiting.push_back(std::isnan(line.stations[s].notes.work) && !copies ? costs[s].waiting : 0);
    out.widens.push_back(stage.replicable && !copies && stage.width == 0 && stage.at.empty());
    out.shape.stages.push_back(std::move(stage));
  }
  return out;
}

}  // namespace skel::line_model
