#include <skel/detail/record/throughput_watch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/statistics.hpp>

namespace skel::record {

namespace {

/// A slope is a drift if chance makes a steeper one in less than this part of all series. False alarms of the test for
/// steps are as rare.
constexpr double rare = 1.0 / 1000;

/// Neighbours are correlated when they would be less so by chance with this probability (LABATCH).
constexpr double independent = 0.9;

/// Fewer batch means than these are not joined.
constexpr std::size_t fewest_batches = 8;

/// Sums of times are exact to about this share of them.
constexpr double rounding = 1e-9;

passage operator+(passage const& a, passage const& b) {
  return {a.items + b.items, a.seconds + b.seconds};
}

double rate_of(passage const& p) {
  return p.items / p.seconds;
}

passage total(std::span<passage const> series) {
  passage sum;
  for (passage const& p : series) sum = sum + p;
  return sum;
}

/// MSER: how many passages at the beginning are left out.
std::size_t warm_up(std::span<passage const> series) {
  std::size_t const n = series.size();
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  double mean = 0, squares = 0;  // of the passages from d on (Welford)
  for (std::size_t d = n; d-- > 0;) {
    auto const count = static_cast<double>(n - d);
    double const x = rate_of(series[d]), off = x - mean;
    mean += off / count;
    squares += off * (x - mean);
    if (d <= n / 2 && squares / (count * count) <= least) least = squares / (count * count), best = d;
  }
  return best;
}

/// Pairs of neighbours, as many as there are to the last one.
std::vector<passage> joined(std::span<passage const> series) {
  std::vector<passage> pairs;
  for (std::size_t i = series.size() % 2; i + 1 < series.size(); i += 2) pairs.push_back(series[i] + series[i + 1]);
  return pairs;
}

/// Correlation of neighbours by von Neumann's ratio, C = 1 - sum (x_i+1 - x_i)^2 / 2 sum (x_i - mean)^2.
double correlation(std::span<double const> x) {
  double const mean = std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
  double squares = 0, steps = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    squares += std::pow(x[i] - mean, 2);
    if (i > 0) steps += std::pow(x[i] - x[i - 1], 2);
  }
  return squares > 0 ? 1 - steps / (2 * squares) : 0;
}

/// C has mean 0 and variance (n-2) / (n^2-1) for independent normal numbers.
bool are_correlated(std::span<double const> x) {
  auto const n = static_cast<double>(x.size());
  double const reach = statistics::student_reach(2 * independent - 1, static_cast<int>(x.size()) - 1);
  return correlation(x) > reach * std::sqrt((n - 2) / (n * n - 1));
}

/// Factor by which the variance of the mean of n numbers exceeds that of independent ones, if they are an
/// autoregressive process of first order: (1 + r) / (1 - r), at least 1. Estimated correlations are too small by about
/// (1 + 4 r) / n (Marriott and Pope 1954, Biometrika 41(3/4):390-402), which is corrected. The factor is at most n: the
/// numbers count as one then.
double inflation(std::span<double const> x) {
  auto const n = static_cast<double>(x.size());
  double const r = n > 4 ? std::max(0.0, (n * correlation(x) + 1) / (n - 4)) : 0;
  return std::min(n, r < 1 ? (1 + r) / (1 - r) : n);
}

/// The least-squares line through ln(rate) over the time at the middle of each passage, time 0 at their end [s].
struct trend {
  std::vector<double> levels, residuals;
  double at_end = 0, slope = 0;
  double middle = 0;  // mean time [s], < 0
  double spread = 0;  // sum of squares of times about it [s^2]

  double squares() const { return std::inner_product(residuals.begin(), residuals.end(), residuals.begin(), 0.0); }
  double deviation() const { return std::sqrt(squares() / (static_cast<double>(residuals.size()) - 2)); }
  double slope_error() const { return deviation() / std::sqrt(spread); }
  /// Standard error of the line at a time.
  double error_at(double time) const {
    return deviation() * std::sqrt(1 / static_cast<double>(residuals.size()) + std::pow(time - middle, 2) / spread);
  }
};

trend fit_trend(std::span<passage const> series) {
  auto const n = static_cast<double>(series.size());
  trend line;
  std::vector<double> times;
  double time = -total(series).seconds;
  for (passage const& p : series) {
    times.push_back(time + p.seconds / 2);
    time += p.seconds;
    line.levels.push_back(std::log(rate_of(p)));
  }
  line.middle = std::accumulate(times.begin(), times.end(), 0.0) / n;
  double const level = std::accumulate(line.levels.begin(), line.levels.end(), 0.0) / n;
  double product = 0;
  for (std::size_t i = 0; i < series.size(); ++i) {
    line.spread += std::pow(times[i] - line.middle, 2);
    product += (times[i] - line.middle) * (line.levels[i] - level);
  }
  line.slope = product / line.spread;
  line.at_end = level - line.slope * line.middle;
  for (std::size_t i = 0; i < series.size(); ++i)
    line.residuals.push_back(line.levels[i] - line.at_end - line.slope * times[i]);
  return line;
}

/// The least sum of squares about two means, one before and one after some passage.
double squares_of_best_step(std::span<double const> x) {
  double const n = static_cast<double>(x.size()), all = std::accumulate(x.begin(), x.end(), 0.0);
  double before = 0, most = 0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    before += x[i];
    auto const k = static_cast<double>(i + 1);
    most = std::max(most, before * before / k + (all - before) * (all - before) / (n - k));
  }
  return std::inner_product(x.begin(), x.end(), x.begin(), 0.0) - most;
}

/// The estimate by the line through ln(rate), where it has a slope beyond doubt and a step does not fit better.
std::optional<rate_estimate> estimate_drift(std::span<passage const> series, double between) {
  trend const line = fit_trend(series);
  int const freedom = static_cast<int>(series.size()) - 2;
  double const together = std::sqrt(inflation(line.residuals));
  if (!(std::abs(line.slope) > statistics::student_reach(1 - rare, freedom) * together * line.slope_error()))
    return std::nullopt;
  if (squares_of_best_step(line.levels) < line.squares()) return std::nullopt;
  rate_estimate out;
  out.rests_on = total(series);
  out.drift = line.slope;
  double const again = out.rests_on.seconds, change = line.slope * again;
  out.freedom = freedom;
  out.error = std::hypot(together * line.error_at(again), between);
  double const doubt = statistics::student_reach(forecast_confidence, freedom) * out.error;
  double const begin = std::exp(line.at_end), end = std::exp(line.at_end + change);
  out.rate = begin * std::expm1(change / 2) / (change / 2);  // the mean of exp(a + b/2 t) for t from 0 to T
  out.low = std::min(begin, end) * std::exp(-doubt);
  out.high = std::max(begin, end) * std::exp(doubt);
  return out;
}

/// Doubt of ln(rate) of one look: its standard deviation about a line, enlarged if neighbours are correlated.
double scatter_of(std::span<passage const> series) {
  trend const line = fit_trend(series.subspan(warm_up(series)));
  return line.deviation() * std::sqrt(inflation(line.residuals));
}

}  // namespace

void judge(first_and_last<throughput_forecast>& forecasts, std::uint64_t first, std::uint64_t items, double seconds) {
  for (std::size_t i = 0; i < forecasts.size(); ++i) {
    if (forecasts.is_before_gap(i)) continue;
    bool const last = i + 1 == forecasts.size();
    std::uint64_t const end = last ? first + items : forecasts[i + 1].item;
    double const until = last ? seconds : forecasts[i + 1].seconds;
    forecasts[i].items = end - std::min(end, forecasts[i].item);
    forecasts[i].lasted = std::max(0.0, until - forecasts[i].seconds);
  }
}

std::optional<rate_estimate> estimate_rate(std::span<passage const> series, double between) {
  for (auto latest = series; latest.size() >= 2 * fewest_batches; latest = latest.last(latest.size() / 2))
    if (auto const drift = estimate_drift(latest, between)) return drift;
  auto const steady = series.subspan(warm_up(series));
  if (steady.size() < 3) return std::nullopt;
  rate_estimate out;
  out.rests_on = total(steady);
  out.rate = rate_of(out.rests_on);
  std::vector<passage> batches(steady.begin(), steady.end());
  auto const off = [&] {  // excess of a passage over the mean
    std::vector<double> items;
    for (passage const& p : batches) items.push_back(p.items - out.rate * p.seconds);
    return items;
  };
  while (batches.size() >= 2 * fewest_batches && are_correlated(off())) batches = joined(batches);
  auto const items = off();
  auto const n = static_cast<double>(batches.size());
  double const squares = std::inner_product(items.begin(), items.end(), items.begin(), 0.0) * inflation(items);
  out.freedom = static_cast<int>(batches.size()) - 1;
  out.error = std::hypot(std::sqrt(2 * squares / (n - 1) * n) / total(batches).items, between);
  double const half = std::max(rounding, statistics::student_reach(forecast_confidence, out.freedom) * out.error);
  out.low = out.rate * std::exp(-half);
  out.high = out.rate * std::exp(half);
  return out;
}

bool rate_estimate::rules_out(double mean) const {
  double const off = std::abs(std::log(mean / rate));
  return off > rounding && off > statistics::student_reach(1 - rare, freedom) * error;
}

throughput_watch::throughput_watch(throughput_forecast before, double shortest, double between, double can_do)
    : first_(before.item), shortest_(shortest), between_(between), can_do_(can_do), standing_(std::move(before)) {
  SKEL_EXPECTS(shortest > 0 && between >= 0);
}

first_and_last<throughput_forecast> throughput_watch::forecasts() const {
  auto out = fallen_;
  if (standing_.rate > 0) out.add(standing_);
  return out;
}

void throughput_watch::look(double seconds, std::uint64_t items) {
  SKEL_EXPECTS(items >= items_);
  if (items == items_ || seconds - seconds_ < shortest_) return;
  passage const last{static_cast<double>(items - std::exchange(items_, items)),
                     seconds - std::exchange(seconds_, seconds)};
  open_ = open_ + last;
  if (open_.seconds + last.seconds / 2 < length_) return;  // with another one it is nearer to that length
  keep(std::exchange(open_, {}));
}

void throughput_watch::keep(passage const& one) {
  looks_.push_back(one);
  if (auto const from = rise(one)) {
    next_question_ = looks_.size();
    auto const found = estimate_rate(looks_, between_);
    if (!found || found->drift == 0) forget(*from);
  }
  if (looks_.size() >= next_question_) {
    next_question_ = 2 * looks_.size();
    ask();
  }
  if (looks_.size() < most) return;
  looks_ = joined(looks_);
  length_ = total(looks_).seconds / static_cast<double>(looks_.size());
  next_question_ = (next_question_ + 1) / 2;
  up_from_ /= 2;
  down_from_ /= 2;
  scatter_ = scatter_of(looks_);
}

/// After an alarm: how many looks came before the sum that gave it began to rise.
std::optional<std::size_t> throughput_watch::rise(passage const& one) {
  if (!scatter_) return std::nullopt;
  auto const& now = standing();
  double const rate = rate_of(one), low = now.has_interval() ? now.low : now.rate,
               high = now.has_interval() ? now.high : now.rate;
  double const outside = rate > high ? std::log(rate / high) : rate < low ? std::log(rate / low) : 0;
  auto const alarm = test_.add(std::abs(outside) <= rounding ? 0 : outside / *scatter_);
  std::size_t const from = alarm == statistics::cusum::alarm::up ? up_from_ : down_from_;
  if (test_.up == 0) up_from_ = looks_.size();
  if (test_.down == 0) down_from_ = looks_.size();
  if (alarm == statistics::cusum::alarm::none) return std::nullopt;
  return std::min(from, looks_.size());
}

/// The remaining looks have another rate. Later ones are examined as closely as at the beginning.
void throughput_watch::forget(std::size_t looks) {
  looks_.erase(looks_.begin(), looks_.begin() + static_cast<std::ptrdiff_t>(looks));
  scatter_.reset();
  length_ = 0;
  next_question_ = std::max(fewest, looks_.size());
}

/// A line through rising rates goes on beyond the limit of the stages.
void throughput_watch::bound(rate_estimate& found) const {
  if (!(found.drift > 0) || !std::isfinite(can_do_)) return;
  double passed = can_do_;
  for (passage const& one : looks_) passed = std::max(passed, rate_of(one));
  found.rate = std::min(found.rate, passed);
  found.high = std::min(found.high, passed);
  found.low = std::min(found.low, found.rate);
}

void throughput_watch::ask() {
  auto found = estimate_rate(looks_, between_);
  if (!found) return;
  bound(*found);
  if (looks_.size() >= 2 * fewest) scatter_ = scatter_of(looks_);
  if (!falls(*found)) return;
  throughput_forecast next{.item = first_ + items_,
                           .seconds = seconds_,
                           .rate = found->rate,
                           .low = found->low,
                           .high = found->high,
                           .drifts = found->drift != 0,
                           .why = reason(*found)};
  standing_.items = next.item - standing_.item;
  standing_.lasted = next.seconds - standing_.seconds;
  auto fallen = std::exchange(standing_, std::move(next));
  if (fallen.rate > 0) fallen_.add(std::move(fallen));
  test_.up = test_.down = 0;
  up_from_ = down_from_ = looks_.size();
  if (++made_ % most == 0) shortest_ *= 2;
}

bool throughput_watch::falls(rate_estimate const& found) const {
  auto const& now = standing();
  if (now.rate == 0) return true;
  if (looks_.size() < 2 * fewest) return found.rules_out(now.rate);
  if (!(found.low <= now.rate && now.rate <= found.high) || is_surer(found)) return true;
  return found.drift != 0 && (!now.has_interval() || found.low < now.low || found.high > now.high);
}

bool throughput_watch::is_surer(rate_estimate const& found) const {
  auto const& now = standing();
  return now.why.empty() && now.has_interval() && found.high / found.low < now.high / now.low;
}

std::string throughput_watch::reason(rate_estimate const& found) const {
  auto const to = first_ + items_;
  auto const from = to - static_cast<std::uint64_t>(found.rests_on.items);
  bool const contradicts = !(found.low <= standing().rate && standing().rate <= found.high);
  std::string text =
      print("%sitems %llu to %llu",
            contradicts || !is_surer(found) ? "" : "it is surer: ", static_cast<unsigned long long>(from),
            static_cast<unsigned long long>(to > from ? to - 1 : to));
  double const measured = rate_of(found.rests_on);
  text += standing().rate > 0 ? print(" took %.3g times as long as expected", standing().rate / measured)
                              : print(" took %.3g s", found.rests_on.seconds);
  if (found.drift == 0) return text;
  double const change = std::expm1(found.drift * found.rests_on.seconds);
  if (change >= 9)  // a percentage of four digits says less
    return text + print(", and their rate rose to %.2g times what it was meanwhile", 1 + change);
  return text + print(", and their rate %s by %.0f %% meanwhile", change < 0 ? "fell" : "rose", 100 * std::abs(change));
}

}  // namespace skel::record
