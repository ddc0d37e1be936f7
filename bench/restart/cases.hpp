#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace bench {

/// A way of dying, or of losing files, that programs with checkpoints have to survive.
struct restart_case {
  std::string name, about;
  /// In a folder of its own. Empty: as it has to be; otherwise what was wrong.
  std::string (*run)(std::filesystem::path const& folder, std::uint64_t seed);
};

std::vector<restart_case> const& restart_cases();

/// What came of killing processes at random moments.
struct kill_count {
  std::size_t kills = 0, of_mpirun = 0, programs = 0, starts = 0, resumed = 0;
  std::vector<std::string> wrong;
};

/// Kills at random moments of programs on 1, 2, 4 and 7 ranks, until there are so many: each program is started again
/// until it ends.
kill_count kill_at_random(std::filesystem::path const& folder, std::size_t kills, std::uint64_t seed);

}  // namespace bench
