#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <skel/detail/base/contract.hpp>

namespace skel::cost {

/// One message between two ranks, as a communication model sees it.
struct message {
  double bytes = 0;              ///< m [B]
  std::size_t from = 0, to = 1;  ///< ranks; models of equal hosts do not look at them
  double at_receiver = 1;        ///< messages that the receiver's processor handles in the same phase, with this one
  double in_network = 1;         ///< messages under way in the network in the same phase, with this one
};

/// Predicts the time of one message between two ranks, in seconds:
///
///   `send_busy`         from the start of a send until the same rank may start its next one: g(m) in pLogP.
///   `transfer`          from the start of the send until the receiver has all of it: L + g(m) in pLogP.
///   `receive_busy`      between the ends of two receives of one rank, at least.
///   `receive_overhead`  work of the receiver's processor on it, at most receive_busy.
///   `breakpoints`       sizes [B], rising, between which all four are linear in the bytes (approximately if a model
///                       says so). An optimal segment is searched between them.
///
/// Laws: the four are pure, finite and never negative. The receive_overhead is at most receive_busy. If bytes or the
/// numbers of competing messages rise, transfer and receive_busy never fall, provided that measured functions in the
/// parameters never fall. `contended`: the model looks at competing messages.
template <class Model>
concept communication_model = requires(Model const& model, message const& m) {
  { model.send_busy(m) } -> std::same_as<double>;
  { model.transfer(m) } -> std::same_as<double>;
  { model.receive_busy(m) } -> std::same_as<double>;
  { model.receive_overhead(m) } -> std::same_as<double>;
  { model.breakpoints() } -> std::same_as<std::vector<double>>;
  { Model::contended } -> std::convertible_to<bool>;
};

/// The times of one message by a model [s].
struct message_times {
  double send_busy = 0, transfer = 0, receive_busy = 0, receive_overhead = 0;
};

template <communication_model Model>
message_times times_of(Model const& model, message const& m) {
  if constexpr (requires { model.times(m); })
    return model.times(m);
  else
    return {model.send_busy(m), model.transfer(m), model.receive_busy(m), model.receive_overhead(m)};
}

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
