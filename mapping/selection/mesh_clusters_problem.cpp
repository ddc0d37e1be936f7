#include <skel/detail/mapping/mesh_clusters_problem.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/hash.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/cost/mesh/inside_time.hpp>
#include <skel/detail/cost/mesh/iteration_time.hpp>
#include <skel/detail/mapping/cluster_selection.hpp>
#include <skel/detail/mapping/error_record.hpp>
#include <skel/detail/platform/files.hpp>

namespace skel::mapping {
namespace {

using clusters = std::vector<std::size_t>;

/// The program as a model sees it; nothing if that has no surfaces.
std::optional<cost::mesh::program> seen_by(std::size_t model, mesh_clusters_request const& asked) {
  if (model == 0) return cost::mesh::program(*asked.machine, *asked.app);
  if (!asked.counted) return std::nullopt;
  auto app = *asked.app;
  app.beta_host = asked.counted->of_host;
  app.beta_cluster = asked.counted->of_cluster;
  return cost::mesh::program(*asked.machine, app);
}

/// Price of all of its hosts [money per hour].
double price_of(cost::mesh::program const& program, clusters const& set) {
  double all = 0;
  for (auto const c : set) all += program.price(c) * program.hosts(c);
  return all;
}

/// The best clusters with their paid hosts come first. Then their neighbours, all clusters, and each alone, if they can
/// be paid with all hosts. If some ranks of a cluster may be better than all, these too. Names are left to the caller.
std::vector<mesh_clusters> sets_of(cost::mesh::program const& program, double budget, bool some) {
  auto found = select_clusters(program, {.budget = budget});
  auto const best = found.clusters;
  std::vector<mesh_clusters> all{{{}, std::move(found.clusters), std::move(found.hosts)}};
  std::set<clusters> seen{best};
  auto const add = [&](clusters set) {
    if (set.empty() || !seen.insert(set).second || price_of(program, set) > budget) return;
    std::vector<std::size_t> hosts;
    for (auto const c : set) hosts.push_back(static_cast<std::size_t>(program.hosts(c)));
    all.push_back({{}, std::move(set), std::move(hosts)});
  };
  clusters whole(program.clusters());
  std::iota(whole.begin(), whole.end(), std::size_t{0});
  add(whole);
  for (auto const c : whole) {
    clusters changed = best;
    if (auto const there = std::ranges::find(changed, c); there != changed.end())
      changed.erase(there);
    else
      changed.insert(std::ranges::upper_bound(changed, c), c);
    add(std::move(changed));
  }
  for (auto const c : whole) add({c});
  for (auto const c : whole)
    for (std::size_t k = 1; some && k < static_cast<std::size_t>(program.hosts(c)); k *= 2)
      if (program.price(c) * static_cast<double>(k) <= budget) all.push_back({{}, {c}, {k}});
  return all;
}

std::vector<std::size_t> all_hosts_of(mesh_clusters_request const& asked, std::span<std::size_t const> set) {
  std::vector<std::size_t> hosts;
  for (auto const c : set) hosts.push_back(asked.machine->clusters()[c].hosts);
  return hosts;
}

/// Time of updates and all-reduces of an iteration beside messages [s].
double waits_of(mesh_clusters_request const& asked, mesh_clusters const& on) {
  if (asked.ranks == nullptr || (on.hosts.size() == 1 && on.hosts[0] == 1)) return 0;
  auto const most = static_cast<std::size_t>(std::ranges::max_element(on.hosts) - on.hosts.begin());
  double const wait = (*asked.ranks)[on.clusters[most]].wait_of(on.hosts[most]);
  return static_cast<double>(asked.app->updates + asked.app->allreduces) * wait;
}

/// Time by a model of some ranks of one cluster, which share its cores with fewer others [s].
double seconds_of_some(std::size_t model, mesh_clusters_request const& asked, std::size_t cluster, std::size_t ranks) {
  auto only = asked.machine->clusters()[cluster];
  auto const& shared = (*asked.ranks)[cluster];
  auto app = *asked.app;
  for (auto& phase : app.phases) {
    double const all = phase.seconds_per_element.at(only.name);
    phase.seconds_per_element = {{only.name, all * shared.slower_by(ranks) / shared.slower_by(only.hosts)}};
  }
  only.hosts = ranks;
  platform::description const machine(asked.machine->local_latency(), {std::move(only)}, {});
  auto alone = asked;
  alone.machine = &machine, alone.app = &app;
  return seconds_of(*seen_by(asked.counted ? model : 0, alone), clusters{0});
}

/// A model's addition to the program's formula: messages inside clusters, and waits of ranks [s]. Precondition: the
/// number of hosts is given.
double beside_formula(std::size_t model, mesh_clusters_request const& asked, mesh_clusters const& on) {
  double const inside =
      model == 0
          ? 0
          : cost::mesh::time_inside(*asked.machine, *asked.app, on.clusters, asked.relays_from, on.hosts).iteration;
  return inside + waits_of(asked, on);
}

/// Time of an iteration by a model [s].
double seconds_by(std::size_t model, cost::mesh::program const& program, mesh_clusters_request const& asked,
                  mesh_clusters const& on) {
  if (on.hosts.empty()) return seconds_by(model, program, asked, {{}, on.clusters, all_hosts_of(asked, on.clusters)});
  bool const is_some = asked.ranks != nullptr && on.clusters.size() == 1 &&
                       on.hosts[0] < asked.machine->clusters()[on.clusters[0]].hosts;
  double const seconds =
      is_some ? seconds_of_some(model, asked, on.clusters[0], on.hosts[0]) : seconds_of(program, on.clusters, on.hosts);
  return std::max(seconds + beside_formula(model, asked, on), least_per_use);
}

std::string names_of(platform::description const& machine, mesh_clusters const& on) {
  std::string out;
  for (std::size_t k = 0; k < on.clusters.size(); ++k) {
    auto const& one = machine.clusters()[on.clusters[k]];
    out += out.empty() ? "" : " + ";
    if (on.hosts[k] < one.hosts) out += std::to_string(on.hosts[k]) + " of ";
    out += one.name;
  }
  return out;
}

}  // namespace

// The expected error of a record without observations is wider than its prior.
mesh_clusters_problem::mesh_clusters_problem(double error)
    : models_{{"surfaces as said", {.error = 2 * error / widening(prior_weight)}},
              {"surfaces as counted", {.error = error / widening(prior_weight)}}} {}

std::vector<candidate<mesh_clusters_problem::plan>> mesh_clusters_problem::candidates(request const& asked,
                                                                                      std::size_t model, bool) {
  SKEL_EXPECTS(asked.machine != nullptr && asked.app != nullptr);
  auto program = seen_by(model, asked);
  if (!program) program = seen_by(0, asked);
  std::vector<candidate<plan>> priced;
  for (auto& set : sets_of(*program, asked.budget, asked.ranks != nullptr)) {
    double const seconds =
        set.clusters.empty() ? std::numeric_limits<double>::infinity() : seconds_by(model, *program, asked, set);
    if (!std::isfinite(seconds)) continue;
    set.name = names_of(*asked.machine, set);
    std::uint64_t const id = id_of(set.name);
    priced.push_back({std::move(set), id, 0, seconds});
  }
  if (priced.empty())
    throw error("program '" + asked.name + "': " +
                (std::isfinite(asked.budget)
                     ? "no hosts that together have room for the mesh can be paid; raise the budget"
                     : cost::mesh::why_nothing_fits(*program, *asked.machine, *asked.app)));
  return priced;
}

std::string mesh_clusters_problem::priced_by(request const& asked, std::size_t model) const {
  if (model == 0 || asked.counted) return models_[model].name;
  return models_[0].name + ", with messages inside clusters";
}

double mesh_clusters_problem::price(request const& asked, std::size_t model, candidate<plan> const& one) {
  auto const program = seen_by(model, asked);
  return program ? seconds_by(model, *program, asked, one.plan) : std::numeric_limits<double>::quiet_NaN();
}

std::vector<sized_clusters> mesh_clusters_problem::best_by_size(request const& asked, std::size_t model,
                                                                clusters const& chosen) {
  auto const program = seen_by(model, asked);
  if (!program) return {};
  auto const beside = [&](std::span<std::size_t const> set) {
    return beside_formula(model, asked, {{}, {set.begin(), set.end()}, all_hosts_of(asked, set)});
  };
  return select_by_size(*program, {.beside = beside, .known = {chosen, select_clusters(*program).clusters}});
}

/// All that prices depend on.
std::string mesh_clusters_problem::describe(request const& asked) {
  auto const& app = *asked.app;
  std::string text =
      "clusters of '" + asked.name +
      print("' (program %016llx): %.9g elements of %.9g B, %zu updates of %.9g B a face, %zu all-reduces, surfaces "
                "%.9g and %.9g, %.9g of bandwidths, %s, %s, relays from %zu",
                static_cast<unsigned long long>(asked.program), app.elements, app.bytes_per_element, app.updates,
                app.face_bytes, app.allreduces, asked.counted ? asked.counted->of_host : app.beta_host,
                asked.counted ? asked.counted->of_cluster : app.beta_cluster, app.usable_bandwidth,
                app.mode == record::update_mode::asynchronous ? "asynchronous" : "synchronous",
                app.partition == record::mesh_shares::equal ? "equal shares" : "shares by speed", asked.relays_from) +
      print(", machine %016llx",
            static_cast<unsigned long long>(fnv1a().add(platform::to_json(*asked.machine)).value()));
  if (std::isfinite(asked.budget)) {
    text += ", budget " + shown(asked.budget, 9);
    for (auto const& [cluster, price] : app.price_per_hour) text += ", " + shown(price, 9) + " for " + cluster;
  }
  if (asked.ranks != nullptr)
    for (std::size_t c = 0; c < asked.ranks->size(); ++c) {
      text += ", ranks of " + asked.machine->clusters()[c].name + " wait";
      for (auto const& [ranks, seconds] : (*asked.ranks)[c].waits.points())
        text += " " + shown(seconds, 9) + " s (" + shown(ranks) + ")";
      text += ", take";
      for (double const times : (*asked.ranks)[c].slower) text += " " + shown(times, 9);
      text += " times as long";
    }
  for (auto const& phase : app.phases) {
    text += ", " + phase.name + (phase.overlaps_update ? " behind updates" : "");
    for (auto const& [cluster, seconds] : phase.seconds_per_element)
      text += " " + shown(seconds, 9) + " s on " + cluster;
  }
  return text;
}

}  // namespace skel::mapping
