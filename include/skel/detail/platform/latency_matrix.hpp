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

}  // namespace skel::platform
