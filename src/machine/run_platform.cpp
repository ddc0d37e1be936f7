#include <skel/detail/machine/run_platform.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/machine/discovery.hpp>

namespace skel {
namespace {

std::string without_domain(std::string const& name) {
  // An address has dots too, and no domain.
  bool const address = name.find_first_not_of("0123456789.:abcdefABCDEF") == std::string::npos &&
                       name.find_first_of(".:") != std::string::npos;
  return address ? name : name.substr(0, name.find('.'));
}

/// HOST of HOST-rN, or the name itself.
std::string without_rank(std::string const& name) {
  std::size_t const mark = name.rfind("-r");
  bool const numbered = mark != std::string::npos && mark + 2 < name.size() &&
                        name.find_first_not_of("0123456789", mark + 2) == std::string::npos;
  return numbered ? name.substr(0, mark) : name;
}

using table = std::map<std::string, std::vector<plan::host_id>, std::less<>>;

}  // namespace

found_hosts find_hosts(platform::snapshot const& machine, std::vector<std::string> const& names) {
  table exact, shorter, by_rank;
  for (plan::host_id host = 0; host < machine.machine().host_count(); ++host) {
    std::string const name = machine.host(host).machine;
    exact[name].push_back(host);
    shorter[without_domain(name)].push_back(host);
    by_rank[without_domain(without_rank(name))].push_back(host);
  }
  found_hosts result;
  // A probe with a host per rank has kept the rank of each host on its machine.
  if (std::ranges::all_of(names, [&](std::string const& name) { return exact.contains(name); })) {
    if (auto known = machine.find_ranks(names); known.mismatch.empty()) {
      result.host_of_rank = std::move(known.host_of_rank);
      return result;
    }
  }
  std::map<std::string, std::size_t> ranks_before;
  for (std::size_t rank = 0; rank < names.size(); ++rank) {
    std::string const& name = names[rank];
    if (auto const own = exact.find(name + "-r" + std::to_string(rank)); own != exact.end()) {
      result.host_of_rank.push_back(own->second.front());
      continue;
    }
    std::vector<plan::host_id> const* places = nullptr;
    auto const look = [&](table const& where, std::string const& as) {
      if (places != nullptr) return;
      if (auto const at = where.find(as); at != where.end()) places = &at->second;
    };
    look(exact, name);
    look(shorter, without_domain(name));
    look(by_rank, without_domain(name));
    if (places != nullptr)
      result.host_of_rank.push_back((*places)[ranks_before[name]++ % places->size()]);
    else if (std::ranges::find(result.missing, name) == result.missing.end())
      result.missing.push_back(name);
  }
  if (!result.missing.empty()) result.host_of_rank.clear();
  return result;
}

run_platform measure_run(MPI_Comm among, std::vector<std::string> const& names,
                         std::vector<cost::model_kind> const& models, bool speeds) {
  discovery_options options;
  options.models = models;
  options.speeds = speeds;
  options.max_age = usual_age;
  options.time_limit = 5;
  run_platform result{.picture = (among == MPI_COMM_NULL ? discover_alone(options) : discover(among, options)).picture};
  result.host_of_rank = find_hosts(result.picture, names).host_of_rank;
  if (result.host_of_rank.empty())
    throw error(
        "the hosts of this run are not called as those that were just measured; give each host one name that "
        "lasts, or a platform by --skel-platform FILE");
  return result;
}

namespace {

/// Memory of each rank [B], infinite where it is unknown. Empty if it is unknown for all.
std::vector<double> memory_of_ranks(run_platform const& where) {
  auto const& machine = where.picture.machine();
  std::vector<std::size_t> ranks(machine.host_count());
  for (auto const host : where.host_of_rank) ++ranks[host];
  std::vector<double> memory;
  bool known = false;
  for (auto const host : where.host_of_rank) {
    double const measured = where.picture.host(host).memory,
                 bytes = machine.clusters()[machine.cluster_of(host)].memory.value_or(measured);
    known = known || bytes > 0;
    memory.push_back(bytes > 0 ? bytes / static_cast<double>(ranks[host]) : std::numeric_limits<double>::infinity());
  }
  return known ? memory : std::vector<double>();
}

/// The slower of both, in each figure.
platform::link slower(platform::link a, platform::link b) {
  return {std::max(a.latency, b.latency), std::min(a.bandwidth, b.bandwidth)};
}

/// The slowest path from the first rank of `from` to all of `to`, and from all of `from` to the first of `to`. If there
/// are two hosts, one of these pairs is on both. Nothing if no pair is connected. O(ranks).
std::optional<platform::link> slowest_path(platform::description const& of_ranks, std::vector<std::size_t> const& from,
                                           std::vector<std::size_t> const& to) {
  std::optional<platform::link> out;
  auto const add = [&](std::size_t a, std::size_t b) {
    if (a == b || !of_ranks.connected(a, b)) return;
    auto const path = of_ranks.path(a, b);
    out = out ? slower(*out, path) : path;
  };
  for (auto const r : to) add(from.front(), r);
  for (auto const r : from) add(r, to.front());
  return out;
}

/// Sets of ranks, `members`, as a machine of clusters, with the paths of of_ranks. O(ranks sets).
platform::description connected(platform::description const& of_ranks, std::vector<platform::cluster> sets,
                                std::vector<std::vector<std::size_t>> const& members) {
  std::vector<platform::cluster_link> links;
  for (std::size_t a = 0; a < members.size(); ++a) {
    if (auto const path = slowest_path(of_ranks, members[a], members[a])) sets[a].inside = *path;
    for (std::size_t b = 0; b < members.size(); ++b) {
      if (a == b) continue;
      if (auto const path = slowest_path(of_ranks, members[a], members[b])) links.push_back({a, b, *path, {}});
    }
  }
  return {of_ranks.local_latency(), std::move(sets), std::move(links)};
}

}  // namespace

machine_of_ranks make_machine_of_ranks(run_platform const& where, platform::description const& of_ranks,
                                       std::vector<std::size_t> const& threads, rank_sets by) {
  SKEL_EXPECTS(threads.size() == where.host_of_rank.size() && of_ranks.host_count() == threads.size());
  auto const& machine = where.picture.machine();
  auto const speed = [&](std::size_t r) { return of_ranks.speed(r) * static_cast<double>(threads[r]); };
  std::map<std::pair<std::size_t, double>, std::vector<std::size_t>> sets;  // ranks, by cluster and speed
  for (std::size_t r = 0; r < threads.size(); ++r)
    sets[{machine.cluster_of(where.host_of_rank[r]), by == rank_sets::equally_fast ? speed(r) : 0}].push_back(r);
  std::vector<platform::cluster> clusters;
  std::vector<std::vector<std::size_t>> members;  // ranks of each set
  machine_of_ranks out;
  out.threads = threads;
  out.host_of_rank.resize(threads.size());
  for (auto const& [key, ranks] : sets) {
    platform::cluster one{.name = of_ranks.host_name(ranks.front()), .hosts = ranks.size()};
    if (ranks.size() > 1) one.name += " to " + of_ranks.host_name(ranks.back());
    std::vector<double> speeds;
    for (auto const r : ranks) speeds.push_back(speed(r));
    one.speed = by == rank_sets::equally_fast ? key.second : statistics::median(std::move(speeds));
    if (by == rank_sets::clusters) one.uplink = machine.clusters()[key.first].uplink;
    clusters.push_back(std::move(one));
    members.push_back(ranks);
    for (auto const r : ranks) {
      out.host_of_rank[r] = out.rank_of_host.size();
      out.rank_of_host.push_back(static_cast<int>(r));
    }
  }
  out.hosts = connected(of_ranks, std::move(clusters), members);
  if (auto const memory = memory_of_ranks(where); !memory.empty())
    for (int const r : out.rank_of_host) out.memory.push_back(memory[static_cast<std::size_t>(r)]);
  return out;
}

machine_of_ranks with_paths(machine_of_ranks machine, platform::description const& of_ranks) {
  auto sets = machine.hosts.clusters();
  std::vector<std::vector<std::size_t>> members;
  for (std::size_t host = 0; auto const& one : sets) {
    auto& own = members.emplace_back();
    for (std::size_t k = 0; k < one.hosts; ++k) own.push_back(static_cast<std::size_t>(machine.rank_of_host[host++]));
  }
  machine.hosts = connected(of_ranks, std::move(sets), members);
  return machine;
}

}  // namespace skel
