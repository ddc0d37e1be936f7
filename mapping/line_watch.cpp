#include <skel/detail/mapping/line_watch.hpp>

#include <algorithm>
#include <cmath>

#include <skel/detail/base/contract.hpp>

namespace skel::mapping {

namespace {

/// What passed longer ago than this says nothing of how fast items pass now [s].
constexpr double lately = 1;

}  // namespace

line_watch::line_watch(std::size_t stations, std::vector<double> speed)
    : stations_(stations), speed_(std::move(speed)) {}

void line_watch::hear(record::rank_progress const& said) {
  SKEL_EXPECTS(static_cast<std::size_t>(said.rank) < speed_.size());
  double const wanted = said.run + said.waited, ran = wanted > 0 ? said.run / wanted : 1,
               speed = speed_[static_cast<std::size_t>(said.rank)];
  for (auto const& one : said.stations) {
    SKEL_EXPECTS(one.station < stations_.size());
    auto& here = stations_[one.station];
    auto& [items, busy] = here.so_far[said.rank];
    if (one.source_items <= items) continue;
    auto const more = static_cast<double>(one.source_items - items);
    double const work = (one.busy - busy) * ran * speed / more;
    if (std::isfinite(work)) here.work.add(std::max(0.0, work));
    here.items += one.source_items - items;
    here.passed.emplace_back(said.seconds, more);
    items = one.source_items, busy = one.busy;
  }
  latest_ = std::max(latest_, said.seconds);
  for (auto& here : stations_)
    std::erase_if(here.passed, [&](auto const& one) { return one.first <= latest_ - lately; });
}

platform::value_forecast line_watch::work(std::size_t station) const {
  return stations_[station].work.next();
}

double line_watch::period(std::size_t station) const {
  double items = 0;
  for (auto const& [when, more] : stations_[station].passed) items += more;
  return items > 0 ? std::min(lately, latest_) / items : 0;
}

double line_watch::under_way(std::size_t station) const {
  auto const given = stations_.front().items, taken = stations_[station].items;
  return given > taken ? static_cast<double>(given - taken) : 0;
}

}  // namespace skel::mapping
