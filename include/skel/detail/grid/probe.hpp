#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include <skel/detail/platform/description.hpp>
#include <skel/detail/platform/host_probe.hpp>
#include <skel/detail/runtime/link_probe.hpp>

namespace skel {

struct probe_options {
  platform::host_probe_options hosts{};
  runtime::link_probe_options links{};
  std::filesystem::path cache{};  ///< file that keeps the result; empty: platform::default_cache_file
  bool use_cache = true;          ///< false: neither read nor written
  double max_age = 86400;         ///< [s] up to which a kept result is believed
  /// Told on rank 0 when a cache file is damaged or cannot be written; empty: to standard error.
  std::function<void(std::string const&)> warn{};
};

struct probe_result {
  platform::description platform;
  bool from_cache = false;
};

/// Measures the hosts of all ranks (platform::probe_host, by one rank of each host) and the paths between all ranks
/// (runtime::probe_links), or takes what an earlier run on the same hosts and ranks has found at most max_age ago.
/// Rank i is host i (platform::describe); every rank gets the same description.
///
/// Collective: all ranks give the same options. Makes its own communicator; MPI_THREAD_SINGLE is enough.
/// Time: hosts.time_limit + links.time_limit and a little.
/// Errors: a cache that cannot be used is a warning; a platform that cannot be described throws on every rank.
probe_result probe(MPI_Comm among, probe_options const& options = {});

/// The same for one process without MPI: one host, no links.
probe_result probe_alone(probe_options const& options = {});

/// The same, when only the platform matters.
inline platform::description probe_platform(MPI_Comm among, probe_options const& options = {}) {
  return probe(among, options).platform;
}

}  // namespace skel
