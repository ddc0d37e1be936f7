#include "hosts.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/shown.hpp>

namespace skel::testbed {
namespace {

/// The longest name of a host in Linux (__NEW_UTS_LEN).
constexpr std::size_t longest_host_name = 64;

bool can_be_a_host(std::string const& name) {
  auto const letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  return name.size() <= longest_host_name && letter(name.front()) && letter(name.back()) && name != "localhost" &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || c == '-' || c == '.'; });
}

bool is_shared(platform::cluster_link const& link, std::string const& where, std::string const& source) {
  auto const found = link.parameters.find("x_shared");
  if (found == link.parameters.end() || found->second == "false") return false;
  if (found->second != "true")
    throw input_error(source, where + ".x_shared", "is " + found->second + "; true or false is wanted");
  return true;
}

}  // namespace

network make_network(platform::description const& machine, double fastest, std::string const& source) {
  std::size_t const n = machine.host_count();
  if (n > most_hosts)
    throw input_error(source, "clusters",
                      "have " + std::to_string(n) + " hosts; at most " + std::to_string(most_hosts) +
                          " can be emulated on one machine");
  network made;
  double top = 0;
  for (platform::cluster const& c : machine.clusters()) top = std::max(top, c.speed);
  for (std::size_t i = 0; i < n; ++i) {
    std::string const name = machine.host_name(i);
    if (!can_be_a_host(name))
      throw input_error(source, "clusters[" + std::to_string(machine.cluster_of(i)) + "].name",
                        in_quotes(name) +
                            " cannot be the name of a host; letters, digits, dots and dashes can, at most " +
                            std::to_string(longest_host_name));
    made.hosts.push_back({.name = name,
                          .cluster = machine.cluster_of(i),
                          .address = first_address + 1 + static_cast<std::uint32_t>(i),
                          .share = fastest * machine.speed(i) / top,
                          .cores = machine.cores(i)});
  }
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> shared;  // clusters to channel
  for (std::size_t k = 0; k < machine.links().size(); ++k) {
    platform::cluster_link const& link = machine.links()[k];
    if (!is_shared(link, "links[" + std::to_string(k) + "]", source)) continue;
    shared.emplace(std::pair(link.from, link.to), made.channels.size());
    made.channels.push_back({.bandwidth = link.path.bandwidth, .shared = true});
  }
  made.ways.assign(n * n, {.latency = 0, .channel = no_channel});
  for (std::size_t from = 0; from < n; ++from)
    for (std::size_t to = 0; to < n; ++to) {
      if (from == to || !machine.connected(from, to)) continue;
      platform::link const path = machine.path(from, to);
      way& one = made.ways[from * n + to];
      one.latency = path.latency;
      auto const common = shared.find({machine.cluster_of(from), machine.cluster_of(to)});
      if (common != shared.end()) {
        one.channel = common->second;
        continue;
      }
      one.channel = made.channels.size();
      made.channels.push_back({.bandwidth = path.bandwidth, .shared = false});
    }
  return made;
}

std::string address_text(std::uint32_t address) {
  std::string text;
  for (unsigned shift : {24U, 16U, 8U, 0U})
    text += (text.empty() ? "" : ".") + std::to_string((address >> shift) & 255U);
  return text;
}

}  // namespace skel::testbed
