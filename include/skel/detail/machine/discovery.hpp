#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <skel/detail/cost/communication/any_model.hpp>
#include <skel/detail/platform/host_probe.hpp>
#include <skel/detail/platform/snapshot.hpp>
#include <skel/detail/runtime/ranks/quiet.hpp>

namespace skel {

/// Time for which sure figures are kept between runs [s]: a day.
inline constexpr double usual_age = 86400;

struct discovery_options {
  /// The models whose parameters are wanted. Their number and kind decide how much is probed: Hockney's take two sizes
  /// of messages, LogP's one, pLogP's some ten or twenty. None: latencies and bandwidths only.
  std::vector<cost::model_kind> models{cost::model_kind::plogp, cost::model_kind::loggp, cost::model_kind::hockney};
  bool speeds = true;          ///< speeds and loads of the hosts are wanted
  double tolerance = 0.2;      ///< largest difference of latencies inside a cluster, relative; > 0 saves probes
  std::size_t probes = 21;     ///< of a pair, kind and size, at most; five are always made
  double time_limit = 60;      ///< [s] after which only indispensable figures are measured
  bool host_per_rank = false;  ///< every rank counts as a host
  platform::host_probe_options hosts{};
  /// Called on rank 0 with the present measurement and its rounds: done, of all. May be empty.
  std::function<void(std::string const& phase, std::size_t done, std::size_t all)> progress{};

  std::filesystem::path cache{};  ///< file that keeps the result; empty: platform::default_snapshot_file
  bool use_cache = true;          ///< false: neither read nor written
  double max_age = 0;             ///< [s] up to which kept figures of the same hosts and tolerance are believed
  /// Called on rank 0 if a cache file is damaged or cannot be written; empty: to standard error.
  std::function<void(std::string const&)> warn{};
};

struct discovery_result {
  platform::snapshot picture;
  bool from_cache = false;  ///< nothing had to be measured
};

/// Finds out the figures of the hosts of a run and of the paths between them. First it measures the latency between
/// each two hosts (runtime::probe_latencies, in rounds of disjoint pairs: 99 rounds for 100 hosts). It groups them into
/// clusters in spite of noise (platform::robust_clusters), and these into sites (platform::levels_of). Then it measures
/// the needs of the models between the two most typical hosts of each cluster, all clusters at once. It does so too
/// between each two clusters, both ways, again in rounds (runtime::probe_pairs), and between two ranks of a host of
/// each cluster, if any. If the result is not sure_enough in all (platform::doubt_of), it measures up to three times if
/// time permits, and takes the surest. Unsure results are kept for less long. One rank of each host takes part, or two
/// to measure its own path; others sleep. Every rank gets the same snapshot.
///
/// It takes the figures that any earlier run has kept of these hosts. Missing speeds, parameters of models or paths
/// between ranks of a host are measured and kept beside them.
///
/// Collective: all ranks give the same options. Makes its own communicator; MPI_THREAD_SINGLE is enough. Time: about
/// time_limit at most, more if the indispensable takes longer. That is six round trips of a byte for each pair of hosts
/// in hosts - 1 rounds, and some hundred for each pair of clusters. If nothing is to be measured: the time to read a
/// file. Errors, the same on every rank: two hosts have one name; a machine that cannot be described.
discovery_result discover(MPI_Comm among, discovery_options const& options = {});

/// The same for one process without MPI: one cluster of one host.
discovery_result discover_alone(discovery_options const& options = {});

/// Corrects the kept snapshot of these hosts by the findings of a run, or `before` if none is kept any more. On one
/// rank.
void keep_speeds(platform::snapshot const& before, std::vector<platform::host_speed> const& found);

}  // namespace skel
