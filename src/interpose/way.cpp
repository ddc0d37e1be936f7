#include "way.hpp"

#include <bit>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/statistics.hpp>

namespace skel::interpose {

way::use way::next() {
  ++uses_;
  if (verdict_ == verdict::won && !tries_ && std::has_single_bit(uses_)) tries_ = true;
  if (tries_) return {.skel = skel_next_, .timed = timing::together};
  return {.skel = verdict_ == verdict::won, .timed = timing::alone};
}

void way::try_it() {
  SKEL_EXPECTS(waits());
  tries_ = true;
}

void way::try_again() {
  SKEL_EXPECTS(is_settled());
  verdict_ = verdict::open;
  tries_ = true, warm_ = skel_next_ = false;
  plain_.clear(), skel_.clear();
  pairs_ = pairs_again;
}

void way::adopt(verdict known) {
  verdict_ = known;
  tries_ = skel_next_ = false;
  warm_ = false;
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
  if (!(skel_seconds() < plain_seconds()))
    verdict_ = verdict::lost;
  else if (plain_.size() >= pairs_)
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
