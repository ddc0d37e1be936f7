#include "prediction/results.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <skel/detail/base/statistics.hpp>

#include "plot.hpp"

namespace bench {

using nlohmann::json;
namespace statistics = skel::statistics;

namespace {

/// "1 2+3o 1": the host of each stage, those of a farm joined by +, with o or u after an ordered or unordered farm.
std::string placed(random_case const& it) {
  std::string text;
  for (std::size_t i = 0; i < it.placement.stages.size(); ++i) {
    auto const& hosts = it.placement.stages[i];
    if (i > 0) text += ' ';
    for (std::size_t w = 0; w < hosts.size(); ++w) text += (w > 0 ? "+" : "") + std::to_string(hosts[w]);
    if (it.program.stages[i].replicable) text += it.program.stages[i].ordered ? "o" : "u";
  }
  return text;
}

double error_of(double predicted, double measured) {
  return predicted / measured - 1;
}

double predicted_by(std::string_view model, case_result const& r) {
  for (auto const& each : r.predicted)
    if (each.model == model) return each.throughput;
  return std::nan("");
}

}  // namespace

std::string encode(random_case const& it) {
  json text = {{"number", it.number},     {"speeds", it.speeds},     {"placement", it.placement.stages},
               {"capacity", it.capacity}, {"searched", it.searched}, {"proven", it.proven},
               {"stages", json::array()}};
  for (auto const& stage : it.program.stages)
    text["stages"].push_back({{"name", stage.name},
                              {"work", stage.work},
                              {"replicable", stage.replicable},
                              {"ordered", stage.ordered},
                              {"width", stage.width}});
  return text.dump();
}

random_case decode(std::string const& encoded) {
  json const text = json::parse(encoded);
  random_case it;
  it.number = text["number"];
  it.speeds = text["speeds"].get<std::vector<double>>();
  it.placement.stages = text["placement"].get<std::vector<std::vector<std::size_t>>>();
  it.capacity = text["capacity"];
  it.searched = text["searched"];
  it.proven = text["proven"];
  for (json const& each : text["stages"]) {
    skel::skeletons::stage_shape stage;
    stage.name = each["name"];
    stage.work = each["work"];
    stage.replicable = each["replicable"];
    stage.ordered = each["ordered"];
    stage.width = each["width"];
    it.program.stages.push_back(std::move(stage));
  }
  return it;
}

void print_heading() {
  fmt::print("{:>4} {:>2} {:>2} {:>2} {:1} {:24}", "case", "st", "ho", "k", "p", "hosts of the stages");
  for (auto const& model : bench::models()) fmt::print(" {:>8}", model.name);
  fmt::print(" | {:>8} {:>7} {:>7} | {:>8} {:>7} {:>7}\n", "expon.", "pepa", "as run", "constant", "cycle", "events");
}

void print_row(case_result const& r) {
  fmt::print("{:>4} {:>2} {:>2} {:>2} {:1} {:24}", r.it.number, r.it.program.stages.size(), r.it.hosts(), r.it.capacity,
             !r.it.searched ? 'r'
             : r.it.proven  ? 's'
                            : 't',
             placed(r.it));
  for (auto const& each : r.predicted) fmt::print(" {:>8.2f}", each.throughput);
  auto const error = [&](std::string_view model, double measured) {
    return 100 * error_of(predicted_by(model, r), measured);
  };
  fmt::print(" | {:>8.2f} {:>+6.1f}% {:>+6.1f}%", r.exponential, error("pepa", r.exponential),
             error("as run", r.exponential));
  fmt::print(" | {:>8.2f} {:>+6.1f}% {:>+6.1f}%\n", r.constant, error("cycle", r.constant),
             error("events", r.constant));
  std::fflush(stdout);
}

json summarise(std::vector<case_result> const& results) {
  json summary = json::array();
  fmt::print("\nabsolute relative error [%]{:>23} {:>8} {:>8} {:>8} {:>9}\n", "median", "p90", "max", "mean +-",
             "best of");
  for (bool const is_exponential : {true, false}) {
    auto const measured = [&](case_result const& r) { return is_exponential ? r.exponential : r.constant; };
    for (std::size_t m = 0; m < bench::models().size(); ++m) {
      std::vector<double> errors, signed_errors;
      std::size_t best = 0;
      for (case_result const& r : results) {
        auto const absolute = [&](std::size_t which) {
          return std::abs(error_of(r.predicted[which].throughput, measured(r)));
        };
        errors.push_back(absolute(m));
        signed_errors.push_back(error_of(r.predicted[m].throughput, measured(r)));
        bool is_best = true;
        for (std::size_t other = 0; other < bench::models().size(); ++other)
          is_best = is_best && absolute(m) <= absolute(other);
        best += is_best ? 1 : 0;
      }
      std::string const name = is_exponential ? "exponential" : "constant";
      double const median = statistics::median(errors), p90 = statistics::quantile(errors, 0.9);
      double const max = statistics::quantile(errors, 1), mean = statistics::mean(signed_errors);
      fmt::print("{:12} {:8} {:>28.2f} {:>8.2f} {:>8.2f} {:>+8.2f} {:>9}\n", name, bench::models()[m].name,
                 100 * median, 100 * p90, 100 * max, 100 * mean, best);
      summary.push_back({{"service", name},
                         {"model", bench::models()[m].name},
                         {"median", median},
                         {"p90", p90},
                         {"max", max},
                         {"mean_signed", mean},
                         {"best_of_cases", best}});
    }
  }
  std::vector<double> scatters;
  for (case_result const& r : results) scatters.push_back(r.scatter);
  fmt::print(
      "A run with exponential service scatters by {:.1f} % by itself (standard deviation, simulated, median of the "
      "cases).\n",
      100 * statistics::median(scatters));
  return summary;
}

json to_json(case_result const& r) {
  json row = json::parse(encode(r.it));
  row["scatter"] = r.scatter;
  row["measured"] = {{"exponential", r.exponential}, {"constant", r.constant}};
  for (auto const& each : r.predicted) row["predicted"][each.model] = each.throughput;
  return row;
}

std::string plot_of(std::vector<case_result> const& results) {
  bench::series exponential{"exponential, PEPA", {}, false}, constant{"constant, events", {}, false};
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (case_result const& r : results) {
    exponential.points.emplace_back(r.exponential, predicted_by("pepa", r));
    constant.points.emplace_back(r.constant, predicted_by("events", r));
    low = std::min({low, r.exponential, r.constant});
    high = std::max({high, r.exponential, r.constant});
  }
  bench::plot picture("Throughput of random programs on emulated hosts", {"measured [items/s]"},
                      {"predicted [items/s]"});
  picture.add(std::move(exponential));
  picture.add(std::move(constant));
  picture.add({"as measured", {{low, low}, {high, high}}});
  picture.add({"5 % more", {{low, 1.05 * low}, {high, 1.05 * high}}});
  picture.add({"5 % less", {{low, 0.95 * low}, {high, 0.95 * high}}});
  return picture.svg();
}

}  // namespace bench
