#include "group_knowledge.hpp"

#include <algorithm>
#include <cstdio>
#include <tuple>

#include <skel/base/error.hpp>

#include "process.hpp"

namespace skel::interpose {

bool group_knowledge::before::operator()(mapping::collective_request const& a,
                                         mapping::collective_request const& b) const {
  auto const all = [](mapping::collective_request const& r) {
    return std::tie(r.operation, r.bytes, r.root, r.unit, r.commutative);
  };
  return all(a) < all(b);
}

mapping::collective_mapper* group_knowledge::mapper() {
  if (!mapper_ && !impossible_) {
    try {
      mapper_.emplace(process::self().machine(), host_of_rank_);
    } catch (error const& problem) {
      impossible_ = true;
      if (process::self().first())
        std::fprintf(stderr, "skel: warning: %s; collectives of these ranks are left to MPI\n", problem.what());
    }
  }
  return mapper_ ? &*mapper_ : nullptr;
}

way::verdict group_knowledge::verdict_of(mapping::collective_request const& kind) const {
  auto const found = verdicts_.find(kind);
  return found == verdicts_.end() ? way::verdict::open : found->second;
}

void group_knowledge::keep(mapping::collective_request const& kind, way::verdict found) {
  verdicts_[kind] = found;
}

std::shared_ptr<group_knowledge> known_groups::find(std::vector<int> const& ranks,
                                                    std::vector<plan::host_id> host_of_rank) {
  auto& place = all_[ranks];
  if (auto known = place.lock()) return known;
  auto made = std::make_shared<group_knowledge>(std::move(host_of_rank));
  place = made;
  last_.resize(most_kept);
  last_[next_++ % most_kept] = made;
  std::erase_if(all_, [](auto const& one) { return one.second.expired(); });
  return made;
}

}  // namespace skel::interpose
