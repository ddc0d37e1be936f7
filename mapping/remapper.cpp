#include <skel/detail/mapping/remapper.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/mapping/decision_knowledge.hpp>

namespace skel::mapping {

namespace {

/// No forecast is so wrong that nothing is left of a processor.
constexpr double most_error = 0.95;

/// A stream of which nobody knows the end: no entry cost counts beside so many items.
constexpr double most_items = 1e12;

/// How much the price of `to` may rise beside that of `from` when forecasts are as wrong as they usually are: stages
/// that move find less speed, those that stay would have found more. As ln.
double doubt_of(remap_conditions const& now, plan::placement const& from, plan::placement const& to) {
  if (now.speed_error.empty()) return 0;
  std::vector<double> more(now.speed_error.size(), 1), less(now.speed_error.size(), 1);
  for (std::size_t s = 0; s < from.stages.size(); ++s) {
    for (auto const p : from.stages[s])
      if (!std::ranges::count(to.stages[s], p)) more[p] = 1 + now.speed_error[p];
    for (auto const p : to.stages[s])
      if (!std::ranges::count(from.stages[s], p)) less[p] = 1 - std::min(most_error, now.speed_error[p]);
  }
  double const stay = running_bound(now.line, from, more) / running_bound(now.line, from),
               move = running_bound(now.line, to) / running_bound(now.line, to, less);
  return std::log(std::max(1.0, stay)) + std::log(std::max(1.0, move));
}

}  // namespace

remapper::remapper(std::uint64_t program, decision_setup const& setup)
    : program_(program), stays_(setup.forced.contains(remap_choice::name)), decider_(remap_choice(line_pricing)) {
  decider_.tell(setup.log);
  decider_.force(setup.forced);
}

/// Which of those that were found is where the line began; it is added where it is better than the present place.
std::size_t remapper::way_home(remap_conditions const& now, double price, std::vector<near_placement>& found) {
  if (!home_) home_ = now.present;
  auto where = *home_;
  for (std::size_t s = 0; s < where.stages.size(); ++s)
    if (!now.line.problem.program.stages[s].at.empty()) where.stages[s] = now.present.stages[s];
  auto const known = std::ranges::find(found, where, &near_placement::where);
  auto const index = static_cast<std::size_t>(known - found.begin());
  if (known != found.end() || where == now.present || now.line.has_to_leave(where) ||
      !connected(now.line.problem, where))
    return index;
  if (double const its = running_price(now.line, where); its > price) found.push_back({std::move(where), its, 0});
  return index;
}

std::optional<remap_decision> remapper::decide(remap_conditions const& now) {
  double const passed = std::max(0.0, now.seconds - std::exchange(before_, now.seconds));
  double const price = running_price(now.line, now.present), stay = price * now.batch;
  auto found = search_near(now.line, now.present);
  auto const home = way_home(now, price, found);
  bool const must_go = !stays_ && now.line.has_to_leave(now.present);
  if (found.empty()) {
    lost_ = 0, gained_ = false;
    return std::nullopt;
  }
  remap_request asked{.program = program_, .seconds = now.seconds, .ways = {}, .items = 1};
  if (!must_go) asked.ways.push_back({std::string(remap_choice::stay), 0, 1 / stay, 0, 0});
  // What the model does not know of, and takes time, no way takes away.
  double const period = std::max(1 / stay, now.measured);
  double gain = 0, entry = 0;  // of the best way: per item, with its doubt taken off; what going there costs [s]
  for (std::size_t k = 0; k < found.size(); ++k) {
    double const its = 1 / (found[k].throughput * now.batch),
                 doubt = k == home ? 0 : now.model_error + doubt_of(now, now.present, found[k].where);
    asked.ways.push_back({now.name(found[k].where), k, its, doubt, now.entry(found[k].where)});
    if (double const wins = 1 / stay - its * std::exp(doubt); wins > gain) gain = wins, entry = asked.ways.back().entry;
  }
  // A gain that was not there when it was asked last has cost nothing yet.
  lost_ = !(gain > 0) ? 0 : gained_ ? lost_ + passed * gain / period : 0;
  gained_ = gain > 0;
  // What has to go is compared for all that is still to come.
  double const known = must_go ? most_items : gain > 0 ? lost_ / gain : 0;
  asked.items = std::min(now.remaining, known);
  auto const& made = decider_.decide(asked);
  remap_decision out{.number = ++decisions_,
                     .ways = asked.ways,
                     .chosen = 0,
                     .items = asked.items,
                     .lost = lost_,
                     .pays_at = std::numeric_limits<double>::infinity(),
                     .go_to = std::nullopt};
  if (gain > 0) out.pays_at = now.seconds + std::max(0.0, entry - lost_) * period / gain;
  auto const chosen = std::ranges::find(asked.ways, made.chosen().plan.name, &remap_way::name);
  SKEL_EXPECTS(chosen != asked.ways.end());
  out.chosen = static_cast<std::size_t>(chosen - asked.ways.begin());
  if (must_go || out.chosen > 0) {
    out.go_to = found[made.chosen().plan.index].where;
    lost_ = 0, gained_ = false;
  }
  return out;
}

}  // namespace skel::mapping
