#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "descriptor.hpp"

namespace skel::testbed {

/// Named network namespaces, as `ip netns` has them: files in /run/netns, one for each.
///
/// Makes one, lets `inside` run in it, and returns to the caller's namespace. Only the calling thread changes its
/// namespace. Throws skel::error if there is one of this name, or the system refuses.
template <class Inside>
void make_net_namespace(std::string const& name, Inside inside);

/// The names that begin with `prefix`.
std::vector<std::string> net_namespaces(std::string const& prefix);

/// Removes one; processes in it keep it alive until they end. Ignores a missing one.
void remove_net_namespace(std::string const& name);

/// The calling process enters one. Throws skel::error if there is none.
void enter_net_namespace(std::string const& name);

/// A network device (TUN) of the calling thread's namespace. This process reads and writes its packets, one at a time.
/// It has an address, is up, and leads to everybody in `prefix_bits`. The loopback device comes up too. A
/// virtio_net_hdr (packet_header bytes) stands before each packet, so that the system hands over joined segments of TCP
/// as one. The device goes with the file.
descriptor open_device(std::uint32_t address, unsigned prefix_bits, unsigned mtu);

/// The header before each packet that is read from a device, or written to it [B].
inline constexpr std::size_t packet_header = 10;

/// Lets TCP connections of the calling thread's namespace have as much under way as the protocol can say, 1 GiB (RFC
/// 7323). So a host's buffers do not limit a long fast way.
void allow_long_ways();

/// Lets TCP connections of the calling thread's namespace fail 13 to 25 s after a host has gone while it owed an answer,
/// instead of 15 minutes (tcp(7), tcp_retries2): keepalive does not probe a connection that repeats what it sent.
void give_up_early();
inline constexpr int most_repeats = 5;

namespace detail {
class elsewhere {  // a thread in a new namespace, until it goes
 public:
  explicit elsewhere(std::string const& name);
  ~elsewhere();
  elsewhere(elsewhere const&) = delete;
  elsewhere& operator=(elsewhere const&) = delete;

 private:
  descriptor home_;
};
}  // namespace detail

template <class Inside>
void make_net_namespace(std::string const& name, Inside inside) {
  detail::elsewhere const there(name);
  inside();
}

}  // namespace skel::testbed
