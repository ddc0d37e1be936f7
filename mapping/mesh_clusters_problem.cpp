#include <skel/detail/mapping/mesh_clusters_problem.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/hash.hpp>
#include <skel/detail/cost/mesh/inside_time.hpp>
#include <skel/detail/cost/mesh/iteration_time.hpp>
#include <skel/detail/mapping/cluster_selection.hpp>
#include <skel/detail/mapping/error_record.hpp>
#include <skel/detail/platform/files.hpp>

namespace skel::mapping {
namespace {

using clusters = std::vector<std::size_t>;

/// The program as a model sees it; nothing where that has no surfaces.
std::optional<cost::mesh::program> seen_by(std::size_t model, mesh_clusters_request const& asked) {
  if (model == 0) return cost::mesh::program(*asked.machine, *asked.app);
  if (!asked.counted) return std::nullopt;
  auto app = *asked.app;
  app.beta_host = asked.counted->of_host;
  app.beta_cluster = asked.counted->of_cluster;
  return cost::mesh::program(*asked.machine, app);
}

/// What all of its hosts cost [money per hour].
double price_of(cost::mesh::program const& program, clusters const& set) {
  double all = 0;
  for (auto const c : set) all += program.price(c) * program.hosts(c);
  return all;
}

/// The best clusters, with those of their hosts that can be paid, and of their neighbours, all, and each alone those
/// that can be paid with all hosts: the best first. Names are for who asks.
std::vector<mesh_clusters> sets_of(cost::mesh::program const& program, double budget) {
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
    if (auto const found = std::ranges::find(changed, c); found != changed.end())
      changed.erase(found);
    else
      changed.insert(std::ranges::upper_bound(changed, c), c);
    add(std::move(changed));
  }
  for (auto const c : whole) add({c});
  return all;
}

/// An iteration by a model [s].
double seconds_by(std::size_t model, cost::mesh::program const& program, mesh_clusters_request const& asked,
                  mesh_clusters const& on) {
  double const inside =
      model == 0
          ? 0
          : cost::mesh::time_inside(*asked.machine, *asked.app, on.clusters, asked.relays_from, on.hosts).iteration;
  return std::max(seconds_of(program, on.clusters, on.hosts) + inside, least_per_use);
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

// What a record expects before anything is observed is wider than its prior.
mesh_clusters_problem::mesh_clusters_problem(double error)
    : models_{{"surfaces as said", {.error = 2 * error / widening(prior_weight)}},
              {"surfaces as counted", {.error = error / widening(prior_weight)}}} {}

std::vector<candidate<mesh_clusters_problem::plan>> mesh_clusters_problem::candidates(request const& asked,
                                                                                      std::size_t model, bool) {
  SKEL_EXPECTS(asked.machine != nullptr && asked.app != nullptr);
  auto program = seen_by(model, asked);
  if (!program) program = seen_by(0, asked);
  std::vector<candidate<plan>> priced;
  for (auto& set : sets_of(*program, asked.budget)) {
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

double mesh_clusters_problem::price(request const& asked, std::size_t model, candidate<plan> const& one) {
  auto const program = seen_by(model, asked);
  return program ? seconds_by(model, *program, asked, one.plan) : std::numeric_limits<double>::quiet_NaN();
}

std::vector<sized_clusters> mesh_clusters_problem::best_by_size(request const& asked, std::size_t model,
                                                                clusters const& chosen) {
  auto const program = seen_by(model, asked);
  if (!program) return {};
  // What seconds_by() adds.
  auto const beside = [&](std::span<std::size_t const> set) {
    return model == 0 ? 0 : cost::mesh::time_inside(*asked.machine, *asked.app, set, asked.relays_from).iteration;
  };
  return select_by_size(*program, {.beside = beside, .known = {chosen, select_clusters(*program).clusters}});
}

/// All that prices depend on.
std::string mesh_clusters_problem::describe(request const& asked) {
  auto const& app = *asked.app;
  char numbers[512];
  std::snprintf(numbers, sizeof numbers,
                "' (program %016llx): %.9g elements of %.9g B, %zu updates of %.9g B a face, %zu all-reduces, surfaces "
                "%.9g and %.9g, %.9g of bandwidths, %s, %s, relays from %zu",
                static_cast<unsigned long long>(asked.program), app.elements, app.bytes_per_element, app.updates,
                app.face_bytes, app.allreduces, asked.counted ? asked.counted->of_host : app.beta_host,
                asked.counted ? asked.counted->of_cluster : app.beta_cluster, app.usable_bandwidth,
                app.mode == record::update_mode::asynchronous ? "asynchronous" : "synchronous",
                app.partition == record::mesh_shares::equal ? "equal shares" : "shares by speed", asked.relays_from);
  std::string text = "clusters of '" + asked.name + numbers;
  std::snprintf(numbers, sizeof numbers, ", machine %016llx",
                static_cast<unsigned long long>(fnv1a().add(platform::to_json(*asked.machine)).value()));
  text += numbers;
  if (std::isfinite(asked.budget)) {
    std::snprintf(numbers, sizeof numbers, ", budget %.9g", asked.budget);
    text += numbers;
    for (auto const& [cluster, price] : app.price_per_hour) {
      std::snprintf(numbers, sizeof numbers, ", %.9g for ", price);
      text += numbers + cluster;
    }
  }
  for (auto const& phase : app.phases) {
    text += ", " + phase.name + (phase.overlaps_update ? " behind updates" : "");
    for (auto const& [cluster, seconds] : phase.seconds_per_element) {
      std::snprintf(numbers, sizeof numbers, " %.9g s on ", seconds);
      text += numbers + cluster;
    }
  }
  return text;
}

}  // namespace skel::mapping
