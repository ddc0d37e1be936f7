#include <skel/detail/adapt/mesh_remapper.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/split.hpp>
#include <skel/detail/mapping/decision_knowledge.hpp>

namespace skel {
namespace {

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
      around_(std::move(around)),
      mover_(mapping::of_meshes, standing_.program) {
  SKEL_EXPECTS(standing_.ground.ranks.size() == standing_.partition.parts &&
               standing_.ground.hosts.parts() == standing_.ground.ranks.size());
  mover_.decide_by(decisions);
}

/// Measured time of an element in each step on the rank of a part [s].
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

/// Expected time of an element on the rank of a part alone [s], from its measured time. If others left the cores of the
/// rank idle, it is as long at most. If they used them, it is at least the measured time / slower_by(). Between these
/// bounds the belief stays.
std::vector<double> mesh_remapper::alone(std::size_t part, std::vector<double> took) const {
  double const slower = standing_.ground.slower_by(part);
  auto const believed = around_->outlook.seconds(static_cast<std::size_t>(standing_.ground.ranks[part]));
  for (std::size_t s = 0; s < took.size(); ++s)
    took[s] = believed.empty() ? took[s] / slower : std::clamp(believed[s], took[s] / slower, took[s]);
  return took;
}

/// The hosts of the parts with the measured times of an element in each phase. Where ranks share cores, the times are
/// those with shared cores, even if others waited during the measurement.
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

/// Time of the slowest rank in an iteration outside phases and messages [s].
double mesh_remapper::beside_steps(record::mesh_record const& since, std::uint64_t iterations) const {
  double sum = 0;
  for (std::size_t s = 0; s < since.steps.size(); ++s)
    if (standing_.phase_of[s] == mesh_standing::no_phase) sum += std::ranges::max(since.steps[s].computing);
  return sum / static_cast<double>(iterations);
}

/// The model explains all of an iteration but the waiting in its updates and all-reduces, if there are any.
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
  return around_ && !mover_.stays() && std::ranges::any_of(standing_.ground.ranks, [&](int r) {
           return around_->outlook.leaves(static_cast<std::size_t>(r));
         });
}

/// Doubt of an iteration on other ranks, beside one on the present ranks.
double mesh_remapper::doubt_of(mesh_ground const& other) const {
  double out = error_;
  for (int const r : other.ranks)
    if (std::ranges::find(standing_.ground.ranks, r) == standing_.ground.ranks.end())
      out = std::max(out, around_->error + around_->outlook.error(static_cast<std::size_t>(r)));
  return out;
}

/// Elements that go to another rank.
std::uint64_t mesh_remapper::moved_to(way const& one) const {
  auto const &then = one.found.best.part_of, &now = standing_.partition.part_of;
  std::uint64_t moved = 0;
  for (std::size_t e = 0; e < then.size(); ++e)
    moved += one.ground.ranks[then[e]] != standing_.ground.ranks[now[e]] ? 1U : 0U;
  return moved;
}

mesh_remapper::look mesh_remapper::look_at(record::mesh_record const& since, std::uint64_t iterations) const {
  look out{.now = standing_.ground, .measured = since.iterating / static_cast<double>(iterations)};
  auto& hosts = out.now.hosts;
  hosts = hosts_now(since, iterations);
  plan::cell_weights const weights{hosts.phases, mesh_.weights};
  auto const present = plan::figures_of(*mesh_.graph, standing_.partition, weights, hosts.cluster_of);
  correct_wait(hosts, present, out.measured - beside_steps(since, iterations));
  out.modelled = cost::mesh::time_of(hosts, present).seconds;
  std::vector<double> all(hosts.phases, 0);
  for (std::size_t p = 0; p < hosts.parts(); ++p)
    for (std::size_t j = 0; j < hosts.phases; ++j) all[j] += present.weights[p * hosts.phases + j];
  out.other = select(out.now, present);
  out.must_go = out.other && has_to_leave();
  double const least = cost::mesh::least_seconds(hosts, all);
  out.possible = std::max(0.0, out.modelled - (out.other ? std::min(least, out.other->seconds) : least));
  if (standing_.iterations)
    out.remaining = static_cast<double>(std::max(*standing_.iterations, since.iterations) - since.iterations);
  return out;
}

/// Where hosts together have room, each may have too little for its share: there is no way then.
std::vector<mesh_remapper::way> mesh_remapper::ways(look const& of, double paused) {
  mapping::partition_settings settings;
  settings.iterations = std::min(of.remaining, seconds_ / of.measured);  // as many as there have been
  std::vector<way> out;
  auto const add = [&](mesh_ground const& on, double bandwidth, double doubt) {
    way one{.ground = on, .found = {}};
    try {
      one.found = mapping::choose_partition(mesh_, on.hosts, settings);
    } catch (error const&) {
      return false;
    }
    bool const is_here = on.ranks == of.now.ranks;
    one.goes.kind = is_here ? "repartitioned" : "other ranks";
    one.goes.name = is_here                          ? one.goes.kind
                    : on.clusters == of.now.clusters ? "on " + counted(on.ranks.size(), "rank")
                                                     : "on " + joined(on.clusters, " + ");
    // No partition removes time that the model does not explain.
    one.goes.period = std::max(0.0, of.measured - (of.modelled - one.found.time.seconds));
    one.goes.doubt = doubt;
    one.goes.entry =
        mover_.entry(one.goes.kind,
                     planning_ + paused + static_cast<double>(moved_to(one)) * standing_.bytes_per_element / bandwidth);
    out.push_back(std::move(one));
    return true;
  };
  if (!of.must_go) add(of.now, of.now.bandwidth, error_);
  if (auto const& other = of.other; other && add(other->ground, other->bandwidth, doubt_of(other->ground)))
    besides_.try_emplace(other->ground.ranks, 1.0).first->second *= out.back().found.time.seconds / other->seconds;
  return out;
}

std::optional<plan::partition> mesh_remapper::review(record::mesh_record const& since, std::uint64_t iterations,
                                                     double paused, mesh_news const& news) {
  hear(since, iterations, news);
  if (iterations == 0) return std::nullopt;
  seconds_ += since.iterating;
  mover_.used(static_cast<double>(iterations), since.iterating);
  auto const seen = look_at(since, iterations);
  if (mover_.history().all == 0) first_iteration_ = seen.measured;
  mover_.lost().add(seen.possible * static_cast<double>(iterations));
  // The possible gain has changed by more than the error of predictions. Looks in vain before say nothing of it.
  double const share = seen.possible / seen.measured;
  if (!news.announced.empty() || std::abs(share - seen_share_) > error_)
    mover_.lost().has_changed(), seen_share_ = share;
  bool const looks = seen.must_go || mover_.lost().pays_look(planning_);
  auto found = looks ? ways(seen, paused) : std::vector<way>();
  mapping::ways_to_go_on all{.passed = seconds_,
                             .after = since.iterations,
                             .stays = seen.measured,
                             .period = seen.measured,
                             .must_go = seen.must_go,
                             .remaining = seen.remaining,
                             .possible = seen.possible};
  for (auto const& one : found) all.elsewhere.push_back(one.goes);
  auto const made = mover_.decide(std::move(all));
  if (!looks) return std::nullopt;
  mover_.lost().looked(!found.empty() && !made.moved());
  if (found.empty()) mover_.last().why = "no other partition has room";
  if (!made.moved()) return std::nullopt;
  auto& shown = found[made.elsewhere()];
  auto const& now = seen.now;
  auto& kept = mover_.last();
  kept.parts = moved_to(shown);
  kept.taken_in = without(shown.ground.clusters, now.clusters);
  kept.given_up = without(now.clusters, shown.ground.clusters);
  kept.ranks = now.ranks.size(), kept.ranks_then = shown.ground.ranks.size();
  has_changed_ranks_ = has_changed_ranks_ || shown.ground.ranks != now.ranks;
  standing_.ground = std::move(shown.ground);
  standing_.partition = shown.found.best;
  return std::move(shown.found.best);
}

}  // namespace skel
