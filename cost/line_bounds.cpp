#include <skel/detail/cost/line_bounds.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

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

std::vector<double> fluid_bounds(line const& model, std::vector<std::size_t> const& cores) {
  std::size_t hosts = 0;
  for (auto const& station : model.stations)
    for (auto const& w : station.workers) hosts = std::max(hosts, w.host + 1);
  auto const cores_of = [&](std::size_t h) { return h < cores.size() ? static_cast<double>(cores[h]) : 1.0; };
  std::vector<double> serial(hosts, 0);  // work of stations that have all their workers there, per item [s]
  auto const together = [](station const& one) {
    return std::all_of(one.workers.begin(), one.workers.end(),
                       [&](worker const& w) { return w.host == one.workers.front().host; });
  };
  std::vector<double> bounds, rates;
  bounds.reserve(2 * model.stations.size() + hosts);
  for (std::size_t i = 0; i < model.stations.size(); ++i) {
    auto const& one = model.stations[i];
    rates.clear();
    for (auto const& w : one.workers) rates.push_back(w.rate);
    bounds.push_back(bound_of(model, i, rates));
    if (together(one)) serial[one.workers.front().host] += 1 / std::ranges::max(rates);
  }
  for (std::size_t h = 0; h < hosts; ++h)
    if (serial[h] > 0) bounds.push_back(cores_of(h) / serial[h]);
  double const bound = std::ranges::min(bounds);
  std::vector<std::pair<std::size_t, double>> workers;  // of a farm: hosts and rates
  for (auto const& one : model.stations) {
    if (together(one)) continue;
    workers.clear();
    for (auto const& w : one.workers) workers.emplace_back(w.host, w.rate);
    std::ranges::sort(workers);
    // Falls with X: the greatest X that it does not fall below is between 0 and the bound.
    auto const left = [&](double x) {
      double sum = 0;
      for (std::size_t w = 0; w < workers.size();) {
        std::size_t next = w;
        while (next < workers.size() && workers[next].first == workers[w].first) ++next;
        auto const [host, fastest] = workers[next - 1];
        sum += fastest * std::clamp(cores_of(host) - x * serial[host], 0.0, static_cast<double>(next - w));
        w = next;
      }
      return sum;
    };
    if (left(bound) >= bound) {
      bounds.push_back(left(bound));
      continue;
    }
    double low = 0, high = bound;
    for (int k = 0; k < 40; ++k) {
      double const middle = (low + high) / 2;
      (left(middle) >= middle ? low : high) = middle;
    }
    bounds.push_back(high);
  }
  return bounds;
}

double fluid_bound(line const& model, std::vector<std::size_t> const& cores) {
  return std::ranges::min(fluid_bounds(model, cores));
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

double states_of_pairs(line const& model) {
  double most = model.stations.size() == 1 ? count_states(model) : 0;
  for (std::size_t i = 0; i + 2 <= model.stations.size(); ++i)
    most = std::max(most, count_states(sub_line(model, i, 2)));
  return most;
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
