#include "emulation.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/near_name.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/base/split.hpp>

#include "cpu_groups.hpp"

namespace skel::testbed {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// A value that must be there and be good.
double number(json const& request, char const* key, bool (*good)(double), char const* wanted) {
  double const value = request.at(key).get<double>();
  if (!std::isfinite(value) || !good(value))
    throw input_error(std::string("--") + key, "", "is " + shown(value) + "; " + wanted);
  return value;
}

}  // namespace

ordered_json emulation::answer(json const& request) {
  try {
    std::string const what = request.at("ask");
    if (what == "hosts") return {{"hosts", hosts()}};
    if (what == "show") return {{"hosts", hosts()}, {"paths", paths()}};
    if (what == "set") return {{"changed", request.contains("share") ? set_share(request) : set_path(request)}};
    throw input_error("ask", "", in_quotes(what) + " is nothing that can be asked");
  } catch (input_error const& problem) {
    return {{"error", {{"option", problem.source()}, {"reason", problem.reason()}}}};
  } catch (std::exception const& problem) {
    return {{"error", {{"option", ""}, {"reason", problem.what()}}}};
  }
}

/// The hosts of a name: the host itself, or all of a cluster.
std::vector<std::size_t> emulation::hosts_of(std::string const& name) const {
  if (auto const host = machine_.find_host(name)) return {*host};
  std::vector<std::size_t> found;
  if (auto const cluster = machine_.find_cluster(name))
    for (std::size_t host = 0; host < machine_.host_count(); ++host)
      if (machine_.cluster_of(host) == *cluster) found.push_back(host);
  if (!found.empty()) return found;
  std::vector<std::string> known = machine_.host_names(), clusters;
  for (platform::cluster const& c : machine_.clusters()) known.push_back(c.name), clusters.push_back(c.name);
  std::string const hint = did_you_mean(name, known);
  throw input_error("NAME", "",
                    in_quotes(name) + " is neither a host nor a cluster of the testbed" +
                        (hint.empty() ? "; its clusters are " + joined(clusters) : hint));
}

ordered_json emulation::hosts() const {
  ordered_json all = ordered_json::array();
  for (host const& one : queue_.wires().hosts)
    all.push_back({{"name", one.name},
                   {"cluster", machine_.clusters()[one.cluster].name},
                   {"address", address_text(one.address)},
                   {"share", one.share},
                   {"cores", one.cores}});
  return all;
}

ordered_json emulation::paths() const {
  ordered_json all = ordered_json::array();
  network const& wires = queue_.wires();
  auto const limited = [](double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(); };
  for (std::size_t from = 0; from < wires.hosts.size(); ++from)
    for (std::size_t to = 0; to < wires.hosts.size(); ++to) {
      way const& path = wires.between(from, to);
      if (path.channel == no_channel) continue;
      channel const& line = wires.channels[path.channel];
      traffic const& had = queue_.of(from, to);
      all.push_back({{"from", wires.hosts[from].name},
                     {"to", wires.hosts[to].name},
                     {"latency", path.latency},
                     {"bandwidth", limited(line.bandwidth)},
                     {"shared", line.shared},
                     {"room", limited(queue_.room(path.channel))},
                     {"packets", had.packets},
                     {"bytes", had.bytes},
                     {"dropped", had.dropped}});
    }
  return all;
}

/// Fails if a change of a shared channel names only some of the pairs that share it.
void emulation::expect_whole(std::set<std::size_t> const& channels,
                             std::set<std::pair<std::size_t, std::size_t>> const& pairs) const {
  network const& wires = queue_.wires();
  auto const cluster = [&](std::size_t host) { return in_quotes(machine_.clusters()[wires.hosts[host].cluster].name); };
  for (std::size_t from = 0; from < wires.hosts.size(); ++from)
    for (std::size_t to = 0; to < wires.hosts.size(); ++to) {
      std::size_t const c = wires.between(from, to).channel;
      if (channels.contains(c) && wires.channels[c].shared && !pairs.contains({from, to}))
        throw input_error(
            "--bandwidth", "",
            "all hosts of " + cluster(from) + " and " + cluster(to) + " share one channel; name these clusters");
    }
}

std::size_t emulation::set_path(json const& request) {
  std::string const first = request.at("of").at(0), second = request.at("of").at(1);
  std::vector<std::size_t> const here = hosts_of(first), there = hosts_of(second);
  network const& wires = queue_.wires();
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t const from : here)
    for (std::size_t const to : there) {
      if (wires.between(from, to).channel != no_channel) pairs.emplace(from, to);
      if (!request.value("one_way", false) && wires.between(to, from).channel != no_channel) pairs.emplace(to, from);
    }
  if (pairs.empty())
    throw input_error("NAME", "", "there is no way from " + in_quotes(first) + " to " + in_quotes(second));
  std::optional<double> latency, bandwidth;
  std::set<std::size_t> channels;
  if (request.contains("latency"))
    latency = number(
        request, "latency", [](double l) { return l >= 0; }, "seconds are wanted, 0 or more");
  if (request.contains("bandwidth")) {
    bandwidth = number(
        request, "bandwidth", [](double b) { return b > 0; }, "bytes per second are wanted, more than 0");
    for (auto const& [from, to] : pairs) channels.insert(wires.between(from, to).channel);
    expect_whole(channels, pairs);
  }
  if (latency) queue_.set_latency({pairs.begin(), pairs.end()}, *latency);
  for (std::size_t const c : channels) queue_.set_bandwidth(c, *bandwidth);
  return pairs.size();
}

std::size_t emulation::set_share(json const& request) {
  std::vector<std::size_t> const hosts = hosts_of(request.at("of").at(0));
  double const share = number(
      request, "share", [](double s) { return s >= least_cores; }, "a part of a core is wanted, 0.001 or more");
  for (std::size_t const i : hosts) {
    host const& one = queue_.wires().hosts[i];
    limit_(one.name, share * static_cast<double>(one.cores));
    queue_.set_share(i, share);
  }
  return hosts.size();
}

}  // namespace skel::testbed
