#include "mesh_planner.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/cost/mesh/partition_time.hpp>
#include <skel/detail/mapping/decision_knowledge.hpp>
#include <skel/detail/mapping/partition_choice.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/iteration/run.hpp>

#include "forecast_doubt.hpp"

namespace skel {
namespace {

using runtime::iteration::mesh_part;
using runtime::iteration::mesh_step;

/// Times that clusters are chosen by what a partition was counted to have; each is a partition more.
constexpr std::size_t most_corrections = 3;

/// What an element takes where nothing is known [s]: hosts are told apart by their speeds alone, and everything else is
/// dear.
constexpr double unknown_seconds = 1e-6;

bool computes(mesh_step const& step) {
  return step.what == mesh_step::kind::phase || step.what == mesh_step::kind::all_reduce;
}

/// Whether an update that waits for nothing is before or behind a step.
bool overlaps(std::span<mesh_step const> steps, std::size_t s) {
  auto const goes_on = [&](std::size_t k) { return steps[k].what == mesh_step::kind::update && !steps[k].waits; };
  if (steps[s].what != mesh_step::kind::phase) return false;
  std::size_t const n = steps.size();
  return goes_on((s + 1) % n) || goes_on((s + n - 1) % n);
}

/// The ranks as the model of iterations sees them: a rank is a host.
platform::description clusters_of(bsp_machine const& where) {
  auto const& hosts = where.machine.hosts;
  auto clusters = hosts.clusters();
  for (std::size_t host = 0; auto& one : clusters) {
    for (std::size_t k = 0; k < one.hosts && !where.machine.memory.empty(); ++k)
      if (double const bytes = where.machine.memory[host + k]; std::isfinite(bytes))
        one.memory = std::min(one.memory.value_or(bytes), bytes);
    host += one.hosts;
  }
  return {hosts.local_latency(), std::move(clusters), hosts.links()};
}

record::mesh_app app_of(mesh_part const& part, bsp_machine const& where, platform::description const& machine,
                        std::vector<std::vector<double>> const& seconds) {
  record::mesh_app app;
  auto const steps = part.steps();
  app.elements = static_cast<double>(part.elements());
  app.bytes_per_element = static_cast<double>(part.bytes_per_element());
  app.updates = app.allreduces = 0;
  double bytes = 0;
  bool waits = true;
  for (auto const& step : steps) {
    if (step.what == mesh_step::kind::update)
      ++app.updates, bytes += static_cast<double>(step.bytes), waits = waits && step.waits;
    if (step.what == mesh_step::kind::all_reduce) ++app.allreduces;
  }
  app.face_bytes = app.updates > 0 ? bytes / static_cast<double>(app.updates) : 0;
  app.mode = waits ? record::update_mode::synchronous : record::update_mode::asynchronous;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (!computes(steps[s])) continue;
    record::mesh_phase phase{.name = steps[s].name, .overlaps_update = overlaps(steps, s)};
    for (std::size_t host = 0; auto const& cluster : machine.clusters()) {
      std::vector<double> measured;
      for (std::size_t k = 0; k < cluster.hosts; ++k)
        if (auto const& of = seconds[static_cast<std::size_t>(where.rank_of_host[host + k])]; !of.empty())
          measured.push_back(of[s]);
      phase.seconds_per_element[cluster.name] =
          measured.empty() ? unknown_seconds / cluster.speed : statistics::median(measured);
      host += cluster.hosts;
    }
    app.phases.push_back(std::move(phase));
  }
  if (app.phases.empty()) {  // it computes nothing, as where it only shows what it has made
    app.phases.push_back({.name = "elements"});
    for (auto const& cluster : machine.clusters())
      app.phases.back().seconds_per_element[cluster.name] = unknown_seconds / cluster.speed;
  }
  return app;
}

/// Ranks of clusters, those of each together.
std::vector<int> ranks_on(bsp_machine const& where, platform::description const& machine,
                          std::vector<std::size_t> const& clusters) {
  std::vector<int> ranks;
  for (std::size_t c = 0, host = 0; c < machine.clusters().size(); ++c) {
    std::size_t const hosts = machine.clusters()[c].hosts;
    if (std::ranges::binary_search(clusters, c))
      for (std::size_t k = 0; k < hosts; ++k) ranks.push_back(where.rank_of_host[host + k]);
    host += hosts;
  }
  return ranks;
}

/// Of each step its phase in the program that app_of() describes.
std::vector<std::size_t> phases_of(std::span<mesh_step const> steps) {
  std::vector<std::size_t> out;
  std::size_t next = 0;
  for (auto const& step : steps) out.push_back(computes(step) ? next++ : mesh_standing::no_phase);
  return out;
}

double least_bandwidth(platform::description const& machine, std::vector<std::size_t> const& clusters) {
  double least = std::numeric_limits<double>::infinity();
  for (auto const c : clusters)
    if (machine.clusters()[c].hosts > 1) least = std::min(least, machine.clusters()[c].inside.bandwidth);
  for (auto const& link : machine.links())
    if (std::ranges::binary_search(clusters, link.from) && std::ranges::binary_search(clusters, link.to))
      least = std::min(least, link.path.bandwidth);
  return least;
}

std::uint64_t id_of(mesh_part const& part) {
  std::string all = std::string(program_invocation_short_name) + '\n' + part.name();
  for (auto const& step : part.steps()) all += '\n' + step.name;
  return mapping::id_of(all + '\n' + std::to_string(part.elements()));
}

}  // namespace

mesh_planner::mesh_planner(std::shared_ptr<decision_store> store)
    : store_(std::move(store)), clusters_(mapping::mesh_clusters_problem(usual_forecast_doubt().before)) {
  mapping::set_up(clusters_, store_->setup());
}

mesh_planner::~mesh_planner() {
  store_->learnt(mapping::to_entries(clusters_.knowledge()));
}

placed_mesh mesh_planner::place(mesh_part const& part, skel::mesh const& mesh, face_neighbours const& faces,
                                bsp_machine const& where, std::vector<std::string> const& hosts,
                                std::vector<std::vector<double>> const& seconds, double horizon) {
  machine_ = clusters_of(where);
  app_ = app_of(part, where, machine_, seconds);
  asked_ = mapping::mesh_clusters_request{.program = id_of(part),
                                          .name = part.name(),
                                          .machine = &machine_,
                                          .app = &app_,
                                          .relays_from = runtime::iteration::run_options().relays_from,
                                          .iterations = static_cast<double>(part.iterations().value_or(0))};
  graph_ = plan::graph_of(faces);
  centres_ = centres_of(mesh);
  mapping::mesh_to_part const to_part{.graph = &graph_, .weights = {}, .centres = centres_};
  placed_mesh out;
  std::vector<std::size_t> chosen;
  std::optional<mapping::partition_choice> parted;
  cost::mesh::part_hosts on;
  std::vector<int> ranks;
  for (std::size_t correction = 0; correction <= most_corrections; ++correction) {
    auto const& decided = clusters_.decide(*asked_);
    if (parted && decided.chosen().plan.clusters == chosen) break;
    chosen = decided.chosen().plan.clusters;
    ranks = ranks_on(where, machine_, chosen);
    auto cluster_of_part = cost::mesh::all_hosts(machine_, chosen);
    if (ranks.size() > part.elements()) ranks.resize(part.elements()), cluster_of_part.resize(part.elements());
    on = cost::mesh::hosts_of_parts(machine_, app_, cluster_of_part);
    double const begin = record::now();
    mapping::partition_settings settings;
    settings.iterations =
        part.iterations() ? static_cast<double>(*part.iterations()) : horizon / decided.chosen().per_use;
    parted = mapping::choose_partition(to_part, on, settings);
    planning_ = record::now() - begin;
    auto const fitted = cost::mesh::fit_surface(on, parted->figures);
    asked_->counted = mapping::mesh_surfaces{fitted.host, fitted.cluster > 0 ? fitted.cluster : app_.beta_cluster};
  }
  auto const& decided = clusters_.use(*asked_);
  observes_ = decided.chosen().plan.clusters == chosen;
  auto& plan = out.plan;
  plan.name = part.name();
  plan.hosts = hosts;
  plan.elements_of.resize(hosts.size());
  for (auto const part_of : parted->best.part_of) {
    out.rank_of.push_back(static_cast<std::uint32_t>(ranks[part_of]));
    ++plan.elements_of[out.rank_of.back()];
  }
  for (std::size_t c = 0, host = 0; c < machine_.clusters().size(); ++c) {
    auto const& one = machine_.clusters()[c];
    mesh_cluster shown{.name = one.name, .takes_part = std::ranges::binary_search(chosen, c)};
    for (std::size_t k = 0; k < one.hosts; ++k) shown.ranks.push_back(where.rank_of_host[host + k]);
    for (auto const& phase : app_.phases) shown.seconds.push_back(phase.seconds_per_element.at(one.name));
    plan.clusters.push_back(std::move(shown));
    host += one.hosts;
  }
  for (auto const& phase : app_.phases) plan.phases.push_back(phase.name);
  plan.partition = parted->best.method;
  plan.cut = parted->figures.cut, plan.cut_between_clusters = parted->figures.cut_between_clusters;
  auto const& time = parted->time;
  plan.iteration = time.seconds, plan.phase_seconds = time.phases;
  plan.update = time.update, plan.all_reduce = time.all_reduce, plan.hidden = time.hidden;
  standing_ = mesh_standing{.program = asked_->program,
                            .ranks = std::move(ranks),
                            .partition = std::move(parted->best),
                            .hosts = std::move(on),
                            .phase_of = phases_of(part.steps()),
                            .iterations = part.iterations(),
                            .bytes_per_element = app_.bytes_per_element,
                            .bandwidth = least_bandwidth(machine_, chosen)};
  plan.believed = clusters_.problem().models()[decided.model].name;
  for (std::size_t k = 1; k < decided.ranked.size(); ++k)
    plan.others.emplace_back(decided.ranked[k].way.plan.name, decided.ranked[k].time.seconds);
  return out;
}

std::unique_ptr<mesh_remapper> mesh_planner::remapper() const {
  if (!standing_ || standing_->ranks.size() < 2) return nullptr;
  return std::make_unique<mesh_remapper>(*standing_,
                                         mapping::mesh_to_part{.graph = &graph_, .weights = {}, .centres = centres_},
                                         planning_, usual_forecast_doubt().between, store_->setup());
}

void mesh_planner::observe(record::mesh_record const& run) {
  if (!observes_ || run.iterations == 0) return;
  clusters_.observe(*asked_, run.iterating / static_cast<double>(run.iterations));
}

}  // namespace skel
