#include "agreement.hpp"

#include <mutex>
#include <set>

namespace skel::interpose {
namespace {

std::mutex under_way_guard;

/// Never destroyed: MPI may be finalised after the destructors of static objects have run.
std::set<agreement*>& all_under_way() {
  static auto* const all = new std::set<agreement*>;
  return *all;
}

}  // namespace

agreement::agreement(MPI_Comm among, told_of_change const& mine)
    : mine_{mine.rings, mine.spent, mine.seconds, mine.before} {
  MPI_Iallreduce(mine_.data(), all_.data(), static_cast<int>(all_.size()), MPI_DOUBLE, MPI_MAX, among, &request_);
  std::lock_guard const lock(under_way_guard);
  all_under_way().insert(this);
}

agreement::~agreement() {
  read();
  std::lock_guard const lock(under_way_guard);
  all_under_way().erase(this);
}

told_of_change agreement::read() {
  if (request_ != MPI_REQUEST_NULL) MPI_Wait(&request_, MPI_STATUS_IGNORE);
  return {.rings = all_[0], .spent = all_[1], .seconds = all_[2], .before = all_[3]};
}

void agreement::finish_all() {
  std::lock_guard const lock(under_way_guard);
  for (agreement* const one : all_under_way()) one->read();
}

}  // namespace skel::interpose
