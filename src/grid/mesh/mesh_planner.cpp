#include "mesh_planner.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/cost/mesh/partition_time.hpp>
#include <skel/detail/mapping/decision_knowledge.hpp>
#include <skel/detail/mapping/partition_choice.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/iteration/phase_times.hpp>
#include <skel/detail/runtime/iteration/run.hpp>

#include "line/program_history.hpp"

namespace skel {
namespace {

using runtime::iteration::mesh_part;
using runtime::iteration::mesh_step;

/// Times that clusters are chosen by the counts of a partition; each is a partition more.
constexpr std::size_t most_corrections = 3;

/// Time of an element if nothing is known [s]: only speeds tell hosts apart then, and everything else is dear.
constexpr double unknown_seconds = 1e-6;

bool computes(mesh_step const& step) {
  return step.what == mesh_step::kind::phase || step.what == mesh_step::kind::all_reduce;
}

/// By how much the phases of the first 1, 2, 3 ... of these ranks take longer than on one alone, as threads share
/// cores.
std::vector<double> slower_by(rank_cores const& cores, std::vector<std::size_t> const& threads,
                              std::vector<int> const& ranks) {
  if (cores.domain.empty()) return {};
  std::vector<double> out;
  std::map<std::size_t, std::size_t> used;  // of each domain
  double slower = 1;
  for (int const rank : ranks) {
    auto const r = static_cast<std::size_t>(rank);
    auto const domain = cores.domain[r];
    used[domain] += threads[r];
    slower = std::max(slower, static_cast<double>(used[domain]) / static_cast<double>(cores.cores[domain]));
    out.push_back(slower);
  }
  return out;
}

/// The model pLogP of messages between two hosts, if the machine has it. For two ranks on one host it is given only if
/// the host is a cluster of its own.
platform::parameter_blocks messages_between(platform::description const& machine, std::size_t a, std::size_t b) {
  std::size_t const from = machine.cluster_of(a), to = machine.cluster_of(b);
  platform::parameter_blocks out;
  auto const take = [&](platform::parameter_blocks const& all) {
    if (auto const found = all.find("plogp"); found != all.end()) out["plogp"] = found->second;
  };
  if (from == to) {
    if (a != b || machine.clusters()[to].hosts == 1) take(machine.clusters()[to].parameters);
    return out;
  }
  auto const ends = [](platform::cluster_link const& one) { return std::pair(one.from, one.to); };
  auto const link = std::ranges::lower_bound(machine.links(), std::pair(from, to), {}, ends);
  if (link != machine.links().end() && ends(*link) == std::pair(from, to)) take(link->parameters);
  return out;
}

/// Time of a step on the first ranks of a cluster, beside the messages that time_steps() sends.
double beside_messages(platform::description const& machine, std::size_t cluster, std::size_t ranks, double seconds) {
  record::mesh_app nothing;
  nothing.elements = 1, nothing.face_bytes = sizeof(double), nothing.usable_bandwidth = 1;
  nothing.phases = {{.name = "none", .seconds_per_element = {}}};
  for (auto const& one : machine.clusters()) nothing.phases[0].seconds_per_element[one.name] = 0;
  auto const on = cost::mesh::hosts_of_parts(machine, nothing, std::vector<std::size_t>(ranks, cluster));
  return std::max(0.0, seconds - (on.all_reduce + on.paths[0].time(sizeof(double))) / 2);
}

/// Ranks on hosts that are to be left, unless all are.
std::vector<bool> left_out_by(mesh_outlook const& outlook) {
  std::vector<bool> out(outlook.ranks());
  for (std::size_t r = 0; r < out.size(); ++r) out[r] = outlook.leaves(r);
  if (std::ranges::find(out, false) == out.end()) out.assign(out.size(), false);
  return out;
}

/// Time of an element on hosts that together are as fast as these [s].
double mean_by_speed(std::vector<double> const& seconds) {
  double speed = 0;
  for (double const one : seconds) speed += 1 / one;
  return static_cast<double>(seconds.size()) / speed;
}

record::mesh_app app_of(mesh_part const& part, mesh_clusters_of_ranks const& on, mesh_outlook const& outlook) {
  record::mesh_app app;
  auto const& clusters = on.machine.clusters();
  auto const steps = part.steps();
  app.elements = static_cast<double>(part.elements());
  app.bytes_per_element = static_cast<double>(part.bytes_per_element());
  app.updates = app.allreduces = 0;
  if (outlook.is_measured()) app.usable_bandwidth = 1;  // by messages, which got the usable part
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
    record::mesh_phase phase{.name = steps[s].name, .overlaps_update = runtime::iteration::hides_updates(steps, s)};
    for (std::size_t c = 0; c < clusters.size(); ++c) {
      std::vector<double> measured;
      for (int const rank : on.ranks[c])
        if (auto const of = outlook.seconds(static_cast<std::size_t>(rank)); !of.empty()) measured.push_back(of[s]);
      phase.seconds_per_element[clusters[c].name] =
          on.shared[c].slower_by(on.ranks[c].size()) *
          (measured.empty() ? unknown_seconds / clusters[c].speed : mean_by_speed(measured));
    }
    app.phases.push_back(std::move(phase));
  }
  if (app.phases.empty()) {  // it computes nothing: perhaps it only shows its results
    app.phases.push_back({.name = "elements"});
    for (auto const& cluster : clusters)
      app.phases.back().seconds_per_element[cluster.name] = unknown_seconds / cluster.speed;
  }
  return app;
}

/// Of each step its phase in the program that app_of() describes.
std::vector<std::size_t> phases_of(std::span<mesh_step const> steps) {
  std::vector<std::size_t> out;
  std::size_t next = 0;
  for (auto const& step : steps) out.push_back(computes(step) ? next++ : mesh_standing::no_phase);
  return out;
}

/// Between two ranks of these clusters, which rise [B/s].
double least_bandwidth(platform::description const& machine, std::vector<std::size_t> const& clusters) {
  double least = std::numeric_limits<double>::infinity();
  for (auto const c : clusters)
    if (machine.clusters()[c].hosts > 1) least = std::min(least, machine.clusters()[c].inside.bandwidth);
  for (auto const& link : machine.links())
    if (std::ranges::binary_search(clusters, link.from) && std::ranges::binary_search(clusters, link.to))
      least = std::min(least, link.path.bandwidth);
  return least;
}

/// The ranks of clusters, those of each together, no more than there are elements.
mesh_ground ground_of(mesh_clusters_of_ranks const& on, record::mesh_app const& app,
                      mapping::mesh_clusters const& chosen) {
  mesh_ground out;
  std::vector<std::size_t> cluster_of_part;
  for (std::size_t k = 0; k < chosen.clusters.size(); ++k) {
    auto const c = chosen.clusters[k];
    out.clusters.push_back(on.machine.clusters()[c].name);
    out.ranks.insert(out.ranks.end(), on.ranks[c].begin(),
                     on.ranks[c].begin() + static_cast<std::ptrdiff_t>(chosen.hosts[k]));
    cluster_of_part.insert(cluster_of_part.end(), chosen.hosts[k], c);
  }
  if (auto const most = static_cast<std::size_t>(app.elements); out.ranks.size() > most)
    out.ranks.resize(most), cluster_of_part.resize(most);
  out.hosts = cost::mesh::hosts_of_parts(on.machine, app, cluster_of_part);
  for (std::size_t k = 0; k < chosen.clusters.size(); ++k) {
    auto const c = chosen.clusters[k];
    auto const& shared = on.shared[c];
    auto const parts = static_cast<std::size_t>(std::ranges::count(cluster_of_part, c));
    if (parts == 0) continue;
    out.slower.insert(out.slower.end(), parts, shared.slower_by(parts));
    if (cluster_of_part.size() > 1 && parts >= out.waiting) {
      out.waiting = std::max<std::size_t>(2, parts);
      out.hosts.wait = shared.wait_of(parts);
      out.measured_wait = on.measured_waits[c](static_cast<double>(out.waiting));
    }
    double const than_all = shared.slower_by(parts) / shared.slower_by(on.ranks[c].size());
    for (std::size_t p = out.slower.size() - parts; p < out.slower.size(); ++p)
      for (std::size_t j = 0; j < out.hosts.phases; ++j) out.hosts.seconds[p * out.hosts.phases + j] *= than_all;
  }
  out.bandwidth = least_bandwidth(on.machine, chosen.clusters);
  return out;
}

/// Sets the time of an element on each of these ranks, instead of on their clusters' ranks together.
void tell_ranks_apart(mesh_ground& ground, mesh_outlook const& outlook, std::vector<std::size_t> const& phase_of) {
  auto& hosts = ground.hosts;
  for (std::size_t p = 0; p < hosts.parts(); ++p) {
    auto const of = outlook.seconds(static_cast<std::size_t>(ground.ranks[p]));
    for (std::size_t s = 0; s < of.size(); ++s)
      if (auto const phase = phase_of[s]; phase != mesh_standing::no_phase)
        hosts.seconds[p * hosts.phases + phase] = of[s] * ground.slower[p];
  }
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

std::vector<measured_steps> steps_to_measure(machine_of_ranks const& where) {
  std::vector<measured_steps> out;
  std::size_t first = 0;
  auto const& clusters = where.hosts.clusters();
  for (std::size_t c = 0; c < clusters.size(); first += clusters[c++].hosts) {
    auto const begin = where.rank_of_host.begin() + static_cast<std::ptrdiff_t>(first);
    std::size_t const all = clusters[c].hosts;
    for (std::size_t k = 2; k < all; k *= 2) out.push_back({c, {begin, begin + static_cast<std::ptrdiff_t>(k)}});
    if (all > 1) out.push_back({c, {begin, begin + static_cast<std::ptrdiff_t>(all)}});
  }
  return out;
}

/// The ranks as the model of iterations sees them, but for those that are left out: a rank is a host.
mesh_clusters_of_ranks mesh_planner::clusters_of(machine_of_ranks const& where, mesh_outlook const& outlook) const {
  auto const left_out = left_out_by(outlook);
  auto const seen = outlook.seen();
  auto const& machine = seen.machine();
  auto const host_of = [&](int rank) { return outlook.host_of_rank()[static_cast<std::size_t>(rank)]; };
  auto const& hosts = where.hosts;
  std::vector<platform::cluster> clusters;
  std::vector<std::optional<std::size_t>> number;
  mesh_clusters_of_ranks out;
  for (std::size_t host = 0; auto one : hosts.clusters()) {
    std::vector<int> ranks;
    for (std::size_t const end = host + one.hosts; host < end; ++host) {
      if (left_out[static_cast<std::size_t>(where.rank_of_host[host])]) continue;
      ranks.push_back(where.rank_of_host[host]);
      if (where.memory.empty() || !std::isfinite(where.memory[host])) continue;
      one.memory = std::min(one.memory.value_or(where.memory[host]), where.memory[host]);
    }
    number.push_back(ranks.empty() ? std::nullopt : std::optional(clusters.size()));
    if (ranks.empty()) continue;
    one.hosts = ranks.size();
    one.parameters = messages_between(machine, host_of(ranks.front()), host_of(ranks.back()));
    clusters.push_back(std::move(one));
    out.shared.push_back({slower_by(costs_.cores, where.threads, ranks), {}});
    out.ranks.push_back(std::move(ranks));
  }
  std::vector<platform::cluster_link> links;
  for (auto const& one : hosts.links()) {
    if (!number[one.from] || !number[one.to]) continue;
    std::size_t const from = *number[one.from], to = *number[one.to];
    links.push_back({from, to, one.path,
                     messages_between(machine, host_of(out.ranks[from].front()), host_of(out.ranks[to].front()))});
  }
  out.machine = {hosts.local_latency(), std::move(clusters), std::move(links)};
  std::vector<piecewise_linear::point> waits{{2, 0}};
  for (std::size_t c = 0; c < number.size(); ++c) {
    if (!number[c]) continue;
    // If nothing was measured, those of the cluster before are believed.
    if (auto own = measured_waits(c, out.machine, *number[c]); !own.empty()) waits = std::move(own);
    out.measured_waits.emplace_back(waits);
    auto corrected = waits;
    for (auto& [ranks, seconds] : corrected) seconds = std::max(0.0, seconds + ranks * waits_more_);
    out.shared[*number[c]].waits = piecewise_linear(std::move(corrected));
  }
  return out;
}

/// Time of steps beside messages on some ranks of a cluster, which has this number on the machine. It is never less for
/// more ranks, whatever single measurements say.
std::vector<piecewise_linear::point> mesh_planner::measured_waits(std::size_t cluster,
                                                                  platform::description const& machine,
                                                                  std::size_t number) const {
  std::vector<piecewise_linear::point> out;
  for (auto const& one : costs_.steps) {
    if (one.cluster != cluster) continue;
    double const beside = beside_messages(machine, number, one.ranks.size(), one.seconds);
    out.push_back({static_cast<double>(one.ranks.size()), std::max(out.empty() ? 0 : out.back().y, beside)});
  }
  return out;
}

/// Corrects waits by the measured time of an iteration on ranks that take part. Ranks that have to share cores, with
/// each other or with others, wake up one after the other. So the longer wait goes with their number.
void mesh_planner::correct_waits(mesh_ground const& now) {
  if (now.ranks.size() > 1) waits_more_ = (now.hosts.wait - now.measured_wait) / static_cast<double>(now.waiting);
}

mesh_planner::~mesh_planner() {
  store_->learnt(mapping::to_entries(clusters_.knowledge()));
}

mapping::mesh_clusters_request mesh_planner::request(question const& of) const {
  return {.program = id_of(*part_),
          .name = part_->name(),
          .machine = &of.on.machine,
          .app = &of.app,
          .counted = of.counted,
          .relays_from = runtime::iteration::run_options().relays_from,
          .iterations = static_cast<double>(part_->iterations().value_or(0)),
          .ranks = &of.on.shared};
}

/// The surfaces of a partition. If no uplink was fuller than ports, the partition tells no betaC, and the program's
/// stays: other clusters may have narrower ones.
void mesh_planner::question::count(cost::mesh::part_hosts const& hosts, plan::partition_figures const& of) {
  auto const fitted = cost::mesh::fit_surface(hosts, of);
  counted = mapping::mesh_surfaces{fitted.host, fitted.cluster > 0 ? fitted.cluster : app.beta_cluster};
}

placed_mesh mesh_planner::place(mesh_part const& part, skel::mesh const& mesh, face_neighbours const& faces,
                                machine_of_ranks const& where, mesh_rank_costs costs,
                                std::vector<std::string> const& hosts, mesh_outlook outlook, double horizon) {
  part_ = &part, where_ = where, outlook_ = std::move(outlook);
  costs_ = std::move(costs), waits_more_ = 0;
  asked_ = {.on = clusters_of(where, *outlook_), .app = {}};
  auto& on = asked_.on;
  auto& app = asked_.app;
  for (auto const& ranks : on.ranks) outlook_->even_out(ranks, usual_forecast_doubt().before);
  app = app_of(part, on, *outlook_);
  auto const phase_of = phases_of(part.steps());
  graph_ = plan::graph_of(faces);
  centres_ = centres_of(mesh);
  mapping::mesh_to_part const to_part{.graph = &graph_, .weights = {}, .centres = centres_};
  placed_mesh out;
  mapping::mesh_clusters chosen;
  std::optional<mapping::partition_choice> parted;
  mesh_ground ground;
  for (std::size_t correction = 0; correction <= most_corrections; ++correction) {
    auto const& decided = clusters_.decide(request(asked_));
    if (parted && decided.chosen().plan.name == chosen.name) break;
    chosen = decided.chosen().plan;
    ground = ground_of(on, app, chosen);
    tell_ranks_apart(ground, *outlook_, phase_of);
    double const begin = record::now();
    mapping::partition_settings settings;
    settings.iterations =
        part.iterations() ? static_cast<double>(*part.iterations()) : horizon / decided.chosen().per_use;
    parted = mapping::choose_partition(to_part, ground.hosts, settings);
    planning_ = record::now() - begin;
    asked_.count(ground.hosts, parted->figures);
  }
  auto const& decided = clusters_.use(request(asked_));
  observes_ = decided.chosen().plan.name == chosen.name;
  auto& plan = out.plan;
  plan.name = part.name();
  plan.hosts = hosts;
  plan.elements_of.resize(hosts.size());
  for (auto const part_of : parted->best.part_of) {
    out.rank_of.push_back(static_cast<std::uint32_t>(ground.ranks[part_of]));
    ++plan.elements_of[out.rank_of.back()];
  }
  for (std::size_t c = 0; c < on.ranks.size(); ++c) {
    auto const& name = on.machine.clusters()[c].name;
    mesh_cluster shown{
        .name = name, .ranks = on.ranks[c], .takes_part = std::ranges::binary_search(chosen.clusters, c)};
    for (auto const& phase : app.phases) shown.seconds.push_back(phase.seconds_per_element.at(name));
    plan.clusters.push_back(std::move(shown));
  }
  for (auto const& phase : app.phases) plan.phases.push_back(phase.name);
  plan.partition = parted->best.method;
  plan.cut = parted->figures.cut, plan.cut_between_clusters = parted->figures.cut_between_clusters;
  auto const& time = parted->time;
  plan.iteration = time.seconds, plan.phase_seconds = time.phases;
  plan.update = time.update, plan.all_reduce = time.all_reduce, plan.hidden = time.hidden;
  request_ = request(asked_);
  standing_ = mesh_standing{.program = request_->program,
                            .ground = std::move(ground),
                            .partition = std::move(parted->best),
                            .phase_of = phase_of,
                            .iterations = part.iterations(),
                            .bytes_per_element = app.bytes_per_element};
  plan.believed = clusters_.problem().models()[decided.model].name;
  for (std::size_t k = 1; k < decided.ranked.size(); ++k)
    plan.others.emplace_back(decided.ranked[k].way.plan.name, decided.ranked[k].time.seconds);
  return out;
}

std::optional<mesh_selection> mesh_planner::select(mesh_outlook const& outlook, mesh_ground const& now,
                                                   plan::partition_figures const& counted) {
  auto const where = outlook.is_announced() ? with_paths(where_, outlook.for_ranks()) : where_;
  correct_waits(now);
  question asked{.on = clusters_of(where, outlook), .app = {}};
  asked.app = app_of(*part_, asked.on, outlook);
  asked.count(now.hosts, counted);
  mesh_selection out;
  try {
    auto const chosen = clusters_.decide(request(asked)).chosen();
    out.ground = ground_of(asked.on, asked.app, chosen.plan);
    out.seconds = chosen.per_use;
  } catch (error const&) {  // the remaining clusters have no room
    return std::nullopt;
  }
  tell_ranks_apart(out.ground, outlook, standing_->phase_of);
  std::vector<std::size_t> both;
  for (mesh_ground const* const of : {&now, &std::as_const(out.ground)})
    for (auto const& name : of->clusters) both.push_back(*where.hosts.find_cluster(name));
  std::ranges::sort(both);
  out.bandwidth = least_bandwidth(where.hosts, both);
  return out;
}

std::unique_ptr<mesh_remapper> mesh_planner::remapper() {
  if (!standing_) return nullptr;
  auto const& setup = store_->setup();
  std::optional<mesh_surroundings> around;
  if (!setup.forced.contains(std::string(mapping::mesh_clusters_problem::name)))
    around = mesh_surroundings{.outlook = *outlook_,
                               .select = [this](auto const& outlook, auto const& now,
                                                auto const& counted) { return select(outlook, now, counted); },
                               .error = usual_forecast_doubt().before};
  else if (standing_->ground.ranks.size() < 2)
    return nullptr;
  return std::make_unique<mesh_remapper>(*standing_,
                                         mapping::mesh_to_part{.graph = &graph_, .weights = {}, .centres = centres_},
                                         planning_, usual_forecast_doubt().between, setup, std::move(around));
}

void mesh_planner::observe(mesh_report const& of, mesh_remapper const* by) {
  if (!observes_ || of.iterations_made() == 0) return;
  clusters_.observe(request(asked_), by != nullptr && by->has_changed_ranks()
                                         ? by->first_iteration()
                                         : of.run.iterating / static_cast<double>(of.iterations_made()));
}

}  // namespace skel
