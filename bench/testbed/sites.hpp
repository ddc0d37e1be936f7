#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "hosts.hpp"

namespace bench {

/// Sites of some hosts, all of which are joined.
struct grid_of_sites {
  nlohmann::ordered_json platform{
      {"skel_platform", 1}, {"clusters", nlohmann::ordered_json::array()}, {"links", nlohmann::ordered_json::array()}};
  int hosts = 0;
  std::string first{};               ///< host, on which programs are started
  std::vector<std::string> names{};  ///< of the sites
};

/// `sites`: hosts of each, "3+3"; `between`: latency [s] and bandwidth [B/s], "0.005:25e6". `shared`: all hosts of two
/// sites share one link, otherwise each two have one. Throws std::runtime_error for what is no grid.
grid_of_sites make_grid(std::string const& sites, std::string const& between, bool shared);

/// What runs this program on all hosts of such a grid with libskel_mpi.so in front of MPI; its own words are to follow.
/// Nothing is known from before: neither the platform, unless it is to be `known`, nor what calls are worth.
/// `settings`: variables that are passed on (NAME, where it is set here, or NAME=VALUE).
std::vector<std::string> command_on_sites(grid_of_sites const& sites, testbed const& grid, bool known,
                                          std::vector<std::string> const& settings);

}  // namespace bench
