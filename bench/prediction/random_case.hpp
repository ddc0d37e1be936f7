#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <skel/detail/pattern/shape.hpp>
#include <skel/detail/plan/placement.hpp>
#include <skel/detail/plan/run_plan.hpp>
#include <skel/detail/platform/description.hpp>

namespace bench {

/// Mean times of a move, measured on this machine [s].
struct move_times {
  double local = 0, remote = 0;
};

/// A random program on a random platform, placed.
struct random_case {
  std::size_t number = 0;
  skel::skeletons::shape program;  ///< work: mean service time on a host of speed 1 [s]
  std::vector<double> speeds;     ///< per host
  skel::plan::placement placement;
  std::size_t capacity = 0;
  bool searched = false;  ///< the placement is mapping::place's; otherwise it is random
  bool proven = false;    ///< the search has shown that none is better; otherwise its time was over

  std::size_t hosts() const { return speeds.size(); }
};

struct case_limits {
  std::size_t most_stages = 6;
  double most_states = 3e5;  ///< of the exact model; a case with a larger chain gets less capacity
  double cycle = 6e-3;       ///< works are scaled so that the model predicts 0.6 to 1.5 times this per item [s]
};

/// The number-th case of a seed: 2 to 6 stages, every third on average a farm of 2 or 3 workers, ordered or not; 3 to
/// 8 hosts of speed 0.5 to 2; capacity 0, 1, 2 or 4; every other case placed by mapping::place, the rest at random.
/// The same on every machine, unless a search is ended by its time.
random_case draw_case(std::uint64_t seed, std::size_t number, case_limits const& limits);

/// Its hosts, each a cluster of its own, in a full mesh.
skel::platform::description platform_of(random_case const& it, move_times const& moves);

/// Where the source, the stages and the sink run when host h is emulated by rank h modulo `ranks`. The source is where
/// the first worker of the first stage is, the sink where the first of the last is. Batches are single items.
skel::plan::run_plan plan_of(random_case const& it, std::size_t ranks);

}  // namespace bench
