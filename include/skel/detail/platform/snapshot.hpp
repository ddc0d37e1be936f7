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

/// On which host of a machine each rank runs.
struct rank_hosts {
  std::vector<std::size_t> host_of_rank;
  std::string mismatch;  ///< what does not fit, and then host_of_rank is empty
};

/// What a run has found out about the speed of a host.
struct host_speed {
  std::string machine;  ///< what the host calls itself
  double speed = 1;     ///< work units per second of one core
  double doubt = 0;     ///< half of a 95 % interval, relative
};

/// The picture of a machine, at one time: clusters of hosts with the links between them and parameters of models, and
/// of each host speed, cores, memory and load, each with how sure it is and from when. Nothing in it changes; a machine
/// that has changed, or of which more is known, is another snapshot. Copies share their content.
///
/// Collectives see the hosts in their clusters (machine(), find_ranks()), pipelines a host for each rank (for_ranks()).
class snapshot {
 public:
  snapshot() : snapshot(description()) {}

  /// What a file says of a machine: also one that somebody wrote, of which nothing was measured. Throws
  /// skel::input_error for a block "measured" that was damaged.
  explicit snapshot(description machine);

  /// What was measured; throws as describe() does.
  explicit snapshot(survey const& measured) : snapshot(describe(measured)) {}

  description const& machine() const { return content_->machine; }
  /// Without hosts where nothing was measured.
  survey const& measured() const { return content_->measured; }
  bool is_measured() const { return !measured().hosts.empty(); }

  /// What is known of a host: of one that was not measured name, speed and cores.
  host_measurement host(std::size_t number) const;

  /// Finds the hosts of a run, given by what they call themselves: a rank is on the host of that name; where several
  /// hosts have it (each rank counted as a host), its ranks take them in the order of the ranks then. A machine
  /// that was not measured, and does not know the names, is believed to be of these ranks if it has as many hosts: rank
  /// i is host i.
  rank_hosts find_ranks(std::vector<std::string> const& host_of_rank) const;

  /// A description whose host i is rank i: a cluster of one host for each rank, named like its host, or HOST-rI where
  /// several ranks share that. They share its cores too, one at least each, at the speed of a core; between them is the
  /// path that was measured between two ranks of a host, or none but the local latency. The machine itself where rank i
  /// is host i already and all hosts are clusters of their own. Precondition: hosts are on the machine. O(ranks^2).
  description for_ranks(std::vector<std::size_t> const& host_of_rank) const;

  /// The same with speeds that a run has measured on this date.
  snapshot with_speeds(std::vector<host_speed> const& found, std::string const& date) const;

 private:
  struct content {
    description machine;
    survey measured;
  };
  std::shared_ptr<content const> content_;
};

/// The snapshot in a file that keeps it between runs, or why it cannot be used.
struct kept_snapshot {
  std::optional<snapshot> picture;
  std::string reason;    ///< why not, empty when the file is used or was not there
  bool damaged = false;  ///< the file is there and cannot be believed: it is not what this library writes, no regular
                         ///< file, or another user can have written it
};

/// Reads such a file. It is used when it is of these hosts (in any order) and its clusters were found less than max_age
/// seconds ago (and not in the future), and nobody but this user (or root) can have written it. Which of its figures
/// are still believed() is another question. Never waits, and never throws for what is in the file.
kept_snapshot read_snapshot(std::filesystem::path const& file, std::vector<std::string> hosts, double max_age);

}  // namespace skel::platform
