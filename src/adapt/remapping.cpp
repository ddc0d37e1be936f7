#include <skel/detail/adapt/remapping.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <skel/detail/cost/line.hpp>
#include <skel/detail/plan/run_plan.hpp>
#include <skel/detail/record/clock.hpp>

namespace skel {

namespace {

/// Part of rank 0's time that decisions may take while nothing has changed.
constexpr double most_deciding = 0.005;

/// The ranks of a station, whichever worker is on which.
bool same_ranks(std::vector<int> a, std::vector<int> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  return a == b;
}

}  // namespace

remapping::remapping(remapping_setup setup)
    : of_(std::move(setup)),
      watch_(of_.placed.work.size(),
             [this] {
               // Speeds of the platform: the shares of threads contain the announcements.
               auto const& on = of_.monitor.host_of_rank();
               auto const processors = of_.processors_at(of_.monitor.machine().for_ranks(on));
               std::vector<double> speed(on.size(), 1);
               auto const& rank_of = of_.placed.line.group_of;
               for (std::size_t p = 0; p < rank_of.size(); ++p) speed[rank_of[p]] = processors.speed(p);
               return speed;
             }()),
      remapper_(of_.program, of_.decisions),
      log_(of_.monitor.machine(), of_.monitor.host_of_rank()),
      present_(of_.placed.where) {
  for (auto const& one : of_.stood) log_.add(one, 0);
  log_.placed(of_.placed.ranks_of(present_), 0);
}

void remapping::begin(plan::run_plan const& plan, std::map<std::size_t, std::string> const& stay) {
  follow(plan);
  std::vector<std::uint32_t> stations;
  stations.reserve(stay.size());
  for (auto const& [station, why] : stay) stations.push_back(static_cast<std::uint32_t>(station));
  pin(stations);
  log_.placed(of_.placed.ranks_of(present_), 0);
}

void remapping::hear(record::rank_progress const& said) {
  auto const rank = static_cast<std::size_t>(said.rank);
  if (!said.said.empty()) of_.monitor.add(rank, said.said, said.seconds);
  watch_.hear(said, of_.monitor.granted(rank));
  of_.monitor.add(platform::thread_reading{rank, said.seconds, said.lasted, said.run, said.waited});
  for (auto const& trip : said.trips)
    of_.monitor.add(
        platform::trip_reading{rank, static_cast<std::size_t>(trip.to), said.seconds, trip.seconds, trip.bytes});
}

mapping::running_line remapping::line_now() const {
  auto line = of_.placed.line;
  line.problem.platform = of_.processors_at(of_.monitor.for_ranks());
  auto& stages = line.problem.program.stages;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    std::size_t const s = of_.placed.station_of[i];
    double const work = watch_.work(s).value;
    if (of_.placed.work[s] > 0 && work > 0) stages[i].work *= work / of_.placed.work[s];
  }
  line.leaving.assign(line.group_of.size(), false);
  for (std::size_t p = 0; p < line.leaving.size(); ++p) line.leaving[p] = of_.monitor.leaves(line.group_of[p]);
  return line;
}

/// Per processor, relative.
std::vector<double> remapping::errors_now() const {
  std::vector<double> out;
  for (std::size_t const rank : of_.placed.line.group_of) {
    auto const host = of_.monitor.host(of_.monitor.host_of_rank()[rank]);
    out.push_back(std::isfinite(host.error) ? host.error / host.share : 0);
  }
  return out;
}

/// True if the line has to leave its place, or if its bound there has changed since the last decision by more than the
/// usual error of prices.
bool remapping::has_changed(mapping::running_line const& line) const {
  double const bound = mapping::running_bound(line, present_);
  return line.has_to_leave(present_) || bound_ == 0 || std::abs(std::log(bound / bound_)) > of_.model_error;
}

/// Time of a move to `where` by its model [s]: at most the time from the announcement until the last rank has moved.
/// The items under way are expected to take as long as the last as many items did: a second ago a host may have been
/// faster.
double remapping::price_of(plan::placement const& where, platform::description const& of_ranks) const {
  cost::line_move move;
  move.items = watch_.under_way(of_.counted);
  move.period = watch_.period(0, move.items);
  auto const ranks = of_.placed.ranks_of(where), now = of_.placed.ranks_of(present_);
  for (std::size_t s = 0; s < ranks.size(); ++s) {
    if (same_ranks(ranks[s], now[s])) continue;
    for (auto const* side : {&ranks[s], &now[s]})
      for (int const rank : *side)
        if (auto const to = static_cast<std::size_t>(rank); of_ranks.connected(0, to))
          move.latency = std::max(move.latency, of_ranks.path(0, to).latency);
  }
  return cost::move_time(move);
}

/// The line goes by this plan now. It is the requested plan, or tells the stages that have stayed.
void remapping::follow(plan::run_plan const& now) {
  auto const is = [&](std::vector<std::vector<int>> const& ranks) {
    return std::ranges::equal(now.stations, ranks, same_ranks, &plan::station_plan::ranks);
  };
  if (is(of_.placed.ranks_of(present_))) return;
  bound_ = 0;
  if (moving_ && is(moving_->ranks)) {
    present_ = moving_->to;
    return;
  }
  std::vector<std::vector<int>> ranks;
  for (auto const& station : now.stations) ranks.push_back(station.ranks);
  present_ = of_.placed.at_ranks(ranks);
}

/// Stages that could not follow a plan stay where they are for this run: another request would fail as well.
void remapping::pin(std::vector<std::uint32_t> const& stations) {
  auto& stages = of_.placed.line.problem.program.stages;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (!stages[i].at.empty() || !std::ranges::count(stations, of_.placed.station_of[i])) continue;
    for (auto const host : present_.stages[i]) stages[i].at.push_back(of_.placed.line.problem.platform.host_name(host));
  }
}

bool remapping::is_moving() const {
  return moving_ && !moving_->epoch;
}

std::optional<plan::run_plan> remapping::next_plan(plan::run_plan const& now, double seconds) {
  for (auto const& one : of_.announced()) {
    of_.monitor.add(one, seconds);
    log_.add(one, seconds);
  }
  of_.monitor.advance(seconds);
  follow(now);
  if (!is_moving() && log_.hosts_leave()) log_.placed(of_.placed.ranks_of(present_), seconds);
  double const begin = record::now();
  remap_conditions at;
  at.seconds = seconds;
  at.after = static_cast<std::uint64_t>(watch_.passed(of_.counted));
  at.line = line_now();
  // One move at a time: the model does not know a move under way, and a second one would drain with the first. Before
  // any item has passed, the time of a move is not known either.
  if (is_moving() || (!(watch_.period(0) > 0) && !at.line.has_to_leave(present_))) return std::nullopt;
  if (!has_changed(at.line) && seconds < search_at_) return std::nullopt;
  bound_ = mapping::running_bound(at.line, present_);
  auto const of_ranks = of_.monitor.for_ranks();
  at.present = present_;
  at.speed_error = errors_now();
  at.model_error = of_.model_error;
  at.batch = of_.placed.batch;
  at.measured = watch_.period(0);
  // A run is expected to go on for as long as it has been going on.
  double const left = std::max(of_.horizon - seconds, seconds);
  if (at.measured > 0) at.remaining = std::max(1.0, left / at.measured - watch_.under_way(of_.counted));
  at.entry = [&](plan::placement const& where) { return price_of(where, of_ranks); };
  at.name = of_.placed.name_of;
  auto const made = remapper_.decide(at);
  search_at_ = record::now() - begin > 0 ? seconds + (record::now() - begin) / most_deciding : seconds;
  if (!made) return std::nullopt;
  search_at_ = std::min(search_at_, made->pays_at);
  if (!made->go_to) return std::nullopt;
  moving next{present_, *made->go_to, of_.placed.ranks_of(*made->go_to), std::nullopt};
  plan::run_plan plan = now;
  for (std::size_t s = 0; s < plan.stations.size(); ++s)
    if (same_ranks(plan.stations[s].ranks, next.ranks[s]))
      next.ranks[s] = plan.stations[s].ranks;
    else
      plan.stations[s].ranks = next.ranks[s];
  remapper_.mover().last().stages = plan::moved_stages(now, plan);
  moving_ = std::move(next);
  return plan;
}

/// Comes a second time if a part of the move is rolled back after it was done.
void remapping::remapped(record::remap_record const& what) {
  if (!moving_ || what.repairs) return;
  bool const again = moving_->epoch.has_value();
  if (again && *moving_->epoch != what.epoch) return;
  moving_->epoch = what.epoch;
  std::string const failed = what.refused.empty() ? what.rolled_back : what.refused;
  if (!failed.empty()) {
    if (!what.refused.empty()) present_ = moving_->from;
    remapper_.mover().stayed(failed);
    pin(what.stay);
    bound_ = 0;
  } else if (what.done > 0) {
    remapper_.mover().moved(what.done - what.announced);
    log_.placed(of_.placed.ranks_of(moving_->to), what.done);
  }
}

double remapping::lost_to_others(record::rank_progress const& said) const {
  double const got =
      platform::share_got(of_.monitor.reading_of_host(static_cast<std::size_t>(said.rank)), said.run, said.waited);
  return got > 0 ? said.run / got - said.run : said.waited;
}

std::vector<record::share_forecast> remapping::shares() const {
  std::vector<record::share_forecast> out;
  for (std::size_t const host : of_.monitor.host_of_rank()) {
    auto const expected = of_.monitor.host(host);
    out.push_back({expected.share, expected.error});
  }
  return out;
}

}  // namespace skel
