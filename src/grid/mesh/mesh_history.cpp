#include "mesh_history.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include <skel/detail/record/bounded.hpp>

#include "mesh_planner.hpp"
#include "moved_text.hpp"

namespace skel {
namespace {

/// Elements of each host of the machine of a plan, by those of the ranks.
template <class OfRank>
std::vector<double> elements_of_hosts(mesh_plan const& plan, OfRank const& of_rank) {
  std::vector<double> out;
  for (auto const& cluster : plan.clusters)
    for (int const rank : cluster.ranks) out.push_back(static_cast<double>(of_rank(static_cast<std::size_t>(rank))));
  return out;
}

/// Clusters with as many of their ranks as have elements, as models price them.
mapping::mesh_clusters with_elements(mesh_plan const& plan, mapping::selection_picture const& of) {
  mapping::mesh_clusters out{.name = {}, .clusters = of.chosen, .hosts = {}};
  bool all = true;
  std::size_t host = 0;
  for (std::size_t c = 0; c < plan.clusters.size(); ++c) {
    auto const first = of.elements.begin() + static_cast<std::ptrdiff_t>(host);
    std::size_t const ranks = plan.clusters[c].ranks.size();
    host += ranks;
    if (!std::ranges::binary_search(of.chosen, c)) continue;
    auto const used = std::count_if(first, first + static_cast<std::ptrdiff_t>(ranks), [](double e) { return e > 0; });
    out.hosts.push_back(static_cast<std::size_t>(used));
    all = all && out.hosts.back() == ranks;
  }
  if (all) out.hosts.clear();
  return out;
}

mapping::selection_picture picture_of(mesh_plan const& plan, mapping::mesh_clusters_problem const& problem,
                                      mapping::mesh_clusters_request const& asked) {
  mapping::selection_picture out{.machine = *asked.machine};
  for (std::size_t c = 0; c < plan.clusters.size(); ++c) {
    auto const& one = plan.clusters[c];
    for (int const rank : one.ranks) out.hosts.push_back(rank_text(plan.hosts, rank));
    out.seconds_per_element.push_back(std::accumulate(one.seconds.begin(), one.seconds.end(), 0.0));
    if (one.takes_part) out.chosen.push_back(c);
  }
  out.elements = elements_of_hosts(plan, [&](std::size_t rank) { return plan.elements_of[rank]; });
  for (std::size_t m = 0; m < problem.models().size(); ++m) {
    auto best = mapping::mesh_clusters_problem::best_by_size(asked, m, out.chosen);
    if (best.empty()) continue;
    double const chosen = mapping::mesh_clusters_problem::price(asked, m, {with_elements(plan, out), 0, 0, 0});
    out.models.push_back({problem.models()[m].name, std::move(best), chosen});
  }
  return out;
}

}  // namespace

void iteration_times::add(std::uint64_t count, double seconds) {
  double const each = seconds / static_cast<double>(count);
  while (count > 0) {
    std::uint64_t const full = groups_.empty() ? 1 : groups_.front().count,
                        begun = groups_.empty() || groups_.back().count == full ? 0 : groups_.back().count,
                        some = std::min(count, full - begun);
    record::add_joined(groups_, {added_ + 1, some, each * static_cast<double>(some)}, most_groups);
    added_ += some, count -= some;
  }
}

void mesh_recorder::plan(mesh_plan const& plan, std::optional<std::uint64_t> resumed, mesh_planner const* by) {
  history_.report.plan = plan;
  history_.report.resumed = resumed;
  history_.passed = resumed.value_or(0);
  if (by == nullptr || by->asked() == nullptr || plan.clusters.empty()) return;
  history_.clusters = picture_of(plan, by->problem(), *by->asked());
  by_ = by;
}

void mesh_recorder::begin() {
  last_.reset(), told_ = 0, told_seconds_ = 0;
}

void mesh_recorder::pass(std::uint64_t iteration, double now) {
  if (last_ && iteration > *last_) {
    history_.times.add(iteration - *last_, now - since_);
    told_ += iteration - *last_, told_seconds_ += now - since_;
  }
  last_ = history_.passed = iteration, since_ = now;
}

void mesh_recorder::pause(record::mesh_record const& run, std::uint64_t iterations, double seconds) {
  history_.report.run = run;
  history_.passed = run.iterations;
  // Iterations between no two calls of pass(): the first one since begin(), and the last one.
  if (iterations > told_) history_.times.add(iterations - told_, std::max(0.0, seconds - told_seconds_));
}

/// The clusters that have elements by now, with the forecasts of models.
void mesh_recorder::mark_chosen() {
  auto const& plan = history_.report.plan;
  auto const& shares = history_.report.run.shares;
  if (!history_.clusters || shares.empty()) return;
  auto& of = *history_.clusters;
  auto const elements = [&shares](std::size_t rank) { return shares[rank].inner + shares[rank].outer; };
  of.elements = elements_of_hosts(plan, elements);
  of.chosen.clear();
  for (std::size_t c = 0; c < plan.clusters.size(); ++c)
    if (std::ranges::any_of(plan.clusters[c].ranks, [&](int r) { return elements(static_cast<std::size_t>(r)) > 0; }))
      of.chosen.push_back(c);
  for (auto& model : of.models)
    for (std::size_t m = 0; m < by_->problem().models().size(); ++m)
      if (by_->problem().models()[m].name == model.name)
        model.chosen = mapping::mesh_clusters_problem::price(*by_->asked(), m, {with_elements(plan, of), 0, 0, 0});
}

void mesh_recorder::complete(mesh_report report) {
  history_.end = record::run_end::complete;
  history_.report = std::move(report);
  mark_chosen();
}

void mesh_recorder::fail(std::string const& why, std::vector<std::string> refused_announcements) {
  history_.end = record::run_end::failed;
  history_.why = why;
  history_.report.refused_announcements = std::move(refused_announcements);
  mark_chosen();
}

}  // namespace skel
