#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <skel/detail/platform/announcement.hpp>
#include <skel/detail/platform/description.hpp>
#include <skel/detail/platform/monitor.hpp>

namespace skel {

/// What is expected of the ranks of a program over a mesh, on rank 0: what an element takes in each step of it, and
/// whether a host is to be left. Of a rank that computes that is what it took last; of one that waits, what it took
/// when it was measured last, by how much of its host was left then and is now (platform::monitor). Of a step of which
/// nobody knows when it was measured, the first that its host's system says counts as what was left then. All as if a
/// rank had the cores that it shares with others for itself.
class mesh_outlook {
 public:
  /// `seconds`: of each rank, what each step takes for an element [s]; empty where it could not be measured.
  mesh_outlook(platform::monitor machine, std::vector<std::vector<double>> seconds);

  /// What a rank says of its host (platform::to_text), and what it took while it computed: in this order, and before
  /// what was announced meanwhile, which it has not met yet. Times do not go back [s].
  void hear(std::size_t rank, std::string const& said, double now);
  void measured(std::size_t rank, std::vector<double> seconds);
  /// What was measured of some ranks that ought to be alike: each step of a rank whose time is no farther from their
  /// median than such times are usually wrong, as `doubt` (a standard deviation of their logarithms) says with
  /// record::forecast_confidence, takes the median. O(ranks log(ranks)) for each step.
  void even_out(std::vector<int> const& ranks, double doubt);
  void hear(platform::announcement const& said, double now) { machine_.add(said, now); }

  std::size_t ranks() const { return known_.size(); }
  /// Of each step, for an element [s]; empty where it was never measured.
  std::vector<double> seconds(std::size_t rank) const;
  bool leaves(std::size_t rank) const { return machine_.leaves(rank); }
  /// How wrong forecasts of the part that its host has left usually are, relative to it; 0: there was none.
  double error(std::size_t rank) const;
  /// The machine with its models of messages as it is now, and the host of each rank on it.
  platform::snapshot seen() const { return machine_.next(); }
  std::vector<std::size_t> const& host_of_rank() const { return machine_.host_of_rank(); }
  /// Whether its figures of paths were measured: they are of messages as they came through.
  bool is_measured() const { return machine_.machine().is_measured(); }
  /// Whether anything was announced, and the machine with what is known of it now: host i is rank i.
  bool is_announced() const { return machine_.seen().announced > 0; }
  platform::description for_ranks() const { return machine_.for_ranks(); }

 private:
  struct known {
    std::vector<double> seconds;
    double share = 1;  // of the host that was left then
    platform::believed_source source = platform::believed_source::platform;
  };

  platform::host_outlook host_of(std::size_t rank) const { return machine_.host(machine_.host_of_rank()[rank]); }

  platform::monitor machine_;
  std::vector<known> known_;  // of each rank
};

}  // namespace skel
