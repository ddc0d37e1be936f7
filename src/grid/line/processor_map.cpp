#include "processor_map.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/near_name.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/base/split.hpp>

namespace skel {

namespace {

/// Names that are listed where a pin is to none of them.
constexpr std::size_t most_listed = 20;

}  // namespace

std::vector<int> processor_map::find_ranks(std::string const& name) const {
  for (std::size_t r = 0; r < rank_names.size(); ++r)
    if (rank_names[r] == name) return {static_cast<int>(r)};
  if (auto const processor = platform.find_host(name)) return {rank_of[*processor]};
  std::vector<int> ranks;
  for (std::size_t r = 0; r < own_names.size(); ++r)
    if (own_names[r] == name && std::ranges::find(rank_of, static_cast<int>(r)) != rank_of.end())
      ranks.push_back(static_cast<int>(r));
  return ranks;
}

std::optional<int> processor_map::find_rank(std::string const& name) const {
  auto const ranks = find_ranks(name);
  return ranks.empty() ? std::nullopt : std::optional(ranks.front());
}

std::vector<std::string> processor_map::names() const {
  std::vector<std::string> all = own_names;
  all.insert(all.end(), rank_names.begin(), rank_names.end());
  std::set<std::string> met;
  std::erase_if(all, [&](std::string const& name) { return !met.insert(name).second; });
  return all;
}

std::vector<std::string> processor_map::notes_of_others() const {
  std::vector<std::string> notes;
  for (std::size_t d = 0; d < others.size(); ++d) {
    auto const there = std::ranges::find(domain_of, d);
    if (there == domain_of.end()) continue;
    auto const rank = static_cast<std::size_t>(rank_of[static_cast<std::size_t>(there - domain_of.begin())]);
    std::string const host = others.size() == 1                                    ? ""
                             : rank < own_names.size() && !own_names[rank].empty() ? own_names[rank]
                                                                                   : rank_names[rank];
    auto note = describe(others[d], static_cast<double>(cores[d]), host);
    // Ranks of a host that are bound to cores of their own have the same.
    if (!note.empty() && std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
  }
  return notes;
}

bool spreads(runtime::station const& s) {
  return s.replicable || s.copies != nullptr;
}

void check_hosts(runtime::program const& line, processor_map const& processors) {
  for (auto const& station : line.stations) {
    auto const& at = station.notes.at;
    auto const stage = "stage '" + station.notes.name + "'";
    for (auto const& name : at) {
      if (processors.find_rank(name)) continue;
      auto const known = processors.names();
      std::span const listed(known.begin(), std::min(known.size(), most_listed));
      throw error(stage + " is pinned to " + in_quotes(name) + ", which is no host of this run; there are " +
                  joined(listed) + (listed.size() < known.size() ? ", ..." : "") + did_you_mean(name, known));
    }
    if (at.size() > 1 && !spreads(station))
      throw error(stage + " is pinned to " + std::to_string(at.size()) +
                  " hosts and has one worker: pin it to one of them, or make it a farm");
  }
}

processor_map processors_of(platform::description const& ranks, std::size_t rank_count, double unit,
                            rank_cores const* dealt, std::vector<std::string> const& wanted,
                            std::vector<std::string> own_names) {
  if (ranks.host_count() != rank_count)
    throw error("the platform has " + counted(ranks.host_count(), "host") + " but the program runs on " +
                counted(rank_count, "rank") +
                ": host i is rank i, so start as many ranks as there are hosts, or leave the "
                "platform out to have it probed");
  std::size_t all = 0;  // each rank has max_cores at most: the sum is a number
  for (std::size_t r = 0; r < rank_count; ++r) all += dealt == nullptr ? ranks.cores(r) : dealt->own[r];
  if (all > platform::description::max_hosts)
    throw error("the " + counted(rank_count, "rank") + " have " + std::to_string(all) +
                " cores together, and each is planned for as a host of its own, of which a platform has " +
                std::to_string(platform::description::max_hosts) + " at most: say fewer \"cores\" in the platform");
  processor_map out;
  out.own_names = std::move(own_names);
  std::vector<platform::cluster> clusters;
  std::vector<std::size_t> rank_of_cluster;
  std::vector<platform::cluster_link> links;
  for (std::size_t r = 0; r < rank_count; ++r) {
    out.rank_names.push_back(ranks.host_name(r));
    std::size_t cores = dealt == nullptr ? std::max<std::size_t>(1, ranks.cores(r)) : dealt->own[r];
    bool const is_wanted = std::find(wanted.begin(), wanted.end(), out.rank_names.back()) != wanted.end();
    if (cores == 0 && (r == 0 || is_wanted)) cores = 1;
    if (cores == 0) continue;
    platform::cluster c;
    c.name = ranks.host_name(r);
    c.hosts = cores;
    c.speed = ranks.speed(r) / unit;
    c.inside = ranks.path(r, r);
    c.local_latency = ranks.path(r, r).latency;
    clusters.push_back(c);
    rank_of_cluster.push_back(r);
    if (dealt == nullptr) out.cores.push_back(cores);
    out.rank_of.insert(out.rank_of.end(), cores, static_cast<int>(r));
    out.domain_of.insert(out.domain_of.end(), cores, dealt == nullptr ? out.cores.size() - 1 : dealt->domain[r]);
  }
  if (dealt != nullptr) out.cores = dealt->cores;
  for (std::size_t from = 0; from < clusters.size(); ++from)
    for (std::size_t to = 0; to < clusters.size(); ++to) {
      std::size_t const a = rank_of_cluster[from], b = rank_of_cluster[to];
      if (from == to || !ranks.connected(a, b)) continue;
      platform::cluster_link l;
      l.from = from;
      l.to = to;
      l.path = ranks.path(a, b);
      links.push_back(l);
    }
  out.platform = platform::description(ranks.local_latency(), std::move(clusters), std::move(links));
  return out;
}

}  // namespace skel
