#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace skel::platform {

/// How busy one processing unit of a host was. `number`: the system's.
struct processor_load {
  std::size_t number = 0;
  double busy = 0;  ///< part of the time, 0 to 1

  friend bool operator==(processor_load const&, processor_load const&) = default;
};

/// The resources of a host for this program lately, as one or several of its processes see them (joined()). Unknown
/// figures are absent. Cores are processing units here: two threads of one core count as two.
struct host_reading {
  double time = 0;     ///< [s] of a clock that does not go back, at the reading
  double seconds = 0;  ///< over which the rates below are means; 0: they are not known
  std::vector<processor_load>
      processors{};               ///< those that the program may use, ascending; empty: their loads are not known
  std::size_t cores = 1;          ///< that the program may use; >= 1
  std::optional<double> own{};    ///< cores that the program's processes kept busy
  std::optional<double> quota{};  ///< processor seconds per second that control groups grant, > 0; absent: no limit
  std::optional<std::uint64_t> quota_group{};  ///< number of the group with this quota (group_limits::group)
  std::optional<double> throttled{};     ///< part of the time in which a control group held the program back, 0 to 1
  std::optional<double> memory{};        ///< [B] available, also under the control group's limit
  std::optional<double> memory_total{};  ///< [B] of the host, or the control group's limit

  friend bool operator==(host_reading const&, host_reading const&) = default;
};

/// The program's cores that others keep busy, 0 to the number of cores; absent if unknown.
std::optional<double> busy_with_others(host_reading const& reading);

/// The share of a core, 0 to 1, that each of `threads` threads of this program gets beside other programs; absent if
/// nothing is known, not even a quota.
///
/// C cores, others on o of them, n threads of this program that always want to run, a quota of Q processors. Others
/// count as k = ceil(o) threads. Each of them wants a part o/k of a core, and gets no more than it wants. Cores are
/// given max-min fairly (Bertsekas and Gallager 1992, Data Networks, 2nd edition, 6.5.2), as Linux's fair scheduler
/// does for threads of equal weight:
///   share = min(1, max((C - o)/n, C/(n + k)), Q/n).
/// For one core and others that always want to run, this is the availability of Wolski, Spring and Hayes 2000
/// (Predicting the CPU availability of time-shared Unix systems, Cluster Computing 3(4):293-301).
/// Limits: o has nothing of threads of others that wait, so the share on a full host is an upper bound. Believe the
/// measured share of the program's own threads first. Threads of other weights count as equal. Precondition: threads >
/// 0.
std::optional<double> share_of(host_reading const& reading, double threads = 1);

/// The share of their time, 0 to 1, that threads of this program got: they ran for `run` and were runnable for another
/// `waited` [s]. Their waiting for each other does not count as lost. Other programs took:
///   (1) min(waited, t (run + waited)) of it while a control group held the program back, a part t of the time.
///   (2) o / (o + p) of the rest, others being busy on o cores and the program on p; all of it if o or p is unknown.
/// 1 if the threads did not want to run. O(processors).
double share_got(host_reading const& reading, double run, double waited);

/// Joins the readings of several processes of the program on one host: all cores that they may use. Own times are added
/// if all are known. Quotas are added over the groups, the tightest of each, if every process has one. Memory is the
/// tightest. Precondition: there is a reading.
host_reading joined(std::vector<host_reading> const& of_host);

/// A reading as text for another process of the same build, and back. parse_reading throws skel::input_error (source
/// "host reading") for any other text.
std::string to_text(host_reading const& reading);
host_reading parse_reading(std::string const& text);

/// Number of the host's threads that run or could run now, with the caller's (/proc/loadavg); absent if the system does
/// not say. It holds for one moment: programs that wake up now and then are in it or not. Takes some microseconds.
std::optional<double> runnable_threads(std::filesystem::path const& proc = "/proc");

/// Reads what this host has for this process: /proc/stat, /proc/self/stat, /proc/meminfo, and the control groups of the
/// process (cpu.max, cpu.stat, memory.*, version 1 or 2).
///
/// Time that hypervisors took counts as others'. Time of threads of low priority (nice) counts only if the process has
/// such a priority itself: they give way, to a tenth of a core at the priority that nice(1) gives. Missing or odd files
/// and counters that go back are no errors; their figures are absent. A reading takes some 200 us (bench_constants
/// load).
class host_load {
 public:
  explicit host_load(std::filesystem::path proc = "/proc", std::filesystem::path groups = "/sys/fs/cgroup");

  /// `now`: [s] of a clock that does not go back (record::now()). Rates are means since the last reading that had some.
  /// The first reading has none. A reading too soon after the last has none either: the system counts in steps of 10
  /// ms, so its share would be less sure than sure_enough.
  host_reading read(double now);

 private:
  struct counters {
    double time = 0;
    std::vector<processor_load> processors{};  // busy: [s] since the system began
    std::optional<double> own{}, throttled{};  // [s]
  };

  std::filesystem::path proc_, groups_;
  std::optional<counters> last_;
};

}  // namespace skel::platform
