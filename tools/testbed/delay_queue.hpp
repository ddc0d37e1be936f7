#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "hosts.hpp"

namespace skel::testbed {

/// A moment, counted from any beginning.
using moment = std::chrono::nanoseconds;

/// Traffic of a pair of hosts.
struct traffic {
  std::uint64_t packets = 0, bytes = 0;  ///< accepted
  std::uint64_t dropped = 0;             ///< packets for which there was no room
};

/// The packets under way between the hosts of a network, and their times of arrival. It reads no clock and knows no
/// sockets.
///
/// A packet of m bytes that comes at time t waits until its channel has sent those before it. It takes m / bandwidth to
/// enter the channel, and arrives a latency later: channel.free = max(t, channel.free) + m / bandwidth, arrival =
/// channel.free + latency. Packets of one pair arrive in the order of coming, even if the latency falls in between.
///
/// A channel holds as many bytes as it sends in a round trip, but at least least_room. Routers are given this
/// bandwidth-delay product so that one TCP connection keeps them busy (Villamizar and Song 1994, ACM SIGCOMM CCR
/// 24(5):45-60). A packet without room is dropped, as by a router with one queue (tail drop).
class delay_queue {
 public:
  /// The largest packet of IPv4 [B].
  static constexpr std::size_t largest_packet = 65535;
  /// Four of the largest packets: a lost one, and three behind it by which TCP notices the loss (RFC 5681, fast
  /// retransmit). More would hide a slow channel behind a long queue.
  static constexpr double least_room = 4.0 * largest_packet;

  struct packet {
    moment due{};
    std::uint64_t number = 0;  ///< in the order of coming
    std::size_t from = 0, to = 0;
    std::vector<std::byte> bytes;
  };

  explicit delay_queue(network wires);

  /// A packet comes. `counted`: its bytes in its channel. False: it was dropped, because there is no way or no room.
  /// O(log packets under way).
  bool offer(moment now, std::size_t from, std::size_t to, std::vector<std::byte> bytes, std::size_t counted);

  /// Time of the next arrival, or nothing if no packet is under way. O(1).
  std::optional<moment> next() const;

  /// The next packet that has arrived by now, or nothing. O(log packets under way).
  std::optional<packet> take(moment now);

  /// For packets that come from now on; those under way keep their times. Precondition: there is a way between each of
  /// these pairs (from, to). O(pairs), and O(hosts^2) for each shared channel of theirs.
  void set_latency(std::vector<std::pair<std::size_t, std::size_t>> const& pairs, double seconds);
  void set_bandwidth(std::size_t channel, double bytes_per_second);
  void set_share(std::size_t host, double share) { wires_.hosts[host].share = share; }

  network const& wires() const { return wires_; }
  traffic const& of(std::size_t from, std::size_t to) const { return traffic_[from * wires_.hosts.size() + to]; }
  /// Bytes that may wait in a channel, with those being sent; infinite if its bandwidth is.
  double room(std::size_t channel) const { return states_[channel].room; }
  std::size_t under_way() const { return heap_.size(); }

 private:
  struct channel_state {
    moment free{};             // when it has sent all its packets
    double round_trip = 0;     // the longest of its pairs [s]
    double room = least_room;  // [B]
  };

  double round_trip(std::size_t pair) const;
  void find_room(std::size_t channel);
  void find_round_trip(std::size_t channel);

  network wires_;
  std::vector<channel_state> states_;
  std::vector<moment> last_due_;  // of each pair
  std::vector<traffic> traffic_;  // of each pair
  std::vector<packet> heap_;      // the next one due in front
  std::uint64_t packets_ = 0;
};

}  // namespace skel::testbed
