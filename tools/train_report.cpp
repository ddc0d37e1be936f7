#include "train_report.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <skel/detail/base/plot.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/cost/reduction/fit.hpp>

namespace skel::tools {
namespace {

using nlohmann::ordered_json;

/// Mean slowdown of the choices, over all re-uses that are judged.
double loss(cost::cross_validation const& kind) {
  double sum = 0;
  for (double const reuse : judged_reuses) {
    auto const quality = kind.judge(reuse);
    sum += quality.problems == 0 ? 1 : quality.mean;
  }
  return sum / static_cast<double>(std::size(judged_reuses));
}

std::string row(std::string const& name, cost::choice_quality const& q) {
  return fmt::format("  {:<20} {:>6} {:>8.1f} {:>8.1f} {:>8.1f} {:>9.1f} {:>9.1f} {:>9.1f}\n", name, q.problems,
                     100 * q.right, 100 * q.tied, 100 * q.within_5, 100 * q.mean, 100 * q.p95, 100 * q.worst);
}

ordered_json to_json(cost::choice_quality const& q) {
  return {{"name", q.kind},         {"problems", q.problems}, {"right", q.right}, {"tied", q.tied},
          {"within_5", q.within_5}, {"mean", q.mean},         {"p95", q.p95},     {"worst", q.worst}};
}

}  // namespace

validation validate(cost::reduction_samples const& samples) {
  std::vector<std::pair<double, cost::cross_validation>> kinds;
  for (std::string const& name : cost::reduction_kinds()) {
    cost::cross_validation one(name, samples.samples, samples.caches);
    double const lost = loss(one);
    kinds.emplace_back(lost, std::move(one));
  }
  std::stable_sort(kinds.begin(), kinds.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
  std::vector<cost::cross_validation> sorted;
  for (auto& one : kinds) sorted.push_back(std::move(one.second));
  return {std::move(sorted), cost::validated_rules(samples.samples, cost::sight::sizes),
          cost::validated_rules(samples.samples, cost::sight::glance),
          cost::validated_rules(samples.samples, cost::sight::full)};
}

double spread_of(cost::reduction_samples const& samples) {
  std::vector<double> spreads;
  for (auto const& sample : samples.samples) spreads.push_back(sample.spread);
  return spreads.empty() ? 0 : statistics::median(std::move(spreads));
}

std::string report_text(cost::quiet_samples const& quiet, validation const& models) {
  auto const& kinds = models.kinds;
  auto const& samples = quiet.kept;
  std::string text = fmt::format(
      "{} patterns on {} ({} threads) since {}, {}; timings spread by {:.1f} % (median)\n"
      "Cross-validated: each choice is by a model that was fitted without the cell of the experiment that the pattern "
      "is "
      "of.\n\nRoot mean square of ln(measured / predicted), setup and run:\n",
      samples.problems(), samples.machine, samples.threads, samples.date, samples.compiler, 100 * spread_of(samples));
  if (quiet.left_out > 0)
    text =
        fmt::format("{} patterns are left out, as something else had a core while they were timed\n", quiet.left_out) +
        text;
  text += fmt::format("  {:<12}", "");
  for (auto const& traits : plan::reduction_catalogue()) text += fmt::format(" {:>11}", traits.name);
  text += "\n";
  for (auto const& kind : kinds) {
    text += fmt::format("  {:<12}", kind.kind());
    for (auto const& traits : plan::reduction_catalogue()) {
      auto const residual = kind.residual(traits.algorithm);
      text += fmt::format(" {:>5.2f} {:>5.2f}", residual.setup, residual.run);
    }
    text += "\n";
  }
  for (double const reuse : judged_reuses) {
    text += fmt::format(
        "\nEach pattern used {} times: shares and slowdowns against the fastest [%]\n  {:<20} {:>6} {:>8} {:>8} {:>8} "
        "{:>9} {:>9} {:>9}\n",
        reuse, "chosen by", "cases", "right", "or tied", "or <5 %", "mean", "p95", "worst");
    for (auto const& kind : kinds) text += row(kind.kind(), kind.judge(reuse));
    text += row(kinds.front().kind() + ", a glance", kinds.front().judge(reuse, cost::sight::glance));
    for (auto const* const rules : {&models.by_features, &models.by_glance, &models.by_sizes}) {
      auto const quality = rules->judge(reuse);
      text += row(quality.kind, quality);
    }
    for (auto const& traits : plan::reduction_catalogue())
      text += row("always " + std::string(traits.name), cost::judge_fixed(traits.algorithm, samples.samples, reuse));
  }
  return text;
}

ordered_json report_json(cost::quiet_samples const& quiet, validation const& models) {
  auto const& kinds = models.kinds;
  auto const& samples = quiet.kept;
  ordered_json all = ordered_json::array(), choices = ordered_json::array();
  for (auto const& kind : kinds) {
    ordered_json residuals = ordered_json::object();
    for (auto const& traits : plan::reduction_catalogue()) {
      auto const residual = kind.residual(traits.algorithm);
      residuals[std::string(traits.name)] = {{"setup", residual.setup}, {"run", residual.run}};
    }
    all.push_back({{"name", kind.kind()}, {"residuals", residuals}});
  }
  for (double const reuse : judged_reuses) {
    ordered_json by_kind = ordered_json::array(), fixed = ordered_json::array();
    for (auto const& kind : kinds) by_kind.push_back(to_json(kind.judge(reuse)));
    for (auto const& traits : plan::reduction_catalogue())
      fixed.push_back(to_json(cost::judge_fixed(traits.algorithm, samples.samples, reuse)));
    ordered_json const rules{{"full", to_json(models.by_features.judge(reuse))},
                             {"sizes", to_json(models.by_sizes.judge(reuse))},
                             {"glance", to_json(models.by_glance.judge(reuse))}};
    choices.push_back({{"reuse", reuse}, {"kinds", by_kind}, {"rules", rules}, {"fixed", fixed}});
  }
  return {{"machine", samples.machine},
          {"date", samples.date},
          {"compiler", samples.compiler},
          {"problems", samples.problems()},
          {"left_out", quiet.left_out},
          {"spread", spread_of(samples)},
          {"kinds", all},
          {"choices", choices}};
}

std::string prediction_plot(cost::reduction_samples const& samples, cost::cross_validation const& kind) {
  plots::plot plot("Executions of reductions, by " + kind.kind() + " models that had not seen them",
                   {"predicted [s]", plots::scale::logarithmic}, {"measured [s]", plots::scale::logarithmic});
  // More points of an algorithm than this only cover each other.
  constexpr std::size_t most = 300;
  for (auto const& traits : plan::reduction_catalogue()) {
    plots::series cloud{std::string(traits.name), {}, false};
    for (auto const& sample : samples.samples)
      if (sample.algorithm == traits.algorithm)
        if (auto const time = kind.predict(sample)) cloud.points.emplace_back(time->run, sample.measured.run);
    std::size_t const step = (cloud.points.size() + most - 1) / most;
    for (std::size_t k = 0; step > 1 && k * step < cloud.points.size(); ++k) cloud.points[k] = cloud.points[k * step];
    if (step > 1) cloud.points.resize((cloud.points.size() + step - 1) / step);
    plot.add(std::move(cloud));
  }
  return plot.svg();
}

}  // namespace skel::tools
