#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <skel/detail/cost/communication/any_model.hpp>
#include <skel/detail/platform/host_probe.hpp>
#include <skel/detail/platform/survey.hpp>
#include <skel/detail/runtime/ranks/quiet.hpp>

namespace skel {

/// The host of each rank.
struct run_hosts {
  std::vector<std::string> names;         ///< per rank, as the hosts call themselves
  std::vector<std::size_t> host_of_rank;  ///< hosts are numbered in the order of their first ranks
  std::vector<std::size_t> leader;        ///< per host: its first rank
};

/// Ranks with equal names are on one host. Throws skel::error if two hosts have one name. `memory_of[rank]`: the least
/// rank that shares memory with it; empty: not known.
run_hosts group_ranks(std::vector<std::string> names, std::vector<std::size_t> const& memory_of = {});

/// The hosts of all ranks. Collective.
run_hosts find_hosts(MPI_Comm among);

/// Figures of each host, per rank. One rank of each host measures them. So ranks of one host neither disturb each other
/// nor disagree. Collective.
std::vector<platform::host_measurement> measure_hosts(MPI_Comm among, run_hosts const& hosts,
                                                      platform::host_probe_options const& options);

/// A host that takes part: one of the run, or each rank as a host.
struct player {
  std::string name;
  std::size_t rank = 0, partner = 0;  ///< another rank of the host, or the same
  std::size_t machine = 0;            ///< the one that the host is on
  std::size_t ranks = 1;              ///< of the host; of the machine if each rank is a host
};

/// In the order of their ranks.
std::vector<player> find_players(run_hosts const& run, bool host_per_rank);

std::vector<std::string> names_of(std::vector<player> const& players);

/// A path whose messages are to be measured, from one rank to another.
struct asked_path {
  platform::path_figures* path;
  std::size_t from, to;  ///< ranks
  double nodes;          ///< that share it
};

/// Paths of each kind that are not known well enough for the models.
struct asked_paths {
  std::vector<asked_path> local, inside, links;

  bool empty() const { return local.empty() && inside.empty() && links.empty(); }
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (auto const* kind : {&local, &inside, &links})
      for (asked_path const& one : *kind) visit(one);
  }
};

/// True if a path was not measured, or not for all of these models.
bool lacks(platform::path_figures const& path, std::vector<cost::model_kind> const& models);

/// The paths of a survey that lack something for these models and can be measured in this run. A path inside a host
/// needs two ranks there. Player i is of host i. O(clusters^2 + hosts).
asked_paths what_is_asked(platform::survey& all, std::vector<player> const& players,
                          std::vector<cost::model_kind> const& models);

}  // namespace skel
