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
  /// skel::input_error (source `source`; rows and columns are counted as in a file of parse_latencies) when there is no
  /// host, two have one name, there are more than max_hosts, a latency between two hosts is not finite or not above
  /// zero, or the two directions of a pair disagree: by more than `tolerance`, and by more than six robust standard
  /// deviations of what the directions of all pairs disagree by, so that noise in every value is accepted and a single
  /// wrong value is not. O(hosts^2 log hosts).
  latency_matrix(std::vector<std::string> hosts, std::vector<double> seconds, std::string const& source = "latencies",
                 double tolerance = 0.2);

  std::size_t size() const { return hosts_.size(); }
  std::vector<std::string> const& hosts() const { return hosts_; }
  double operator()(std::size_t a, std::size_t b) const { return seconds_[a * hosts_.size() + b]; }

 private:
  std::vector<std::string> hosts_;
  std::vector<double> seconds_;
};

/// Reads a matrix of latencies: the first line holds the host names, then one line per host, in the same order, with
/// its latencies to all hosts [s]. Commas, semicolons, tabs or blanks separate them: what the first line has. Fields
/// may stand in quotes. The diagonal is not looked at and may be empty. A line may start with the host's name, and the
/// first line then with an empty field. Lines that are empty or start with # are skipped. Throws skel::input_error with
/// line and column.
latency_matrix read_latencies(std::filesystem::path const& file, double tolerance = 0.2);
latency_matrix parse_latencies(std::string_view text, std::string const& source, double tolerance = 0.2);

/// The latencies of a description. Throws skel::input_error naming two clusters that have no link between them.
latency_matrix latencies_of(description const& machine, std::string const& source = "platform", double tolerance = 0.2);

/// Hosts in groups: each group's hosts in rising order, groups in the order of their first hosts.
using partition = std::vector<std::vector<std::size_t>>;

/// Groups of hosts whose latencies to each other agree within a tolerance (0.2: 20 %). Edges are taken from the least
/// latency upwards; an edge joins the groups of its ends unless it is more than (1 + tolerance) times the least edge of
/// either end, or of the group that either end is in already. O(hosts^2 log hosts).
/// Precondition: tolerance >= 0.
/// Source: Lowekamp and Beguelin 1996, "ECO: efficient collective operations for communication on heterogeneous
/// networks", 10th International Parallel Processing Symposium, 399-405. The least edge of many noisy ones is too
/// small, so that clusters fall apart on measured latencies: see robust_clusters.
partition lowekamp_beguelin(latency_matrix const& latencies, double tolerance = 0.2);

/// The same question asked of noisy latencies. What is compared are robust means of the logarithms of all edges between
/// two groups, with their standard errors, in place of single edges; and the latency that a group's nearest neighbours
/// have, pooled over all edges that do not differ from it significantly, in place of the least edge. Two groups are one
/// when the edges between them are not beyond the tolerance: d <= max(ln(1 + tolerance) - e/2, z e), d the difference
/// of the logarithms, e its standard error, z the normal quantile at which hosts of one group are split off wrongly
/// with a probability of 2 %, whichever they are. Without noise the answer is that of lowekamp_beguelin.
///
/// Groups grow from single hosts by average linkage; hosts that are beyond the tolerance from the rest of their group
/// then leave it, one at a time, and hosts that another group explains better move there, until nobody does. The noise
/// is estimated from the matrix itself. O(hosts^3 log hosts) for up to 256 hosts. Of more, as many are grouped so as
/// their number to the power of 2/3 says, evenly spaced and 256 at least, and the others join the group that explains
/// them best; those that none may have are grouped likewise. O(hosts^2 log hosts), and as much again for each time that
/// hosts are left. Precondition: tolerance >= 0.
partition robust_clusters(latency_matrix const& latencies, double tolerance = 0.2);

/// How much one latency is off, before any group is known: the relative noise that robust_clusters() begins with; 0
/// where the hosts agree exactly, and its answer takes O(hosts^2 log hosts). Among the hosts nearest to a host, the one whose
/// latencies to all others are most like its own differs from it by the noise of two latencies; the median over all
/// hosts, or over 256 of them. O(hosts^2) for so many.
double noise_before_groups(latency_matrix const& latencies);

/// Standard deviation of the logarithms of the latencies between the groups of a partition around the groups' own
/// means: the noise of a single edge. Robust. O(hosts^2 log hosts).
double noise_of(latency_matrix const& latencies, partition const& groups);

/// A partition with a name for each group.
struct host_level {
  std::string name;  ///< "host", "cluster", "site"
  partition groups;
};

/// The levels that the latencies show, from the hosts upwards: "host"; "cluster" (`clusters`); and "site", groups of
/// clusters that agree among each other within the tolerance by the same algorithm, if it joins some and the largest
/// median latency within a site is less than the least between sites.
std::vector<host_level> levels_of(latency_matrix const& latencies, partition const& clusters, double tolerance = 0.2);

/// Median latency between the hosts of a group [s]; 0 for one host.
double inside_latency(latency_matrix const& latencies, std::vector<std::size_t> const& group);

/// A name for each group: of one host, the host's; otherwise what the names of its hosts begin with, without a
/// separator or digits at the end; numbered ("cluster-2") where that is empty or taken.
std::vector<std::string> group_names(std::vector<std::string> const& hosts, partition const& groups);

}  // namespace skel::platform
