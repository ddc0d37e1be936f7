#pragma once

#include <concepts>
#include <cstddef>
#include <vector>

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

}  // namespace skel::cost
