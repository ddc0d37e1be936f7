#include "grid/candidates.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include <skel/detail/cost/collective_price.hpp>

#include "grid/plan_json.hpp"

namespace bench {

std::vector<skel::plan::collective_plan> all_plans(skel::plan::collective operation, std::uint64_t bytes,
                                                   std::size_t ranks, std::uint64_t most) {
  std::vector<skel::plan::collective_plan> plans;
  for (auto const& algorithm : skel::plan::collective_algorithms()) {
    if (algorithm.operation != operation) continue;
    skel::plan::collective_plan plan{.operation = operation, .algorithm = std::string(algorithm.name)};
    plans.push_back(plan);
    if (!algorithm.segmented) continue;
    auto const tree = algorithm.shape(ranks, plan.radix);
    std::uint64_t degree = 1;
    for (std::size_t vertex = 0; vertex < ranks; ++vertex)
      degree = std::max<std::uint64_t>(degree, tree.degree(vertex));
    for (plan.segment = 1024; 2 * plan.segment <= bytes; plan.segment *= 2)
      if (((bytes - 1) / plan.segment + 1) * degree <= most) plans.push_back(plan);
  }
  return plans;
}

std::vector<candidate> priced(std::vector<skel::plan::collective_plan> const& plans,
                              skel::plan::collective_problem const& problem, skel::cost::any_model const& model) {
  std::vector<candidate> all;
  for (skel::plan::collective_plan const& plan : plans) {
    auto cut = problem;
    cut.segment = plan.segment, cut.radix = plan.radix;
    all.push_back({name_of(plan), plan,
                   collective_price(*skel::plan::find_algorithm(plan.operation, plan.algorithm), cut, model)});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](candidate const& a, candidate const& b) { return a.predicted < b.predicted; });
  return all;
}

skel::mapping::collective_mapper mapper_of(skel::platform::description const& machine) {
  std::vector<skel::plan::host_id> hosts(machine.host_count());
  std::iota(hosts.begin(), hosts.end(), skel::plan::host_id{0});
  return {machine, std::move(hosts)};
}

std::vector<candidate> decided(skel::mapping::collective_mapper& mapper,
                               skel::mapping::collective_request const& request, std::uint64_t most) {
  auto const& decision = mapper.decide(request);
  std::vector<candidate> all{{decision.name, decision.plan, decision.predicted}};
  for (auto const& other : decision.alternatives) {
    std::uint64_t const segment = other.plan.route ? other.plan.route->segment : other.plan.segment;
    if (segment == 0 || (request.bytes - 1) / segment < most) all.push_back({other.name, other.plan, other.predicted});
  }
  return all;
}

std::vector<candidate> best_of_each_algorithm(std::vector<candidate> const& sorted) {
  std::vector<candidate> best;
  for (candidate const& each : sorted)
    if (std::none_of(best.begin(), best.end(),
                     [&](candidate const& other) { return other.plan.algorithm == each.plan.algorithm; }))
      best.push_back(each);
  return best;
}

}  // namespace bench
