#include "host_figures.hpp"

#include <algorithm>
#include <iterator>
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

std::vector<player> find_players(run_hosts const& run, bool host_per_rank) {
  std::vector<std::size_t> sharing(run.leader.size());
  for (std::size_t machine : run.host_of_rank) ++sharing[machine];
  std::vector<player> players;
  for (std::size_t rank = 0; rank < run.names.size(); ++rank) {
    std::size_t const machine = run.host_of_rank[rank];
    bool const leads = run.leader[machine] == rank;
    if (!leads && !host_per_rank) {
      if (players[machine].partner == players[machine].rank) players[machine].partner = rank;
      continue;
    }
    bool const numbered = host_per_rank && sharing[machine] > 1;
    players.push_back(
        {run.names[rank] + (numbered ? "-r" + std::to_string(rank) : ""), rank, rank, machine, sharing[machine]});
  }
  return players;
}

std::vector<std::string> names_of(std::vector<player> const& players) {
  std::vector<std::string> names;
  std::ranges::transform(players, std::back_inserter(names), &player::name);
  return names;
}

bool lacks(platform::path_figures const& path, std::vector<cost::model_kind> const& models) {
  return path.probes == 0 || std::ranges::any_of(models, [&](cost::model_kind kind) {
           return !path.models.contains(std::string(name_of(kind)));
         });
}

asked_paths what_is_asked(platform::survey& all, std::vector<player> const& players,
                          std::vector<cost::model_kind> const& models) {
  asked_paths asked;
  for (platform::found_cluster& one : all.clusters) {
    bool const alone = one.hosts.size() == 1;
    auto const crowded =
        std::ranges::find_if(one.hosts, [&](std::size_t host) { return players[host].partner != players[host].rank; });
    if (crowded != one.hosts.end() && lacks(one.local, alone ? models : std::vector<cost::model_kind>())) {
      player const& here = players[*crowded];
      one.local.between = {*crowded, *crowded};
      asked.local.push_back({&one.local, here.rank, here.partner, static_cast<double>(here.ranks)});
    }
    auto const [a, b] = one.inside.between;
    if (!alone && lacks(one.inside, models))
      asked.inside.push_back({&one.inside, players[a].rank, players[b].rank, static_cast<double>(one.hosts.size())});
  }
  // Both ways between two clusters are asked of the same two hosts, as one measurement may do for both.
  std::map<std::pair<std::size_t, std::size_t>, std::pair<std::size_t, std::size_t>> hosts;
  for (platform::found_link& one : all.links) {
    if (!lacks(one.measured, models)) continue;
    auto& between = one.measured.between;
    auto const [there, is_first] = hosts.emplace(std::minmax(one.from, one.to), between);
    if (!is_first) between = {there->second.second, there->second.first};
    auto const nodes = static_cast<double>(all.clusters[one.from].hosts.size() + all.clusters[one.to].hosts.size());
    asked.links.push_back({&one.measured, players[between.first].rank, players[between.second].rank, nodes});
  }
  return asked;
}

}  // namespace skel
