#include "mesh_remapper.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/split.hpp>
#include <skel/detail/mapping/decision_knowledge.hpp>

namespace skel {
namespace {

/// A program of which nobody knows the end: no entry cost counts beside so many iterations.
constexpr double most_iterations = 1e12;

/// Those that others are not among.
std::vector<std::string> without(std::vector<std::string> all, std::vector<std::string> const& others) {
  std::erase_if(all, [&](auto const& one) { return std::ranges::find(others, one) != others.end(); });
  return all;
}

}  // namespace

mesh_remapper::mesh_remapper(mesh_standing standing, mapping::mesh_to_part mesh, double planning, double error,
                             mapping::decision_setup const& decisions, std::optional<mesh_surroundings> around)
    : standing_(std::move(standing)),
      mesh_(std::move(mesh)),
      planning_(planning),
      error_(error),
      stays_(decisions.forced.contains(mapping::remap_choice::name)),
      around_(std::move(around)),
      decider_(mapping::remap_choice(mapping::mesh_pricing)) {
  SKEL_EXPECTS(standing_.ground.ranks.size() == standing_.partition.parts &&
               standing_.ground.hosts.parts() == standing_.ground.ranks.size());
  decider_.tell(decisions.log);
  decider_.force(decisions.forced);
}

/// What an element took in each step on the rank of a part.
std::vector<double> mesh_remapper::took(std::size_t part, record::mesh_record const& since,
                                        std::uint64_t iterations) const {
  auto const rank = static_cast<std::size_t>(standing_.ground.ranks[part]);
  auto const elements =
      static_cast<double>(std::ranges::count(standing_.partition.part_of, static_cast<std::uint32_t>(part)));
  std::vector<double> out;
  for (auto const& step : since.steps)
    out.push_back(step.computing[rank] / (elements * static_cast<double>(iterations)));
  return out;
}

/// What an element would take on the rank of a part alone, by what it took: as long as that at the most, where others
/// did not use its cores meanwhile, and by as much shorter as it shares them at the least. In between what was believed
/// stays.
std::vector<double> mesh_remapper::alone(std::size_t part, std::vector<double> took) const {
  double const slower = standing_.ground.slower_by(part);
  auto const believed = around_->outlook.seconds(static_cast<std::size_t>(standing_.ground.ranks[part]));
  for (std::size_t s = 0; s < took.size(); ++s)
    took[s] = believed.empty() ? took[s] / slower : std::clamp(believed[s], took[s] / slower, took[s]);
  return took;
}

/// The hosts of the parts with what an element took there in each phase; where ranks share cores, with what it takes
/// then, whether that was seen while they computed or while they waited.
cost::mesh::part_hosts mesh_remapper::hosts_now(record::mesh_record const& since, std::uint64_t iterations) const {
  auto now = standing_.ground.hosts;
  for (std::size_t p = 0; p < now.parts(); ++p) {
    auto of = took(p, since, iterations);
    double const slower = standing_.ground.slower_by(p);
    if (around_ && slower > 1) of = alone(p, std::move(of));
    for (std::size_t s = 0; s < of.size(); ++s)
      if (auto const phase = standing_.phase_of[s]; phase != mesh_standing::no_phase)
        now.seconds[p * now.phases + phase] = of[s] * (around_ ? slower : 1);
  }
  return now;
}

void mesh_remapper::hear(record::mesh_record const& since, std::uint64_t iterations, mesh_news const& news) {
  if (!around_) return;
  auto& of = around_->outlook;
  for (std::size_t r = 0; r < news.of_ranks.size(); ++r) of.hear(r, news.of_ranks[r], news.now);
  for (std::size_t p = 0; p < standing_.ground.ranks.size() && iterations > 0; ++p)
    of.measured(static_cast<std::size_t>(standing_.ground.ranks[p]), alone(p, took(p, since, iterations)));
  for (auto const& one : news.announced) of.hear(one, news.now);
}

/// What the slowest rank took in an iteration for what is neither a phase nor sent.
double mesh_remapper::beside_steps(record::mesh_record const& since, std::uint64_t iterations) const {
  double sum = 0;
  for (std::size_t s = 0; s < since.steps.size(); ++s)
    if (standing_.phase_of[s] == mesh_standing::no_phase) sum += std::ranges::max(since.steps[s].computing);
  return sum / static_cast<double>(iterations);
}

/// What the model does not know of an iteration is what its updates and all-reduces wait for, where there are any.
void mesh_remapper::correct_wait(cost::mesh::part_hosts& now, plan::partition_figures const& counted, double measured) {
  double const steps = now.updates + now.allreduces;
  if (now.parts() < 2 || !(steps > 0)) return;
  double const unknown = (measured - cost::mesh::time_of(now, counted).seconds) / steps;
  now.wait = std::max(0.0, now.wait + unknown);
}

/// Nothing: those that take part.
std::optional<mesh_selection> mesh_remapper::select(mesh_ground const& now,
                                                    plan::partition_figures const& counted) const {
  if (!around_) return std::nullopt;
  auto made = around_->select(around_->outlook, now, counted);
  if (!made || made->ground.ranks == now.ranks) return std::nullopt;
  if (auto const known = besides_.find(made->ground.ranks); known != besides_.end()) made->seconds *= known->second;
  return made;
}

bool mesh_remapper::has_to_leave() const {
  return around_ && !stays_ && std::ranges::any_of(standing_.ground.ranks, [&](int r) {
           return around_->outlook.leaves(static_cast<std::size_t>(r));
         });
}

/// Of an iteration on other ranks, beside one where the program is.
double mesh_remapper::doubt_of(mesh_ground const& other) const {
  double out = error_;
  for (int const r : other.ranks)
    if (std::ranges::find(standing_.ground.ranks, r) == standing_.ground.ranks.end())
      out = std::max(out, around_->error + around_->outlook.error(static_cast<std::size_t>(r)));
  return out;
}

/// Elements that go to another rank.
double mesh_remapper::moved_to(way const& one) const {
  auto const &then = one.found.best.part_of, &now = standing_.partition.part_of;
  double moved = 0;
  for (std::size_t e = 0; e < then.size(); ++e)
    moved += one.ground.ranks[then[e]] != standing_.ground.ranks[now[e]] ? 1 : 0;
  return moved;
}

std::optional<plan::partition> mesh_remapper::review(record::mesh_record const& since, std::uint64_t iterations,
                                                     double paused, mesh_news const& news) {
  hear(since, iterations, news);
  if (iterations == 0) return std::nullopt;
  auto now = standing_.ground;
  now.hosts = hosts_now(since, iterations);
  plan::cell_weights const weights{now.hosts.phases, mesh_.weights};
  auto const present = plan::figures_of(*mesh_.graph, standing_.partition, weights, now.hosts.cluster_of);
  double const measured = since.iterating / static_cast<double>(iterations);
  correct_wait(now.hosts, present, measured - beside_steps(since, iterations));
  double const modelled = cost::mesh::time_of(now.hosts, present).seconds;
  std::vector<double> all(now.hosts.phases, 0);
  for (std::size_t p = 0; p < now.hosts.parts(); ++p)
    for (std::size_t j = 0; j < now.hosts.phases; ++j) all[j] += present.weights[p * now.hosts.phases + j];
  auto const other = select(now, present);
  bool const must_go = other && has_to_leave();
  double possible = modelled - cost::mesh::least_seconds(now.hosts, all);
  if (other) possible = std::max(possible, modelled - other->seconds);
  double const missed = std::max(0.0, possible) * static_cast<double>(iterations);
  missed_ += missed, unplanned_ += missed;
  seconds_ += since.iterating;
  record::mesh_review looked{
      .iteration = since.iterations, .stays = measured, .goes = measured, .host_leaves = must_go};
  if (!must_go && unplanned_ <= planning_) {
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
  std::vector<way> ways;
  // Returns whether there is a partition: hosts together may have room where each has too little for its share.
  auto const add = [&](mesh_ground const& on, double bandwidth, double doubt) {
    way one{.ground = on, .found = {}, .doubt = doubt};
    try {
      one.found = mapping::choose_partition(mesh_, on.hosts, settings);
    } catch (error const&) {
      return false;
    }
    // What the model does not know of, no partition takes away.
    one.goes = std::max(0.0, measured - (modelled - one.found.time.seconds));
    one.entry = planning_ + paused + moved_to(one) * standing_.bytes_per_element / bandwidth;
    ways.push_back(std::move(one));
    return true;
  };
  if (!must_go) add(now, now.bandwidth, error_);
  if (other && add(other->ground, other->bandwidth, doubt_of(other->ground))) {
    auto& known = besides_.try_emplace(other->ground.ranks, 1.0).first->second;
    known *= ways.back().found.time.seconds / other->seconds;
  }
  if (ways.empty()) {
    reviews_.push_back(looked);
    return std::nullopt;
  }
  auto const best = std::ranges::min_element(ways, {}, &way::goes);
  double const gain = std::max(0.0, looked.stays - best->goes);
  looked.lost = possible > 0 ? missed_ * std::min(1.0, gain / possible) : 0;
  mapping::remap_request asked{.program = standing_.program,
                               .seconds = seconds_,
                               .ways = {},
                               .items = gain > 0 ? std::min(remaining, looked.lost / gain) : 0};
  // What has to go is compared for all that is still to come.
  if (must_go) asked.items = remaining;
  if (!must_go) asked.ways.push_back({std::string(mapping::remap_choice::stay), ways.size(), looked.stays, 0, 0});
  for (std::size_t k = 0; k < ways.size(); ++k)
    asked.ways.push_back({ways[k].ground.ranks == now.ranks ? "repartitioned"
                          : ways[k].ground.clusters == now.clusters
                              ? "on " + counted(ways[k].ground.ranks.size(), "rank")
                              : "on " + joined(ways[k].ground.clusters, " + "),
                          k, ways[k].goes, ways[k].doubt, ways[k].entry});
  auto const chosen = decider_.decide(asked).chosen().plan.index;
  looked.moved = chosen < ways.size();
  auto& shown = looked.moved ? ways[chosen] : *best;
  looked.goes = shown.goes, looked.entry = shown.entry;
  looked.taken_in = without(shown.ground.clusters, now.clusters);
  looked.given_up = without(now.clusters, shown.ground.clusters);
  looked.ranks = now.ranks.size(), looked.ranks_then = shown.ground.ranks.size();
  reviews_.push_back(looked);
  if (!looked.moved) return std::nullopt;
  missed_ = 0;
  has_changed_ranks_ = has_changed_ranks_ || shown.ground.ranks != now.ranks;
  standing_.ground = std::move(shown.ground);
  standing_.partition = shown.found.best;
  return std::move(shown.found.best);
}

}  // namespace skel
