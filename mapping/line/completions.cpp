#include "completions.hpp"

#include <algorithm>
#include <limits>

namespace skel::mapping::detail {

void completions::for_each(partial_placement const& where, std::span<std::size_t const> order, double enough,
                           admissible const& may, found const& visit) {
  auto const stages = tables_.stages(), hosts = tables_.hosts();
  order_ = order;
  enough_ = enough;
  may_ = &may;
  visit_ = &visit;
  count_ = where.count;
  chosen_.assign(order.size(), 0);
  host_.assign(stages, hosts);
  for (std::size_t i = 0; i < stages; ++i) host_[i] = where.has(i) ? where.hosts[i].front() : planes_.pinned(i);
  guides_.resize(std::min(guides, planes_.size()));
  for (std::size_t g = 0; g < guides_.size(); ++g) {
    guides_[g].plane = &planes_.helpful(g);
    begin(guides_[g]);
  }
  descend(0);
}

void completions::begin(guide& one) const {
  auto const stages = tables_.stages(), hosts = tables_.hosts();
  one.load.assign(hosts, 0);
  one.value = 0;
  for (std::size_t i = 0; i < stages; ++i)
    if (host_[i] != hosts) one.load[host_[i]] += one.plane->load[i * hosts + host_[i]];
  for (plan::host_id h = 0; h < hosts; ++h) one.value += static_cast<double>(count_[h]) * one.load[h];
  for (std::size_t i = 0; i <= stages; ++i) {
    auto const from = host_[i == 0 ? 0 : i - 1], to = host_[i == stages ? stages - 1 : i];
    if (from != hosts && to != hosts) one.value += one.plane->move[i] * planes_.time(i, from, to);
  }
  one.rest.assign(order_.size() + 1, 0);
  for (auto k = order_.size(); k-- > 0;) {
    auto const i = order_[k];
    double least = planes_.pinned(i) == hosts ? std::numeric_limits<double>::infinity() : 0;
    for (plan::host_id h = 0; h < hosts && planes_.pinned(i) == hosts; ++h)
      least = std::min(least, static_cast<double>(count_[h] + 1) * one.plane->load[i * hosts + h] + one.load[h]);
    one.rest[k] = one.rest[k + 1] + least;
  }
}

/// Cost of stage i on host h: n + 1 shares of its own load, one more share of the others' loads, and its moves from and
/// to placed neighbours.
double completions::added(guide const& one, std::size_t i, plan::host_id h) const {
  auto const stages = tables_.stages(), hosts = tables_.hosts();
  double sum = static_cast<double>(count_[h] + 1) * one.plane->load[i * hosts + h] + one.load[h];
  if (i == 0 || host_[i - 1] != hosts) sum += one.plane->move[i] * planes_.time(i, i == 0 ? h : host_[i - 1], h);
  if (i + 1 == stages || host_[i + 1] != hosts)
    sum += one.plane->move[i + 1] * planes_.time(i + 1, h, i + 1 == stages ? h : host_[i + 1]);
  return sum;
}

void completions::descend(std::size_t at) {
  auto const hosts = tables_.hosts();
  if (at == order_.size()) {
    if (double const bound = planes_.bound(host_, enough_); bound >= enough_) (*visit_)(chosen_, bound);
    return;
  }
  auto const i = order_[at];
  if (planes_.pinned(i) != hosts) {
    chosen_[at] = host_[i];
    descend(at + 1);
    return;
  }
  std::array<double, guides> value{}, load{};
  for (plan::host_id h = 0; h < hosts; ++h) {
    if (!(*may_)(h, count_)) continue;
    bool excluded = false;
    for (std::size_t g = 0; g < guides_.size(); ++g) {
      auto& one = guides_[g];
      value[g] = one.value;
      load[g] = one.load[h];
      one.value += added(one, i, h);
      one.load[h] += one.plane->load[i * hosts + h];
      excluded = excluded || (one.value + one.rest[at + 1]) * enough_ > 1;
    }
    if (!excluded) {
      chosen_[at] = host_[i] = h;
      ++count_[h];
      descend(at + 1);
      --count_[h];
      host_[i] = hosts;
    }
    for (std::size_t g = 0; g < guides_.size(); ++g) guides_[g].value = value[g], guides_[g].load[h] = load[g];
  }
}

}  // namespace skel::mapping::detail
