#include "change_watch.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>
#include <set>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/mapping/collective_mapper.hpp>

namespace skel::interpose {
namespace {

/// As a number of uses, however many.
std::uint64_t uses_of(double number) {
  constexpr double most = 1e15;
  return static_cast<std::uint64_t>(std::clamp(std::ceil(number), 0.0, most));
}

}  // namespace

/// True if this rank's change makes the use take another time, by more than twice the error of predictions. A use lasts
/// as long as on the slowest rank: ranks that only send return at once.
bool change_watch::matters(double mean) const {
  double const usual = std::exp((usual_.low + usual_.high) / 2);
  return std::abs(mean - usual) > std::expm1(2 * mapping::usual_error) * greatest_;
}

bool change_watch::hear(told_of_change const& all) {
  SKEL_EXPECTS(reads());
  is_under_way_ = false;
  greatest_ = all.seconds;
  double const paid_by = all.spent / share_of_watching;  // [s] of uses
  begin_at_ = std::max(begin_at_, uses_), between_ = uses_between;
  if (paid_by > static_cast<double>(uses_between) * all.seconds) begin_at_ += uses_of(paid_by / all.seconds);
  if (std::exchange(is_stale_, false)) return false;
  bool const is_refuted = all.seconds > (all.before > 0 ? std::min(below_, all.before) : below_);
  bool const is_quiet = uses_ < quiet_until_ && !(all.seconds > overtaken_at_);
  if (!is_refuted && (!(all.rings > 0) || is_quiet)) return false;
  tried_at_ = all.seconds;
  return true;
}

told_of_change change_watch::say() {
  SKEL_EXPECTS(begins());
  is_under_way_ = true, begun_at_ = uses_;
  double const mean = counted_ > 0 ? seconds_ / static_cast<double>(counted_) : 0;
  double const told = std::isfinite(below_) && counted_ > 0 ? least_ : mean;
  forget_uses();
  return {.rings = rings_ && matters(mean) ? 1.0 : 0.0,
          .spent = std::exchange(spent_, 0),
          .seconds = told,
          .before = before_};
}

void change_watch::took(double seconds) {
  if (uses_ != warms_up_) seconds_ += seconds, ++counted_, least_ = std::min(least_, seconds);
  double const value = std::log(std::max(seconds, std::numeric_limits<double>::min()));
  if (known_.size() >= first_known) {
    double const z = (value - std::clamp(value, usual_.low, usual_.high)) / deviation_;
    if (!rings_) rings_ = noticed_.add(z) != statistics::cusum::alarm::none;
    if (noticed_.is_cut_off(z) || known_.size() == most_known) return;
  }
  known_.push_back(value);
  if (known_.size() < first_known || !std::has_single_bit(known_.size())) return;
  usual_ = statistics::median_interval(known_);
  deviation_ = std::max(statistics::deviation(known_), mapping::usual_error);
}

void change_watch::begin_anew() {
  known_.clear();
  noticed_.up = noticed_.down = 0;
  rings_ = false, is_stale_ = is_under_way_;
  below_ = std::numeric_limits<double>::infinity(), before_ = 0;
}

void change_watch::forget_uses() {
  seconds_ = 0, counted_ = 0, least_ = std::numeric_limits<double>::infinity();
}

void change_watch::tell_soon(std::uint64_t counted, std::uint64_t between) {
  warms_up_ = uses_ + 1, begin_at_ = warms_up_ + counted + 1;
  forget_uses();
  if (!is_under_way_) between_ = between;
}

void change_watch::begin_anew_below(double seconds, std::uint64_t between) {
  double const before = known_.empty() ? 0 : std::exp(statistics::median(known_));
  begin_anew();
  below_ = seconds, before_ = before;
  tell_soon(2, between);
}

void change_watch::was_tried(bool in_vain, double uses, double worse, double of) {
  if (!in_vain) {
    in_vain_ = 0, quiet_until_ = 0, overtaken_at_ = 0;
    return;
  }
  overtaken_at_ = std::max(overtaken_at_, worse * tried_at_);
  quiet_until_ = uses_ + uses_of(static_cast<double>(in_vain_++) * uses * worse / of);
}

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
