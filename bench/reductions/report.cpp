#include "report.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include <skel/detail/pattern/pattern_features.hpp>

namespace bench::reductions {

namespace {

using nlohmann::ordered_json;
using skel::plan::name_of;

std::string named(skel::plan::reduction_algorithm algorithm) {
  return std::string(name_of(algorithm));
}

ordered_json features_json(skel::pattern_features const& found) {
  ordered_json features = ordered_json::object();
  for (skel::listed_feature const& one : skel::feature_list) {
    double const value = one.value(found);
    features[std::string(one.name)] = one.counts ? ordered_json(static_cast<std::size_t>(value)) : ordered_json(value);
  }
  return features;
}

}  // namespace

ordered_json to_json(measurement const& found, std::optional<choice> const& by, judgement const& verdict) {
  ordered_json result;
  result["features"] = features_json(found.features);
  result["features_seconds"] = found.features_seconds;
  result["other_seconds"] = found.other_seconds;
  result["load"] = found.load;
  result["reuse"] = verdict.reuse;
  result["chosen"] = by ? ordered_json(named(by->chosen)) : ordered_json(nullptr);
  result["predicted"] = nullptr;
  if (by) {
    result["reading_seconds"] = by->reading;
    result["deciding_seconds"] = by->deciding;
    result["switches"] = by->switches;
    result["first_choice"] = {{"chosen", named(by->first)}, {"slowdown_vs_best", nullptr}};
    if (verdict.first_slowdown) result["first_choice"]["slowdown_vs_best"] = *verdict.first_slowdown;
    result["predicted"] = ordered_json::object();
    for (auto const& [algorithm, time] : by->predicted)
      result["predicted"][named(algorithm)] = {{"setup", time.setup}, {"run", time.run}};
  }
  result["measured"] = ordered_json::object();
  for (auto const& one : found.algorithms)
    result["measured"][named(one.algorithm)] = {
        {"setup", one.setup}, {"setup_again", one.setup_again},
        {"run", one.run},     {"spread", one.spread},
        {"bytes", one.bytes}, {"over_best", verdict.over_best.at(one.algorithm)}};
  result["best"] = named(verdict.best);
  result["slowdown_vs_best"] = verdict.slowdown ? ordered_json(*verdict.slowdown) : ordered_json(nullptr);
  if (found.others.empty()) return result;
  result["competitors"] = ordered_json::object();
  for (auto const& one : found.others) {
    ordered_json row{{"run", nullptr}, {"threads", one.threads}, {"note", one.note}};
    if (one.run) {
      row["setup"] = one.setup;
      row["run"] = *one.run;
      row["spread"] = one.spread;
      row[by ? "over_chosen" : "over_best"] = verdict.others.at(one.name);
    }
    result["competitors"][one.name] = std::move(row);
  }
  return result;
}

std::string to_table(measurement const& found, std::optional<choice> const& by, judgement const& verdict) {
  std::string text;
  for (skel::listed_feature const& one : skel::feature_list) {
    double const value = one.value(found.features);
    text += fmt::format("{} {}  ", one.name, one.counts ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value));
  }
  text += fmt::format(
      "\nfeatures counted in {:.3g} ms; an iteration's other work takes {:.3g} ns; load of the machine before "
      "{:.2g}\n\n",
      1e3 * found.features_seconds, 1e9 * found.other_seconds, found.load);
  text += fmt::format("{:<20} {:>10} {:>10} {:>8} {:>10} {:>10} {:>9}\n", fmt::format("{:g} uses, ms", verdict.reuse),
                      "setup", "run", "spread", "predicted", "total", "to best");
  if (by && verdict.slowdown)
    text.insert(text.rfind("\n\n") + 1,
                fmt::format("chosen: {}, at first {}; all uses take {:.4f} times the cost of the best; reading the "
                            "pattern took {:.3g} ms, deciding {:.3g} ms, {} switches\n",
                            name_of(by->chosen), name_of(by->first), *verdict.slowdown, 1e3 * by->reading,
                            1e3 * by->deciding, by->switches));
  auto ranked = found.algorithms;
  std::sort(ranked.begin(), ranked.end(), [&](auto const& a, auto const& b) {
    return verdict.over_best.at(a.algorithm) < verdict.over_best.at(b.algorithm);
  });
  for (auto const& one : ranked) {
    std::string predicted = "-";
    if (by)
      if (auto const it = by->predicted.find(one.algorithm); it != by->predicted.end())
        predicted = fmt::format("{:.4f}", 1e3 * it->second.run);
    text += fmt::format("{:<20} {:>10.4f} {:>10.4f} {:>6.1f} % {:>10} {:>10.3f} {:>9.3f}{}\n", name_of(one.algorithm),
                        1e3 * one.setup, 1e3 * one.run, 100 * one.spread, predicted,
                        1e3 * (one.setup + verdict.reuse * one.run), verdict.over_best.at(one.algorithm),
                        by && by->chosen == one.algorithm ? "  chosen" : "");
  }
  if (!found.others.empty())
    text += fmt::format("\n{:<20} {:>10} {:>10} {:>8} {:>10} {:>10} {:>9}\n", "others", "setup", "run", "spread", "",
                        "total", by ? "to chosen" : "to best");
  for (auto const& one : found.others) {
    if (one.run)
      text += fmt::format("{:<20} {:>10.4f} {:>10.4f} {:>6.1f} % {:>10} {:>10.3f} {:>9.3f}", one.name, 1e3 * one.setup,
                          1e3 * *one.run, 100 * one.spread, "", 1e3 * (one.setup + verdict.reuse * *one.run),
                          verdict.others.at(one.name));
    else
      text += fmt::format("{:<20} {:>10} {:>10}", one.name, "", "not run");
    text += (one.note.empty() ? "" : "  (" + one.note + ")") + "\n";
  }
  return text;
}

}  // namespace bench::reductions
