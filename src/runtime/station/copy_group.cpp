#include "copy_group.hpp"

#include <algorithm>
#include <map>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/runtime/station/flow_control.hpp>

namespace skel::runtime {

copy_group::copy_group(plan::station_plan const& station, int rank)
    : window_(flow_control::copy_window(station)), all_copies_(station.ranks.size()) {
  auto const ranks = flow_control::copy_ranks(station);
  auto const tree = flow_control::copy_tree(station);
  std::size_t me = 0;
  for (; me < ranks.size() && ranks[me].first != rank; ++me) first_copy_ += ranks[me].second;
  SKEL_EXPECTS(me < ranks.size());
  if (me > 0) parent_ = ranks[tree.parent(me)].first;
  std::map<std::size_t, std::size_t> by_vertex;
  for (std::size_t c = 0; c < tree.degree(me); ++c) {
    by_vertex.emplace(tree.child(me, c), c);
    children_.push_back(ranks[tree.child(me, c)].first);
  }
  part_of_child_.resize(children_.size());
  std::size_t part = ranks[me].second;
  for (auto const& [vertex, child] : by_vertex) part_of_child_[child] = part++;
  next_.assign(ranks[me].second, 0);
  busy_.assign(ranks[me].second, false);
}

posted copy_group::begin(parcel what, int from) {
  SKEL_EXPECTS(!parent_ || what.sequence == begun());
  std::uint64_t const sequence = begun();
  round one;
  one.items = std::move(what.items);
  one.first_item = what.first_item;
  one.source_items = what.source_items;
  one.credited = what.credited;
  one.from = from;
  one.copies_missing = copies();
  one.missing = copies() + children_.size();
  one.parts.resize(one.missing);
  under_way_.push_back(std::move(one));
  return {under_way_.back().items, sequence, what.first_item, what.source_items, what.credited, false};
}

std::optional<copy_job> copy_group::next_for_copies() {
  for (std::size_t c = 0; c < copies(); ++c) {
    if (busy_[c] || next_[c] == begun()) continue;
    busy_[c] = true;
    round const& one = under_way_[next_[c] - first_];
    return copy_job{c, next_[c]++, one.first_item, one.source_items, one.credited, one.items, {}};
  }
  return std::nullopt;
}

std::optional<copy_job> copy_group::copy_done(std::size_t copy, std::uint64_t sequence,
                                              std::unique_ptr<items_base> made) {
  busy_[copy] = false;
  round& one = under_way_[sequence - first_];
  if (--one.copies_missing == 0) one.items = nullptr;
  return add(sequence, copy, std::move(made));
}

std::optional<copy_job> copy_group::contributed(int child, parcel what) {
  auto const which = std::find(children_.begin(), children_.end(), child) - children_.begin();
  return add(what.sequence, part_of_child_[static_cast<std::size_t>(which)], std::move(what.items));
}

std::optional<copy_job> copy_group::add(std::uint64_t sequence, std::size_t part, std::unique_ptr<items_base> made) {
  SKEL_EXPECTS(sequence >= first_ && sequence < begun());
  round& one = under_way_[sequence - first_];
  one.parts[part] = std::move(made);
  if (--one.missing > 0) return std::nullopt;
  if (one.parts.size() > 1)
    return copy_job{0, sequence, one.first_item, one.source_items, one.credited, nullptr, std::move(one.parts)};
  one.result = std::move(one.parts.front());
  return std::nullopt;
}

void copy_group::joined(std::uint64_t sequence, std::unique_ptr<items_base> all) {
  under_way_[sequence - first_].result = std::move(all);
}

std::optional<std::pair<parcel, int>> copy_group::next_result() {
  if (under_way_.empty() || !under_way_.front().result) return std::nullopt;
  round one = std::move(under_way_.front());
  under_way_.pop_front();
  return std::pair(parcel{std::move(one.result), first_++, one.first_item, one.source_items, one.credited}, one.from);
}

}  // namespace skel::runtime
