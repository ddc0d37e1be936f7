#pragma once

#include <string>
#include <vector>

#include <skel/detail/record/mesh_record.hpp>
#include <skel/detail/record/stage_move.hpp>

namespace skel {

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
