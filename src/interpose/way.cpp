#include "way.hpp"

#include <bit>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/statistics.hpp>

namespace skel::interpose {

way::use way::next() {
  ++uses_;
  bool const is_time = std::has_single_bit(uses_) && (!is_believed_ || uses_ >= first_of_belief);
  if (verdict_ == verdict::won && is_time) tries_ = true;
  if (tries_) return {.skel = skel_next_, .timed = timing::together};
  return {.skel = verdict_ == verdict::won, .timed = timing::alone};
}

void way::try_again() {
  SKEL_EXPECTS(is_settled());
  verdict_ = verdict::open;
  tries_ = true, warm_ = skel_next_ = is_believed_ = false;
  plain_.clear(), skel_.clear();
}

void way::adopt(verdict known) {
  SKEL_EXPECTS(waits());
  verdict_ = known;
  is_believed_ = known == verdict::won;
}

void way::measured(use which, double seconds) {
  SKEL_EXPECTS(tries_ && which.skel == skel_next_);
  if (warm_) (which.skel ? skel_ : plain_).push_back(seconds);
  skel_next_ = !which.skel;
  if (!which.skel) return;
  if (!warm_) {
    warm_ = true;
    return;
  }
  is_believed_ = false;
  if (!(skel_seconds() < plain_seconds()))
    verdict_ = verdict::lost;
  else if (plain_.size() >= fewest_pairs)
    verdict_ = verdict::won;
  tries_ = verdict_ == verdict::open;
}

double way::plain_seconds() const {
  return statistics::median(plain_);
}

double way::skel_seconds() const {
  return statistics::median(skel_);
}

}  // namespace skel::interpose
