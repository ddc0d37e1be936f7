#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <skel/detail/mapping/migration/simulate.hpp>

namespace bench {

/// What work does over supersteps: stays; has noise; walks at random; has a hot spot that grows, or one that jumps
/// every 25 supersteps; passes over processes as a wavefront; has noise, and states are too large to move; is done
/// by either half of the processes in turn; or stays, and processes talk in every second to tenth superstep only.
inline constexpr std::array<std::string_view, 9> program_kinds{
    "steady", "noise", "walk", "growing spot", "jumping spot", "wavefront", "large states", "halves", "bursts"};

/// Whom each process sends a message: nobody; the next one; another one, always the same; or another one each time.
inline constexpr std::array<std::string_view, 4> message_patterns{"no messages", "ring", "fixed partners",
                                                                  "new partners"};

/// What others take of hosts: nothing; 0 to 0.8 of every second host, all the time; or such parts, and others from a
/// superstep in the middle half of the program on.
inline constexpr std::array<std::string_view, 3> load_patterns{"idle hosts", "loaded hosts", "changing hosts"};

/// A program with the hosts that it begins on, and what was drawn for it.
struct random_program {
  skel::cost::bsp::machine machine{};
  skel::record::workload program{};
  skel::mapping::migration::start begin{};
  std::string_view messages{};  ///< one of message_patterns; of a wavefront: empty
  std::size_t talks_every = 1;  ///< supersteps from one such message to the next
  std::string_view load{};      ///< one of load_patterns
};

/// What was drawn, in a few words for people.
std::string described(random_program const& drawn);

/// On 1 to 4 clusters of 1 to 12 hosts, alike or with speeds of 0.5 to 2, between which links have 0.1 to 50 ms and 1
/// MB/s to 1 GB/s; 0.5 to 8 times as many processes as hosts, in blocks or dealt out, messages of 100 B to 1 MB in each
/// superstep or in every fourth, 20 to 320 supersteps, states of 10 kB to 100 MB, migrations of 0.01 to 0.5 s beside
/// these. All of it is another for another kind or seed, and the same for the same.
random_program draw_program(std::string_view kind, unsigned seed);

/// The same with 2 to 6 processes on 2 or 3 clusters of one host: so few that all schedules can be looked at.
random_program draw_small_program(std::string_view kind, unsigned seed);

/// The same with 1000 processes on 50 hosts of 1 to 4 clusters.
random_program draw_large_program(std::string_view kind, unsigned seed);

}  // namespace bench
