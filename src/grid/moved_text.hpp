#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/record/heard_announcement.hpp>
#include <skel/detail/record/mesh_record.hpp>
#include <skel/detail/record/stage_move.hpp>

namespace skel {

/// How far a run is, and how fast lately.
struct run_pace {
  std::string use;                     ///< what it counts, as "iteration"
  std::uint64_t done = 0;              ///< uses
  double seconds = 0;                  ///< so far [s]
  double each = 0;                     ///< a use takes lately [s]; 0: not known
  double expected = 0;                 ///< a use is expected to take [s]; 0: not known
  std::optional<std::uint64_t> all{};  ///< uses when it ends; nothing: not known
};

/// "412 iterations, 3 s, 7.21 ms each, 7.05 ms expected, 4 s to go": as much of it as is known.
std::string pace_text(run_pace const& pace);

/// "1 process", "3 processes".
std::string processes_text(std::uint64_t count);

/// "rank 1 (n1)". `hosts`: name per rank; a rank beyond its end has none.
std::string rank_text(std::vector<std::string> const& hosts, int rank);

/// Workers by their ranks: "rank 1 (n1), rank 2 (n2) x3".
std::string ranks_text(std::vector<std::string> const& hosts, std::vector<int> const& ranks);

/// What moved: "'work' from rank 1 (n1) to rank 2 (n2), 'count' from ...". `stations`: their names.
std::string moved_text(std::vector<std::string> const& stations, std::vector<std::string> const& hosts,
                       std::vector<record::stage_move> const& moved);

/// Clusters that a program over a mesh takes in or gives up: ", takes in nancy, gives up lille, as a host leaves".
std::string clusters_text(record::mesh_review const& of);

/// What a migration takes beside the way of its state: "78 us", "78 us and 1.2 ns/B".
std::string migration_price_text(double fixed, double per_byte);

}  // namespace skel
