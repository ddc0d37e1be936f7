#include <skel/detail/platform/forecast.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/statistics.hpp>

namespace skel::platform {

namespace {

// The family, as Wolski, Spring and Hayes 1999 (table 2) choose it, odd windows for medians; orders as Dinda and
// O'Hallaron 2000 compare them.
constexpr std::array<std::size_t, 5> mean_windows{5, 10, 20, 40, 80}, median_windows{5, 11, 21, 41, 81};
constexpr std::array<std::size_t, 3> trimmed_windows{11, 21, 41};
constexpr std::array gains{0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 0.9};
constexpr std::array<std::size_t, 5> orders{1, 2, 4, 8, 16};
constexpr double trimmed_share = 0.3;  // at either end
constexpr std::size_t methods =
    2 + mean_windows.size() + median_windows.size() + trimmed_windows.size() + gains.size() + orders.size();

/// Autoregressive models are fitted to this many values, and again after `refit` more; with less than four values for a
/// coefficient they say the mean.
constexpr std::size_t most_values = 512, refit = 16, values_for_coefficient = 4;

/// Misses that the scale of the noise is taken from.
constexpr std::size_t most_misses = 64;

/// Values of a level that have to be known before others are tested against it. The mean of n values is off by
/// 1/sqrt(n) standard deviations. A sum of the test grows if the expected value is off by half of one: with four.
constexpr std::size_t fewest_of_level = 8;

/// An outlier counts against a method with at most so many times the bound of outliers. On a recorded load with many
/// spikes the error over that of the best method was 1.23 with once, and 1.01 to 1.02 with 6 to 8 times
/// (docs/results/0007.md). An outlier of a million deviations still moves nothing.
constexpr double most_of_outlier = 8;

std::string name_of(std::size_t method) {
  if (method == 0) return "last value";
  if (method == 1) return "running mean";
  method -= 2;
  if (method < mean_windows.size()) return "sliding mean of " + std::to_string(mean_windows[method]);
  method -= mean_windows.size();
  if (method < median_windows.size()) return "sliding median of " + std::to_string(median_windows[method]);
  method -= median_windows.size();
  if (method < trimmed_windows.size()) return "trimmed mean of " + std::to_string(trimmed_windows[method]);
  method -= trimmed_windows.size();
  if (method < gains.size())
    return "exponential smoothing, " + std::to_string(static_cast<int>(std::lround(100 * gains[method]))) + " %";
  return "AR(" + std::to_string(orders[method - gains.size()]) + ")";
}

double mean_of(std::span<double const> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Coefficients of autoregressive models of all `orders`, by the recursion of Levinson and Durbin on the biased
/// autocovariances, which keeps them stable. Empty where the values do not vary. O(n order).
std::array<std::vector<double>, orders.size()> fit_orders(std::span<double const> values, double mean) {
  constexpr std::size_t most = orders.back();
  std::array<double, most + 1> covariance{};
  for (std::size_t lag = 0; lag <= most && lag < values.size(); ++lag)
    for (std::size_t i = lag; i < values.size(); ++i) covariance[lag] += (values[i] - mean) * (values[i - lag] - mean);
  std::array<std::vector<double>, orders.size()> found;
  std::vector<double> phi;
  double left = covariance[0];
  for (std::size_t order = 1, which = 0; order <= most && left > 0 && std::isfinite(left); ++order) {
    double reflection = covariance[order];
    for (std::size_t i = 0; i + 1 < order; ++i) reflection -= phi[i] * covariance[order - 1 - i];
    reflection /= left;
    std::vector<double> next(order);
    for (std::size_t i = 0; i + 1 < order; ++i) next[i] = phi[i] - reflection * phi[order - 2 - i];
    next.back() = reflection;
    phi = std::move(next);
    left *= 1 - reflection * reflection;
    if (order == orders[which] && values.size() >= values_for_coefficient * order) found[which] = phi;
    if (order == orders[which]) ++which;
  }
  return found;
}

}  // namespace

/// All methods on one series of values.
struct forecaster::bank {
  std::vector<double> recent;  // at most most_values, the latest last
  double sum = 0, count = 0;   // of the level
  std::array<double, gains.size()> smoothed{};
  std::array<std::vector<double>, orders.size()> coefficients;
  std::size_t since_fit = 0;
  std::array<double, methods> says{}, missed{}, missed_lately{}, missed_in_all{};
  double lately = 0, judged = 0;  // the weights of `missed_lately` and of `missed_in_all`

  bool empty() const { return recent.empty(); }

  /// In `missed`, a value further off than `most` counts as `most` only: it may be an outlier.
  void judge(double value, double most) {
    if (empty()) return;
    constexpr double keep = 1 - 1 / memory, keep_lately = 1 - 1 / memory_of_error;
    lately = lately * keep_lately + 1;
    judged += 1;
    for (std::size_t m = 0; m < methods; ++m) {
      double const miss = std::abs(value - says[m]);
      missed[m] = missed[m] * keep + std::min(miss, most);
      missed_lately[m] = missed_lately[m] * keep_lately + miss;
      missed_in_all[m] += miss;
    }
  }

  void take(double value) {
    if (count == 0) smoothed.fill(value);
    for (std::size_t g = 0; g < gains.size(); ++g) smoothed[g] += gains[g] * (value - smoothed[g]);
    sum += value;
    count += 1;
    if (recent.size() == most_values) recent.erase(recent.begin());
    recent.push_back(value);
    forecast();
  }

  /// Nothing before these values counts; which method has been right does.
  void restart(std::span<double const> level) {
    recent.clear();
    sum = count = 0;
    since_fit = 0;
    coefficients = {};
    for (double value : level) take(value);
  }

  std::size_t best() const {
    return static_cast<std::size_t>(std::min_element(missed.begin(), missed.end()) - missed.begin());
  }
  double error() const { return lately > 0 ? missed_lately[best()] / lately : std::numeric_limits<double>::infinity(); }

 private:
  std::span<double const> latest(std::size_t window) const {
    return std::span<double const>(recent).last(std::min(window, recent.size()));
  }

  void forecast() {
    auto next = says.begin();
    *next++ = recent.back();
    double const mean = sum / count;
    *next++ = mean;
    for (std::size_t window : mean_windows) *next++ = mean_of(latest(window));
    std::vector<double> sorted;
    auto const sort = [&](std::size_t window) {
      auto const some = latest(window);
      sorted.assign(some.begin(), some.end());
      std::sort(sorted.begin(), sorted.end());
    };
    for (std::size_t window : median_windows) {
      sort(window);
      std::size_t const half = sorted.size() / 2;
      *next++ = sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }
    for (std::size_t window : trimmed_windows) {
      sort(window);
      auto const cut = static_cast<std::size_t>(trimmed_share * static_cast<double>(sorted.size()));
      *next++ = mean_of(std::span<double const>(sorted).subspan(cut, sorted.size() - 2 * cut));
    }
    for (double level : smoothed) *next++ = level;
    forecast_by_orders(next);
  }

  void forecast_by_orders(std::array<double, methods>::iterator next) {
    double const mean = mean_of(recent);
    if (since_fit++ % refit == 0) coefficients = fit_orders(recent, mean);
    for (auto const& phi : coefficients) {
      double value = mean;
      for (std::size_t i = 0; i < phi.size(); ++i) value += phi[i] * (recent[recent.size() - 1 - i] - mean);
      *next++ = value;
    }
  }
};

forecaster::forecaster() : raw_(std::make_unique<bank>()), cleaned_(std::make_unique<bank>()) {}
forecaster::forecaster(forecaster const& other)
    : raw_(std::make_unique<bank>(*other.raw_)),
      cleaned_(std::make_unique<bank>(*other.cleaned_)),
      test_(other.test_),
      misses_(other.misses_),
      latest_(other.latest_),
      aside_(other.aside_),
      up_from_(other.up_from_),
      down_from_(other.down_from_),
      values_(other.values_),
      steps_(other.steps_),
      last_step_(other.last_step_),
      outliers_(other.outliers_) {}
forecaster& forecaster::operator=(forecaster const& other) {
  return *this = forecaster(other);
}
forecaster::forecaster(forecaster&&) noexcept = default;
forecaster& forecaster::operator=(forecaster&&) noexcept = default;
forecaster::~forecaster() = default;

void forecaster::add(double value) {
  SKEL_EXPECTS(std::isfinite(value));
  // The scale is 0 where most values are as expected.
  double const most = is_tested() ? most_of_outlier * (test_.shift / 2 + test_.cut() / test_.shift) *
                                        std::max(scale(), cleaned_->error())
                                  : std::numeric_limits<double>::infinity();
  raw_->judge(value, most);
  cleaned_->judge(value, most);
  raw_->take(value);
  latest_.push_back(value);
  if (latest_.size() > most_values) latest_.pop_front();
  ++values_;
  clean(value);
}

/// True if enough is known to tell which values are far off.
bool forecaster::is_tested() const {
  return misses_.size() > fewest_of_level;
}

/// A standard deviation of the misses of the cleaned methods. Precondition: is_tested().
double forecaster::scale() const {
  return statistics::normal_deviation * statistics::median({misses_.begin(), misses_.end()});
}

/// Tells the cleaned methods a value, as far as they should know it.
void forecaster::clean(double value) {
  using alarm = statistics::cusum::alarm;
  double const miss = cleaned_->empty() ? 0 : value - cleaned_->says[cleaned_->best()];
  double const unit = scale();
  misses_.push_back(std::abs(miss));
  if (misses_.size() > most_misses) misses_.pop_front();
  if (!is_tested()) return cleaned_->take(value);

  double const z = miss == 0 ? 0 : miss / unit;
  auto const found = cleaned_->count < fewest_of_level ? alarm::none : test_.add(z);
  if (found != alarm::none && !aside_.empty()) return begin_level(aside_.size() + 1);
  if (found != alarm::none) return begin_level(values_ - (found == alarm::up ? up_from_ : down_from_));
  if (test_.up == 0) up_from_ = values_;
  if (test_.down == 0) down_from_ = values_;

  if (test_.is_cut_off(z)) {
    aside_.push_back(value);
    if (aside_.size() < static_cast<std::size_t>(test_.fewest)) return;
    // Against a level that has just begun nothing was tested: so many far off on one side of it are another one.
    bool const one_side = std::ranges::all_of(aside_, [&](double one) { return (one < value - miss) == (miss < 0); });
    if (cleaned_->count < fewest_of_level && one_side) return begin_level(aside_.size());
    // So many in a row that are no step, to either side: they scatter more than before.
    for (double one : aside_) cleaned_->take(one);
  } else {
    outliers_ += aside_.size();
    cleaned_->take(value);
  }
  aside_.clear();
}

/// The latest `values` are a level of their own.
void forecaster::begin_level(std::uint64_t values) {
  auto const count = std::min<std::uint64_t>(latest_.size(), values);
  std::vector<double> const level(latest_.end() - static_cast<std::ptrdiff_t>(count), latest_.end());
  cleaned_->restart(level);
  aside_.clear();
  ++steps_;
  last_step_ = values_ - count;
  up_from_ = down_from_ = values_;
}

value_forecast forecaster::next() const {
  constexpr double unknown = std::numeric_limits<double>::infinity();
  if (values_ == 0) return {std::numeric_limits<double>::quiet_NaN(), unknown, unknown};
  // Before the first outlier both are as good; the raw ones have to be better by as many errors as an alarm takes.
  double const owed = values_ > 1 ? test_.fewest * cleaned_->error() : 0;
  bool const clean = cleaned_->missed[cleaned_->best()] <= raw_->missed[raw_->best()] + owed;
  bank const& believed = clean ? *cleaned_ : *raw_;
  double const usual = values_ < 2 ? unknown : statistics::median({misses_.begin(), misses_.end()});
  return {believed.says[believed.best()], believed.error(), usual,
          name_of(believed.best()) + (clean ? " (cleaned)" : "")};
}

std::vector<forecaster::method_error> forecaster::errors() const {
  std::vector<method_error> all;
  for (auto const* one : {raw_.get(), cleaned_.get()})
    for (std::size_t m = 0; m < methods; ++m)
      all.push_back({name_of(m) + (one == raw_.get() ? "" : " (cleaned)"),
                     one->judged > 0 ? one->missed_in_all[m] / one->judged : 0});
  return all;
}

}  // namespace skel::platform
