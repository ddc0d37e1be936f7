#include "decision_page.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <skel/detail/base/chart.hpp>
#include <skel/detail/base/shown.hpp>

namespace skel::tools {
namespace {

struct measured_choice {
  std::uint64_t uses = 0;
  double seconds = 0;

  double mean() const { return seconds / static_cast<double>(uses); }
};

}  // namespace

std::vector<request_summary> summarise(std::vector<platform::past_decision> const& all) {
  std::vector<request_summary> requests;
  std::vector<std::map<std::string, measured_choice>> choices;
  std::map<std::pair<std::string, std::string>, std::size_t> numbers;
  for (auto const& [made, measured, paid] : all) {
    auto const [at, is_new] = numbers.try_emplace({made.problem, made.request}, requests.size());
    if (is_new) {
      requests.emplace_back();
      choices.emplace_back();
    }
    request_summary& one = requests[at->second];
    auto const& chosen = made.candidates.front();
    one.problem = made.problem, one.request = made.request;
    ++one.decisions;
    one.chosen = chosen.name, one.reason = made.reason, one.model = made.model;
    one.predicted = chosen.predicted, one.expected = chosen.expected;
    if (!std::isnan(paid)) {
      one.entry = chosen.entry, one.paid = paid;
      if (paid > 0 && chosen.entry > 0) one.entry_errors.push_back(std::abs(std::log(paid / chosen.entry)));
    }
    if (measured.uses == 0) continue;
    one.uses += measured.uses;
    auto& times = choices[at->second][chosen.name];
    times.uses += measured.uses;
    times.seconds += static_cast<double>(measured.uses) * measured.mean;
    if (measured.mean > 0 && chosen.expected > 0)
      one.errors.push_back(std::abs(std::log(measured.mean / chosen.expected)));
  }
  for (std::size_t k = 0; k < requests.size(); ++k) {
    request_summary& one = requests[k];
    one.choices_measured = choices[k].size();
    if (auto const last = choices[k].find(one.chosen); last != choices[k].end()) one.measured = last->second.mean();
    if (choices[k].size() < 2) continue;
    double seconds = 0, least = std::numeric_limits<double>::infinity();
    for (auto const& [name, times] : choices[k]) seconds += times.seconds, least = std::min(least, times.mean());
    if (least > 0) one.regret = seconds / static_cast<double>(one.uses) / least - 1;
  }
  return requests;
}

namespace {

std::string cell(double value, double scale, char const* format) {
  return std::isnan(value) ? "<td></td>" : "<td>" + fmt::format(fmt::runtime(format), value * scale) + "</td>";
}

std::string table(std::vector<request_summary> const& requests) {
  std::string out =
      "<table><tr><th>problem</th><th>request</th><th>decisions</th><th>choice</th><th>because</th><th>model</th>"
      "<th>predicted [us]</th><th>expected [us]</th><th>measured [us]</th><th>going there, predicted [us]</th><th>paid "
      "[us]</th><th>uses measured</th><th>choices "
      "measured</th><th>regret [%]</th></tr>\n";
  for (auto const& one : requests)
    out +=
        fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>", in_html(one.problem),
                    in_html(one.request), one.decisions, in_html(one.chosen), in_html(one.reason), in_html(one.model)) +
        cell(one.predicted, 1e6, "{:.4g}") + cell(one.expected, 1e6, "{:.4g}") + cell(one.measured, 1e6, "{:.4g}") +
        cell(one.entry, 1e6, "{:.4g}") + cell(one.paid, 1e6, "{:.4g}") +
        fmt::format("<td>{}</td><td>{}</td>", one.uses, one.choices_measured) + cell(one.regret, 100, "{:.1f}") +
        "</tr>\n";
  return out + "</table>\n";
}

std::string predictions(std::vector<platform::past_decision> const& all) {
  chart plot{.title = "measured against expected",
             .x = {.label = "expected of a use [s]", .logarithmic = true},
             .y = {.label = "measured [s]", .logarithmic = true}};
  std::vector<std::string> problems;
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (auto const& [made, measured, paid] : all) {
    if (measured.uses == 0) continue;
    double const expected = made.candidates.front().expected;
    if (expected > 0) least = std::min(least, expected), most = std::max(most, expected);
    if (std::find(problems.begin(), problems.end(), made.problem) == problems.end()) problems.push_back(made.problem);
  }
  if (problems.empty()) return "<p>Nothing was measured.</p>\n";
  for (auto const& problem : problems) {
    chart_line cloud{.name = problem, .points = {}, .joined = false};
    for (auto const& [made, measured, paid] : all)
      if (made.problem == problem && measured.uses > 0)
        cloud.points.emplace_back(made.candidates.front().expected, measured.mean);
    plot.lines.push_back(std::move(cloud));
  }
  if (most > 0) plot.lines.push_back({.name = "as expected", .points = {{least, least}, {most, most}}});
  return to_svg(drawn(plot));
}

std::string errors(std::vector<request_summary> const& requests) {
  chart plot{.title = "error of expectations, decision by decision",
             .x = {.label = "decision of a request that was measured"},
             .y = {.label = "|ln(measured / expected)|"}};
  constexpr std::size_t most_lines = 8;  // that can be told apart
  std::size_t lines = 0;
  for (auto const& one : requests) {
    if (one.errors.size() < 2 || ++lines > most_lines) continue;
    chart_line line{.name = one.problem, .points = {}};
    for (std::size_t k = 0; k < one.errors.size(); ++k)
      line.points.emplace_back(static_cast<double>(k + 1), one.errors[k]);
    plot.lines.push_back(std::move(line));
  }
  return lines == 0 ? "" : to_svg(drawn(plot));
}

}  // namespace

std::string decision_page(std::vector<platform::past_decision> const& all, std::vector<request_summary> const& requests,
                          std::string const& source) {
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Decisions</title>\n"
         "<style>body{font-family:sans-serif;margin:2em}table{border-collapse:collapse}td,th{border:1px solid #ccc;"
         "padding:0.2em 0.5em;text-align:left}svg{max-width:45em}" +
         std::string(chart_style()) + "</style></head><body>\n<h1>Decisions</h1>\n<p>" +
         fmt::format("{} decisions for {} requests, from {}.", all.size(), requests.size(), in_html(source)) +
         "</p>\n" + predictions(all) + errors(requests) + table(requests) +
         "<p>A prediction is the model's time. The expected time is the same, corrected by measurements. The regret is "
         "the mean time of all measured uses of a request over that of the fastest measured choice, less "
         "1.</p>\n</body></html>\n";
}

}  // namespace skel::tools
