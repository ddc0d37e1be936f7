#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <skel/detail/platform/description.hpp>

namespace skel::testbed {

/// The most hosts of a testbed. Its switch keeps a file open for each, and Linux by default allows a process 1024 of
/// them.
inline constexpr std::size_t most_hosts = 1000;

/// An emulated host.
struct host {
  std::string name;
  std::size_t cluster = 0;    ///< index in the description
  std::uint32_t address = 0;  ///< of IPv4, as a number: 10.77.0.1 and on
  double share = 1;           ///< of a core of this machine, for each of its cores
  std::size_t cores = 1;
};

/// The network of all addresses of a testbed: 10.77.0.0/16. No packet of it leaves the testbed.
inline constexpr std::uint32_t first_address = (10U << 24U) | (77U << 16U);
inline constexpr unsigned prefix_bits = 16;

/// The way of messages from one host to another: the latency of the two, and a channel that they may have alone.
struct way {
  double latency = 0;       ///< [s]
  std::size_t channel = 0;  ///< or no_channel
};
inline constexpr std::size_t no_channel = static_cast<std::size_t>(-1);

/// Carries one packet after the other.
struct channel {
  double bandwidth = 0;  ///< [B/s], > 0
  bool shared = false;   ///< by all hosts of two clusters; otherwise it is of one host to one other
};

/// The hosts of a platform and the ways between them.
struct network {
  std::vector<host> hosts;
  std::vector<way> ways;  ///< of each ordered pair: [from * hosts + to]; those of a host to itself are not used
  std::vector<channel> channels;

  way const& between(std::size_t from, std::size_t to) const { return ways[from * hosts.size() + to]; }
};

/// The hosts and ways of a description. The fastest host has the share `fastest` of a core for each of its cores,
/// others in proportion to their speed. A link with "x_shared": true is one channel for all hosts of the two clusters,
/// in each direction. Otherwise each two hosts have their own channel, as in one cluster. O(hosts^2). Throws
/// skel::input_error (`source`) for an impossible name of a host (letters, digits, dots and dashes), too many hosts, or
/// "x_shared" other than true and false.
network make_network(platform::description const& machine, double fastest, std::string const& source);

/// "10.77.0.1".
std::string address_text(std::uint32_t address);

}  // namespace skel::testbed
