#include "group_knowledge.hpp"

#include <algorithm>
#include <bit>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/hash.hpp>
#include <skel/detail/base/tell_user.hpp>

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

void group_knowledge::observe(mapping::collective_request const& kind, double seconds) {
  if (mapper() == nullptr) return;
  mapper_->observe(kind, seconds);
  fnv1a hash;
  hash.add(observed_).add(static_cast<std::uint64_t>(kind.operation)).add(kind.bytes).add(std::uint64_t{kind.root});
  hash.add(kind.unit).add(kind.commutative ? 1 : 0).add(std::bit_cast<std::uint64_t>(seconds));
  observed_ = hash.value();
}

void group_knowledge::forget_times() {
  mapper_.reset();
  observed_ = 0;
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
