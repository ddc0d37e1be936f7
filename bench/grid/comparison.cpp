#include "grid/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "grid/collective_data.hpp"
#include "grid/lower_bound.hpp"

namespace bench {
namespace {

/// Times of the simulator's own collectives. Some of its algorithms end the simulator for some numbers of ranks: then
/// each measurement has a run of its own, and those that fail have no time.
std::vector<double> library_times(work_list const& work, std::string_view selector, simulator& on) {
  try {
    return on.run(work, selector).collectives;
  } catch (simulation_failed const&) {
    std::vector<double> times;
    for (collective_measurement const& each : work.collectives) try {
        times.push_back(on.run({.collectives = {each}}, selector).collectives.front());
      } catch (simulation_failed const&) {
        times.push_back(std::numeric_limits<double>::quiet_NaN());
      }
    return times;
  }
}

}  // namespace

std::pair<std::string, double> const& comparison::best_selector() const {
  auto const time = [](auto const& each) {
    return std::isnan(each.second) ? std::numeric_limits<double>::infinity() : each.second;
  };
  return *std::min_element(selectors.begin(), selectors.end(),
                           [&](auto const& a, auto const& b) { return time(a) < time(b); });
}

double comparison::selector(std::string const& name) const {
  return std::find_if(selectors.begin(), selectors.end(), [&](auto const& each) { return each.first == name; })->second;
}

std::vector<comparison> compare(skel::plan::collective operation, std::vector<std::uint64_t> const& sizes,
                                std::size_t root, skel::platform::description const& machine, link_times const& times,
                                simulator& on, std::size_t alternatives) {
  auto const model = make_grid_model(skel::cost::model_kind::steffenel, machine).model;
  auto mapper = mapper_of(machine);
  lower_bound const bound(machine, times);
  std::vector<comparison> all;
  work_list plans, library;
  std::vector<double*> results;
  all.reserve(sizes.size());
  for (std::uint64_t const bytes : sizes) {
    comparison& here = all.emplace_back();
    here.bytes = bytes;
    here.lower_bound = bound(operation, bytes, root);
    collective_measurement const what{.operation = operation, .bytes = bytes, .root = root};
    library.collectives.push_back(what);
    std::uint64_t const unit = collective_data(operation, machine.host_count(), root, bytes, 0).word();
    auto ours = decided(mapper, {.operation = operation, .bytes = bytes, .root = root, .unit = unit});
    here.chosen.what = ours.front();
    for (std::size_t i = 1; i < std::min(ours.size(), alternatives + 1); ++i)
      here.alternatives.push_back({std::move(ours[i])});
    skel::plan::collective_problem const problem{
        .ranks = machine.host_count(), .root = root, .bytes = bytes, .unit = unit};
    for (candidate& each :
         best_of_each_algorithm(priced(all_plans(operation, bytes, machine.host_count()), problem, model)))
      here.fixed.push_back({std::move(each)});
    auto const want = [&](judged& each) {
      plans.collectives.push_back(what);
      plans.collectives.back().plan = each.what.plan;
      results.push_back(&each.measured);
    };
    want(here.chosen);
    for (judged& each : here.alternatives) want(each);
    for (judged& each : here.fixed) want(each);
  }
  auto const measured = on.run(plans).collectives;
  for (std::size_t i = 0; i < results.size(); ++i) *results[i] = measured[i];
  for (std::string_view const selector : selectors) {
    auto const found = library_times(library, selector, on);
    for (std::size_t i = 0; i < all.size(); ++i) all[i].selectors.emplace_back(selector, found[i]);
  }
  return all;
}

double memory_of(skel::plan::collective operation, std::uint64_t bytes, std::size_t ranks) {
  double total = 0;
  collective_data const data(operation, ranks, 0, 1, 0);
  // Root's buffers are the largest; the work buffer is no larger than both together.
  for (std::size_t rank : {std::size_t{0}, ranks - 1}) {
    double const each = 2.0 * static_cast<double>(data.input_bytes(rank) + data.output_bytes(rank));
    total += rank == 0 ? each : each * static_cast<double>(ranks - 1);
  }
  return total * static_cast<double>(bytes);
}

}  // namespace bench
