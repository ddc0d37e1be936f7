#include "suite.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>
#include <set>

#include <fmt/format.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/statistics.hpp>

#include "report.hpp"

namespace bench::reductions {

namespace {

using nlohmann::ordered_json;
using skel::training::trial_value;

double geometric_mean(std::vector<double> const& ratios) {
  double sum = 0;
  for (double const one : ratios) sum += std::log(one);
  return std::exp(sum / static_cast<double>(ratios.size()));
}

ordered_json slowdowns_json(std::vector<double> const& slowdowns) {
  if (slowdowns.empty()) return nullptr;
  auto const near = std::count_if(slowdowns.begin(), slowdowns.end(), [](double s) { return s <= 1.05; });
  return {{"within_5_percent", static_cast<double>(near) / static_cast<double>(slowdowns.size())},
          {"mean", skel::statistics::mean(slowdowns)},
          {"p95", skel::statistics::quantile(slowdowns, 0.95)},
          {"worst", skel::statistics::quantile(slowdowns, 1)}};
}

/// What was measured of a case, with its features counted again.
measurement again(skel::pattern const& of, setting const& how, result_file const& timings, std::string const& name) {
  auto const row = std::find_if(timings.rows().begin(), timings.rows().end(),
                                [&](auto const& one) { return one.value("case", "") == name; });
  measurement found = measurement_of(*row);
  count_features(of, how, found);
  return found;
}

}  // namespace

measurement measurement_of(ordered_json const& row) try {
  measurement found;
  found.features_seconds = row.at("features_seconds");
  found.other_seconds = row.at("other_seconds");
  found.load = row.at("load");
  for (auto const& [name, time] : row.at("measured").items()) {
    auto const algorithm = skel::plan::find_reduction(name);
    if (!algorithm) throw skel::error("'" + name + "' is not an algorithm of reductions");
    found.algorithms.push_back({*algorithm, time.at("setup"), time.at("setup_again"), time.at("run"), time.at("spread"),
                                time.at("bytes").get<std::size_t>()});
  }
  if (!row.contains("competitors")) return found;
  for (auto const& [name, time] : row.at("competitors").items()) {
    competitor_time one{name, time.at("note"), time.at("threads").get<std::size_t>(), {}, 0, 0};
    if (!time.at("run").is_null())
      one.run = time.at("run").get<double>(), one.setup = time.at("setup"), one.spread = time.at("spread");
    found.others.push_back(std::move(one));
  }
  return found;
} catch (ordered_json::exception const& problem) {
  throw skel::error(std::string("timings lack something: ") + problem.what() + " in " + row.dump().substr(0, 80));
}

void run_suite(std::vector<suite_case> const& cases, setting const& how, std::vector<double> const& reuses,
               chooser const& choose, result_file& into, std::ostream& progress, result_file const* timings) {
  std::size_t number = 0;
  for (auto const& one : cases) {
    ++number;
    if (into.has(one.name)) continue;
    if (timings != nullptr && !timings->has(one.name)) continue;
    timed_loop const loop = one.make();
    setting mine = how;
    mine.value = loop.value;
    mine.other_work = loop.other_work;
    measurement const found = timings == nullptr ? measure(loop.of, mine) : again(loop.of, mine, *timings, one.name);
    std::vector<ordered_json> rows;
    std::string verdicts;
    for (double const reuse : reuses) {
      std::optional<choice> const by = choose ? choose(loop.of, mine, reuse, found) : std::nullopt;
      judgement const verdict = judge(found, by, reuse);
      ordered_json row{{"case", one.name},
                       {"program", one.program},
                       {"value", loop.value == trial_value::number ? "double" : "vec3"},
                       {"other_work", loop.other_work}};
      row.update(to_json(found, by, verdict));
      verdicts += fmt::format("  {:g} uses: {}", reuse, skel::plan::name_of(verdict.best));
      if (verdict.slowdown) verdicts += fmt::format(" ({} {:.3f})", skel::plan::name_of(by->chosen), *verdict.slowdown);
      rows.push_back(std::move(row));
    }
    into.add(rows);
    progress << fmt::format("{:>4}/{} {:<36} M {:>9} N {:>8}{}\n", number, cases.size(), one.name, loop.of.iterations(),
                            loop.of.elements(), verdicts)
             << std::flush;
  }
}

ordered_json summary_of(std::vector<ordered_json> const& rows) {
  std::vector<double> charged, first, alone;
  std::map<std::string, std::vector<double>> fixed, others;
  std::set<std::string> cases;
  for (auto const& row : rows) {
    cases.insert(row.at("case").get<std::string>());
    if (!row.at("slowdown_vs_best").is_null()) {
      charged.push_back(row.at("slowdown_vs_best").get<double>());
      first.push_back(row.at("first_choice").at("slowdown_vs_best").get<double>());
      alone.push_back(row.at("measured").at(row.at("chosen").get<std::string>()).at("over_best").get<double>());
    }
    for (auto const& [name, found] : row.at("measured").items()) fixed[name].push_back(found.at("over_best"));
    if (!row.contains("competitors")) continue;
    for (auto const& [name, found] : row.at("competitors").items())
      for (char const* const key : {"over_chosen", "over_best"})
        if (found.contains(key)) others[name].push_back(found.at(key));
  }
  ordered_json result{{"patterns", cases.size()},
                      {"cases", rows.size()},
                      {"chosen", slowdowns_json(charged)},
                      {"first_choice", slowdowns_json(first)},
                      {"chosen_algorithm", slowdowns_json(alone)}};
  result["fixed"] = ordered_json::object();
  for (auto const& [name, ratios] : fixed)
    result["fixed"][name] = {{"cases", ratios.size()}, {"geometric_mean", geometric_mean(ratios)}};
  result["competitors"] = ordered_json::object();
  for (auto const& [name, ratios] : others)
    result["competitors"][name] = {{"cases", ratios.size()},
                                   {"geometric_mean", geometric_mean(ratios)},
                                   {"least", *std::min_element(ratios.begin(), ratios.end())}};
  return result;
}

std::string to_table(ordered_json const& summary) {
  std::string text = fmt::format("\n{} cases of {} patterns\n", summary.at("cases").get<std::size_t>(),
                                 summary.at("patterns").get<std::size_t>());
  auto const add = [&](char const* key, char const* title) {
    auto const& found = summary.at(key);
    if (found.is_null()) return;
    text +=
        fmt::format("{}: within 5 % of the best {:.1f} %; slowdown mean {:.4f}, 95th percentile {:.4f}, worst {:.4f}\n",
                    title, 100 * found.at("within_5_percent").get<double>(), found.at("mean").get<double>(),
                    found.at("p95").get<double>(), found.at("worst").get<double>());
  };
  add("chosen", "all uses, with choosing and trials");
  add("first_choice", "had it stayed with the first choice");
  add("chosen_algorithm", "the chosen algorithm alone");
  text += "cost over that of the best, geometric mean\n";
  for (auto const& [name, row] : summary.at("fixed").items())
    text += fmt::format("  {:<20} {:>8.3f}\n", name, row.at("geometric_mean").get<double>());
  if (!summary.at("competitors").empty())
    text += fmt::format("cost over that of {}, geometric mean and least\n",
                        summary.at("chosen").is_null() ? "the best" : "the chosen");
  for (auto const& [name, row] : summary.at("competitors").items())
    text += fmt::format("  {:<20} {:>8.3f} {:>8.3f}\n", name, row.at("geometric_mean").get<double>(),
                        row.at("least").get<double>());
  return text;
}

}  // namespace bench::reductions
