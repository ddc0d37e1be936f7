#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <skel/detail/platform/description.hpp>
#include <skel/detail/record/superstep.hpp>

/// The price of supersteps by the BSP model: w + g h + l (Valiant 1990, Communications of the ACM 33(8):103-111), with
/// unequal hosts and paths.
namespace skel::cost::bsp {

/// Hosts that BSP processes run on, one processor each, and the costs of moving a process beside its state. Clusters
/// are its sets; the manager of a set is its first host. Every two clusters are connected in both directions.
struct machine {
  platform::description hosts;
  double fixed = 0;              ///< of one migration, whatever its state [s]
  std::vector<double> memory{};  ///< of each host, for its processes [B]; empty: no limit
  /// Of a byte that a host sends to other hosts, or gets from them [s/B]. If it is given, messages of a superstep are
  /// counted by hosts, and added to the computing time of each. That is alpha load + beta max(sent, received), the work
  /// of a rank in the load-balancing framework of DARMA. Otherwise messages are counted by hosts and paths.
  std::optional<double> beta{};
  double per_byte = 0;  ///< of the state of a migration, beside the path that it takes [s/B]

  /// Work units per second that the program gets. `external_load` as in record::superstep.
  double speed(std::size_t host, std::span<double const> external_load) const {
    return hosts.speed(host) * (external_load.empty() ? 1 : 1 - external_load[host]);
  }
};

/// Throws skel::error with the names of two clusters without a link in one of the directions. O(clusters^2).
void require_connected(platform::description const& hosts);

/// The time of a superstep, part by part [s].
struct superstep_time {
  double computation = 0;    ///< w: the slowest host
  double communication = 0;  ///< g h: the host with the longest messages; with beta, those of the slowest host
  double barrier = 0;        ///< l

  double seconds() const { return computation + communication + barrier; }
};

/// Time of each host for the work of its processes, which share it [s]. O(processes + hosts).
std::vector<double> host_times(machine const& grid, record::superstep const& step);
/// The same for other work of the processes where they are.
std::vector<double> host_times(machine const& grid, record::superstep const& step, std::span<double const> work);

/// End of each process's work [s], 0 if it has none. Processes of a host share it equally, so p waits for the sum over
/// processes q of the host of min(work of q, work of p) / speed. O(processes log processes).
std::vector<double> process_times(machine const& grid, record::superstep const& step);

/// Messages from one host to another in a superstep: together, as ranks send them for their processes.
struct messages_together {
  double bytes = 0;
  std::size_t messages = 0;

  double time(platform::link const& path) const { return messages == 0 ? 0 : path.time(std::max(0.0, bytes)); }
};

/// Time of each host's messages [s]: those that its processes send, or those that they get if these take longer.
/// Messages between the same two hosts go together, those with others one after the other. O(hosts + messages).
std::vector<double> message_times(machine const& grid, std::span<record::bsp_message const> messages,
                                  std::span<std::size_t const> hosts);

/// Time of each host's messages by beta, 0 without it [s]: beta max(bytes to other hosts, bytes from them). O(messages
/// + hosts).
std::vector<double> volume_times(machine const& grid, std::span<record::bsp_message const> messages,
                                 std::span<std::size_t const> hosts);

/// A barrier of all processes: trees of latencies inside sets, up and down, and a dissemination among the sets with
/// processes [s]:
///   2 max_set ceil(log2 hosts) latency + ceil(log2 sets) max latency between them. O(processes + clusters^2).
double barrier_time(machine const& grid, std::span<std::size_t const> hosts);

/// w + g h + l of a superstep; with beta, max over hosts of (w + beta volume) + l. O(processes + hosts + messages +
/// clusters^2).
superstep_time time_of(machine const& grid, record::superstep const& step);

/// Least work time of the slowest host, wherever processes are [s]:
///   max(work of all / speed of all, largest work of a process / fastest speed).
/// `speeds` of each host, as machine::speed(). O(processes + hosts). Precondition: there is a host.
double least_slowest(std::span<double const> work, std::span<double const> speeds);

/// Largest time of a host / mean - 1, over hosts that have processes. 0 where nothing is computed.
double imbalance(std::span<double const> host_times, std::span<std::size_t const> hosts);

/// A process that goes to another host with its state.
struct migration {
  std::size_t process = 0, from = 0, to = 0;
  double bytes = 0;
};

/// Time of migrations at the same barrier [s]: each takes its fixed part, its state by byte, and the path. Those from
/// the same host, or to it, go one after the other. O(migrations + hosts).
double migration_time(machine const& grid, std::span<migration const> moves);

/// Time of a rescheduling call without its migrations [s]: each process reports to the manager of its set. Managers
/// exchange the reports, and tell their processes the result. O(processes + clusters^2).
double rescheduling_time(machine const& grid, std::span<std::size_t const> hosts);

/// Report of a process at a call [B]: its number, a set, its potential of migration there and its predicted time.
inline constexpr double report_bytes = 32;

/// Of a migration, whatever its state [s]: two messages between all hosts. O(hosts + clusters^2).
double migration_messages(machine const& among);

}  // namespace skel::cost::bsp
