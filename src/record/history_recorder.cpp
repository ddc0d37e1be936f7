#include <skel/detail/record/history_recorder.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

#include <skel/detail/base/contract.hpp>

namespace skel::record {

history_recorder::history_recorder(run_history begun) : history_(std::move(begun)), ranks_(history_.hosts.size()) {
  SKEL_EXPECTS(!history_.hosts.empty());
  for (auto& rank : ranks_)
    rank.before.stations = rank.latest.stations = std::vector<station_moment>(history_.stations.size());
  history_.moments = {moment_at(0)};
}

void history_recorder::begin(std::string plan, std::uint64_t first_items, std::vector<std::vector<int>> const& ranks) {
  history_.plan = std::move(plan);
  history_.first_items = first_items;
  place(0, ranks);
}

void history_recorder::hear(rank_progress const& said) {
  auto const rank = static_cast<std::size_t>(said.rank);
  if (said.rank < 0 || rank >= ranks_.size()) return;
  auto& [before, latest, quiet] = ranks_[rank];
  before = latest;
  latest.seconds = said.seconds;
  for (auto const& station : said.stations)
    if (station.station < latest.stations.size())
      latest.stations[station.station] = {static_cast<double>(station.source_items), station.busy};
  latest.threads.run += said.run;
  latest.threads.waited += said.waited;
  quiet.reset();
  if (said.standing && (history_.forecasts.empty() || history_.forecasts.back().seconds != said.standing->seconds ||
                        history_.forecasts.back().why != said.standing->why))
    history_.forecasts.add(*said.standing);
  if (rank != 0) return;
  listen(said.seconds);
  if (before.seconds > 0) keep(before.seconds);
}

/// The state of all ranks at a moment: of each rank, interpolated between its messages before and after.
run_moment history_recorder::moment_at(double seconds) const {
  run_moment out{.seconds = seconds,
                 .stations = std::vector<station_moment>(history_.stations.size()),
                 .ranks = std::vector<rank_moment>(ranks_.size())};
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    auto const& [before, latest, quiet] = ranks_[r];
    double const apart = latest.seconds - before.seconds;
    double const part = apart > 0 ? std::clamp((seconds - before.seconds) / apart, 0.0, 1.0) : 1;
    auto const between = [part](double from, double to) { return from + part * (to - from); };
    for (std::size_t s = 0; s < out.stations.size(); ++s) {
      out.stations[s].source_items += between(before.stations[s].source_items, latest.stations[s].source_items);
      out.stations[s].busy += between(before.stations[s].busy, latest.stations[s].busy);
    }
    out.ranks[r] = {between(before.threads.run, latest.threads.run),
                    between(before.threads.waited, latest.threads.waited), before.threads.expected};
  }
  return out;
}

/// Notes the ranks that have not been heard for too long.
void history_recorder::listen(double now) {
  if (!(history_.period > 0)) return;
  for (std::size_t r = 1; r < ranks_.size(); ++r) {
    auto& [before, latest, quiet] = ranks_[r];
    if (now - latest.seconds <= quiet_periods * history_.period) continue;
    if (!quiet) {
      ++history_.silent;
      quiet = history_.silences.size();
      if (history_.silences.size() < most_silences)
        history_.silences.push_back({static_cast<std::int32_t>(r), latest.seconds, now});
    }
    if (*quiet < most_silences) history_.silences[*quiet].to = now;
  }
}

void history_recorder::keep(double seconds) {
  auto now = moment_at(seconds);
  history_.seconds = seconds;
  if (history_.counted < now.stations.size())
    history_.items = static_cast<std::uint64_t>(now.stations[history_.counted].source_items);
  if (++skipped_ < history_.apart) return;
  skipped_ = 0;
  auto& all = history_.moments;
  all.push_back(std::move(now));
  if (all.size() < most_moments) return;
  std::size_t kept = 1;  // the begin stays
  for (std::size_t i = 2; i < all.size(); i += 2) all[kept++] = std::move(all[i]);
  all.resize(kept);
  history_.apart *= 2;
}

void history_recorder::expect(std::vector<share_forecast> of_ranks) {
  for (std::size_t r = 0; r < std::min(of_ranks.size(), ranks_.size()); ++r)
    ranks_[r].latest.threads.expected = of_ranks[r];
}

void history_recorder::place(double seconds, std::vector<std::vector<int>> const& ranks) {
  auto& all = history_.places;
  if (ranks.empty() || (!all.empty() && all.back().ranks == ranks)) return;
  all.push_back({seconds, ranks});
  if (all.size() <= most_places) return;
  all.erase(all.begin() + 1);
  ++history_.places_left_out;
}

void history_recorder::add(remap_record const& what) {
  history_.remaps.add(what);
}

void history_recorder::announce(std::vector<heard_announcement> heard, std::uint64_t all) {
  history_.announcements = std::move(heard);
  history_.announced = all;
}

void history_recorder::refuse(std::vector<std::string> announcements) {
  history_.refused_announcements = std::move(announcements);
}

void history_recorder::complete(run_record const& run) {
  auto& all = history_.moments;
  while (all.size() > 1 && all.back().seconds >= run.seconds) all.pop_back();  // heard when all had passed
  auto last = moment_at(run.seconds);
  for (auto& station : last.stations) station = {};
  for (auto const& record : run.stations) {
    if (record.station >= last.stations.size()) continue;
    last.stations[record.station].source_items += static_cast<double>(record.source_items);
    last.stations[record.station].busy += record.busy;
  }
  if (run.seconds > 0) all.push_back(std::move(last));
  history_.forecasts = run.forecasts;
  history_.remaps = run.remaps;
  decide(run.decisions);
  announce(run.announcements, run.announced);
  if (!run.final_ranks.empty()) place(run.seconds, run.final_ranks);
  history_.seconds = run.seconds;
  history_.items = run.items;
  history_.end = run_end::complete;
}

void history_recorder::fail(std::string why) {
  if (history_.end != run_end::none) return;
  history_.end = run_end::failed;
  history_.why = std::move(why);
}

namespace {

/// The latest moment that is at least rate_window before the i-th one, or the one just before where they are further
/// apart.
std::size_t window_begin(run_history const& run, std::size_t i) {
  std::size_t begin = i - 1;
  while (begin > 0 && run.moments[i].seconds - run.moments[begin].seconds < rate_window) --begin;
  return begin;
}

/// `figure` of the window before each moment, if there is one.
template <class Figure>
time_series over_windows(run_history const& run, Figure figure) {
  time_series out;
  for (std::size_t i = 1; i < run.moments.size(); ++i) {
    auto const& from = run.moments[window_begin(run, i)];
    auto const& to = run.moments[i];
    if (to.seconds > from.seconds) figure(out, from, to);
  }
  return out;
}

std::size_t workers_at(run_history const& run, std::size_t station, double seconds) {
  std::size_t workers = 1;
  for (auto const& stood : run.places)
    if (stood.seconds <= seconds && station < stood.ranks.size())
      workers = std::max<std::size_t>(1, stood.ranks[station].size());
  return workers;
}

}  // namespace

time_series rate_of(run_history const& run, std::size_t station) {
  return over_windows(run, [&](time_series& out, run_moment const& from, run_moment const& to) {
    double const items = to.stations[station].source_items - from.stations[station].source_items;
    out.emplace_back(to.seconds, items / (to.seconds - from.seconds));
  });
}

time_series busy_of(run_history const& run, std::size_t station) {
  return over_windows(run, [&](time_series& out, run_moment const& from, run_moment const& to) {
    double const workers = static_cast<double>(workers_at(run, station, from.seconds));
    double const busy = to.stations[station].busy - from.stations[station].busy;
    out.emplace_back(to.seconds, busy / (to.seconds - from.seconds) / workers);
  });
}

time_series under_way_before(run_history const& run, std::size_t station) {
  SKEL_EXPECTS(station > 0);
  time_series out;
  for (auto const& moment : run.moments) {
    double const given = moment.stations[station - 1].source_items, taken = moment.stations[station].source_items;
    out.emplace_back(moment.seconds, std::max(0.0, given - taken));
  }
  return out;
}

time_series share_got(run_history const& run, std::size_t rank) {
  return over_windows(run, [&](time_series& out, run_moment const& from, run_moment const& to) {
    double const ran = to.ranks[rank].run - from.ranks[rank].run;
    double const wanted = ran + to.ranks[rank].waited - from.ranks[rank].waited;
    if (wanted > 0) out.emplace_back(to.seconds, ran / wanted);
  });
}

}  // namespace skel::record
