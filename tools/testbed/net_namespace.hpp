#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "descriptor.hpp"

namespace skel::testbed {

/// Named network namespaces, as `ip netns` has them: files in /run/netns that hold one each.
///
/// Makes one, lets `inside` run in it, and returns to the namespace that the caller was in. The calling thread alone
/// changes its namespace. Throws skel::error where there is one of this name, or the system refuses.
template <class Inside>
void make_net_namespace(std::string const& name, Inside inside);

/// The names that begin with `prefix`.
std::vector<std::string> net_namespaces(std::string const& prefix);

/// Removes one; processes in it keep it alive until they end. What is not there is left alone.
void remove_net_namespace(std::string const& name);

/// The calling process enters one. Throws skel::error where there is none.
void enter_net_namespace(std::string const& name);

/// A network device of the calling thread's namespace whose packets this process reads and writes, one at a time
/// (TUN): with an address, up, and everybody in `prefix_bits` behind it. The loopback device comes up too. Packets have
/// a virtio_net_hdr (packet_header bytes) before them, so that the system hands over segments of TCP that belong
/// together as one. The device goes with the file.
descriptor open_device(std::uint32_t address, unsigned prefix_bits, unsigned mtu);

/// What stands before each packet that is read from a device, or written to it [B].
inline constexpr std::size_t packet_header = 10;

/// Lets TCP connections of the calling thread's namespace have as much under way as the protocol can say, 1 GiB (RFC
/// 7323), so that a long fast way is limited by itself and not by a host's buffers.
void allow_long_ways();

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
