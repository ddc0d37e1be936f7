#include <thread>

#include "overhead/stream.hpp"

namespace bench {

// No stream: what two cores need for the work alone.
tally run_ideal(stream const& s, double*) {
  tally halves[2];
  auto const half = [&](std::uint64_t which) {
    worker const work{s.turns};
    tally mine;
    for (std::uint64_t index = which; index < s.items; index += 2) mine(work({index, 0}));
    halves[which] = mine;
  };
  std::thread other(half, 1);
  half(0);
  other.join();
  return {halves[0].count + halves[1].count, halves[0].sum + halves[1].sum, true};
}

}  // namespace bench
