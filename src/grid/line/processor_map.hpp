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

/// The cores of a run's ranks as hosts of their own, on which stages are placed. Cores of one rank are a cluster. A
/// rank whose cores are all planned for others has none.
struct processor_map {
  platform::description platform;
  std::vector<int> rank_of;             ///< per processor
  std::vector<std::string> rank_names;  ///< per rank, the name of its host in the platform
  std::vector<std::string> own_names;   ///< per rank, its host's own name; empty: not known
  std::vector<std::size_t> domain_of;   ///< per processor: threads of processors of one domain share its cores
  std::vector<std::size_t> cores;       ///< per domain
  std::vector<others_load> others{};    ///< per domain: load of other programs; beyond the end: none
  std::vector<bool> leaving{};          ///< per processor: its host is to be left; empty: none is

  /// The ranks that a name means. The platform's name of the host of a rank or of a processor means that rank.
  /// Otherwise a host's own name means all ranks on it that have processors, ascending.
  std::vector<int> find_ranks(std::string const& name) const;
  /// The first of them, where there is one.
  std::optional<int> find_rank(std::string const& name) const;
  /// Hosts as find_ranks() knows them, each once.
  std::vector<std::string> names() const;
  /// True if more threads want to run in a domain than it has cores, with `workers` of the program's.
  bool is_crowded(std::size_t domain, std::size_t workers) const {
    double const beside = domain < others.size() ? others[domain].others : 0;
    return static_cast<double>(workers) + beside > static_cast<double>(cores[domain]);
  }
  /// Notes of a plan on other programs in domains that have processors, with the host if there are several domains.
  std::vector<std::string> notes_of_others() const;
  /// True if all processors are of one rank.
  bool one_rank() const { return rank_of.front() == rank_of.back(); }
};

/// Host i of the platform is rank i; speeds are divided by `unit`, the speed that counts as 1. `dealt`: the cores of
/// each rank; absent: those that the platform says. Ranks in `wanted` (names, as find_rank() knows them) have a
/// processor in any case, and so has rank 0. `own_names`: per rank, its host's own name. Throws skel::error if the
/// platform has another number of hosts than there are ranks.
processor_map processors_of(platform::description const& ranks, std::size_t rank_count, double unit = 1,
                            rank_cores const* dealt = nullptr, std::vector<std::string> const& wanted = {},
                            std::vector<std::string> own_names = {});

/// Throws skel::error if a stage is pinned to a name that is no host of the run, with the names of all. Also throws if
/// a stage of a single worker is pinned to several hosts. The same on all ranks.
void check_hosts(runtime::program const& line, processor_map const& processors);

/// True if a station may have several workers: a farm's share the items, the copies of a broadcast stage the work of
/// each. With equal parts both take work / workers per item.
bool spreads(runtime::station const& s);

}  // namespace skel
