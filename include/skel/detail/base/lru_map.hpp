#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <unordered_map>
#include <utility>

#include <skel/detail/base/contract.hpp>

namespace skel {

/// A map of bounded size: the least recently used entry leaves if there is no room. An entry has a weight: 1 by
/// default, or its bytes. One entry stays, whatever it weighs. The order of use is part of the value: two maps that
/// were used in the same way hold the same. Operations O(1) on average; entries stay where they are in memory. Not for
/// several threads at once.
template <class Key, class Value, class Hash = std::hash<Key>>
class lru_map {
 public:
  using entry = std::pair<Key const, Value>;

  /// `most_entries`: the weight of all together. Precondition: there is room for one entry at least.
  explicit lru_map(std::size_t most_entries) : most_entries_(most_entries) { SKEL_EXPECTS(most_entries > 0); }

  lru_map(lru_map const&) = delete;
  lru_map& operator=(lru_map const&) = delete;
  lru_map(lru_map&&) = default;
  lru_map& operator=(lru_map&&) = default;
  ~lru_map() = default;

  std::size_t size() const { return entries_.size(); }
  /// Of all entries together.
  std::size_t weight() const { return weight_; }
  std::size_t most_entries() const { return most_entries_; }

  /// The value, now the most recently used one, or nullptr.
  Value* use(Key const& key) {
    auto const found = places_.find(key);
    if (found == places_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second.at);
    return &found->second.at->second;
  }

  /// The value, or nullptr, without using it.
  Value const* look(Key const& key) const {
    auto const found = places_.find(key);
    return found == places_.end() ? nullptr : &found->second.at->second;
  }

  /// Puts or replaces a value, as the most recently used one.
  Value& put(Key const& key, Value value, std::size_t weight = 1) {
    if (Value* const there = use(key)) {
      *there = std::move(value);
    } else {
      entries_.emplace_front(key, std::move(value));
      places_.emplace(key, place{entries_.begin(), 0});
    }
    weigh(weight);
    return entries_.front().second;
  }

  /// The entry used most recently weighs so much now. Precondition: there is one.
  void weigh(std::size_t weight) {
    SKEL_EXPECTS(!entries_.empty());
    std::size_t& before = places_.find(entries_.front().first)->second.weight;
    weight_ += weight - before, before = weight;
    while (weight_ > most_entries_ && entries_.size() > 1) erase(Key(entries_.back().first));
  }

  /// True if there was such an entry.
  bool erase(Key const& key) {
    auto const found = places_.find(key);
    if (found == places_.end()) return false;
    weight_ -= found->second.weight;
    entries_.erase(found->second.at);
    places_.erase(found);
    return true;
  }

  void clear() {
    places_.clear();
    entries_.clear();
    weight_ = 0;
  }

  /// Entries from the most to the least recently used.
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

 private:
  struct place {
    typename std::list<entry>::iterator at;
    std::size_t weight;
  };

  std::size_t most_entries_, weight_ = 0;
  std::list<entry> entries_;
  std::unordered_map<Key, place, Hash> places_;
};

}  // namespace skel
