#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace skel::platform {

/// How busy one processing unit of a host was, by the number that the system gives it.
struct processor_load {
  std::size_t number = 0;
  double busy = 0;  ///< part of the time, 0 to 1

  friend bool operator==(processor_load const&, processor_load const&) = default;
};

/// What a host had for this program lately, as one of its processes sees it, or several (joined()). What is not known
/// is absent. Cores are processing units here: two threads of one core count as two.
struct host_reading {
  double time = 0;     ///< [s] of a clock that does not go back, when it was read
  double seconds = 0;  ///< that the rates below are means of; 0: they are not known
  std::vector<processor_load>
      processors{};               ///< those that the program may use, ascending; empty: their loads are not known
  std::size_t cores = 1;          ///< that the program may use; >= 1
  std::optional<double> own{};    ///< cores that the program's processes kept busy
  std::optional<double> quota{};  ///< processor seconds per second that control groups grant, > 0; absent: no limit
  std::optional<std::uint64_t> quota_group{};  ///< number of the one that grants it (group_limits::group)
  std::optional<double> throttled{};     ///< part of the time in which a control group held the program back, 0 to 1
  std::optional<double> memory{};        ///< [B] that can be had, also under the control group's limit
  std::optional<double> memory_total{};  ///< [B] of the host, or the control group's limit

  friend bool operator==(host_reading const&, host_reading const&) = default;
};

/// Cores of those that the program may use which others keep busy, 0 to the number of cores; absent where it is not
/// known.
std::optional<double> busy_with_others(host_reading const& reading);

/// The share of a core, 0 to 1, that each of `threads` threads of this program gets beside what others run there;
/// absent where nothing is known, not even a quota.
///
/// C cores, others on o of them, n threads of this program that always want to run, a quota of Q processors. Others are
/// taken for k = ceil(o) threads that want a part o/k of a core each, and no more than they got. Cores are given
/// max-min fairly (Bertsekas and Gallager 1992, Data Networks, 2nd edition, 6.5.2), which the fair scheduler of Linux
/// comes to for threads of equal weight:
///   share = min(1, max((C - o)/n, C/(n + k)), Q/n).
/// For one core and others that always want to run it is the availability of Wolski, Spring and Hayes 2000 (Predicting
/// the CPU availability of time-shared Unix systems, Cluster Computing 3(4):293-301).
/// Limits: of threads of others that wait there is nothing in o, so that on a full host the share is the most that can
/// be had; what the program's own threads have got is to be believed before it. Threads of other weights count as
/// equal. Precondition: threads > 0.
std::optional<double> share_of(host_reading const& reading, double threads = 1);

/// The share of their time, 0 to 1, that threads of this program got which ran for `run` and could have run for another
/// `waited` [s], where what they waited for each other does not count as lost. What others had of it:
///   min(waited, t (run + waited)) of it while a control group held the program back, a part t of the time, and
///   o / (o + p) of the rest, others being busy on o cores and the program on p; all of it where that is not known.
/// 1 where they did not want to run. O(processors).
double share_got(host_reading const& reading, double run, double waited);

/// The readings of several processes of the program on one host as one: what they may use together, their own times
/// added, where all are known; the quotas of their groups added, of one group the tightest, where each has one; memory
/// as the tightest says. Precondition: there is one.
host_reading joined(std::vector<host_reading> const& of_host);

/// A reading as text for another process of the same build, and back. parse_reading throws skel::input_error (source
/// "host reading") for any other text.
std::string to_text(host_reading const& reading);
host_reading parse_reading(std::string const& text);

/// How many threads of the host run or could run at this moment, the caller's included (/proc/loadavg); absent where
/// the system does not say. Of one moment: programs that wake up now and then are in it or not. Takes some
/// microseconds.
std::optional<double> runnable_threads(std::filesystem::path const& proc = "/proc");

/// Reads what this host has for this process: /proc/stat, /proc/self/stat, /proc/meminfo, and the control groups of the
/// process (cpu.max, cpu.stat, memory.*, version 1 or 2).
///
/// Time that hypervisors took counts as others'. Time of threads of low priority (nice) does not, unless the process
/// has such a priority itself: they give way, to a tenth of a core at the priority that nice(1) gives. Files that are
/// missing or odd, and counters that go back, leave out what they would have said, and are no error. A reading takes
/// some 200 us (bench_constants load).
class host_load {
 public:
  explicit host_load(std::filesystem::path proc = "/proc", std::filesystem::path groups = "/sys/fs/cgroup");

  /// `now`: [s] of a clock that does not go back (record::now()). Rates are means since the last reading that had some.
  /// They are absent in the first one, and in one that comes so soon, by now, that counters of the system, which go on
  /// in steps of 10 ms, would say a share less sure than sure_enough.
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
