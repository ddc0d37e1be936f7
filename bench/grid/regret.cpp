#include "grid/regret.hpp"

#include <algorithm>

#include <skel/base/statistics.hpp>

#include "grid/collective_data.hpp"
#include "grid/random_grid.hpp"

namespace bench {

std::vector<regret_case> measure_regret(std::uint64_t seed, std::vector<skel::plan::collective> const& operations,
                                        std::vector<std::uint64_t> const& sizes, std::uint64_t sends,
                                        simulator_settings const& settings) {
  auto machine = random_grid(seed);
  simulator on(machine, settings);
  machine = with_plogp(machine, link_times(machine, on, *std::max_element(sizes.begin(), sizes.end())));
  auto const model = make_grid_model(skel::cost::model_kind::steffenel, machine).model;
  auto mapper = mapper_of(machine);
  std::vector<regret_case> cases;
  std::vector<std::vector<candidate>> candidates;
  work_list work;
  for (auto const operation : operations)
    for (std::uint64_t const bytes : sizes) {
      skel::plan::collective_problem const problem{
          .ranks = machine.host_count(),
          .bytes = bytes,
          .unit = collective_data(operation, machine.host_count(), 0, bytes, 0).word()};
      candidates.push_back(decided(mapper, {.operation = operation, .bytes = bytes, .unit = problem.unit}, sends));
      for (candidate& each : priced(all_plans(operation, bytes, machine.host_count(), sends), problem, model))
        candidates.back().push_back(std::move(each));
      for (candidate const& each : candidates.back())
        work.collectives.push_back({.operation = operation, .bytes = bytes, .plan = each.plan});
      cases.push_back({.seed = seed,
                       .bytes = bytes,
                       .operation = operation,
                       .clusters = machine.clusters().size(),
                       .hosts = machine.host_count(),
                       .chosen = {},
                       .best = {},
                       .candidates = candidates.back().size()});
    }
  auto const measured = on.run(work).collectives;
  std::size_t next = 0;
  for (std::size_t i = 0; i < cases.size(); ++i)
    for (std::size_t k = 0; k < candidates[i].size(); ++k, ++next) {
      judged const each{candidates[i][k], measured[next]};
      if (k == 0) cases[i].chosen = each;
      if (k == 0 || each.measured < cases[i].best.measured) cases[i].best = each;
    }
  // Every case with a mapper that knows nothing of the others.
  next = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    auto learning = mapper_of(machine);
    skel::mapping::collective_request const request{
        .operation = cases[i].operation,
        .bytes = cases[i].bytes,
        .unit = collective_data(cases[i].operation, machine.host_count(), 0, cases[i].bytes, 0).word()};
    for (std::size_t use = 0; use < regret_uses; ++use) {
      auto const& plan = learning.decide(request).plan;
      auto const found = std::ranges::find(candidates[i], plan, &candidate::plan);
      if (found == candidates[i].end()) break;
      double const time = measured[next + static_cast<std::size_t>(found - candidates[i].begin())];
      cases[i].uses.push_back(time / cases[i].best.measured - 1);
      learning.observe(request, time);
    }
    next += candidates[i].size();
  }
  return cases;
}

namespace {

regret_summary summary_of(std::vector<double> const& regrets) {
  return {.mean = skel::statistics::mean(regrets),
          .p95 = skel::statistics::quantile(regrets, 0.95),
          .worst = skel::statistics::quantile(regrets, 1)};
}

}  // namespace

regret_summary summary_of(std::vector<regret_case> const& cases) {
  std::vector<double> regrets;
  for (regret_case const& each : cases) regrets.push_back(each.regret());
  return summary_of(regrets);
}

regret_summary summary_of(std::vector<regret_case> const& cases, std::size_t use) {
  std::vector<double> regrets;
  for (regret_case const& each : cases)
    if (use < each.uses.size()) regrets.push_back(each.uses[use]);
  return regrets.empty() ? regret_summary{} : summary_of(regrets);
}

}  // namespace bench
