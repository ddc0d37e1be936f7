#include "grid/regret.hpp"

#include <algorithm>

#include <skel/detail/base/statistics.hpp>

#include "grid/collective_data.hpp"
#include "grid/random_grid.hpp"

namespace bench {

std::vector<regret_case> measure_regret(std::uint64_t seed, regret_options const& options) {
  auto machine = random_grid(seed);
  simulator on(machine, options.simulation);
  link_times const times(machine, on, std::ranges::max(options.sizes));
  machine = with_plogp(machine, times);
  auto const model = make_grid_model(skel::cost::model_kind::steffenel, machine).model;
  auto mapper = mapper_of(machine);
  std::vector<regret_case> cases;
  work_list work;
  for (auto const operation : options.operations)
    for (std::uint64_t const bytes : options.sizes) {
      skel::plan::collective_problem const problem{
          .ranks = machine.host_count(),
          .bytes = bytes,
          .unit = collective_data(operation, machine.host_count(), 0, bytes, 0).word()};
      auto candidates = decided(mapper, {.operation = operation, .bytes = bytes, .unit = problem.unit}, options.sends);
      for (candidate& each : priced(all_plans(operation, bytes, machine.host_count(), options.sends), problem, model))
        candidates.push_back(std::move(each));
      regret_case& here = cases.emplace_back();
      here.seed = seed, here.bytes = bytes, here.operation = operation;
      here.clusters = machine.clusters().size(), here.hosts = machine.host_count();
      double const least = std::ranges::min(candidates, {}, &candidate::predicted).predicted;
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (i > 0 && options.within > 0 && candidates[i].predicted > options.within * least) {
          ++here.left_out;
          continue;
        }
        work.collectives.push_back({.operation = operation, .bytes = bytes, .plan = candidates[i].plan});
        here.candidates.push_back({std::move(candidates[i])});
      }
      here.in_full = all_of(times);
      for (double const uses : options.measuring_for) {
        auto choice =
            choose_by_what_pays(machine, times, {.operation = operation, .bytes = bytes, .unit = problem.unit}, uses);
        work.collectives.push_back({.operation = operation, .bytes = bytes, .plan = choice.what.plan});
        here.as_it_pays.push_back({std::move(choice)});
      }
    }
  auto const measured = on.run(work).collectives;
  auto next = measured.begin();
  for (regret_case& here : cases) {
    for (judged& each : here.candidates) each.measured = *next++;
    here.chosen = here.candidates.front();
    here.best = *std::ranges::min_element(here.candidates, {}, &judged::measured);
    for (regret_case::by_measuring& each : here.as_it_pays) {
      each.measured = *next++;
      if (each.measured < here.best.measured) here.best = {each.choice.what, each.measured};
    }
  }
  // Every case with a mapper that knows nothing of the others.
  for (regret_case& here : cases) {
    auto learning = mapper_of(machine);
    skel::mapping::collective_request const request{
        .operation = here.operation,
        .bytes = here.bytes,
        .unit = collective_data(here.operation, machine.host_count(), 0, here.bytes, 0).word()};
    for (std::size_t use = 0; use < regret_uses; ++use) {
      learning.begin(request);
      auto const& plan = learning.decide(request).plan;
      auto const found =
          std::ranges::find_if(here.candidates, [&](judged const& each) { return each.what.plan == plan; });
      if (found == here.candidates.end()) break;
      here.uses.push_back(found->measured / here.best.measured - 1);
      learning.observe(request, found->measured);
    }
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
