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

/// For how long what is sure is kept between runs [s]: a day.
inline constexpr double usual_age = 86400;

struct discovery_options {
  /// Whose parameters are wanted. Their number and kind decide how much is probed: Hockney's take two sizes of
  /// messages, LogP's one, pLogP's some ten or twenty. None: latencies and bandwidths only.
  std::vector<cost::model_kind> models{cost::model_kind::plogp, cost::model_kind::loggp, cost::model_kind::hockney};
  bool speeds = true;          ///< whether speeds and loads of the hosts are wanted
  double tolerance = 0.2;      ///< by which latencies inside a cluster may differ; > 0 saves probes
  std::size_t probes = 21;     ///< of a pair, kind and size, at most; five are always made
  double time_limit = 60;      ///< [s] after which only what is indispensable is measured
  bool host_per_rank = false;  ///< every rank counts as a host
  platform::host_probe_options hosts{};
  /// Told on rank 0 what is measured, and after how many rounds of how many. May be empty.
  std::function<void(std::string const& phase, std::size_t done, std::size_t all)> progress{};

  std::filesystem::path cache{};  ///< file that keeps the result; empty: platform::default_snapshot_file
  bool use_cache = true;          ///< false: neither read nor written
  double max_age = 0;             ///< [s] up to which kept figures of the same hosts and tolerance are believed
  /// Told on rank 0 when a cache file is damaged or cannot be written; empty: to standard error.
  std::function<void(std::string const&)> warn{};
};

struct discovery_result {
  platform::snapshot picture;
  bool from_cache = false;  ///< nothing had to be measured
};

/// Finds out what the hosts of a run are like and how they hang together: measures the latency between each two hosts
/// (runtime::probe_latencies, in rounds of disjoint pairs: 99 rounds for 100 hosts), groups them into clusters that
/// bear the noise (platform::robust_clusters) and into sites (platform::levels_of), and measures what the models need
/// between the two most typical hosts of each cluster, all clusters at once, of each two clusters, both ways, again
/// in rounds (runtime::probe_pairs), and between two ranks of a host of each cluster, where there are two. What is not
/// sure_enough in all (platform::doubt_of) is measured up to three times where there is time, and the surest taken; a
/// result that is not sure is kept for less long. One rank of each host takes part, two where its own path is measured;
/// others sleep. Every rank gets the same snapshot.
///
/// What an earlier run has kept of these hosts is taken, whoever wanted it, and what it lacks, speeds, parameters of
/// models or the path between ranks of a host, is measured and kept beside it.
///
/// Collective: all ranks give the same options. Makes its own communicator; MPI_THREAD_SINGLE is enough. Time: about
/// time_limit at most, more where what is indispensable takes longer: for each pair of hosts six round trips of a byte
/// in hosts - 1 rounds, and for each pair of clusters some hundred. Where nothing is to be measured, that of reading a
/// file. Errors, the same on every rank: two hosts have one name; a machine that cannot be described.
discovery_result discover(MPI_Comm among, discovery_options const& options = {});

/// The same for one process without MPI: one cluster of one host.
discovery_result discover_alone(discovery_options const& options = {});

/// Corrects the snapshot that is kept of these hosts by what a run has found out; `before` is corrected where none is
/// kept any more. On one rank.
void keep_speeds(platform::snapshot const& before, std::vector<platform::host_speed> const& found);

}  // namespace skel
