#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <utility>

#include <skel/detail/base/error.hpp>

namespace skel {

/// Tells a long computation to end before it is done: a stop is requested or a deadline has come, whichever is first.
/// Without either it is never met.
/// Asking costs a relaxed load, and with a deadline also a reading of the clock: 25 ns.
class stop_condition {
 public:
  using clock = std::chrono::steady_clock;

  stop_condition() = default;
  /// A token is a condition without deadline.
  stop_condition(std::stop_token token) : token_(std::move(token)) {}
  explicit stop_condition(clock::time_point deadline, std::stop_token token = {})
      : token_(std::move(token)), deadline_(deadline) {}

  bool met() const { return token_.stop_requested() || (has_deadline() && clock::now() >= deadline_); }

  /// Throws skel::stopped if the condition is met; `what` names the computation.
  void check(char const* what) const;

  std::stop_token const& token() const { return token_; }
  bool has_deadline() const { return deadline_ != clock::time_point::max(); }
  /// Without one, the last moment of the clock.
  clock::time_point deadline() const { return deadline_; }

 private:
  std::stop_token token_{};
  clock::time_point deadline_ = clock::time_point::max();
};

/// A computation was ended by its stop_condition before it had a result.
class stopped : public error {
 public:
  using error::error;
};

inline void stop_condition::check(char const* what) const {
  if (met()) throw stopped(std::string(what) + " was ended before it had a result; give it more time");
}

}  // namespace skel
