#include <skel/detail/cost/communication/fit.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/cost/communication/hloggp.hpp>
#include <skel/detail/cost/communication/lmo.hpp>
#include <skel/detail/cost/communication/uniform.hpp>

namespace skel::cost {
namespace {

using samples_view = std::span<probe_sample const>;
using sizes_to_times = std::map<double, double>;

/// Probability with which noise alone may make L a function of the size.
constexpr double wrongly_bent = 0.01;

char const* name_of(probe_kind kind) {
  switch (kind) {
    case probe_kind::transfer:
      return "transfers";
    case probe_kind::gap:
      return "gaps";
    case probe_kind::send_overhead:
      return "overheads of senders";
    case probe_kind::receive_overhead:
      break;
  }
  return "overheads of receivers";
}

std::vector<probe_sample> of_kind(samples_view samples, probe_kind kind) {
  std::vector<probe_sample> result;
  for (probe_sample const& s : samples)
    if (s.kind == kind) result.push_back(s);
  return result;
}

/// Median time at each size.
sizes_to_times medians(samples_view samples, probe_kind kind) {
  std::map<double, std::vector<double>> times;
  for (probe_sample const& s : samples)
    if (s.kind == kind) times[s.bytes].push_back(s.seconds);
  sizes_to_times result;
  for (auto& [bytes, all] : times) result[bytes] = statistics::median(std::move(all));
  return result;
}

/// The samples of a kind; fails unless they are of so many sizes.
std::vector<probe_sample> wanted(samples_view samples, probe_kind kind, std::size_t sizes, char const* model) {
  if (std::size_t const there = medians(samples, kind).size(); there < sizes)
    throw error(std::string("fit of ") + model + ": " + name_of(kind) + " of " + std::to_string(sizes) +
                (sizes == 1 ? " size" : " sizes") + " are wanted, there are " + std::to_string(there) +
                "; probe more sizes");
  return of_kind(samples, kind);
}

/// Median of a kind at its least size.
double at_least_size(samples_view samples, probe_kind kind, char const* model) {
  wanted(samples, kind, 1, model);
  return medians(samples, kind).begin()->second;
}

/// Errors of the model's transfers and gaps, relative to the samples.
template <class Model, class Parameters>
fitted<Parameters> judged(Parameters const& parameters, samples_view samples) {
  Model const model(parameters);
  std::vector<double> errors;
  for (probe_sample const& s : samples) {
    message const m{.bytes = s.bytes};
    double const predicted = s.kind == probe_kind::transfer ? model.transfer(m)
                             : s.kind == probe_kind::gap    ? model.send_busy(m)
                                                            : -1;
    if (predicted >= 0) errors.push_back(std::abs(predicted - s.seconds) / s.seconds);
  }
  double const residual = errors.empty() ? 0 : statistics::normal_deviation * statistics::median(std::move(errors));
  return {parameters, residual, samples.size()};
}

/// Times that never fall with the size: neighbours that fall become their mean.
piecewise_linear monotone(sizes_to_times const& times) {
  struct pool {
    double sum;
    std::vector<double> sizes;
    double mean() const { return sum / static_cast<double>(sizes.size()); }
  };
  std::vector<pool> pools;
  for (auto const& [bytes, seconds] : times) {
    pools.push_back({std::max(seconds, 0.0), {bytes}});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
      pool const last = std::move(pools.back());
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().sizes.insert(pools.back().sizes.end(), last.sizes.begin(), last.sizes.end());
    }
  }
  std::vector<piecewise_linear::point> points;
  for (pool const& p : pools)
    for (double bytes : p.sizes) points.push_back({bytes, p.mean()});
  return piecewise_linear(std::move(points));
}

/// Relative standard errors of the medians of a kind. Sizes with three samples or more tell the scatter of one sample.
/// Its median over them stands for sizes with fewer, and is the least that is believed. Empty if no size has three.
sizes_to_times errors_of_medians(samples_view samples, probe_kind kind) {
  std::map<double, std::vector<double>> times;
  for (probe_sample const& s : samples)
    if (s.kind == kind) times[s.bytes].push_back(s.seconds);
  sizes_to_times scatter;
  std::vector<double> all;
  for (auto const& [bytes, some] : times)
    if (double const centre = statistics::median(some); some.size() >= 3 && centre > 0)
      all.push_back(scatter[bytes] = statistics::deviation(some) / centre);
  if (all.empty()) return {};
  double const typical = statistics::median(std::move(all));
  sizes_to_times result;
  for (auto const& [bytes, some] : times) {
    auto const own = scatter.find(bytes);
    double const one = own == scatter.end() ? typical : std::max(typical, own->second);
    result[bytes] = std::sqrt(std::numbers::pi / 2 / static_cast<double>(some.size())) * one;  // of normal samples
  }
  return result;
}

/// Latency and gap of pLogP from transfers and gaps.
struct latency_and_gap {
  double L = 0;
  piecewise_linear L_by_size{}, g{};
};

latency_and_gap split(samples_view samples, sizes_to_times const& transfers, sizes_to_times const& gaps) {
  auto const transfer_errors = errors_of_medians(samples, probe_kind::transfer),
             gap_errors = errors_of_medians(samples, probe_kind::gap);
  struct difference {
    double value, error;
  };
  std::vector<difference> ways;
  for (auto const& [bytes, seconds] : transfers)
    if (auto const gap = gaps.find(bytes); gap != gaps.end()) {
      auto const part = [bytes = bytes](sizes_to_times const& errors) { return errors.empty() ? 0 : errors.at(bytes); };
      // Subtracting rounded numbers loses this even without noise.
      double const rounding = 8 * std::numeric_limits<double>::epsilon() * seconds;
      ways.push_back({seconds - gap->second,
                      std::hypot(seconds * part(transfer_errors), gap->second * part(gap_errors), rounding)});
    }
  if (ways.empty()) throw error("fit of pLogP: no size has a transfer and a gap; probe both at one size at least");
  double sum = 0, weights = 0;
  for (auto const& [value, error] : ways) {
    double const weight = error > 0 ? 1 / (error * error) : 1;
    sum += weight * value, weights += weight;
  }
  latency_and_gap result{.L = std::max(sum / weights, 0.0), .g = monotone(gaps)};
  // A normal error is beyond x of its deviations with a probability of at most exp(-x^2 / 2); there are ways.size().
  double const limit = std::sqrt(2 * std::log(static_cast<double>(ways.size()) / wrongly_bent));
  bool const varies = std::any_of(ways.begin(), ways.end(), [&](difference const& way) {
    return std::abs(std::max(way.value, 0.0) - result.L) > limit * way.error;
  });
  if (!varies) return result;
  // At every size of either kind, so that L + g is linear wherever both are, and never falls since neither kind does.
  piecewise_linear const whole = monotone(transfers);
  std::map<double, double> points;
  for (auto const* times : {&transfers, &gaps})
    for (auto const& [bytes, seconds] : *times)
      if (bytes >= transfers.begin()->first && bytes <= transfers.rbegin()->first)
        points[bytes] = std::max(whole(bytes) - result.g(bytes), 0.0);
  std::vector<piecewise_linear::point> latencies;
  for (auto const& [bytes, seconds] : points) latencies.push_back({bytes, seconds});
  result.L_by_size = piecewise_linear(std::move(latencies));
  result.L = result.L_by_size(0);
  return result;
}

double median_of(samples_view samples, double (*value)(probe_sample const&, fitted_line const&),
                 fitted_line const& line) {
  std::vector<double> values;
  for (probe_sample const& s : samples) values.push_back(value(s, line));
  return statistics::median(std::move(values));
}

}  // namespace

fitted_line fit_line(samples_view samples) {
  if (samples.empty()) return {};
  constexpr double limit = 1.345;  // 95 % of the efficiency of least squares on normal errors (Huber 1964)
  std::vector<double> weights(samples.size(), 1);
  fitted_line line;
  for (int round = 0; round < 100; ++round) {
    // Weighted least squares of (a + b x - y) / y: sums over w / y^2.
    double s = 0, sx = 0, sxx = 0, sy = 0, sxy = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      auto const [kind, x, y] = samples[i];
      double const w = weights[i] / (y * y);
      s += w, sx += w * x, sxx += w * x * x, sy += w * y, sxy += w * x * y;
    }
    double const determinant = s * sxx - sx * sx;
    fitted_line next;
    if (determinant > 1e-12 * s * sxx) {
      next.slope = (s * sxy - sx * sy) / determinant;
      next.at_zero = (sy - next.slope * sx) / s;
    } else {
      next.at_zero = sy / s;
    }
    if (next.slope < 0) next = {sy / s, 0};
    if (next.at_zero < 0) next = {0, sxx > 0 ? sxy / sxx : 0};
    bool const still = std::abs(next.at_zero - line.at_zero) <= 1e-12 * next.at_zero &&
                       std::abs(next.slope - line.slope) <= 1e-12 * next.slope;
    line = next;
    if (still) break;
    std::vector<double> errors;
    for (probe_sample const& sample : samples)
      errors.push_back(std::abs(line.at_zero + line.slope * sample.bytes - sample.seconds) / sample.seconds);
    double const scale = statistics::normal_deviation * statistics::median(errors);
    for (std::size_t i = 0; i < samples.size(); ++i)
      weights[i] = errors[i] <= limit * scale ? 1 : limit * scale / errors[i];
    if (scale == 0) {  // most samples lie on the line: the others are not asked
      for (std::size_t i = 0; i < samples.size(); ++i) weights[i] = errors[i] == 0 ? 1 : 0;
      break;
    }
  }
  return line;
}

fitted<platform::hockney_parameters> fit_hockney(samples_view samples) {
  auto const transfers = wanted(samples, probe_kind::transfer, 2, "Hockney");
  auto const line = fit_line(transfers);
  return judged<hockney>(platform::hockney_parameters{.alpha = line.at_zero, .beta = line.slope}, transfers);
}

fitted<platform::logp_parameters> fit_logp(samples_view samples) {
  double const os = at_least_size(samples, probe_kind::send_overhead, "LogP"),
               or_ = at_least_size(samples, probe_kind::receive_overhead, "LogP"),
               gap = at_least_size(samples, probe_kind::gap, "LogP"),
               transfer = at_least_size(samples, probe_kind::transfer, "LogP");
  double const o = (os + or_) / 2;
  return judged<logp>(platform::logp_parameters{.L = std::max(transfer - 2 * o, 0.0), .o = o, .g = gap}, samples);
}

fitted<platform::hloggp_parameters> fit_hloggp(samples_view samples) {
  constexpr char const* model = "HLogGP";
  auto const line = fit_line(wanted(samples, probe_kind::gap, 2, model));
  double const os = at_least_size(samples, probe_kind::send_overhead, model),
               or_ = at_least_size(samples, probe_kind::receive_overhead, model);
  auto const transfers = wanted(samples, probe_kind::transfer, 1, model);
  double const way = median_of(
      transfers,
      [](probe_sample const& s, fitted_line const& gaps) {
        return s.seconds - std::max(s.bytes - 1, 0.0) * gaps.slope;
      },
      line);
  return judged<hloggp>(
      platform::hloggp_parameters{
          .L = std::max(way - os - or_, 0.0), .os = os, .or_ = or_, .g = line.at_zero + line.slope, .G = line.slope},
      samples);
}

fitted<platform::loggp_parameters> fit_loggp(samples_view samples) {
  auto const apart = fit_hloggp(samples).parameters;
  return judged<loggp>(
      platform::loggp_parameters{.L = apart.L, .o = (apart.os + apart.or_) / 2, .g = apart.g, .G = apart.G}, samples);
}

fitted<platform::plogp_parameters> fit_plogp(samples_view samples) {
  auto const transfers = medians(samples, probe_kind::transfer);
  auto gaps = medians(samples, probe_kind::gap);
  latency_and_gap found;
  if (gaps.empty()) {
    wanted(samples, probe_kind::transfer, 1, "pLogP");
    found.L = transfers.begin()->second;
    for (auto const& [bytes, seconds] : transfers) gaps[bytes] = std::max(seconds - found.L, 0.0);
    found.g = monotone(gaps);
  } else {
    found = split(samples, transfers, gaps);
  }
  bool const gaps_known = !medians(samples, probe_kind::gap).empty();
  auto const overhead = [&](probe_kind kind) {
    auto times = medians(samples, kind);
    if (gaps_known)
      for (auto& [bytes, seconds] : times) seconds = std::min(seconds, found.g(bytes));
    return times.empty() ? piecewise_linear{} : monotone(times);
  };
  piecewise_linear os = overhead(probe_kind::send_overhead), or_ = overhead(probe_kind::receive_overhead);
  return judged<plogp>(platform::plogp_parameters{.L = found.L,
                                                  .g = std::move(found.g),
                                                  .os = std::move(os),
                                                  .or_ = std::move(or_),
                                                  .L_by_size = std::move(found.L_by_size)},
                       samples);
}

fitted<platform::lmo_parameters> fit_lmo(samples_view samples) {
  auto const sends = of_kind(samples, probe_kind::send_overhead),
             receives = of_kind(samples, probe_kind::receive_overhead);
  probe_kind const kind = sends.empty() ? probe_kind::receive_overhead : probe_kind::send_overhead;
  wanted(samples, kind, 2, "LMO");
  std::vector<fitted_line> lines;
  for (auto const& some : {sends, receives})
    if (!some.empty()) lines.push_back(fit_line(some));
  double C = 0, t = 0;
  for (fitted_line const& line : lines) {
    C += line.at_zero / static_cast<double>(lines.size());
    t += line.slope / static_cast<double>(lines.size());
  }
  auto const transfers = wanted(samples, probe_kind::transfer, 2, "LMO");
  auto const whole = fit_line(transfers);
  C = std::min(C, whole.at_zero / 2);
  t = std::min(t, whole.slope / 2);
  return judged<lmo>(platform::lmo_parameters{.C = C, .t = t, .L = whole.at_zero - 2 * C, .b = whole.slope - 2 * t},
                     transfers);
}

namespace {

/// The largest size with a measured gap, or nothing to divide by.
double largest(platform::plogp_parameters const& p) {
  return p.g.points().size() < 2 ? 0 : p.g.points().back().x;
}

double gap_per_byte(platform::plogp_parameters const& p) {
  double const size = largest(p);
  return size > 0 ? p.g(size) / size : 0;
}

double not_negative(double value) {
  return std::max(value, 0.0);
}

}  // namespace

platform::loggp_parameters to_loggp(platform::plogp_parameters const& p) {
  return {.L = not_negative(p.latency(1) + p.g(1) - p.os(1) - p.or_(1)),
          .o = (p.os(1) + p.or_(1)) / 2,
          .g = p.g(1),
          .G = gap_per_byte(p)};
}

platform::hockney_parameters to_hockney(platform::plogp_parameters const& p) {
  double const M = largest(p);
  double const beta = M > 0 ? not_negative((p.g(M) + p.latency(M) - p.latency(1)) / M) : 0;
  return {.alpha = not_negative(p.latency(1) + p.g(1) - beta), .beta = beta};
}

platform::hloggp_parameters to_hloggp(platform::plogp_parameters const& p) {
  return {.L = not_negative(p.latency(1) + p.g(1) - p.os(1) - p.or_(1)),
          .os = p.os(1),
          .or_ = p.or_(1),
          .g = p.g(1),
          .G = gap_per_byte(p)};
}

platform::lmo_parameters to_lmo(platform::plogp_parameters const& p) {
  double const M = largest(p), shortest = p.latency(0) + p.g(0), C = std::min(p.g(0), shortest / 2);
  double const t = M > 0 ? not_negative((p.os(M) + p.or_(M) - p.os(0) - p.or_(0)) / 2 / M) : 0;
  double const wire = M > 0 ? (p.latency(M) + p.g(M) - shortest) / M : 0;
  return {.C = C, .t = t, .L = not_negative(shortest - 2 * C), .b = not_negative(wire - 2 * t)};
}

platform::plogp_parameters to_plogp(platform::loggp_parameters const& p) {
  double const gap = std::max(p.g, p.o);
  double const far = 0x1p40;  // the line is as long as no message: neither end's rounding is seen in its slope
  return {.L = not_negative(p.L + 2 * p.o - gap),
          .g = piecewise_linear({{0, gap}, {1, gap}, {1 + far, gap + far * p.G}}),
          .os = piecewise_linear({{0, p.o}}),
          .or_ = piecewise_linear({{0, p.o}})};
}

platform::plogp_parameters to_plogp(platform::hockney_parameters const& p) {
  return {.L = p.alpha, .g = piecewise_linear({{0, 0}, {1, p.beta}}), .os = {}, .or_ = {}};
}

platform::plogp_parameters to_plogp(platform::link const& path, double local_latency) {
  double const own = std::min(local_latency, path.latency), far = 0x1p40;
  double const per_byte = to_hockney(path).beta;
  return {.L = path.latency - own,
          .g = piecewise_linear({{0, own}, {far, own + far * per_byte}}),
          .os = piecewise_linear({{0, own}}),
          .or_ = piecewise_linear({{0, own}})};
}

platform::hockney_parameters to_hockney(platform::link const& path) {
  return {.alpha = path.latency, .beta = std::isfinite(path.bandwidth) ? 1 / path.bandwidth : 0};
}

}  // namespace skel::cost
