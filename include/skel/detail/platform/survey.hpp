#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/platform/description.hpp>
#include <skel/detail/platform/host_probe.hpp>

namespace skel::platform {

/// Figures of messages inside a cluster, between two ranks of a host, or over a link.
struct path_figures {
  link path{};                                    ///< latency: median over the pairs of hosts; bandwidth of one pair
  parameter_blocks models{};                      ///< parameters of models, by their names
  std::map<std::string, double> residuals{};      ///< misfit of each model (cost::fitted)
  std::pair<std::size_t, std::size_t> between{};  ///< the hosts whose messages gave bandwidth and models
  double latency_spread = 0;                      ///< robust standard deviation over the pairs, relative to the median
  double doubt = 0;                               ///< of the medians of the messages together (statistics::joint_error)
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

/// All measured figures of a machine, each with its doubt and date.
struct survey {
  std::vector<host_measurement> hosts{};  ///< all names different
  std::vector<found_cluster> clusters{};  ///< every host in one
  std::vector<found_link> links{};
  parameter_blocks models{};  ///< parameters of models of the whole machine, by their names
  std::string date{};         ///< of the latencies that gave the clusters, UTC, "2026-11-20T21:45:00Z"
  double seconds = 0;         ///< time of measuring
  std::size_t probes = 0;     ///< messages or floods that were timed
  std::size_t rounds = 0;     ///< of pairs at the same time
  double latency_spread = 0;  ///< noise of one latency (noise_of)
  double tolerance = 0;       ///< of the clusters
};

/// Doubt of a survey: the largest of its hosts, or that of its paths together if it is larger. Only figures measured at
/// this date or later count, UTC.
double doubt_of(survey const& all, std::string const& since = {});

/// Part of max_age for which a measurement is believed [s]: all of it if it is sure_enough. Otherwise less, by the
/// factor of samples that it lacks for that (an interval narrows with the root of their number).
double believed_for(double max_age, double doubt);

/// The survey as it is believed at a date. Speeds and paths older than believed_for(max_age, their doubt) count as not
/// measured. The two hosts of a path and the latencies of clusters stay.
survey believed(survey all, double max_age, std::string const& now);

/// The description of a survey. A cluster has the median speed of its hosts and the fewest cores. Each host's own
/// figures are in the block "measured" of its cluster (docs/formats.md). Inside a cluster of one host is the path
/// between two of its ranks. If that was not measured, the bandwidth is half of the host's copying speed: every byte of
/// a message is copied in and out of shared memory. Names of clusters change if two hosts would get one name. Throws
/// skel::input_error (source "probe") for a value that cannot be part of a description.
description describe(survey const& all);

/// The figures in the blocks "measured" of a description, in the order of its hosts and clusters; without hosts if
/// nothing was measured. Throws skel::input_error with `source`, the file of the description, for a damaged block. No
/// block of a file is damaged, because parse_description() has read it once.
survey read_survey(description const& machine, std::string const& source = "platform");

/// True if a description, or one of its clusters, says how it was measured.
bool is_measured(description const& machine);

/// Error of a model's times against the measured ones (path_figures::residuals): the mean over links and clusters of
/// several hosts, as for messages over several of them. 0 if nothing was measured. Reads a description in O(its parts);
/// damaged blocks as read_survey().
double residual_of(description const& machine, std::string const& model);

}  // namespace skel::platform
