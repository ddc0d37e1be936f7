#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/platform/description.hpp>
#include <skel/detail/platform/survey.hpp>

namespace skel::platform {

/// The host of each rank on a machine.
struct rank_hosts {
  std::vector<std::size_t> host_of_rank;
  std::string mismatch;  ///< the misfit; host_of_rank is then empty
};

/// A speed of a host that a run has found out.
struct host_speed {
  std::string machine;  ///< the host's own name
  double speed = 1;     ///< work units per second of one core
  double doubt = 0;     ///< half of a 95 % interval, relative
};

/// The picture of a machine at one time: clusters of hosts, the links between them, and parameters of models. Each host
/// has speed, cores, memory and load, each with its doubt and date. Nothing in a snapshot changes; later knowledge
/// makes another snapshot. Copies share their content.
///
/// Collectives see the hosts in their clusters (machine(), find_ranks()), pipelines a host for each rank (for_ranks()).
class snapshot {
 public:
  snapshot() : snapshot(description()) {}

  /// From a file, also one written by hand, of which nothing was measured. Throws skel::input_error for a damaged block
  /// "measured".
  explicit snapshot(description machine);

  /// From measurements; throws as describe() does.
  explicit snapshot(survey const& measured) : snapshot(describe(measured)) {}

  description const& machine() const { return content_->machine; }
  /// Without hosts if nothing was measured.
  survey const& measured() const { return content_->measured; }
  bool is_measured() const { return !measured().hosts.empty(); }

  /// The known figures of a host: only name, speed and cores if it was not measured.
  host_measurement host(std::size_t number) const;

  /// Finds the hosts of a run by their own names. If several hosts have one name (each rank counted as a host), its
  /// ranks take them in the order of their ranks at the measurement. A machine that was not measured and does not know
  /// the names may be of these ranks all the same. If it has as many hosts as there are ranks, rank i is host i.
  rank_hosts find_ranks(std::vector<std::string> const& host_of_rank) const;

  /// A description whose host i is rank i: a cluster of one host for each rank, named like its host, or HOST-rI if
  /// several ranks share the host. They share its cores too, at least one each, at the speed of a core. Between them is
  /// the measured path between two ranks of a host, or none but the local latency. The machine itself if rank i is host
  /// i already and all hosts are clusters of their own. Precondition: hosts are on the machine. O(ranks^2).
  description for_ranks(std::vector<std::size_t> const& host_of_rank) const;

  /// The same with the speeds that a run has measured on this date.
  snapshot with_speeds(std::vector<host_speed> const& found, std::string const& date) const;

 private:
  struct content {
    description machine;
    survey measured;
  };
  std::shared_ptr<content const> content_;
};

/// The snapshot in a file that keeps it between runs, or the reason why it cannot be used.
struct kept_snapshot {
  std::optional<snapshot> picture;
  std::string reason;    ///< empty if the file is used or was not there
  bool damaged = false;  ///< the file is there but cannot be believed: not written by this library, no regular file, or
                         ///< perhaps written by another user
};

/// Reads such a file. Its hosts must be these (in any order), and its clusters found less than max_age seconds ago (and
/// not in the future). Only this user (or root) may have been able to write it. Which of its figures are still
/// believed() is another question. Never waits, and never throws for the content of the file.
kept_snapshot read_snapshot(std::filesystem::path const& file, std::vector<std::string> hosts, double max_age);

}  // namespace skel::platform
