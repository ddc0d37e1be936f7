#include <skel/detail/adapt/line_watch.hpp>

#include <algorithm>
#include <cmath>

#include <skel/detail/base/contract.hpp>

namespace skel {

namespace {

/// Items that passed longer ago than this say nothing of the present throughput [s].
constexpr double lately = 1;

}  // namespace

line_watch::line_watch(std::size_t stations, std::vector<double> speed)
    : stations_(stations), speed_(std::move(speed)) {}

void line_watch::hear(record::rank_progress const& said, double granted) {
  SKEL_EXPECTS(static_cast<std::size_t>(said.rank) < speed_.size());
  double const speed = speed_[static_cast<std::size_t>(said.rank)] / granted;
  for (auto const& one : said.stations) {
    SKEL_EXPECTS(one.station < stations_.size());
    auto& here = stations_[one.station];
    auto& before = here.so_far[said.rank];
    if (said.seconds < before.when || one.source_items < before.items) continue;
    auto const more = static_cast<double>(one.source_items - before.items);
    double const work = (one.busy - before.busy) * said.got * speed / more;
    before = {one.source_items, one.busy, said.seconds, said.lasted > 0 ? more / said.lasted : 0};
    if (more == 0) continue;
    if (std::isfinite(work)) here.work.add(std::max(0.0, work));
    here.passed.emplace_back(said.seconds, more);
  }
  latest_ = std::max(latest_, said.seconds);
  for (auto& here : stations_)  // the first one gives the time from which the others count
    while (here.passed.size() > 2 && here.passed[1].first <= latest_ - lately) here.passed.pop_front();
}

platform::value_forecast line_watch::work(std::size_t station) const {
  return stations_[station].work.next();
}

double line_watch::period(std::size_t station, double items) const {
  auto const& passed = stations_[station].passed;
  double counted = 0;
  std::size_t first = passed.size();
  while (first > 1 && counted < items) counted += passed[--first].second;
  return counted > 0 ? (latest_ - passed[first - 1].first) / counted : 0;
}

double line_watch::items_now(station_state const& here) const {
  double items = 0;
  for (auto const& [rank, said] : here.so_far)
    items += static_cast<double>(said.items) + said.rate * (latest_ - said.when);
  return items;
}

double line_watch::under_way(std::size_t station) const {
  return std::max(0.0, items_now(stations_.front()) - items_now(stations_[station]));
}

}  // namespace skel
