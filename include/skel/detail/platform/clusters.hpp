#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/platform/description.hpp>

namespace skel::platform {

/// Latencies between hosts, the same in both directions [s]. Memory O(hosts^2).
class latency_matrix {
 public:
  /// The most hosts: the matrix then takes 800 MB.
  static constexpr std::size_t max_hosts = 10'000;

  /// seconds[a * hosts + b] is from a to b. The two directions of a pair become their geometric mean. Throws
  /// skel::input_error (source `source`; rows and columns are counted as in a file of parse_latencies) for no host,
  /// equal names, or more than max_hosts. Also for a latency between two hosts that is not finite or not above zero, or
  /// if the two directions of a pair disagree by more than `tolerance` and by more than six robust standard deviations
  /// of all such disagreements. So it accepts noise in every value, but not a single wrong value. O(hosts^2 log hosts).
  latency_matrix(std::vector<std::string> hosts, std::vector<double> seconds, std::string const& source = "latencies",
                 double tolerance = 0.2);

  std::size_t size() const { return hosts_.size(); }
  std::vector<std::string> const& hosts() const { return hosts_; }
  double operator()(std::size_t a, std::size_t b) const { return seconds_[a * hosts_.size() + b]; }

 private:
  std::vector<std::string> hosts_;
  std::vector<double> seconds_;
};

/// Reads a matrix of latencies. The first line holds the host names. Then follows one line for each host in the same
/// order, with its latencies to all hosts [s]. Commas, semicolons, tabs or blanks separate them, as in the first line.
/// Fields may stand in quotes. The diagonal is ignored and may be empty. Lines may start with the host's name; the
/// first line then starts with an empty field. Lines that are empty or start with # are skipped. Throws
/// skel::input_error with line and column.
latency_matrix read_latencies(std::filesystem::path const& file, double tolerance = 0.2);
latency_matrix parse_latencies(std::string_view text, std::string const& source, double tolerance = 0.2);

/// The latencies of a description. Throws skel::input_error naming two clusters that have no link between them.
latency_matrix latencies_of(description const& machine, std::string const& source = "platform", double tolerance = 0.2);

/// Hosts in groups: each group's hosts in rising order, groups in the order of their first hosts.
using partition = std::vector<std::vector<std::size_t>>;

/// Groups of hosts whose latencies to each other agree within a tolerance (0.2: 20 %). Takes edges from the least
/// latency upwards. An edge joins the groups of its ends unless it is more than (1 + tolerance) times the least edge of
/// either end, or of its group. O(hosts^2 log hosts). Precondition: tolerance >= 0.
/// Source: Lowekamp and Beguelin 1996, "ECO: efficient collective operations for communication on heterogeneous
/// networks", 10th International Parallel Processing Symposium, 399-405. The least of many noisy edges is too small, so
/// measured latencies give too many clusters: see robust_clusters.
partition lowekamp_beguelin(latency_matrix const& latencies, double tolerance = 0.2);

/// The same for noisy latencies. In place of single edges it compares robust means of the logarithms of all edges
/// between two groups, with their standard errors. In place of the least edge it takes the latency of a group's nearest
/// neighbours, pooled over all edges that do not differ from it significantly. Two groups are one if d <= max(ln(1 +
/// tolerance) - e/2, z e): d difference of the logarithms, e its standard error, z the normal quantile at which any
/// hosts of a group are wrongly split off with a probability of 2 %. Without noise the answer is that of
/// lowekamp_beguelin.
///
/// Groups grow from single hosts by average linkage. Hosts beyond the tolerance from the rest of their group then leave
/// it, one at a time. Hosts that another group explains better move there, until none does. The noise is estimated from
/// the matrix itself. O(hosts^3 log hosts) for up to 256 hosts. Of more hosts it groups a sample, evenly spaced:
/// hosts^(2/3), at least 256. The others join the group that explains them best. The hosts that fit no group are
/// grouped in the same way. O(hosts^2 log hosts), and as much again for each such round. Precondition: tolerance >= 0.
partition robust_clusters(latency_matrix const& latencies, double tolerance = 0.2);

/// Relative noise of one latency before any group is known; robust_clusters() begins with it. It is 0 if the hosts
/// agree exactly: then robust_clusters() takes O(hosts^2 log hosts). Takes for each host the most similar of its
/// nearest hosts, by their latencies to all others. The two differ by the noise of two latencies. The result is the
/// median over all hosts, or over 256 of them. O(hosts^2) for so many.
double noise_before_groups(latency_matrix const& latencies);

/// Noise of a single edge: robust standard deviation of the logarithms of the latencies between groups, around the
/// median of their pair of groups (inside: of their group). O(hosts^2 log hosts).
double noise_of(latency_matrix const& latencies, partition const& groups);

/// A partition with a name for each group.
struct host_level {
  std::string name;  ///< "host", "cluster", "site"
  partition groups;
};

/// The levels that the latencies show, from the hosts upwards: "host", "cluster" (`clusters`) and "site". Sites are
/// groups of clusters by the same algorithm and tolerance. There are sites only if they join some clusters, and if the
/// largest median latency within a site is less than the least between sites.
std::vector<host_level> levels_of(latency_matrix const& latencies, partition const& clusters, double tolerance = 0.2);

/// Median latency between the hosts of a group [s]; 0 for one host.
double inside_latency(latency_matrix const& latencies, std::vector<std::size_t> const& group);

/// A name for each group: of one host, the host's; otherwise the common beginning of its hosts' names, without
/// separators or digits at its end. The name is numbered ("cluster-2") if it is empty or taken.
std::vector<std::string> group_names(std::vector<std::string> const& hosts, partition const& groups);

}  // namespace skel::platform
