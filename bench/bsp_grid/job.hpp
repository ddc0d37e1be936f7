#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/pattern/migration_settings.hpp>

namespace bench {

/// A run of a program of MigBSP's testbed in the simulator.
struct bsp_job {
  std::string testbed;  ///< file
  std::size_t order = 0;
  /// How its processes move; "never": nothing is measured, and nobody decides.
  skel::skeletons::migration_settings policy{.name = "never"};
  bool each_to_each = false;  ///< ranks tell each other how a superstep went; otherwise by relays
};

struct bsp_move_made {
  std::uint64_t superstep = 0;  ///< at whose barrier
  std::size_t process = 0, from = 0, to = 0;
  double bytes = 0;
};

/// What came of it, in virtual time.
struct bsp_outcome {
  double seconds = 0;
  std::vector<double>
      supersteps;  ///< each from the moment at which all ranks have begun it to that of the next one [s]
  std::vector<bsp_move_made> moves;
  std::size_t calls = 0;       ///< of the policy
  std::uint64_t messages = 0;  ///< of the program
};

std::string to_json(bsp_job const& job);
/// Throws an exception of nlohmann::json where it is no job.
bsp_job parse_job(std::string_view text);
/// In one line.
std::string to_json(bsp_outcome const& outcome);
bsp_outcome parse_outcome(std::string_view text);

}  // namespace bench
