#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/platform/description.hpp>
#include <skel/detail/platform/host_probe.hpp>

namespace skel::platform {

/// What the probe found about the path between two ranks of a run, both directions together.
struct link_measurement {
  std::size_t first = 0, second = 0;  ///< ranks, first < second
  link path;                          ///< medians
  double latency_spread = 0;          ///< robust standard deviation, relative to the median
  double bandwidth_spread = 0;        ///< the same
  double latency_error = 0;           ///< how sure the median is: half of its 95 % interval, relative to it
  double bandwidth_error = 0;         ///< the same
  double bytes = 0;                   ///< size of the messages that gave the bandwidth [B]
  std::size_t probes = 0;             ///< round trips
};

/// Everything that one probing of a run found.
struct run_measurement {
  std::vector<host_measurement> ranks;  ///< the host of each rank; ranks on one host have equal names
  std::vector<link_measurement> links;  ///< one per pair of ranks
  std::string date;                     ///< UTC, "2026-11-20T21:45:00Z"
  double seconds = 0;                   ///< that the probing took
};

/// The run as a platform: rank i is host i, a cluster of its own. It is named like its host, or HOST-rI when
/// several ranks share the host. Ranks that share a host share its cores: each has cores / ranks of them, one at least,
/// at the speed of a core that nobody shares; whose they are is found when a run begins, from what each may use.
/// Spread, date and number of probes are kept in blocks "measured". Throws skel::input_error (source "probe") when a value cannot be part of a description.
description describe(run_measurement const& run);

/// How unsure the figures of a host are: of the median speed, or the part of the time in which something else had the
/// core, whichever is more. 0: sure.
double doubt_of(host_measurement const& host);

/// How unsure a platform is: as the least sure of its hosts, or as its paths together, given how sure each is.
double doubt_of(std::vector<host_measurement> const& hosts, std::vector<double> const& paths);

/// How unsure a probed description says the speed of a host is, each host being a cluster (describe()); 0 where it says
/// nothing.
double doubt_of_speed(description const& probed, std::size_t host);

/// The description with the speeds of these hosts as many times as large, so unsure (half of a 95 % interval, relative).
/// Precondition: as many factors and doubts as hosts; a doubt of 0 leaves a host as it is.
description with_speeds(description const& probed, std::vector<double> const& factors,
                        std::vector<double> const& doubts);

/// For how much of max_age a measurement is believed [s]: all of it where it is sure_enough; otherwise as much less as
/// it would have taken more samples to be so (an interval narrows with the root of their number).
double believed_for(double max_age, double doubt);

/// Where a probed platform is kept between runs: $XDG_CACHE_HOME (or ~/.cache) /skel/platform-KEY.json, with a key
/// made of the host name of every rank. Nothing when neither variable is set.
std::optional<std::filesystem::path> default_cache_file(std::vector<std::string> const& host_of_rank);

/// Where a model of irregular reductions that was trained on this machine is kept, beside them:
/// /skel/reduction_model.json. Nothing when neither variable is set.
std::optional<std::filesystem::path> kept_reduction_model_file();

/// The platform in a cache file, or why it cannot be used.
struct cached_platform {
  std::optional<description> platform;
  std::string reason;    ///< why not, empty when the file is used or was not there
  bool damaged = false;  ///< the file is there and cannot be believed: it is not what this library writes, no regular
                         ///< file, or another user can have written it
};

/// Reads a cache file. It is used when it was probed on the same hosts in the same rank order less than
/// believed_for(max_age, its doubt) seconds ago (and not in the future), and nobody but this user (or root) can have
/// written it. Never waits, and never throws for what is in the file.
cached_platform read_cache(std::filesystem::path const& file, std::vector<std::string> const& host_of_rank,
                           double max_age);

/// Writes text to a file so that readers see the old or the new text, never a part: a temporary file in the same
/// folder, then rename; what is not a regular file (a device, a pipe) is written in place. Makes missing folders.
/// Throws skel::error with file and reason.
void write_file(std::filesystem::path const& file, std::string const& text);

/// Writes a cache file: as write_file, but what is there and is no regular file is left alone, because writing to a
/// pipe would wait for its reader, and nobody waits for the disk: a machine that stops now may leave a damaged file.
/// Throws skel::error.
void write_cache(std::filesystem::path const& file, std::string const& text);

/// Throws what write_file would throw for a file that cannot be made, and leaves everything as it was: for output of
/// something that takes long. What is only found out while writing, such as a full device, is not found.
void check_writable(std::filesystem::path const& file);

/// This moment as UTC text, as in run_measurement::date.
std::string utc_now();

}  // namespace skel::platform
