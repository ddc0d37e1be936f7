#include "grid/simgrid_platform.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include <skel/detail/base/error.hpp>

namespace bench {
namespace {

using skel::platform::cluster;
using skel::platform::cluster_link;
using skel::platform::description;

/// SimGrid wants a number for every bandwidth; more than any memory has counts as unlimited.
double finite(double bandwidth) {
  return std::min(bandwidth, 1e15);
}

void check_links(description const& machine) {
  auto const& clusters = machine.clusters();
  std::size_t const n = clusters.size();
  std::vector<bool> linked(n * n, false);
  for (cluster_link const& l : machine.links()) linked[l.from * n + l.to] = true;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b)
      if (a != b && !linked[a * n + b])
        throw skel::error(fmt::format(
            "no link from '{}' to '{}'; the simulator needs a path between all hosts: add it to the platform file",
            clusters[a].name, clusters[b].name));
}

}  // namespace

std::string simgrid_platform(description const& machine) {
  check_links(machine);
  auto const& clusters = machine.clusters();
  std::string out =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\">\n<zone id=\"grid\" routing=\"Full\">\n";
  std::size_t first = 0;
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    cluster const& c = clusters[i];
    out += fmt::format(
        "<cluster id=\"zone{0}\" prefix=\"h\" radical=\"{1}-{2}\" suffix=\"\" speed=\"{3}Gf\" bw=\"{4}Bps\" "
        "lat=\"{5}s\" router_id=\"router{0}\"/>\n",
        i, first, first + c.hosts - 1, c.speed, finite(c.inside.bandwidth), c.inside.latency / 2);
    first += c.hosts;
  }
  std::string routes;
  for (cluster_link const& l : machine.links()) {
    cluster const &from = clusters[l.from], &to = clusters[l.to];
    double const rest = l.path.latency - (from.inside.latency + to.inside.latency) / 2;
    if (rest < 0)
      throw skel::error(fmt::format(
          "the link from '{}' to '{}' has a latency of {:g} s, less than half of what both have inside; the simulator "
          "cannot have that: give the link {:g} s or more",
          from.name, to.name, l.path.latency, (from.inside.latency + to.inside.latency) / 2));
    out += fmt::format("<link id=\"link{}-{}\" bandwidth=\"{}Bps\" latency=\"{}s\"/>\n", l.from, l.to,
                       finite(l.path.bandwidth), rest);
    routes += fmt::format(
        "<zoneRoute src=\"zone{0}\" dst=\"zone{1}\" gw_src=\"router{0}\" gw_dst=\"router{1}\" symmetrical=\"NO\">"
        "<link_ctn id=\"link{0}-{1}\"/></zoneRoute>\n",
        l.from, l.to);
  }
  return out + routes + "</zone>\n</platform>\n";
}

std::string simgrid_hosts(description const& machine) {
  std::string out;
  for (std::size_t host = 0; host < machine.host_count(); ++host) out += fmt::format("h{}\n", host);
  return out;
}

}  // namespace bench
