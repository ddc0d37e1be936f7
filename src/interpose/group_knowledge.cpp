#include "group_knowledge.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/hash.hpp>
#include <skel/detail/base/shown.hpp>

#include "process.hpp"

namespace skel::interpose {

mapping::collective_mapper* group_knowledge::mapper() {
  if (!mapper_ && !impossible_) {
    try {
      mapper_.emplace(process::self().machine(), host_of_rank_);
      mapper_->set_up(before_);
    } catch (error const& problem) {
      impossible_ = true;
      if (process::self().first())
        tell_user("warning: " + what_of(problem) + "; collectives of these ranks are left to MPI");
    }
  }
  return mapper_ ? &*mapper_ : nullptr;
}

double group_knowledge::least(mapping::collective_request const& kind) {
  if (!farthest_) {
    platform::description const& machine = process::self().machine();
    std::map<std::size_t, plan::host_id> hosts;  // one of each cluster
    for (plan::host_id const host : host_of_rank_) hosts.emplace(machine.cluster_of(host), host);
    // Inside one cluster, any host.
    farthest_ = hosts.size() > 1 ? platform::link{} : machine.clusters()[hosts.begin()->first].inside;
    for (auto const& [to, host] : hosts) {
      std::optional<platform::link> nearest;
      for (auto const& [from, other] : hosts)
        if (from != to && machine.connected(other, host))
          if (auto const path = machine.path(other, host); !nearest || path.latency < nearest->latency) nearest = path;
      if (nearest && nearest->latency > farthest_->latency) farthest_ = nearest;
    }
  }
  return farthest_->time(static_cast<double>(kind.bytes));
}

double group_knowledge::plain(mapping::collective_request const& kind) {
  constexpr std::size_t most_kept = 4096;
  if (forecasts_.size() >= most_kept) forecasts_.clear();
  auto const [there, is_new] = forecasts_.try_emplace(kind);
  if (!is_new || !process::self().mpi_is_tuned()) return there->second.plain;
  try {
    if (!plain_) plain_.emplace(process::self().machine(), host_of_rank_);
    there->second.plain = plain_->least(kind);
  } catch (error const&) {  // too many bytes for its model
  }
  return there->second.plain;
}

forecast group_knowledge::foresee(mapping::collective_request const& kind, bool learnt) {
  forecast found{.plain = plain(kind)};
  if (mapper() == nullptr) return found;
  double& unlearnt = forecasts_[kind].skel;
  try {
    if (!learnt && !std::isfinite(unlearnt)) unlearnt = mapper_->unlearnt(kind);
    found.skel = learnt ? mapper_->predicted(kind) : unlearnt;
  } catch (error const&) {  // no way between these clusters
  }
  return found;
}

void group_knowledge::observe(mapping::collective_request const& kind, double seconds) {
  if (mapper() == nullptr) return;
  mapper_->observe(kind, seconds);
  add_event(kind, std::bit_cast<std::uint64_t>(seconds));
}

bool group_knowledge::keep(mapping::collective_request const& kind, way::verdict found) {
  add_event(kind, static_cast<std::uint64_t>(found));
  return verdicts_.found(kind, found);
}

void group_knowledge::add_event(mapping::collective_request const& kind, std::uint64_t what) {
  fnv1a hash;
  hash.add(events_).add(static_cast<std::uint64_t>(kind.operation)).add(kind.bytes).add(std::uint64_t{kind.root});
  hash.add(kind.unit).add(kind.commutative ? 1 : 0).add(what);
  events_ = hash.value();
}

void group_knowledge::begin_anew() {
  mapper_.reset();
  verdicts_ = kept_verdicts(before_.known);
  events_ = 0;
}

mapping::decision_entries group_knowledge::learnt() const {
  auto all = verdicts_.entries();
  if (mapper_)
    for (auto& one : mapper_->learnt()) all.push_back(std::move(one));
  return all;
}

std::shared_ptr<group_knowledge> known_groups::find(std::vector<int> const& ranks,
                                                    std::vector<plan::host_id> host_of_rank,
                                                    mapping::decision_setup const& before) {
  auto& place = all_[ranks];
  if (auto known = place.lock()) return known;
  auto made = std::make_shared<group_knowledge>(std::move(host_of_rank), before);
  place = made;
  last_.resize(most_kept);
  last_[next_++ % most_kept] = made;
  std::erase_if(all_, [](auto const& one) { return one.second.expired(); });
  return made;
}

}  // namespace skel::interpose
