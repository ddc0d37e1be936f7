#pragma once

#include <array>
#include <string_view>

#include <skel/detail/mapping/migration/simulate.hpp>

namespace bench {

/// What work does over supersteps: stays; has noise; walks at random; has a hot spot that grows, or one that jumps
/// every 25 supersteps; passes over processes as a wavefront; has noise, and states are too large to move; is done
/// by either half of the processes in turn; or stays, and processes talk in every second to tenth superstep only.
inline constexpr std::array<std::string_view, 9> program_kinds{
    "steady", "noise", "walk", "growing spot", "jumping spot", "wavefront", "large states", "halves", "bursts"};

/// A program with the hosts that it begins on.
struct random_program {
  skel::cost::bsp::machine machine;
  skel::record::workload program;
  skel::mapping::migration::start begin;
};

/// On 1 to 4 clusters of 1 to 12 hosts, alike or with speeds of 0.5 to 2, 0.5 to 8 times as many processes, in blocks
/// or dealt out, 20 to 320 supersteps, states of 10 kB to 100 MB, migrations of 0.01 to 0.5 s beside these. The same
/// for the same seed.
random_program draw_program(std::string_view kind, unsigned seed);

/// The same with 2 to 6 processes on 2 or 3 clusters of one host: so few that all schedules can be looked at.
random_program draw_small_program(std::string_view kind, unsigned seed);

}  // namespace bench
