#include <skel/detail/platform/discovered.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <nlohmann/json.hpp>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/platform/measured.hpp>

namespace skel::platform {
namespace {

using ordered = nlohmann::ordered_json;

template <class Value>
std::vector<double> of_hosts(discovered const& run, found_cluster const& group, Value&& value) {
  std::vector<double> all;
  for (std::size_t host : group.hosts) all.push_back(static_cast<double>(value(run.hosts[host])));
  return all;
}

void write_path(discovered const& run, path_measurement const& path, parameter_blocks& blocks, ordered measured) {
  for (auto const& [key, text] : path.models) blocks[key] = text;
  if (path.probes > 0) {
    measured["between"] = {run.hosts[path.between.first].name, run.hosts[path.between.second].name};
    measured["latency_spread"] = path.latency_spread;
    measured["doubt"] = path.doubt;
    measured["probes"] = path.probes;
    for (auto const& [model, residual] : path.residuals) measured["residuals"][model] = residual;
  }
  if (!measured.empty()) blocks["measured"] = measured.dump();
}

/// Names of clusters such that no two hosts have one name: a cluster NAME of several hosts has NAME-0, NAME-1, ...
std::vector<std::string> distinct_names(std::vector<found_cluster> const& clusters) {
  std::set<std::string> taken;
  std::vector<std::string> names(clusters.size());
  for (std::size_t c = 0; c < clusters.size(); ++c)  // a host alone keeps its name
    if (clusters[c].hosts.size() == 1) taken.insert(names[c] = clusters[c].name);
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    if (clusters[c].hosts.size() == 1) continue;
    auto const free = [&](std::string const& name) {
      if (taken.contains(name)) return false;
      for (std::size_t h = 0; h < clusters[c].hosts.size(); ++h)
        if (taken.contains(name + "-" + std::to_string(h))) return false;
      return true;
    };
    names[c] = clusters[c].name;
    for (std::size_t k = 0; !free(names[c]); ++k)
      names[c] = clusters[c].name + "-cluster" + (k == 0 ? "" : std::to_string(k + 1));
    taken.insert(names[c]);
    for (std::size_t h = 0; h < clusters[c].hosts.size(); ++h) taken.insert(names[c] + "-" + std::to_string(h));
  }
  return names;
}

ordered measured_block(parameter_blocks const& blocks, std::string const& where) {
  auto const found = blocks.find("measured");
  if (found == blocks.end()) return {};
  try {
    return ordered::parse(found->second);
  } catch (ordered::exception const& problem) {
    throw input_error("platform", where + ".measured", problem.what());
  }
}

std::string listed(std::set<std::string> const& names) {
  constexpr std::size_t most = 4;
  std::string text;
  std::size_t shown = 0;
  for (std::string const& name : names) {
    if (shown++ == most) return text + " and " + std::to_string(names.size() - most) + " more";
    text += (text.empty() ? "'" : ", '") + name + "'";
  }
  return text;
}

}  // namespace

double doubt_of(discovered const& run) {
  std::vector<double> paths;
  for (found_cluster const& one : run.clusters)
    if (one.hosts.size() > 1) paths.push_back(one.inside.doubt);
  for (found_link const& one : run.links) paths.push_back(one.measured.doubt);
  return doubt_of(run.hosts, paths);
}

description describe(discovered const& run) {
  std::vector<std::string> const names = distinct_names(run.clusters);
  std::vector<cluster> clusters;
  for (std::size_t c = 0; c < run.clusters.size(); ++c) {
    found_cluster const& found = run.clusters[c];
    auto const speeds = of_hosts(run, found, [](auto const& h) { return h.speed; });
    auto const cores = of_hosts(run, found, [](auto const& h) { return h.cores; });
    cluster entry{.name = names[c], .hosts = found.hosts.size(), .speed = statistics::median(speeds)};
    entry.cores = static_cast<std::size_t>(*std::min_element(cores.begin(), cores.end()));
    entry.local_latency = statistics::median(of_hosts(run, found, [](auto const& h) { return h.hand_over; }));
    host_measurement const& first = run.hosts[found.hosts.front()];
    if (found.hosts.size() > 1)
      entry.inside = found.inside.path;
    else if (first.copying > 0)
      entry.inside = {.latency = first.hand_over, .bandwidth = first.copying / 2};
    ordered measured = {{"hosts", ordered::array()}};
    for (std::size_t host : found.hosts) {
      host_measurement const& one = run.hosts[host];
      measured["hosts"].push_back({{"name", one.name},
                                   {"speed", one.speed},
                                   {"speed_spread", one.speed_spread},
                                   {"doubt", doubt_of(one)},
                                   {"cores", one.cores},
                                   {"memory", one.memory}});
      if (run.rank_of_host.empty()) continue;
      std::size_t const rank = run.rank_of_host[host];
      measured["hosts"].back()["machine"] = run.host_of_rank[rank];
      measured["hosts"].back()["rank"] = rank;
    }
    write_path(run, found.inside, entry.parameters, std::move(measured));
    if (!found.site.empty()) entry.parameters["x_site"] = ordered(found.site).dump();
    clusters.push_back(std::move(entry));
  }
  std::vector<cluster_link> links;
  for (found_link const& found : run.links) {
    cluster_link entry{.from = found.from, .to = found.to, .path = found.measured.path};
    write_path(run, found.measured, entry.parameters, ordered::object());
    links.push_back(std::move(entry));
  }
  ordered const block = {{"date", run.date},
                         {"seconds", run.seconds},
                         {"hosts", run.hosts.size()},
                         {"doubt", doubt_of(run)},
                         {"probes", run.probes},
                         {"rounds", run.rounds},
                         {"latency_spread", run.latency_spread},
                         {"tolerance", run.tolerance},
                         {"models", run.models},
                         {"host_of_rank", run.host_of_rank}};
  return description(0, std::move(clusters), std::move(links), {{"measured", block.dump()}},
                     origin{.source = "probe", .links = {}});
}

bool is_measured(description const& machine) {
  return machine.parameters().contains("measured") ||
         std::any_of(machine.clusters().begin(), machine.clusters().end(),
                     [](cluster const& c) { return c.parameters.contains("measured"); });
}

bool is_discovered_for(description const& machine, std::vector<std::string> const& models, double tolerance,
                       std::size_t hosts) {
  ordered const block = measured_block(machine.parameters(), "");
  return block.is_object() && machine.host_count() == hosts && block.value("models", ordered()) == ordered(models) &&
         block.value("tolerance", ordered()) == ordered(tolerance);
}

namespace {

/// The machine behind a host, and where several hosts are on it, which of its ranks it was.
struct machine_place {
  std::string name;
  std::size_t rank = 0;
};

std::vector<machine_place> machine_places(description const& machine) {
  std::vector<machine_place> places;
  for (std::string const& name : machine.host_names()) places.push_back({name, places.size()});
  std::size_t host = 0;
  for (std::size_t c = 0; c < machine.clusters().size(); host += machine.clusters()[c].hosts, ++c) {
    std::string const where = "clusters[" + std::to_string(c) + "]";
    ordered const block = measured_block(machine.clusters()[c].parameters, where);
    try {
      if (block.contains("hosts")) {
        if (block["hosts"].size() != machine.clusters()[c].hosts)
          throw input_error("platform", where + ".measured.hosts",
                            "names " + std::to_string(block["hosts"].size()) + " hosts of " +
                                std::to_string(machine.clusters()[c].hosts));
        for (std::size_t i = 0; i < block["hosts"].size(); ++i) {
          ordered const& one = block["hosts"][i];
          places[host + i].name = one.at(one.contains("machine") ? "machine" : "name").get<std::string>();
          places[host + i].rank = one.value("rank", host + i);
        }
      } else if (block.contains("host") && machine.clusters()[c].hosts == 1) {
        places[host].name = block["host"].get<std::string>();
      }
    } catch (ordered::exception const& problem) {
      throw input_error("platform", where + ".measured", problem.what());
    }
  }
  return places;
}

}  // namespace

std::vector<std::string> machine_names(description const& machine) {
  std::vector<std::string> names;
  for (machine_place& place : machine_places(machine)) names.push_back(std::move(place.name));
  return names;
}

rank_hosts find_ranks(description const& machine, std::vector<std::string> const& host_of_rank) {
  std::map<std::string, std::vector<std::size_t>> hosts_called;
  auto const places = machine_places(machine);
  for (std::size_t host = 0; host < places.size(); ++host) hosts_called[places[host].name].push_back(host);
  for (auto& [name, hosts] : hosts_called)
    std::sort(hosts.begin(), hosts.end(),
              [&](std::size_t a, std::size_t b) { return places[a].rank < places[b].rank; });
  std::set<std::string> unknown, crowded;
  std::map<std::string, std::size_t> met;
  rank_hosts result;
  for (std::string const& name : host_of_rank) {
    auto const found = hosts_called.find(name);
    if (found == hosts_called.end()) {
      unknown.insert(name);
      continue;
    }
    auto const& hosts = found->second;
    std::size_t const turn = met[name]++;
    if (hosts.size() > 1 && turn >= hosts.size())
      crowded.insert(name);
    else
      result.host_of_rank.push_back(hosts[hosts.size() == 1 ? 0 : turn]);
  }
  if (unknown.empty() && crowded.empty()) return result;
  result.host_of_rank.clear();
  if (is_measured(machine)) {
    ordered const block = measured_block(machine.parameters(), "");
    std::string const date =
        block.contains("date") && block["date"].is_string() ? block["date"].get<std::string>() : "";
    result.mismatch = "the platform was measured " + (date.empty() ? "" : date + " ") +
                      (unknown.empty() ? "with fewer ranks on " + listed(crowded)
                                       : "on other hosts: it does not have " + listed(unknown));
    return result;
  }
  if (machine.host_count() == host_of_rank.size()) {
    result.host_of_rank.resize(host_of_rank.size());
    std::iota(result.host_of_rank.begin(), result.host_of_rank.end(), std::size_t{0});
    return result;
  }
  result.mismatch = "the platform has " + std::to_string(machine.host_count()) + " hosts but the program runs on " +
                    std::to_string(host_of_rank.size()) +
                    " ranks: host i is rank i, so start as many ranks as there are hosts, or leave the "
                    "platform out to have it probed";
  return result;
}

description for_ranks(description const& machine, std::vector<std::size_t> const& host_of_rank) {
  std::vector<std::size_t> sharing(machine.host_count()), met(machine.host_count());
  bool in_order = host_of_rank.size() == machine.host_count() && machine.clusters().size() == machine.host_count();
  for (std::size_t rank = 0; rank < host_of_rank.size(); ++rank) {
    SKEL_EXPECTS(host_of_rank[rank] < machine.host_count());
    ++sharing[host_of_rank[rank]];
    in_order = in_order && host_of_rank[rank] == rank;
  }
  if (in_order) return machine;
  std::vector<cluster> clusters;
  std::vector<cluster_link> links;
  for (std::size_t rank = 0; rank < host_of_rank.size(); ++rank) {
    std::size_t const host = host_of_rank[rank], cores = machine.cores(host), ranks = sharing[host];
    cluster entry{.name = machine.host_name(host) + (ranks > 1 ? "-r" + std::to_string(rank) : "")};
    entry.cores = std::max<std::size_t>(1, cores / ranks);
    entry.speed = machine.speed(host);
    entry.local_latency = machine.path(host, host).latency;
    clusters.push_back(std::move(entry));
    for (std::size_t other = 0; other < host_of_rank.size(); ++other)
      if (other != rank && machine.connected(host, host_of_rank[other]))
        links.push_back({.from = rank, .to = other, .path = machine.path(host, host_of_rank[other])});
  }
  return description(machine.local_latency(), std::move(clusters), std::move(links), machine.parameters());
}

}  // namespace skel::platform
