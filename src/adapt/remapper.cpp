#include <skel/detail/adapt/remapper.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <skel/detail/base/contract.hpp>

namespace skel {

namespace {

/// No forecast is so wrong that nothing is left of a processor.
constexpr double most_error = 0.95;

/// How much the price of `to` may rise beside that of `from`, as ln, if forecasts are off by their usual error. Stages
/// that move find less speed then; those that stay would have found more.
double doubt_of(remap_conditions const& now, plan::placement const& from, plan::placement const& to) {
  if (now.speed_error.empty()) return 0;
  std::vector<double> more(now.speed_error.size(), 1), less(now.speed_error.size(), 1);
  for (std::size_t s = 0; s < from.stages.size(); ++s) {
    for (auto const p : from.stages[s])
      if (!std::ranges::count(to.stages[s], p)) more[p] = 1 + now.speed_error[p];
    for (auto const p : to.stages[s])
      if (!std::ranges::count(from.stages[s], p)) less[p] = 1 - std::min(most_error, now.speed_error[p]);
  }
  double const stay = mapping::running_bound(now.line, from, more) / mapping::running_bound(now.line, from),
               move = mapping::running_bound(now.line, to) / mapping::running_bound(now.line, to, less);
  return std::log(std::max(1.0, stay)) + std::log(std::max(1.0, move));
}

}  // namespace

remapper::remapper(std::uint64_t program, mapping::decision_setup const& setup) : mover_(mapping::of_lines, program) {
  mover_.decide_by(setup);
}

/// Index in `found` of the placement with which the line began, or found.size(). Adds it if it beats the present place.
std::size_t remapper::way_home(remap_conditions const& now, double price, std::vector<mapping::near_placement>& found) {
  if (!home_) home_ = now.present;
  auto where = *home_;
  for (std::size_t s = 0; s < where.stages.size(); ++s)
    if (!now.line.problem.program.stages[s].at.empty()) where.stages[s] = now.present.stages[s];
  auto const known = std::ranges::find(found, where, &mapping::near_placement::where);
  auto const index = static_cast<std::size_t>(known - found.begin());
  if (known != found.end() || where == now.present || now.line.has_to_leave(where) ||
      !mapping::connected(now.line.problem, where))
    return index;
  if (double const its = mapping::running_price(now.line, where); its > price)
    found.push_back({std::move(where), its, 0});
  return index;
}

std::optional<remap_decision> remapper::decide(remap_conditions const& now) {
  double const passed = std::max(0.0, now.seconds - std::exchange(before_, now.seconds));
  if (now.measured > 0) mover_.used(passed / now.measured, passed);
  double const price = mapping::running_price(now.line, now.present), stay = price * now.batch;
  auto found = mapping::search_near(now.line, now.present);
  auto const home = way_home(now, price, found);
  if (found.empty()) {
    mover_.stays_without_choice();
    return std::nullopt;
  }
  mapping::ways_to_go_on all{.passed = now.seconds, .after = now.after, .stays = 1 / stay, .remaining = now.remaining};
  // No way removes time that the model does not explain.
  all.period = std::max(all.stays, now.measured);
  all.since = passed / all.period;
  all.must_go = !mover_.stays() && now.line.has_to_leave(now.present);
  for (std::size_t k = 0; k < found.size(); ++k) {
    auto const& there = found[k];
    double const doubt = k == home ? 0 : now.model_error + doubt_of(now, now.present, there.where);
    std::string const kind = "line";
    all.elsewhere.push_back({now.name(there.where), 1 / (there.throughput * now.batch), doubt,
                             mover_.entry(kind, now.entry(there.where)), kind});
  }
  remap_decision out{mover_.decide(std::move(all))};
  if (out.moved()) out.go_to = found[out.elsewhere()].where;
  return out;
}

}  // namespace skel
