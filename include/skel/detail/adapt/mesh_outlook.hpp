#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <skel/detail/platform/announcement.hpp>
#include <skel/detail/platform/description.hpp>
#include <skel/detail/platform/monitor.hpp>

namespace skel {

/// The expected state of the ranks of a program over a mesh, on rank 0: the time of an element in each step, and
/// whether a host is to be left. For a rank that computes, it is the last time. For one that waits, it is its last
/// measured time, corrected by the shares of its host then and now (platform::monitor). If the share at a measurement
/// is unknown, the first one that the host's system reports counts for it. All times are as if a rank had the cores
/// that it shares for itself.
class mesh_outlook {
 public:
  /// `seconds`: of each rank, time of each step for an element [s]; empty if it could not be measured.
  mesh_outlook(platform::monitor machine, std::vector<std::vector<double>> seconds);

  /// Adds a rank's reading of its host (platform::to_text), then its times while it computed. In this order, and before
  /// announcements since then, which these do not show yet. Times do not go back [s].
  void hear(std::size_t rank, std::string const& said, double now);
  void measured(std::size_t rank, std::vector<double> seconds);
  /// Evens out the measurements of ranks that should be alike. In each step, a rank's time becomes their median if it
  /// is no farther from it than such times are usually wrong. `doubt` (a standard deviation of their logarithms) gives
  /// that distance with record::forecast_confidence. O(ranks log(ranks)) for each step.
  void even_out(std::vector<int> const& ranks, double doubt);
  void hear(platform::announcement const& said, double now) { machine_.add(said, now); }

  std::size_t ranks() const { return known_.size(); }
  /// Of each step, for an element [s]; empty where it was never measured.
  std::vector<double> seconds(std::size_t rank) const;
  bool leaves(std::size_t rank) const { return machine_.leaves(rank); }
  /// Usual error of forecasts of the share of its host, relative to it; 0: there was none.
  double error(std::size_t rank) const;
  /// The machine with its models of messages as it is now, and the host of each rank on it.
  platform::snapshot seen() const { return machine_.next(); }
  std::vector<std::size_t> const& host_of_rank() const { return machine_.host_of_rank(); }
  /// True if its figures of paths were measured: they are of messages as they came through.
  bool is_measured() const { return machine_.machine().is_measured(); }
  /// True if there was an announcement; and the machine with its present figures: host i is rank i.
  bool is_announced() const { return machine_.seen().announced > 0; }
  platform::description for_ranks() const { return machine_.for_ranks(); }

 private:
  struct known {
    std::vector<double> seconds;
    double share = 1;  // of the host at that time
    platform::believed_source source = platform::believed_source::platform;
  };

  platform::host_outlook host_of(std::size_t rank) const { return machine_.host(machine_.host_of_rank()[rank]); }

  platform::monitor machine_;
  std::vector<known> known_;  // of each rank
};

}  // namespace skel
