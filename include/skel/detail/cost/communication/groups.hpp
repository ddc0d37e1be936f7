#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <skel/detail/base/contract.hpp>

namespace skel::cost {

/// Ranks in groups (clusters), and a value for each ordered pair of groups; the pair (a, a) is inside group a.
template <class Value>
class group_table {
 public:
  /// One group: the same value for every pair of ranks.
  explicit group_table(Value value) : groups_(1), values_{std::move(value)} {}

  /// `group_of[rank]` < groups; values[a * groups + b] is from group a to group b, nothing if they are not joined.
  group_table(std::size_t groups, std::vector<std::size_t> group_of, std::vector<std::optional<Value>> values)
      : groups_(groups), group_of_(std::move(group_of)), values_(std::move(values)) {
    SKEL_EXPECTS(values_.size() == groups_ * groups_);
    for (std::size_t group : group_of_) SKEL_EXPECTS(group < groups_);
  }

  std::size_t group(std::size_t rank) const { return groups_ == 1 ? 0 : group_of_[rank]; }

  /// Precondition: the groups of the ranks are joined.
  Value const& between(std::size_t from, std::size_t to) const {
    auto const& value = values_[group(from) * groups_ + group(to)];
    SKEL_EXPECTS(value.has_value());
    return *value;
  }

  /// True if there is one value for all pairs.
  bool uniform() const { return groups_ == 1; }

  std::vector<std::optional<Value>> const& values() const { return values_; }

 private:
  std::size_t groups_;
  std::vector<std::size_t> group_of_;
  std::vector<std::optional<Value>> values_;
};

}  // namespace skel::cost
