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

/// What the program's own threads got of their cores on a rank.
struct share_reading {
  std::size_t rank = 0;
  double time = 0;    ///< [s], when it came to who monitors
  double share = 0;   ///< of the time in which they wanted to run they did: 0 to 1
  double weight = 0;  ///< [s] of threads that wanted to run, over which it was taken
};

/// What the threads of a rank did of late.
struct thread_reading {
  std::size_t rank = 0;
  double time = 0;    ///< [s], when it came to who monitors
  double lasted = 0;  ///< over which it was taken [s]
  double run = 0;     ///< that they ran, summed over threads [s]
  double waited = 0;  ///< that they could have run and did not, summed over threads [s]
};

/// How long a message took to another rank and a short one back.
struct trip_reading {
  std::size_t from = 0, to = 0;  ///< ranks
  double time = 0;               ///< [s], when it came to who monitors
  double seconds = 0;            ///< there and back
  double bytes = 0;              ///< of the message; 0: it was short
};

/// What a message took from one rank to another.
struct link_reading {
  std::size_t from = 0, to = 0;  ///< ranks
  double time = 0;               ///< [s], when it came to who monitors
  double bytes = 0;              ///< 0: a latency
  double seconds = 0;            ///< one way, or half of there and back
};

/// Whose word is taken for a figure.
enum class believed_source : std::uint8_t {
  platform,      ///< nothing newer is known
  threads,       ///< what the program's own threads got
  host,          ///< what the host's system says
  messages,      ///< what messages took
  announcement,  ///< somebody outside said so
};

/// "the platform", "the program's own threads", ...
std::string name_of(believed_source source);

enum class presence : std::uint8_t {
  present,
  leaving,  ///< announced
  gone,     ///< announced, and it has been silent since
};

/// What is expected of a host.
struct host_outlook {
  double share = 1;  ///< of the speed that the platform says, for each thread of the program; > 0
  double error = 0;  ///< usual absolute error of such forecasts (value_forecast::usual); infinite where there was none
  presence state = presence::present;
  double state_since = 0;  ///< [s]; 0: from the beginning
  believed_source source = believed_source::platform;
  double since = 0;                ///< [s] that this share stands; 0: from the beginning
  std::string why{};               ///< in words
  std::optional<double> memory{};  ///< [B] that could be had when it was last read
};

/// One figure of a path, as a factor of what the platform says.
struct path_factor {
  double value = 1;  ///< > 0
  /// The figure itself [s] or [B/s], where the platform says 0 or unlimited and another one was announced: no factor
  /// of these is one.
  std::optional<double> instead{};
  double error = 0;
  believed_source source = believed_source::platform;
  double since = 0;
  std::string why{};

  /// The figure that is expected where the platform says `stated`.
  double of(double stated) const { return instead.value_or(stated * value); }
};

/// What is expected of the path from one host to another.
struct link_outlook {
  path_factor latency{}, bandwidth{};
};

struct monitor_options {
  /// [s] of the slots that readings are put into. A step is recognised after three of them (statistics::cusum): within
  /// a second.
  double period = 0.25;
};

/// Where all that is found out about a machine while a program runs on it comes together: what hosts have left for it,
/// what its own threads got, what its messages took, what somebody announced. Says what is expected next of every host
/// and path, why, and which snapshot that makes.
///
/// Each figure is a slot_series with a forecaster. What the program's own threads got is believed before what the
/// system says of a host, while both are recent. An announcement stands until the measurements of what it is about make
/// a step after it, or another one comes; that a host leaves stands until it joins. A host that leaves and is silent is
/// gone. What nobody measures or announces is as the platform says.
///
/// Shares are of the speed that the platform says, in which the quota of a control group is, as it was when the speed
/// was measured (host_probe.hpp): that of the first reading of the host's first rank, which measures it. Ranks of a
/// host may be in several groups; those of one share its quota.
///
/// Times are of one clock, of who monitors, in seconds. Readings that come too late, that go back in time, or that are
/// no numbers are ignored and counted. A value without clock and threads, which can be copied. Memory: 40 KiB for each
/// host with ranks and for each of the most_paths paths that had readings last, and 250 B for each path with trips.
class monitor {
 public:
  static constexpr std::size_t most_paths = last_words::most_paths;
  /// A rank that waits for a core four fifths of its time answers one of so many messages in time in five cases of six.
  static constexpr std::size_t trips_of_a_reading = 8;

  /// `host_of_rank`: on which host of the machine each rank runs. Precondition: the hosts are there, period > 0.
  monitor(snapshot machine, std::vector<std::size_t> host_of_rank, monitor_options options = {});

  /// Precondition: ranks are there. O(ranks of the host).
  void add(std::size_t rank, host_reading const& reading);
  /// The same of what the rank said as text (to_text), which came at `time`. Nothing, and counted as ignored, where it
  /// cannot be read, as it is of another build.
  std::optional<host_reading> add(std::size_t rank, std::string const& said, double time);
  void add(share_reading const& reading);
  /// The quota of the rank's group of which the platform's speed of its host is [cores]; infinite: none. Without it
  /// that of its first reading is taken for it. Nothing where that came before. Precondition: it is there.
  void begin_with(std::size_t rank, double quota);
  /// As a share, of what the quota of the rank's group granted that was first heard of. Nothing where there was not
  /// always a thread, in the mean, that could have run: how long one that wakes up waits for its turn says nothing of
  /// what one would get that never sleeps.
  void add(thread_reading const& reading);
  /// As a latency, half of the least of the last trips_of_a_reading short ones between the two hosts, as a rank that
  /// waits for a core answers late. As a bandwidth, the greatest of as many larger ones, by how much longer each took
  /// than the least short one; nothing where that is less than a short trip, from which it is not told apart then.
  void add(trip_reading const& reading);
  /// Between two ranks of one host it says nothing.
  void add(link_reading const& reading);
  /// Ignored where it is about hosts, or a path, that are not there (announcements refuses these with a reason). A path
  /// of which the platform says that it takes no time, or any bandwidth, has what is announced; its models of messages
  /// are left out of snapshots then, as none of their parameters says by which factor it differs.
  void add(announcement const& said, double time);

  /// It is so late now: slots that are over count. Before asking for outlooks.
  void advance(double now);

  /// Precondition: the hosts are there.
  host_outlook host(std::size_t number) const;
  /// Whether it was announced that the rank's host leaves, and not that it joins since. Precondition: the rank is
  /// there.
  bool leaves(std::size_t rank) const;
  /// Of a path between clusters without readings of its own, what is known of others between the two clusters.
  link_outlook link_between(std::size_t from, std::size_t to) const;

  /// The machine with speeds times shares, and paths (with their models of messages) times factors. A path between
  /// clusters, or inside of one, has the median of what is known of its pairs of hosts. A cluster of a machine that was
  /// not measured has one speed: with the median share of its hosts. Whether hosts leave is not in it. It is of this
  /// moment, and not to be kept in a file. The snapshot that it began with where nothing is known.
  snapshot next() const;
  /// The same as snapshot::for_ranks() says it, with each host's own share and each path's own factors.
  description for_ranks() const;
  /// What the ranks of this rank's host said last, together. Precondition: it is there. O(ranks of the host).
  host_reading reading_of_host(std::size_t rank) const;
  /// The part of a core that the speed of the rank's host is of, by the first quota of the first of its ranks that one
  /// is known of; 1 where there is none. Precondition: it is there.
  double granted(std::size_t rank) const;

  /// A quota, and the ranks of the host that have it together.
  struct group_quota {
    double processors = std::numeric_limits<double>::infinity();  ///< infinite: no limit
    std::vector<std::size_t> ranks{};
  };
  /// What the rank's control group grants by what it said last. Ranks that have not spoken count as of the same one.
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
    std::map<std::size_t, double> came{};            // when
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
    link expected{};  // what it is expected to be now
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
  bool is_announced_anew_ = false;                        // after what paths are expected to be
  double now_ = -std::numeric_limits<double>::infinity();
  counts seen_;
};

}  // namespace skel::platform
