#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <skel/detail/platform/announcement.hpp>
#include <skel/detail/platform/snapshot.hpp>
#include <skel/detail/record/run_record.hpp>

namespace skel {

/// The announcements about the machine of a run: when each was heard, and since when no stage is on hosts that leave.
class announcement_log {
 public:
  /// The most announcements that are kept: the last ones of hosts that leave, and as many others.
  static constexpr std::size_t most_kept = 100;

  announcement_log(platform::snapshot const& machine, std::vector<std::size_t> host_of_rank);

  /// `seconds`: since the run began. A host that joins again need not be left. O(ranks + most_kept).
  void add(platform::announcement const& said, double seconds);
  /// All ranks now obey a plan with the workers of each station on these ranks. O(workers) if hosts leave.
  void placed(std::vector<std::vector<int>> const& ranks, double seconds);

  /// True if placed() may make a difference.
  bool hosts_leave() const;
  /// In the order of hearing.
  std::vector<record::heard_announcement> kept() const;
  std::uint64_t all() const { return all_; }

 private:
  struct entry {
    record::heard_announcement what;
    std::vector<int> ranks{};  // of its hosts
  };

  platform::host_names names_;
  std::vector<std::size_t> host_of_rank_;
  std::vector<entry> entries_;
  std::uint64_t all_ = 0;
};

/// "after 3.20 s: 'n3' leaves; no stage was there after 3.94 s". `ended`: the run.
std::string announcement_text(record::heard_announcement const& one, bool ended);

}  // namespace skel
