#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/platform/announcement.hpp>
#include <skel/detail/platform/host_load.hpp>
#include <skel/detail/platform/last_words.hpp>
#include <skel/detail/platform/slot_series.hpp>
#include <skel/detail/platform/snapshot.hpp>

namespace skel::platform {

/// The share of the cores of a rank that the program's own threads got.
struct share_reading {
  std::size_t rank = 0;
  double time = 0;    ///< [s], arrival at the monitoring rank
  double share = 0;   ///< time that the threads ran / time that they wanted to run: 0 to 1
  double weight = 0;  ///< [s] of runnable threads over which it was taken
};

/// Times of the threads of a rank lately.
struct thread_reading {
  std::size_t rank = 0;
  double time = 0;    ///< [s], arrival at the monitoring rank
  double lasted = 0;  ///< over which it was taken [s]
  double run = 0;     ///< that they ran, summed over threads [s]
  double waited = 0;  ///< runnable but not running, summed over threads [s]
};

/// Time of a message to another rank and a short one back.
struct trip_reading {
  std::size_t from = 0, to = 0;  ///< ranks
  double time = 0;               ///< [s], arrival at the monitoring rank
  double seconds = 0;            ///< there and back
  double bytes = 0;              ///< of the message; 0: it was short
};

/// Time of a message from one rank to another.
struct link_reading {
  std::size_t from = 0, to = 0;  ///< ranks
  double time = 0;               ///< [s], arrival at the monitoring rank
  double bytes = 0;              ///< 0: a latency
  double seconds = 0;            ///< one way, or half of there and back
};

/// The source of a figure.
enum class believed_source : std::uint8_t {
  platform,      ///< nothing newer is known
  threads,       ///< the share of the program's own threads
  host,          ///< the host's system
  messages,      ///< times of messages
  announcement,  ///< somebody outside
};

/// "the platform", "the program's own threads", ...
std::string name_of(believed_source source);

enum class presence : std::uint8_t {
  present,
  leaving,  ///< announced
  gone,     ///< announced, and it has been silent since
};

/// The expected state of a host.
struct host_outlook {
  double share = 1;  ///< of the speed that the platform says, for each thread of the program; > 0
  double error = 0;  ///< usual absolute error of such forecasts (value_forecast::usual); infinite where there was none
  presence state = presence::present;
  double state_since = 0;  ///< [s]; 0: from the beginning
  believed_source source = believed_source::platform;
  double since = 0;                ///< [s] that this share stands; 0: from the beginning
  std::string why{};               ///< the reason in words
  std::optional<double> memory{};  ///< [B] available at the last reading
};

/// One figure of a path, as a factor of what the platform says.
struct path_factor {
  double value = 1;  ///< > 0
  /// The figure itself [s] or [B/s], announced where the platform says 0 or unlimited: no factor changes these.
  std::optional<double> instead{};
  double error = 0;
  believed_source source = believed_source::platform;
  double since = 0;
  std::string why{};

  /// The expected figure if the platform says `stated`.
  double of(double stated) const { return instead.value_or(stated * value); }
};

/// The expected path from one host to another.
struct link_outlook {
  path_factor latency{}, bandwidth{};

  /// The expected path if the platform says `stated`.
  link of(link const& stated) const { return {latency.of(stated.latency), bandwidth.of(stated.bandwidth)}; }
};

struct monitor_options {
  /// [s] Length of a slot of readings. A step is recognised after three of them (statistics::cusum): within a second.
  double period = 0.25;
};

/// Collects all that is found out about a machine while a program runs on it: loads of hosts, shares of the program's
/// own threads, times of its messages, announcements. Says what to expect next of every host and path, the reason, and
/// the snapshot with these figures.
///
/// Each figure is a slot_series with a forecaster. The share of the program's own threads is believed before the host's
/// system while both are recent. An announcement stands until measurements of its subject make a later step, or until
/// another one comes. That a host leaves stands until it joins. A host that leaves and is silent is gone. Figures that
/// nobody measures or announces are as the platform says.
///
/// Shares are of the speed that the platform says. That speed contains the quota of a control group at its measurement
/// (host_probe.hpp): the quota in the first reading of the host's first rank, which measures it. Ranks of a host may be
/// in several groups; those of one group share its quota.
///
/// Times are in seconds, of the monitoring rank's clock. Readings that are late, go back in time or are no numbers are
/// ignored and counted. A value without clock and threads, which can be copied. Memory: 40 KiB for each host with ranks
/// and for each of the most_paths paths with the latest readings, and 250 B for each path with trips.
class monitor {
 public:
  static constexpr std::size_t most_paths = last_words::most_paths;
  /// A rank that waits for a core 4/5 of its time answers one of so many messages in time in five cases of six.
  static constexpr std::size_t trips_of_a_reading = 8;

  /// `host_of_rank`: the host of each rank on the machine. Precondition: the hosts are there, period > 0.
  monitor(snapshot machine, std::vector<std::size_t> host_of_rank, monitor_options options = {});

  /// Precondition: ranks are there. O(ranks of the host).
  void add(std::size_t rank, host_reading const& reading);
  /// The same for the rank's text (to_text), which came at `time`. Returns nothing and counts it as ignored if it
  /// cannot be read, because it is of another build.
  std::optional<host_reading> add(std::size_t rank, std::string const& said, double time);
  void add(share_reading const& reading);
  /// The quota of the rank's group that the platform's speed of its host contains [cores]; infinite: none. Without this
  /// call the quota of its first reading counts. Does nothing after such a reading. Precondition: the rank is there.
  void begin_with(std::size_t rank, double quota);
  /// Adds a share, relative to the first known quota of the rank's group. Ignored unless on average a thread was always
  /// runnable: the wait of a thread that wakes up says nothing of one that never sleeps.
  void add(thread_reading const& reading);
  /// Adds a latency: half of the least of the last trips_of_a_reading short trips between the two hosts, because a rank
  /// that waits for a core answers late. Adds a bandwidth: the greatest of as many larger trips, by the excess of each
  /// over the least short one. Ignores a trip whose excess is less than a short trip, and so cannot be told from one.
  void add(trip_reading const& reading);
  /// Ignored between two ranks of one host.
  void add(link_reading const& reading);
  /// Ignored unless the machine has these hosts or this path (announcements refuses these with a reason). A path of
  /// which the platform says no time or any bandwidth gets the announced figure. Snapshots then leave out its models of
  /// messages, because none of their parameters gives a factor.
  void add(announcement const& said, double time);

  /// Moves the time forward: slots that are over count. Call it before asking for outlooks.
  void advance(double now);

  /// Precondition: the hosts are there.
  host_outlook host(std::size_t number) const;
  /// True if the rank's host was announced to leave, and not to join since. Precondition: the rank is there.
  bool leaves(std::size_t rank) const;
  /// For a path between clusters without readings of its own: as other paths between the two clusters.
  link_outlook link_between(std::size_t from, std::size_t to) const;

  /// The machine with speeds times shares, and paths (with their models of messages) times factors. A path between
  /// clusters, or inside one, has the median of its known pairs of hosts. A cluster of a machine that was not measured
  /// has one speed: with the median share of its hosts. It does not show which hosts leave. It holds for this moment;
  /// do not keep it in a file. If nothing is known, it is the first snapshot.
  snapshot next() const;
  /// As snapshot::for_ranks(), with each host's own share and each path's own factors.
  description for_ranks() const;
  /// The last readings of all ranks of this rank's host, joined. Precondition: it is there. O(ranks of the host).
  host_reading reading_of_host(std::size_t rank) const;
  /// The part of a core to which the speed of the rank's host belongs: the first quota of its first rank with a known
  /// one; 1 if there is none. Precondition: the rank is there.
  double granted(std::size_t rank) const;

  /// A quota, and the ranks of the host that share it.
  struct group_quota {
    double processors = std::numeric_limits<double>::infinity();  ///< infinite: no limit
    std::vector<std::size_t> ranks{};
  };
  /// The quota of the rank's control group by its last reading. Ranks that have not spoken count as of the same group.
  /// Precondition: it is there. O(ranks of the host).
  group_quota quota_of(std::size_t rank) const;

  snapshot const& machine() const { return machine_; }
  std::vector<std::size_t> const& host_of_rank() const { return host_of_rank_; }

  struct counts {
    std::uint64_t readings = 0, ignored = 0, announced = 0;
  };
  counts const& seen() const { return seen_; }

 private:
  struct host_state {
    std::optional<slot_series> threads{}, system{};
    std::map<std::size_t, host_reading> readings{};  // the latest of each rank
    std::map<std::size_t, double> came{};            // arrival of each
    std::map<std::size_t, double> quotas{};          // [cores] of each rank, the first known; infinite: none
    presence state = presence::present;              // as announced
    double state_since = 0;
    std::optional<double> announced{};  // factor of the speed
    double announced_at = 0;

    double granted() const;  // of a core
  };
  struct path_state {
    slot_series latency, bandwidth;
    double used = 0;
    link expected{};  // as forecast now
  };
  struct announced_figure {
    std::string from, to;  // names
    double value = 0;      // [s] or [B/s]
    double time = 0;       // [s], when
  };
  using host_pair = std::pair<std::size_t, std::size_t>;
  struct known_paths {
    /// Between clusters: latencies and bandwidths of pairs of their hosts.
    std::map<std::pair<std::size_t, std::size_t>, std::pair<std::vector<path_factor>, std::vector<path_factor>>>
        factors;
    std::vector<std::size_t> first_host;  // of each cluster
  };

  bool take(bool taken);
  bool is_path(host_pair ends) const;
  path_state& path_of(host_pair ends, double time);
  void expect(host_pair ends, path_state& state);
  void expect_as_announced();
  link_outlook own_outlook(std::size_t from, std::size_t to) const;
  known_paths known() const;
  link_outlook between(std::size_t from_cluster, std::size_t to_cluster, known_paths const& known) const;
  link_outlook link_between(std::size_t from, std::size_t to, known_paths const& known) const;
  void announce(std::vector<announced_figure>& known, announced_figure said);
  announced_figure const* announced_for(std::vector<announced_figure> const& known, std::size_t from,
                                        std::size_t to) const;
  bool is_silent(host_state const& state) const;

  snapshot machine_;
  std::vector<std::size_t> host_of_rank_;
  monitor_options options_;
  host_names names_;
  std::map<std::size_t, std::vector<std::size_t>> ranks_of_;
  std::map<std::size_t, host_state> hosts_;
  std::map<host_pair, path_state> paths_;
  struct trips {
    std::vector<double> seconds;     // of short ones, the latest
    std::vector<double> bandwidths;  // by larger ones, the latest [B/s]
  };
  std::map<host_pair, trips> trips_;
  std::vector<announced_figure> latencies_, bandwidths_;  // announced, the latest last
  bool is_announced_anew_ = false;                        // since the paths were last forecast
  double now_ = -std::numeric_limits<double>::infinity();
  counts seen_;
};

}  // namespace skel::platform
