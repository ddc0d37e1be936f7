#include "run_hosts.hpp"

#include <map>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/runtime/ranks/quiet.hpp>

namespace skel {

namespace quiet = runtime::quiet;

run_hosts group_ranks(std::vector<std::string> names, std::vector<std::size_t> const& memory_of) {
  run_hosts result;
  std::map<std::string, std::size_t> seen;
  for (std::size_t rank = 0; rank < names.size(); ++rank) {
    auto const [host, is_new] = seen.emplace(names[rank], seen.size());
    if (is_new) result.leader.push_back(rank);
    result.host_of_rank.push_back(host->second);
    std::size_t const first = result.leader[host->second];
    if (!memory_of.empty() && memory_of[rank] != memory_of[first])
      throw error("two hosts are called '" + names[rank] + "': those of ranks " + std::to_string(first) + " and " +
                  std::to_string(rank) + "; give each host a name of its own (hostname NAME)");
  }
  result.names = std::move(names);
  return result;
}

run_hosts find_hosts(MPI_Comm among) {
  int rank = 0;
  MPI_Comm_rank(among, &rank);
  MPI_Comm sharing = MPI_COMM_NULL;
  MPI_Comm_split_type(among, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &sharing);
  int first = rank;
  MPI_Bcast(&first, 1, MPI_INT, 0, sharing);
  MPI_Comm_free(&sharing);
  std::vector<std::size_t> memory_of;
  for (std::string const& text : quiet::all_gather(among, std::to_string(first)))
    memory_of.push_back(number_in<std::size_t>(text).value());
  return group_ranks(quiet::all_gather(among, platform::host_name()), memory_of);
}

std::vector<platform::host_measurement> measure_hosts(MPI_Comm among, run_hosts const& hosts,
                                                      platform::host_probe_options const& options) {
  int rank = 0;
  MPI_Comm_rank(among, &rank);
  auto const me = static_cast<std::size_t>(rank);
  std::string mine;
  if (hosts.leader[hosts.host_of_rank[me]] == me) mine = platform::to_text(platform::probe_host(options));
  std::vector<std::string> const all = quiet::all_gather(among, mine);
  std::vector<platform::host_measurement> result;
  for (std::size_t host : hosts.host_of_rank) result.push_back(platform::parse_measurement(all[hosts.leader[host]]));
  return result;
}

}  // namespace skel
