#include <skel/detail/platform/slot_series.hpp>

#include <algorithm>
#include <cmath>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/cusum.hpp>

namespace skel::platform {
namespace {

/// Values whose times are remembered: a step is never recognised later (forecaster keeps as many).
constexpr std::size_t most_begins = 512;

/// The usual distance of values is a mean that forgets as quickly as errors of forecasts.
constexpr double keep_of_gap = 1 - 1 / forecaster::memory_of_error;

/// Slots beyond these have no number that is exact.
constexpr double most_slots = 0x1p52;

}  // namespace

slot_series::slot_series(double period, value_of kind, double least_weight)
    : period_(period), kind_(kind), least_weight_(least_weight) {
  SKEL_EXPECTS(period > 0);
}

bool slot_series::add(double time, double value, double weight) {
  double const slot = std::floor(time / period_);
  if (!(std::abs(slot) < most_slots) || !std::isfinite(value) || !std::isfinite(weight) || !(weight > 0)) return false;
  auto const number = static_cast<std::int64_t>(slot);
  if (open_ && number < *open_) return false;
  if (open_ && number > *open_) end_slot();
  open_ = number;
  if (weight_ == 0) least_ = greatest_ = value;
  sum_ += weight * value;
  weight_ += weight;
  least_ = std::min(least_, value);
  greatest_ = std::max(greatest_, value);
  return true;
}

void slot_series::close(double now) {
  double const slot = std::floor(now / period_);
  if (!open_ || !(slot > static_cast<double>(*open_)) || !(slot < most_slots)) return;
  end_slot();
  open_ = static_cast<std::int64_t>(slot);
}

/// The slot that is open becomes a value.
void slot_series::end_slot() {
  bool const says_enough = weight_ > 0 && weight_ >= least_weight_ && std::isfinite(sum_ / weight_);
  double const mean = says_enough ? sum_ / weight_ : 0;
  sum_ = weight_ = 0;
  if (!says_enough) return;
  double const begin = static_cast<double>(*open_) * period_;
  auto const before = of_.steps();
  of_.add(kind_ == value_of::mean ? mean : kind_ == value_of::least ? least_ : greatest_);
  if (begins_.empty()) since_ = begin;
  if (!begins_.empty()) {
    double const distance = begin - begins_.back();
    gap_ = gap_ == 0 ? distance : keep_of_gap * gap_ + (1 - keep_of_gap) * distance;
  }
  begins_.push_back(begin);
  if (begins_.size() > most_begins) begins_.pop_front();
  if (of_.steps() == before) return;
  stepped_ = begin + period_;
  std::uint64_t const back = of_.values() - of_.last_step();
  since_ = begins_[begins_.size() - std::min<std::uint64_t>(begins_.size(), back)];
}

std::optional<double> slot_series::last() const {
  if (begins_.empty()) return std::nullopt;
  return begins_.back() + period_;
}

bool slot_series::is_recent(double now) const {
  auto const ended = last();
  return ended && now - *ended <= statistics::cusum{}.fewest * std::max(period_, gap_);
}

}  // namespace skel::platform
