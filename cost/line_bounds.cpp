#include <skel/detail/cost/line_bounds.hpp>

#include <algorithm>
#include <limits>
#include <map>

#include <skel/detail/base/contract.hpp>

namespace skel::cost {
namespace {

/// Relative gap at which an enclosed window is as good as solved, for a bound.
inline constexpr double window_gap = 1e-9;
/// Rows of more states bound nothing: they would take seconds.
inline constexpr double most_row_states = 2e6;

double bound_of(line const& model, std::size_t i, std::vector<double> const& rates) {
  double const in = model.moves[i], out = model.moves[i + 1];
  bool const buffered = model.stations[i].buffer > 0;
  double sum = 0, least = std::numeric_limits<double>::infinity();
  for (double rate : rates) {
    double const alone = 1 / ((buffered ? 0 : 1 / in) + 1 / rate + 1 / out);
    sum += alone;
    least = std::min(least, alone);
  }
  if (model.farms == dispatch::round_robin) sum = least * static_cast<double>(rates.size());
  return std::min({sum, in, out});
}

}  // namespace

double station_bound(line const& model, std::size_t i) {
  SKEL_EXPECTS(i < model.stations.size());
  return bound_of(model, i, worker_rates(model)[i]);
}

double host_bound(line const& model) {
  double bound = std::numeric_limits<double>::infinity();
  if (model.sharing == share::fixed) return bound;
  std::map<std::size_t, double> time;
  for (auto const& one : model.stations) {
    auto const host = one.workers.front().host;
    double fastest = 0;
    bool together = true;
    for (auto const& w : one.workers) fastest = std::max(fastest, w.rate), together = together && w.host == host;
    if (together) time[host] += 1 / fastest;
  }
  for (auto const& [host, sum] : time) bound = std::min(bound, 1 / sum);
  return bound;
}

double upper_bound(line const& model) {
  check(model);
  auto const rates = worker_rates(model);
  double bound = host_bound(model);
  for (std::size_t i = 0; i < rates.size(); ++i) bound = std::min(bound, bound_of(model, i, rates[i]));
  return bound;
}

double fluid_bound(line const& model, std::vector<std::size_t> const& cores) {
  std::size_t hosts = 0;
  for (auto const& station : model.stations)
    for (auto const& w : station.workers) hosts = std::max(hosts, w.host + 1);
  auto const cores_of = [&](std::size_t h) { return h < cores.size() ? static_cast<double>(cores[h]) : 1.0; };
  std::vector<double> serial(hosts, 0);  // work of stations that have all their workers there, per item [s]
  auto const together = [](station const& one) {
    return std::all_of(one.workers.begin(), one.workers.end(),
                       [&](worker const& w) { return w.host == one.workers.front().host; });
  };
  auto const fastest = [](station const& one) { return std::ranges::max(one.workers, {}, &worker::rate).rate; };
  double bound = std::numeric_limits<double>::infinity();
  std::vector<double> rates;
  for (std::size_t i = 0; i < model.stations.size(); ++i) {
    auto const& one = model.stations[i];
    rates.clear();
    for (auto const& w : one.workers) rates.push_back(w.rate);
    bound = std::min(bound, bound_of(model, i, rates));
    if (together(one)) serial[one.workers.front().host] += 1 / fastest(one);
  }
  for (std::size_t h = 0; h < hosts; ++h)
    if (serial[h] > 0) bound = std::min(bound, cores_of(h) / serial[h]);
  for (auto const& one : model.stations) {
    if (together(one)) continue;
    std::map<std::size_t, std::pair<double, double>> here;  // workers and the fastest of them, per host
    for (auto const& w : one.workers) {
      auto& [count, rate] = here[w.host];
      ++count, rate = std::max(rate, w.rate);
    }
    // Falls with X and has a kink per host: the greatest X that it does not fall below is between 0 and the bound.
    auto const left = [&](double x) {
      double sum = 0;
      for (auto const& [h, those] : here)
        sum += those.second * std::clamp(cores_of(h) - x * serial[h], 0.0, those.first);
      return sum;
    };
    if (left(bound) >= bound) continue;
    double low = 0, high = bound;
    for (int k = 0; k < 40; ++k) {
      double const middle = (low + high) / 2;
      (left(middle) >= middle ? low : high) = middle;
    }
    bound = high;
  }
  return bound;
}

double lower_bound(line const& model) {
  check(model);
  auto smallest_share = model;
  smallest_share.sharing = share::fixed;
  double time = 0;
  for (double rate : model.moves) time += 1 / rate;
  for (auto const& rates : worker_rates(smallest_share)) time += 1 / *std::min_element(rates.begin(), rates.end());
  return 1 / time;
}

line relax(line const& model) {
  auto const rates = worker_rates(model);
  line result{{}, model.moves, share::fixed, model.farms};
  std::size_t host = 0;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    auto const& from = model.stations[i];
    double const fastest = *std::max_element(rates[i].begin(), rates[i].end());
    bool const equal = *std::min_element(rates[i].begin(), rates[i].end()) == fastest;
    bool const keep = rates[i].size() == 1 || model.farms == dispatch::round_robin || (equal && from.buffer == 0);
    station to{from.name, {}, keep ? from.buffer : 0};
    if (keep)
      for (double rate : rates[i]) to.workers.push_back({rate, host++});
    else
      for (std::size_t w = 0; w < rates[i].size() * (from.buffer + 1); ++w) to.workers.push_back({fastest, host++});
    result.stations.push_back(std::move(to));
  }
  return result;
}

line sub_line(line const& model, std::size_t first, std::size_t count) {
  SKEL_EXPECTS(count > 0 && first + count <= model.stations.size());
  auto const at = [](auto const& list, std::size_t i) { return list.begin() + static_cast<std::ptrdiff_t>(i); };
  return {{at(model.stations, first), at(model.stations, first + count)},
          {at(model.moves, first), at(model.moves, first + count + 1)},
          model.sharing,
          model.farms};
}

double window_bound(line const& model, std::size_t width, line_solver& solver) {
  check(model);
  SKEL_EXPECTS(width > 0);
  auto const relaxed = relax(model);
  auto const count = std::min(width, relaxed.stations.size());
  double bound = upper_bound(model);
  for (std::size_t first = 0; first + count <= relaxed.stations.size(); ++first) {
    auto const row = sub_line(relaxed, first, count);
    if (count_states(row) <= most_row_states) bound = std::min(bound, solver.enclose(row, window_gap, 0).upper);
  }
  return bound;
}

}  // namespace skel::cost
