#include "kept_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <skel/detail/runtime/reduction/engine.hpp>

namespace skel {

namespace {

/// Sizes that differ by less are about the same.
constexpr double tolerance = 0.1;

bool is_near(double a, double b) {
  return std::abs(a - b) <= tolerance * std::min(a, b);
}

}  // namespace

void kept_choice::keep(mapping::reduction_decision const& made, cost::reduction_problem const& of,
                       double expected_uses) {
  choice now{made.algorithm,
             static_cast<double>(of.pattern.elements),
             static_cast<double>(of.pattern.subscripts),
             of.value_bytes,
             mapping::reduction_bytes(made.algorithm, of) > 0,
             expected_uses,
             0,
             std::numeric_limits<double>::infinity()};
  // Totals are entry + uses run: with each of the others the winner has one number of uses in common, on one side of
  // which it is the better one.
  // The next pattern needs plans of its own; the winner's buffers are there then.
  auto const entry = [&](auto const& one) {
    return std::max(one.predicted.setup_again, one.total - made.uses * one.predicted.run);
  };
  auto const& best = made.candidates.front();
  for (auto const& other : made.candidates) {
    double const more_each = best.predicted.run - other.predicted.run,
                 more_at_first = best.predicted.setup_again - entry(other);
    if (more_each > 0) now.most = std::min(now.most, -more_at_first / more_each);
    if (more_each < 0) now.fewest = std::max(now.fewest, -more_at_first / more_each);
  }
  last_ = now;
}

std::optional<plan::reduction_algorithm> kept_choice::for_another(cost::reduction_problem const& of, double uses,
                                                                  mapping::reduction_set legal,
                                                                  mapping::reduction_set buffered) const {
  if (!last_ || (legal & runtime::reduction::set_of(last_->algorithm)) == 0) return std::nullopt;
  if (!is_near(static_cast<double>(of.pattern.elements), last_->elements) ||
      !is_near(static_cast<double>(of.pattern.subscripts), last_->subscripts) || of.value_bytes != last_->value_bytes)
    return std::nullopt;
  bool const has_buffers = !last_->keeps_memory || (buffered & runtime::reduction::set_of(last_->algorithm)) != 0;
  bool const chooses_the_same = has_buffers && uses >= last_->fewest && uses <= last_->most;
  return chooses_the_same || is_near(uses, last_->expected) ? std::optional(last_->algorithm) : std::nullopt;
}

}  // namespace skel
