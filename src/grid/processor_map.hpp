#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/machine/first_load.hpp>
#include <skel/detail/machine/rank_cores.hpp>
#include <skel/detail/platform/description.hpp>
#include <skel/detail/runtime/line/program.hpp>

namespace skel {

/// The cores of a run's ranks as hosts of their own: what stages are placed on. Cores of one rank are a cluster. A rank
/// whose cores are all planned for others has none.
struct processor_map {
  platform::description platform;
  std::vector<int> rank_of;             ///< per processor
  std::vector<std::string> rank_names;  ///< per rank, what its host is called in the platform
  std::vector<std::string> own_names;   ///< per rank, what its host calls itself; empty: not known
  std::vector<std::size_t> domain_of;   ///< per processor: threads of processors of one domain share its cores
  std::vector<std::size_t> cores;       ///< per domain
  std::vector<others_load> others{};    ///< per domain: what other programs do there; beyond the end: nothing
  std::vector<bool> leaving{};          ///< per processor: its host is to be left; empty: none is

  /// The ranks that are meant by a name: of the host of a rank or of a processor, as the platform calls it, that rank;
  /// otherwise of a host, as it calls itself, all ranks on it that have processors, ascending.
  std::vector<int> find_ranks(std::string const& name) const;
  /// The first of them, where there is one.
  std::optional<int> find_rank(std::string const& name) const;
  /// Hosts as find_ranks() knows them, each once.
  std::vector<std::string> names() const;
  /// Whether more threads want to run in a domain than it has cores, with `workers` of the program's.
  bool is_crowded(std::size_t domain, std::size_t workers) const {
    double const beside = domain < others.size() ? others[domain].others : 0;
    return static_cast<double>(workers) + beside > static_cast<double>(cores[domain]);
  }
  /// What a plan says of other programs in domains that have processors, with the host where there are several domains.
  std::vector<std::string> notes_of_others() const;
  /// Whether all processors are of one rank.
  bool one_rank() const { return rank_of.front() == rank_of.back(); }
};

/// Host i of the platform is rank i; speeds are divided by `unit`, the speed that counts as 1. `dealt`: whose cores are
/// whose; absent: each rank has the cores that the platform says. Ranks in `wanted` (names, as find_rank() knows them)
/// have a processor in any case, and so has rank 0. `own_names`: per rank, what its host calls itself. Throws
/// skel::error when the platform has another number of hosts than there are ranks.
processor_map processors_of(platform::description const& ranks, std::size_t rank_count, double unit = 1,
                            rank_cores const* dealt = nullptr, std::vector<std::string> const& wanted = {},
                            std::vector<std::string> own_names = {});

/// Throws skel::error where a stage is pinned to what is no host of the run, with those that there are, or one of a
/// single worker to several hosts. The same on all ranks.
void check_hosts(runtime::program const& line, processor_map const& processors);

/// Whether a station may have several workers: a farm's share the items, the copies of a broadcast stage the work of
/// each. With equal parts both take work / workers per item.
bool spreads(runtime::station const& s);

}  // namespace skel
