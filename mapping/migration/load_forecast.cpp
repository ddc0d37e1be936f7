#include "load_forecast.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/statistics.hpp>

namespace skel::mapping::migration {

namespace {

/// Part of the weight of a value that is left a superstep later.
constexpr std::array<double, 3> kept_of_mean{1, 0.9, 0.5};
constexpr double kept_of_line = 0.9, kept_of_miss = 0.95;

/// Fewest values for a line: two always make one.
constexpr std::size_t least_of_line = 3;

/// Supersteps from which forecasts by phases first learn: some of each phase.
constexpr std::size_t remembered = 4 * load_forecast::most_period;

}  // namespace

void load_forecast::series::add(double value) {
  if (values_ >= 2) {
    for (std::size_t k = 0; k < missed_.size(); ++k)
      missed_[k] = kept_of_miss * missed_[k] + std::pow(value - predict(k, 1), 2);
    misses_ = kept_of_miss * misses_ + 1;
  }
  for (std::size_t k = 0; k < means; ++k)
    weight_[k] = kept_of_mean[k] * weight_[k] + 1, sum_[k] = kept_of_mean[k] * sum_[k] + value;
  // All places move back by one.
  xx_ += n_ - 2 * x_, x_ -= n_, xy_ -= y_;
  for (auto* const one : {&n_, &x_, &xx_, &y_, &xy_}) *one *= kept_of_line;
  n_ += 1, y_ += value;
  ++values_;
  best_ = 0;
  for (std::size_t k = 1; k < missed_.size(); ++k)
    if (missed_[k] < missed_[best_] && (k < means || values_ >= least_of_line)) best_ = k;
}

double load_forecast::series::predict(std::size_t which, double ahead) const {
  if (which < means) return sum_[which] / weight_[which];
  double const slope = (n_ * xy_ - x_ * y_) / (n_ * xx_ - x_ * x_);
  return std::max(0.0, (y_ - slope * x_) / n_ + slope * ahead);
}

double load_forecast::series::expected(double ahead) const {
  return values_ == 0 ? 0 : predict(best_, ahead);
}

double load_forecast::series::deviation() const {
  return misses_ > 0 ? std::sqrt(missed_[best_] / misses_) : 0;
}

void load_forecast::add(record::superstep_load const& load) {
  ++passed_;
  processes_.resize(load.work.size(), process{.work = std::vector<series>(period_)});
  for (std::size_t p = 0; p < processes_.size(); ++p) {
    auto& one = processes_[p];
    bool const computes = load.work[p] > 0;
    if (computes && !one.computes) {
      if (++one.times_begun == 1 && passed_ > 1) beginnings_.push_back(passed_), last_begun_ = p;
      if (one.times_begun > 1) pauses_ = true, lifetimes_.clear();
      one.begun = passed_;
    } else if (!computes && one.computes && !pauses_) {
      lifetimes_.push_back(static_cast<double>(passed_ - one.begun));
    }
    one.computes = computes;
    if (computes || one.times_begun > 1) one.work[passed_ % period_].add(load.work[p]);
  }
  find_period(load.work);
}

void load_forecast::find_period(std::vector<double> const& work) {
  past_.push_back(work);
  if (past_.size() > remembered) past_.pop_front();
  if (past_.size() <= most_period) return;
  for (std::size_t lag = 1; lag <= most_period; ++lag) {
    auto const& before = past_[past_.size() - 1 - lag];
    double sum = 0;
    for (std::size_t p = 0; p < work.size(); ++p) sum += std::abs(work[p] - before[p]);
    differs_[lag] = kept_of_miss * differs_[lag] + sum;
  }
  auto const least =
      static_cast<std::size_t>(std::min_element(differs_.begin() + 1, differs_.end()) - differs_.begin());
  std::size_t const found = differs_[least] < differs_[1] / 2 ? least : 1;
  if (found == period_) return;
  period_ = found;
  // Forecasts by other phases learn anew from the remembered supersteps.
  for (std::size_t p = 0; p < processes_.size(); ++p) {
    auto& one = processes_[p];
    one.work.assign(period_, series());
    for (std::size_t k = 0; k < past_.size(); ++k)
      if (past_[k][p] > 0 || one.times_begun > 1)
        one.work[(passed_ - (past_.size() - 1 - k)) % period_].add(past_[k][p]);
  }
}

double load_forecast::begin_rate() const {
  // Over the last half of the supersteps.
  std::size_t const past = (passed_ + 1) / 2;
  auto const many = std::ranges::count_if(beginnings_, [&](std::size_t s) { return s + past > passed_; });
  return many < 2 ? 0 : static_cast<double>(many) / static_cast<double>(past);
}

std::optional<double> load_forecast::lifetime() const {
  if (lifetimes_.empty()) return std::nullopt;
  return statistics::median(lifetimes_);
}

bool load_forecast::is_steady() const {
  bool const waits = std::ranges::any_of(processes_, [](process const& one) { return one.times_begun == 0; });
  return !(waits && begin_rate() > 0) && !lifetime() && std::ranges::none_of(processes_, [](process const& one) {
    return std::ranges::any_of(one.work, &series::grows);
  });
}

std::vector<double> load_forecast::deviations() const {
  std::vector<double> all;
  for (auto const& one : processes_) {
    double sum = 0;
    for (auto const& phase : one.work) sum += phase.deviation();
    all.push_back(sum / static_cast<double>(period_));
  }
  return all;
}

std::vector<double> load_forecast::expected(std::size_t ahead) const {
  double const d = static_cast<double>(ahead), now = static_cast<double>(passed_), rate = begin_rate();
  auto const life = lifetime();
  std::vector<double> work(processes_.size());
  double sum = 0, many = 0;
  for (std::size_t p = 0; p < work.size(); ++p) {
    auto const& one = processes_[p];
    if (!one.computes && one.times_begun < 2) continue;
    double const age = now - static_cast<double>(one.begun) + 1;  // supersteps in which it has computed
    std::size_t const periods = (ahead + period_ - 1) / period_;
    double const its = one.work[(passed_ + ahead) % period_].expected(static_cast<double>(periods));
    sum += its, ++many;
    if (life && age <= *life && age + d > *life) continue;
    work[p] = its;
  }
  if (!(rate > 0) || !(many > 0)) return work;
  double place = 0;
  for (std::size_t k = 1; k <= work.size(); ++k) {
    std::size_t const p = (last_begun_ + k) % work.size();
    if (processes_[p].times_begun > 0) continue;
    double const begins = std::ceil(++place / rate);
    if (begins > d) break;
    if (!life || d - begins < *life) work[p] = sum / many;
  }
  return work;
}

namespace {

/// Weight of a forecast at the next one of its distance, so that ten count in all.
constexpr double ageing = 0.9;

/// The least result, so that supersteps to come always count.
constexpr double least_spread = 0.01;

}  // namespace

void forecast_skill::add(std::span<double const> times, times_of_works const& times_of, works_ahead const& expect) {
  SKEL_EXPECTS(!times.empty());
  ++passed_;
  auto const hosts = static_cast<double>(times.size());
  double const mean = std::accumulate(times.begin(), times.end(), 0.0) / hosts;
  for (std::size_t k = 0; k < distances; ++k) {
    auto& one = all_[k];
    if (!one.work.empty() && one.at == passed_) {
      auto const told = times_of(one.work);
      double const told_mean = std::accumulate(told.begin(), told.end(), 0.0) / hosts;
      one.missed *= ageing, one.spread *= ageing;
      for (std::size_t h = 0; h < times.size(); ++h) {
        double const f = told[h] - told_mean, y = times[h] - mean;
        one.missed += (f - y) * (f - y), one.spread += f * f + y * y;
      }
      ++one.forecasts;
    }
    std::size_t const ahead = std::size_t{1} << k;
    if (passed_ % ahead == 0) one.work = expect(ahead), one.at = passed_ + ahead;
  }
}

double forecast_skill::of(std::size_t ahead) const {
  SKEL_EXPECTS(ahead >= 1);
  std::size_t k = std::min<std::size_t>(distances - 1, std::bit_width(ahead - 1));
  while (k > 0 && all_[k].forecasts == 0) --k;
  auto const& one = all_[k];
  return one.forecasts == 0 || !(one.spread > 0) ? 1 : std::clamp(1 - one.missed / one.spread, least_spread, 1.0);
}

}  // namespace skel::mapping::migration
