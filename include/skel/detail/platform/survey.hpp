#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/platform/description.hpp>
#include <skel/detail/platform/host_probe.hpp>

namespace skel::platform {

/// What was found about messages inside a cluster, between two ranks of a host, or over a link.
struct path_figures {
  link path{};                                    ///< latency: median over the pairs of hosts; bandwidth of one pair
  parameter_blocks models{};                      ///< parameters of models, by their names
  std::map<std::string, double> residuals{};      ///< how well each model fits (cost::fitted)
  std::pair<std::size_t, std::size_t> between{};  ///< the hosts whose messages gave bandwidth and models
  double latency_spread = 0;                      ///< robust standard deviation over the pairs, relative to the median
  double doubt = 0;        ///< how sure the medians of the messages are together (statistics::joint_error)
  std::size_t probes = 0;  ///< between these two; 0: bandwidth and models were not measured
  std::string date{};      ///< of bandwidth and models, UTC
};

/// Hosts that were found to be a cluster.
struct found_cluster {
  std::string name{};
  std::string site{};  ///< name of the group of clusters that it is in; empty: none
  std::vector<std::size_t> hosts{};
  path_figures inside{};  ///< between two of several hosts
  path_figures local{};   ///< between two ranks of one host; models only where the cluster has one host
};

/// A path between two clusters, in one direction.
struct found_link {
  std::size_t from = 0, to = 0;
  path_figures measured{};
};

/// All figures that were measured of a machine, each with how sure it is and from when.
struct survey {
  std::vector<host_measurement> hosts{};  ///< all names different
  std::vector<found_cluster> clusters{};  ///< every host in one
  std::vector<found_link> links{};
  parameter_blocks models{};  ///< parameters of models of the whole machine, by their names
  std::string date{};         ///< of the latencies that gave the clusters, UTC, "2026-11-20T21:45:00Z"
  double seconds = 0;         ///< that measuring took
  std::size_t probes = 0;     ///< messages or floods that were timed
  std::size_t rounds = 0;     ///< of pairs at the same time
  double latency_spread = 0;  ///< noise of one latency (noise_of)
  double tolerance = 0;       ///< of the clusters
};

/// How unsure a survey is: as the least sure of its hosts, or as its paths together. Of what was measured at this date
/// or later, UTC.
double doubt_of(survey const& all, std::string const& since = {});

/// For how much of max_age a measurement is believed [s]: all of it where it is sure_enough; otherwise as much less as
/// it would have taken more samples to be so (an interval narrows with the root of their number).
double believed_for(double max_age, double doubt);

/// What is still believed at a date: speeds and paths that are older than believed_for(max_age, their doubt) are as if
/// they had not been measured, but which hosts a path is between, and the latencies of clusters, stay.
survey believed(survey all, double max_age, std::string const& now);

/// The description of what was measured. A cluster has the median speed of its hosts and the fewest cores; each host's
/// own figures are in the block "measured" of its cluster (docs/formats.md). Inside a cluster of one host is the path
/// between two of its ranks; where that was not measured, every byte of a message is copied in and out of shared
/// memory, so that the bandwidth is half of the host's copying speed. Names of clusters are changed where two hosts
/// would get one name. Throws skel::input_error (source "probe") when a value cannot be part of a description.
description describe(survey const& all);

/// The figures that the blocks "measured" of a description keep, in the order of its hosts and clusters; without hosts
/// where nothing was measured. Throws skel::input_error with `source`, the file of the description, for a block that
/// was damaged: parse_description() has read it once, so that none of a file is.
survey read_survey(description const& machine, std::string const& source = "platform");

/// Whether a description, or one of its clusters, says how it was measured.
bool is_measured(description const& machine);

/// How far a model's times were off those that were measured (path_figures::residuals), in the mean of clusters of
/// several hosts and links: what goes over several of them is off as they are together. 0 where nothing was measured.
/// Reads what a description keeps in O(its parts); damaged blocks as read_survey().
double residual_of(description const& machine, std::string const& model);

}  // namespace skel::platform
