#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace skel::platform {

/// Doubt of a figure at which it is believed for the full time: half of the 95 % interval of its median, relative to
/// it.
inline constexpr double sure_enough = 0.05;

/// The figures of one host, as the process that measured it may use it.
struct host_measurement {
  std::string name{};                 ///< of the host
  std::string machine{};              ///< the machine's own name: the same, unless each rank counts as a host
  std::optional<std::size_t> rank{};  ///< that counted as this host
  double speed = 1;                   ///< work units per second of one core (see probe_host); > 0
  double speed_spread = 0;            ///< robust standard deviation of the repeats, relative to the median
  /// Doubt of the speed: half of the 95 % interval of the median, relative to it, or the load if that is more.
  double doubt = 0;
  double load = 0;          ///< part of the time in which the kernel was ready but something else had its core
  std::size_t repeats = 0;  ///< of the kernel; 0: speed and load were not measured
  std::size_t cores = 1;    ///< that the process may use at once; >= 1
  double memory = 0;        ///< [B] that the process may use
  double hand_over = 0;     ///< [s] to give one item to another stage inside a process, uncontended
  double copying = 0;       ///< [B/s] at which one core copies from memory to memory; 0: not measured
  std::string date{};       ///< UTC, "2026-11-20T21:45:00Z"
};

struct host_probe_options {
  std::size_t repeats =
      15;  ///< of the kernel, and four times as many while they scatter; 0: speed, load and copying are not measured
  double time_limit = 1;  ///< [s] after which no further repeat is started (three are always made)
};

/// Measures this host.
///
/// The work unit: a million steps of a kernel. Each step depends on the one before. It makes one 64-bit xorshift, one
/// load and one store at a random place of 1 MiB, and one multiply-add in double precision. So neither a fast clock nor
/// a wide vector unit alone counts. A stage that takes t seconds on a host of speed v has t * v work units, and takes t
/// * v / w on a host of speed w.
///
/// Speed is per second of processor time, so that other processes do not change it. If a control group grants less than
/// one processor, speed is that fraction of it. Other users of caches and memory still change it, so the kernel is
/// repeated until the median is known within `sure_enough`. Cores are those of hwloc that the process may run on, and
/// no more than the control group's quota. Takes time_limit + the time of the last repeat.
host_measurement probe_host(host_probe_options const& options = {});

/// A measurement as text for another process of the same build, and back. parse_measurement throws
/// skel::input_error (source "probe") for any other text.
std::string to_text(host_measurement const& host);
host_measurement parse_measurement(std::string const& text);

/// The cores of this host, and those that this process may run on: mpirun binds ranks to cores by default.
struct usable_cores {
  std::size_t host = 1;                 ///< cores of the host that control groups permit; >= 1
  std::vector<std::size_t> mine = {0};  ///< numbers of the cores that this process may run on, ascending; at least one
};
/// Reads them. Takes a millisecond.
usable_cores find_usable_cores();

/// Name of the host that this process runs on, printable.
std::string host_name();

/// Limits of a process by its control groups: the tightest of its group and all groups above, version 1 or 2. Absent if
/// there is no limit or it cannot be read.
struct group_limits {
  std::optional<double> processors{};  ///< processor seconds per second; > 0
  /// Number of the group with this limit, the same for all its processes on a host.
  std::optional<std::uint64_t> group{};
  std::optional<double> memory{};  ///< [B]
  double period = 0.1;             ///< after which the processors are granted anew [s]; > 0
};
group_limits read_group_limits(std::filesystem::path const& membership = "/proc/self/cgroup",
                               std::filesystem::path const& root = "/sys/fs/cgroup");

/// Number of threads of this process that can compute at once: one for each of its usable cores, and at most its
/// control group's quota, rounded up; >= 1. Takes a millisecond the first time.
std::size_t granted_cores();

/// Time in the long run of a thread that was seen to compute for c = `computing` between pauses [s]. Under a quota
/// below one processor it runs at full speed until the quota of a period is used up, and then waits for the next
/// period. For a quota q in periods of p that is max(c, min(c/q, p)). A time below q p was seen without waiting, one
/// above p with it.
double sustained_time(double computing, group_limits const& limits);

/// The limits, and how much of them the process and its groups have used. Figures that cannot be read are absent.
struct group_state {
  group_limits limits{};
  std::optional<double> throttled;  ///< [s] that a group of the process was held back, the largest of all its groups
  std::optional<double>
      memory_left;  ///< [B] to the nearest limit; memory that the system can take back from files counts as left
};
group_state read_group_state(std::filesystem::path const& membership = "/proc/self/cgroup",
                             std::filesystem::path const& root = "/sys/fs/cgroup");

namespace detail {

/// The lesser of two bounds, of which either may be absent.
inline void tighten(std::optional<double>& bound, std::optional<double> other) {
  if (other && (!bound || *other < *bound)) bound = other;
}

}  // namespace detail
}  // namespace skel::platform
