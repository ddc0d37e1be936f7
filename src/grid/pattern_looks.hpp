#pragma once

#include <algorithm>
#include <cstddef>

#include <skel/detail/cost/reduction/problem.hpp>
#include <skel/detail/mapping/reduction_mapper.hpp>
#include <skel/detail/pattern/pattern.hpp>
#include <skel/detail/pattern/pattern_features.hpp>
#include <skel/detail/platform/reduction_model.hpp>
#include <skel/detail/runtime/team.hpp>

#include "reduction_clock.hpp"

namespace skel {

/// What something took moves what it is expected to take half of the way, and one that was held up by half at most.
inline void learn_price(double& price, double took) {
  price += (std::min(took, 2 * price) - price) / 2;
}

/// Looks at patterns of one loop, and knows what looking costs and what the last look has seen.
class pattern_looks {
 public:
  /// All of them stay where they are.
  pattern_looks(runtime::team& workers, bool imagined, reduction_clock& clock, mapping::reduction_mapper const& mapper,
                platform::deciding_times const& expected)
      : workers_(workers),
        imagined_(imagined),
        clock_(clock),
        mapper_(mapper),
        glance_seconds_(expected.glance),
        look_seconds_(expected.look) {}

  /// What a glance is expected to take [s].
  double glance_seconds() const { return glance_seconds_; }
  void glance(pattern const& of, cost::reduction_problem& problem);

  /// Looks at a pattern as closely as pays in so many seconds, and no longer than one merge of REPBUF takes; not where
  /// that is not close enough, or not closer than before.
  void look(pattern const& of, cost::reduction_problem& problem, double seconds);

  /// What is known of a pattern that has not been looked at, if its shares are those of the last one that was.
  void assume_as_before(cost::reduction_problem& problem) const;

  /// Subscripts that were seen of this pattern; another one comes.
  std::size_t looked_at() const { return looked_at_; }
  void next_pattern() { looked_at_ = 0; }
  /// All looks so far [s].
  double seconds() const { return seconds_; }

 private:
  /// What a look takes that sees next to nothing, and, as a first idea, what one thread takes for a subscript [s].
  struct cost_of_looks {
    double start = 0, each = 0;
  };
  cost_of_looks const& costs();
  std::size_t subscripts_within(cost::reduction_problem const& problem, double seconds);
  double least_per_subscript() const;
  double per_subscript(cost::reduction_problem const& problem) const;
  std::size_t windows() const { return 256 * workers_.parts(); }

  runtime::team& workers_;
  bool imagined_;
  reduction_clock& clock_;
  mapping::reduction_mapper const& mapper_;
  double glance_seconds_;
  double look_seconds_;  // what a subscript is expected to take each thread before any look; 0: not known
  cost_of_looks costs_;
  pattern_features seen_;  // of the last pattern that was looked at
  cost::sight seen_by_ = cost::sight::sizes;
  double each_seconds_ = 0;  // what looking at a subscript took one thread; 0: not known
  double seconds_ = 0;
  std::size_t looked_at_ = 0;
};

}  // namespace skel
