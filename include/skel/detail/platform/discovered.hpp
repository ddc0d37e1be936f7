#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/platform/description.hpp>
#include <skel/detail/platform/host_probe.hpp>

namespace skel::platform {

/// What was found about messages inside a cluster or over a link.
struct path_measurement {
  link path{};                                    ///< latency: median over the pairs of hosts; bandwidth of one pair
  parameter_blocks models{};                      ///< the parameters of communication models
  std::map<std::string, double> residuals{};      ///< how well each model fits (cost::fitted)
  std::pair<std::size_t, std::size_t> between{};  ///< the hosts whose messages gave bandwidth and models
  double latency_spread = 0;                      ///< robust standard deviation over the pairs, relative to the median
  double doubt = 0;        ///< how sure the medians of the messages are together (statistics::joint_error)
  std::size_t probes = 0;  ///< between these two hosts
};

/// Hosts that were found to be a cluster.
struct found_cluster {
  std::string name{};
  std::string site{};  ///< name of the group of clusters that it is in; empty: none
  std::vector<std::size_t> hosts{};
  path_measurement inside{};  ///< of a cluster of several hosts
};

/// A path between two clusters, in one direction.
struct found_link {
  std::size_t from = 0, to = 0;
  path_measurement measured{};
};

/// What discovery of the hosts of a run has found.
struct discovered {
  std::vector<host_measurement> hosts;    ///< all names different
  std::vector<std::string> host_of_rank;  ///< as the hosts call themselves
  /// Per host, the rank that it is, where every rank counts as a host. Empty otherwise.
  std::vector<std::size_t> rank_of_host{};
  std::vector<found_cluster> clusters;  ///< every host in one
  std::vector<found_link> links;
  std::string date;           ///< UTC, "2026-11-20T21:45:00Z"
  double seconds = 0;         ///< that the probing took
  std::size_t probes = 0;     ///< messages or floods that were timed
  std::size_t rounds = 0;     ///< of pairs at the same time
  double latency_spread = 0;  ///< noise of one latency (noise_of)
  double tolerance = 0.2;     ///< of the clusters
  std::vector<std::string> models;
};

/// The description of what was found. A cluster has the median speed of its hosts and the fewest cores; each host's
/// own, and its name, are in the block "measured" of its cluster (docs/formats.md). Inside a cluster of one host, where
/// every byte of a message is copied in and out of shared memory, the bandwidth is half of the host's copying speed.
/// Names of clusters are changed where two hosts would get one name. Throws skel::input_error (source "probe") when a
/// value cannot be part of a description.
description describe(discovered const& run);

/// How unsure what was found is (platform/measured.hpp).
double doubt_of(discovered const& run);

/// Whether a description was discovered for these models, with this tolerance, and with so many hosts.
bool is_discovered_for(description const& machine, std::vector<std::string> const& models, double tolerance,
                       std::size_t hosts);

/// Whether a description, or one of its clusters, says how it was measured.
bool is_measured(description const& machine);

/// What the machines behind the hosts of a description call themselves: from the blocks "measured", or where there is
/// none the names of the hosts. In the order of the hosts. Throws skel::input_error for a block that was damaged.
std::vector<std::string> machine_names(description const& machine);

/// On which host of a description each rank runs.
struct rank_hosts {
  std::vector<std::size_t> host_of_rank;
  std::string mismatch;  ///< what does not fit, and then host_of_rank is empty
};

/// Finds the hosts of a run, given by what they call themselves, in a description: a rank is on the host of that name;
/// where several hosts have it (a probe with a host per rank), its ranks take them in the order of the ranks then. A
/// description that was not measured, and does not know the names, is believed to be of these ranks if it has as many
/// hosts: rank i is host i.
rank_hosts find_ranks(description const& machine, std::vector<std::string> const& host_of_rank);

/// A description whose host i is rank i: a cluster of one host for each rank. Ranks of one host share its cores, one at
/// least each, at the speed of a core. The same description where rank i is host i already and all hosts are clusters of
/// their own. Precondition: hosts are in the description. O(ranks^2).
description for_ranks(description const& machine, std::vector<std::size_t> const& host_of_rank);

}  // namespace skel::platform
