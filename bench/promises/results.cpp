#include "promises/results.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include <skel/detail/base/number.hpp>
#include <skel/detail/base/statistics.hpp>

#include "plot.hpp"

namespace bench {

using nlohmann::json;
namespace statistics = skel::statistics;

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// Of all runs; those that have no such figure are left out.
template <class Figure>
std::vector<double> each(std::vector<promise_result> const& runs, Figure figure) {
  std::vector<double> all;
  for (auto const& run : runs)
    if (double const x = figure(run); !std::isnan(x)) all.push_back(x);
  return all;
}

json spread_of(std::vector<double> const& x) {
  if (x.empty()) return nullptr;
  return {
      {"median", statistics::median(x)}, {"p95", statistics::quantile(x, 0.95)}, {"worst", statistics::quantile(x, 1)}};
}

std::string percent(json const& share) {
  return share.is_null() ? "-" : fmt::format("{:.1f}", 100 * share.get<double>());
}
std::string percents(json const& spread) {
  if (spread.is_null()) return fmt::format("{:>7} {:>6} {:>6}", "-", "-", "-");
  return fmt::format("{:>7} {:>6} {:>6}", percent(spread["median"]), percent(spread["p95"]), percent(spread["worst"]));
}

}  // namespace

double promise_result::error_before() const {
  if (forecasts.empty() || !forecasts.front().why.empty()) return none;
  return std::abs(throughput / forecasts.front().rate - 1);
}

double promise_result::error_standing() const {
  double sum = 0, time = 0;
  for (auto const& f : forecasts) sum += f.lasted * std::abs(f.measured() / f.rate - 1), time += f.lasted;
  return time > 0 ? sum / time : none;
}

double promise_result::covered_standing() const {
  double covered = 0, time = 0;
  for (auto const& f : forecasts)
    if (f.has_interval()) covered += f.covers(f.measured()) ? f.lasted : 0, time += f.lasted;
  return time > 0 ? covered / time : none;
}

double promise_result::covered_before() const {
  if (forecasts.empty() || !forecasts.front().why.empty() || !forecasts.front().has_interval()) return none;
  return forecasts.front().covers(throughput) ? 1 : 0;
}

double promise_result::preparation() const {
  return (calibration + planning) / (calibration + planning + seconds);
}

json to_json(promise_result const& r) {
  json forecasts = json::array();
  for (auto const& f : r.forecasts)
    forecasts.push_back({{"item", f.item},
                         {"seconds", f.seconds},
                         {"rate", f.rate},
                         {"low", f.low},
                         {"high", f.high},
                         {"drifts", f.drifts},
                         {"why", f.why},
                         {"items", f.items},
                         {"lasted", f.lasted}});
  return {{"program", r.program},
          {"ranks", r.ranks},
          {"items", r.items},
          {"busy", r.busy},
          {"seconds", r.seconds},
          {"throughput", r.throughput},
          {"calibration", r.calibration},
          {"planning", r.planning},
          {"others", r.others},
          {"forecasts", forecasts}};
}

promise_result promise_from_json(json const& text) {
  promise_result r;
  r.program = text.at("program");
  r.ranks = text.at("ranks");
  r.items = text.at("items");
  r.busy = text.at("busy");
  r.seconds = text.at("seconds");
  r.throughput = text.at("throughput");
  r.calibration = text.at("calibration");
  r.planning = text.at("planning");
  r.others = text.at("others");
  for (json const& each : text.at("forecasts")) {
    auto& f = r.forecasts.emplace_back();
    f.item = each.at("item");
    f.seconds = each.at("seconds");
    f.rate = each.at("rate");
    f.low = each.at("low");
    f.high = each.at("high");
    f.drifts = each.at("drifts");
    f.why = each.at("why");
    f.items = each.at("items");
    f.lasted = each.at("lasted");
  }
  return r;
}

void print_promises_heading() {
  fmt::print("{:18} {:>5} {:>4} | {:^29} | {:^29} | {:>4} | {:^21} | {:^21}\n", "", "", "", "before the run: error [%]",
             "what stood: error [%]", "", "preparation [%]", "other load [%]");
  fmt::print("{:18} {:>5} {:>4} |", "program", "ranks", "runs");
  for (int k = 0; k < 2; ++k) fmt::print(" {:>7} {:>6} {:>6} {:>7} |", "median", "p95", "worst", "covered");
  fmt::print(" {:>4} | {:>7} {:>6} {:>6} | {:>7} {:>6} {:>6}\n", "made", "median", "p95", "worst", "median", "p95",
             "worst");
}

json print_promises(std::string const& name, std::string const& ranks, std::vector<promise_result> const& runs) {
  auto const mean = [](std::vector<double> const& x) { return x.empty() ? json(nullptr) : json(statistics::mean(x)); };
  json row = {{"program", name}, {"ranks", ranks}, {"runs", runs.size()}};
  row["before"] = spread_of(each(runs, [](auto const& r) { return r.error_before(); }));
  row["before_covered"] = mean(each(runs, [](auto const& r) { return r.covered_before(); }));
  row["standing"] = spread_of(each(runs, [](auto const& r) { return r.error_standing(); }));
  row["standing_covered"] = mean(each(runs, [](auto const& r) { return r.covered_standing(); }));
  row["made"] = mean(each(runs, [](auto const& r) {
    return static_cast<double>(
        std::count_if(r.forecasts.begin(), r.forecasts.end(), [](auto const& f) { return !f.why.empty(); }));
  }));
  row["preparation"] = spread_of(each(runs, [](auto const& r) { return r.preparation(); }));
  row["others"] = spread_of(each(runs, [](auto const& r) { return r.others; }));
  fmt::print("{:18} {:>5} {:>4} | {} {:>7} | {} {:>7} | {:>4} | {} | {}\n", name, ranks, runs.size(),
             percents(row["before"]), percent(row["before_covered"]), percents(row["standing"]),
             percent(row["standing_covered"]),
             row["made"].is_null() ? "-" : fmt::format("{:.1f}", row["made"].get<double>()),
             percents(row["preparation"]), percents(row["others"]));
  std::fflush(stdout);
  return row;
}

std::string shortfall(std::size_t busy, std::size_t ranks, std::vector<promise_result> const& runs) {
  auto const errors = each(runs, [](auto const& r) { return r.error_before(); });
  auto const covered = each(runs, [](auto const& r) { return r.covered_before(); });
  std::string const where =
      fmt::format("beside {} busy, on {}", busy, ranks == 0 ? "all ranks" : skel::counted(ranks, "rank"));
  if (errors.empty() || covered.empty()) return where + ": nothing was predicted";
  double const share = statistics::mean(covered), median = statistics::median(errors),
               most = busy == 0 ? most_error_alone : most_error_beside;
  std::string out;
  if (share < least_covered || share > most_covered)
    out = fmt::format("intervals hold {:.0f} % of the runs (wanted: {:.0f} to {:.0f})", 100 * share,
                      100 * least_covered, 100 * most_covered);
  if (median > most)
    out += fmt::format("{}the median error is {:.1f} % (wanted: {:.0f} at most)", out.empty() ? "" : ", ", 100 * median,
                       100 * most);
  return out.empty() ? out : where + ": " + out;
}

json print_loads(std::vector<promise_result> const& runs) {
  std::map<std::pair<std::size_t, std::size_t>, std::vector<promise_result>> parts;  // by load and ranks; 0: all
  for (auto const& run : runs)
    for (std::size_t const ranks : {run.ranks, std::size_t{0}}) parts[{run.busy, ranks}].push_back(run);
  fmt::print("\n{:>4} {:>5} {:>4} | {:>7} {:>6} {:>6} | {:>7} {:>6} {:>6}\n", "busy", "ranks", "runs", "median", "p95",
             "worst", "covered", "below", "above");
  json rows = json::array();
  std::string missed;
  for (auto const& [where, some] : parts) {
    auto const [busy, ranks] = where;
    auto const share = [&](auto const& holds) {
      auto const all = each(some, holds);
      return all.empty() ? json(nullptr) : json(statistics::mean(all));
    };
    auto const outside = [](promise_result const& r, bool below) {
      if (std::isnan(r.covered_before())) return none;
      auto const& f = r.forecasts.front();
      return (below ? r.throughput < f.low : r.throughput > f.high) ? 1.0 : 0.0;
    };
    json row = {{"busy", busy}, {"ranks", ranks}, {"runs", some.size()}};
    row["before"] = spread_of(each(some, [](auto const& r) { return r.error_before(); }));
    row["covered"] = share([](auto const& r) { return r.covered_before(); });
    row["below"] = share([&](auto const& r) { return outside(r, true); });
    row["above"] = share([&](auto const& r) { return outside(r, false); });
    fmt::print("{:>4} {:>5} {:>4} | {} | {:>7} {:>6} {:>6}\n", busy, ranks == 0 ? "all" : std::to_string(ranks),
               some.size(), percents(row["before"]), percent(row["covered"]), percent(row["below"]),
               percent(row["above"]));
    auto const short_of = shortfall(busy, ranks, some);
    row["missed"] = short_of;
    if (!short_of.empty()) missed += "missed: " + short_of + "\n";
    rows.push_back(std::move(row));
  }
  fmt::print("\n{}", missed.empty() ? "nothing is missed\n" : missed);
  std::fflush(stdout);
  return rows;
}

std::string plot_of_promises(std::vector<promise_result> const& runs) {
  plot picture("How well predictions are kept", {"error is at most [%]", scale::logarithmic},
               {"share of the runs [%]"});
  auto const add = [&](char const* name, std::vector<double> errors) {
    std::sort(errors.begin(), errors.end());
    series line{name, {}, true};
    for (std::size_t k = 0; k < errors.size(); ++k)
      line.points.emplace_back(100 * errors[k], 100 * static_cast<double>(k + 1) / static_cast<double>(errors.size()));
    picture.add(std::move(line));
  };
  add("before the run", each(runs, [](auto const& r) { return r.error_before(); }));
  add("what stood", each(runs, [](auto const& r) { return r.error_standing(); }));
  return picture.svg();
}

}  // namespace bench
