#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <skel/detail/base/chart.hpp>
#include <skel/detail/base/statistics.hpp>

namespace skel::training {

namespace {

/// Calls each(begin, end) for the samples of each problem, which follow each other.
template <class Each>
void for_each_problem(std::span<reduction_sample const> samples, Each each) {
  for (std::size_t begin = 0, end = 0; begin < samples.size(); begin = end) {
    while (end < samples.size() && samples[end].problem == samples[begin].problem &&
           samples[end].virtual_threads == samples[begin].virtual_threads)
      ++end;
    each(begin, end);
  }
}

/// Not less than the shortest measurable time: next to nothing may have been measured as nothing.
double total(cost::reduction_time const& time, double uses) {
  return std::max(shortest, time.setup + uses * time.run);
}

choice_quality quality_of(std::vector<double> const& over, std::size_t right) {
  choice_quality result;
  result.problems = over.size();
  if (over.empty()) return result;
  auto const count = static_cast<double>(over.size());
  result.right = static_cast<double>(right) / count;
  result.within_5 = static_cast<double>(std::ranges::count_if(over, [](double one) { return one <= 1.05; })) / count;
  result.mean = statistics::mean(over);
  result.p95 = statistics::quantile(over, 0.95);
  result.worst = statistics::quantile(over, 1);
  return result;
}

/// Judges the choice of the least `price(sample)`.
template <class Price>
choice_quality judge_by(std::span<reduction_sample const> samples, double uses, std::optional<std::string> const& kind,
                        Price price) {
  std::vector<double> over;
  std::size_t right = 0;
  for_each_problem(samples, [&](std::size_t begin, std::size_t end) {
    if (kind && kind_of(samples[begin].program) != *kind) return;
    std::size_t chosen = begin, best = begin;
    for (std::size_t k = begin + 1; k < end; ++k) {
      if (price(k) < price(chosen)) chosen = k;
      if (total(samples[k].measured, uses) < total(samples[best].measured, uses)) best = k;
    }
    over.push_back(total(samples[chosen].measured, uses) / total(samples[best].measured, uses));
    right += chosen == best;
  });
  return quality_of(over, right);
}

}  // namespace

choice_quality judge(std::span<reduction_sample const> samples, constants_fit const& fit, cost::knowledge how,
                     double uses, std::optional<std::string> const& kind) {
  auto const names = algorithm_names();
  std::map<std::string, platform::fitted_errors> errors;  // without a kind
  for (auto const& one : samples) {
    auto& there = errors[kind_of(one.program)];
    if (there.mean.empty()) there = errors_of(samples, fit.predictions, how, names, kind_of(one.program));
  }
  return judge_by(samples, uses, kind, [&](std::size_t k) {
    auto const& of = errors.at(kind_of(samples[k].program));
    auto const a = static_cast<std::size_t>(samples[k].algorithm);
    auto const& guess = fit.predictions[k].known_by(how);
    double const first = std::exp(of.first_mean[a] + std::pow(of.first_deviation[a], 2) / 2),
                 again = std::exp(of.mean[a] + of.covariance[a * names.size() + a] / 2);
    return first * (guess.setup + guess.run) + (uses - 1) * again * guess.run;
  });
}

choice_quality judge_fixed(std::span<reduction_sample const> samples, plan::reduction_algorithm algorithm,
                           double uses) {
  return judge_by(samples, uses, {}, [&](std::size_t k) { return samples[k].algorithm == algorithm ? 0 : 1; });
}

namespace {

using nlohmann::ordered_json;

constexpr std::pair<cost::knowledge, char const*> ways_of_knowing[] = {{cost::knowledge::counted, "counted features"},
                                                                       {cost::knowledge::sampled, "sampled features"},
                                                                       {cost::knowledge::sizes, "sizes alone"}};

std::string row(std::string const& name, choice_quality const& q) {
  return fmt::format("  {:<20} {:>6} {:>8.1f} {:>8.1f} {:>9.3f} {:>9.3f} {:>9.3f}\n", name, q.problems, 100 * q.right,
                     100 * q.within_5, q.mean, q.p95, q.worst);
}

ordered_json to_json(choice_quality const& q) {
  return {{"problems", q.problems}, {"right", q.right}, {"within_5", q.within_5},
          {"mean", q.mean},         {"p95", q.p95},     {"worst", q.worst}};
}

std::set<std::string> kinds_of(std::vector<reduction_sample> const& samples) {
  std::set<std::string> kinds;
  for (auto const& one : samples) kinds.insert(kind_of(one.program));
  return kinds;
}

/// Error of predictions, root mean square.
double rms(platform::fitted_errors const& errors, std::size_t algorithm) {
  return std::sqrt(std::pow(errors.mean[algorithm], 2) + errors.covariance[algorithm * errors.mean.size() + algorithm]);
}

/// Samples of real threads, or of virtual ones, of the problems that were timed with all algorithms: files may lack
/// some.
std::vector<reduction_sample> complete_problems(reduction_samples const& all, bool is_virtual) {
  std::vector<reduction_sample> complete;
  for (std::size_t begin = 0, end = 0; begin < all.samples.size(); begin = end) {
    while (end < all.samples.size() && all.points[end] == all.points[begin]) ++end;
    bool has_all = end - begin == plan::reduction_algorithms;
    for (std::size_t k = begin; k < end && has_all; ++k)
      has_all = static_cast<std::size_t>(all.samples[k].algorithm) == k - begin &&
                all.samples[k].virtual_threads == is_virtual && all.samples[k].program == all.samples[begin].program;
    if (!has_all) continue;
    auto const first = all.samples.begin() + static_cast<std::ptrdiff_t>(begin);
    complete.insert(complete.end(), first, first + static_cast<std::ptrdiff_t>(plan::reduction_algorithms));
  }
  return complete;
}

}  // namespace

std::vector<fitted_samples> fit_all(reduction_samples const& all) {
  std::vector<fitted_samples> fits;
  for (bool const is_virtual : {false, true}) {
    fitted_samples one{is_virtual ? "virtual" : "real", complete_problems(all, is_virtual), {}};
    if (kinds_of(one.samples).size() < 2) continue;
    one.fit = fit_constants(one.samples, all.caches);
    fits.push_back(std::move(one));
  }
  std::ranges::stable_sort(fits, {}, [](auto const& one) { return one.fit.fitted.most_parts; });
  return fits;
}

double spread_of(reduction_samples const& samples) {
  std::vector<double> spreads;
  for (auto const& sample : samples.samples) spreads.push_back(sample.spread);
  return spreads.empty() ? 0 : statistics::median(std::move(spreads));
}

std::string report_text(reduction_samples const& all, std::vector<fitted_samples> const& fits) {
  std::string text = fmt::format(
      "{} patterns on {} ({} threads) since {}, {}; timings spread by {:.1f} % (median)\n"
      "Everything is judged by constants that were fitted without the kind of patterns that a pattern is of.\n",
      all.problems(), all.machine, all.threads, all.date, all.compiler, 100 * spread_of(all));
  for (auto const& one : fits) {
    auto const& fitted = one.fit.fitted;
    text += fmt::format(
        "\n{} patterns on {} threads, {} at the most\n  ln(measured / predicted), root mean square\n  {:<20}",
        fitted.patterns, one.threads, fitted.most_parts, "");
    auto const names = algorithm_names();
    for (auto const& name : names) text += fmt::format(" {:>10}", name);
    for (auto const& [errors, name] :
         {std::pair{&fitted.counted, "counted features"}, std::pair{&fitted.sampled, "sampled features"},
          std::pair{&fitted.by_sizes, "sizes alone"}}) {
      text += fmt::format("\n  {:<20}", name);
      for (std::size_t k = 0; k < names.size(); ++k) text += fmt::format(" {:>10.2f}", rms(*errors, k));
    }
    text += "\n";
    for (double const uses : judged_uses) {
      text += fmt::format("\n  {:<20} {:>6} {:>8} {:>8} {:>9} {:>9} {:>9}\n", fmt::format("{:g} uses, by", uses),
                          "cases", "right %", "<5 % %", "mean", "p95", "worst");
      for (auto const& [how, name] : ways_of_knowing) text += row(name, judge(one.samples, one.fit, how, uses));
      for (auto const& kind : kinds_of(one.samples))
        text += row("  of " + kind, judge(one.samples, one.fit, cost::knowledge::counted, uses, kind));
      for (auto const& traits : plan::reduction_catalogue())
        text += row("always " + std::string(traits.name), judge_fixed(one.samples, traits.algorithm, uses));
    }
  }
  return text;
}

ordered_json report_json(reduction_samples const& all, std::vector<fitted_samples> const& fits) {
  ordered_json found = ordered_json::array();
  for (auto const& one : fits) {
    auto const& fitted = one.fit.fitted;
    ordered_json errors = ordered_json::object(), choices = ordered_json::array();
    auto const names = algorithm_names();
    for (std::size_t k = 0; k < names.size(); ++k)
      errors[names[k]] = {
          {"counted", rms(fitted.counted, k)}, {"sampled", rms(fitted.sampled, k)}, {"sizes", rms(fitted.by_sizes, k)}};
    for (double const uses : judged_uses) {
      ordered_json by = ordered_json::object(), kinds = ordered_json::object(), fixed = ordered_json::object();
      for (auto const& [how, name] : ways_of_knowing) by[name] = to_json(judge(one.samples, one.fit, how, uses));
      for (auto const& kind : kinds_of(one.samples))
        kinds[kind] = to_json(judge(one.samples, one.fit, cost::knowledge::counted, uses, kind));
      for (auto const& traits : plan::reduction_catalogue())
        fixed[std::string(traits.name)] = to_json(judge_fixed(one.samples, traits.algorithm, uses));
      choices.push_back({{"uses", uses}, {"by", by}, {"kinds", kinds}, {"fixed", fixed}});
    }
    found.push_back({{"threads", one.threads},
                     {"most_parts", fitted.most_parts},
                     {"patterns", fitted.patterns},
                     {"errors", errors},
                     {"choices", choices}});
  }
  return {{"machine", all.machine},     {"date", all.date},         {"compiler", all.compiler},
          {"problems", all.problems()}, {"spread", spread_of(all)}, {"fits", found}};
}

std::string prediction_plot(fitted_samples const& of) {
  chart plot{.title = "Executions of reductions on " + of.threads + " threads, kinds that were left out",
             .x = {.label = "predicted [s]", .logarithmic = true},
             .y = {.label = "measured [s]", .logarithmic = true}};
  // More points of an algorithm than this only cover each other.
  constexpr std::size_t most = 300;
  for (auto const& traits : plan::reduction_catalogue()) {
    chart_line cloud{.name = std::string(traits.name), .points = {}, .joined = false};
    for (auto const& one : of.fit.predictions)
      if (auto const& sample = of.samples[one.sample]; sample.algorithm == traits.algorithm)
        cloud.points.emplace_back(one.known_by(cost::knowledge::counted).run, sample.measured.run);
    std::size_t const step = (cloud.points.size() + most - 1) / most;
    for (std::size_t k = 0; step > 1 && k * step < cloud.points.size(); ++k) cloud.points[k] = cloud.points[k * step];
    if (step > 1) cloud.points.resize((cloud.points.size() + step - 1) / step);
    plot.lines.push_back(std::move(cloud));
  }
  return svg_file({drawn(plot)});
}

}  // namespace skel::training
