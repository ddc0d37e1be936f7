#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <skel/detail/machine/find_hosts.hpp>
#include <skel/detail/platform/announcement.hpp>
#include <skel/detail/platform/description.hpp>
#include <skel/detail/platform/monitor.hpp>

namespace skel {

/// The machine as all ranks know it: as it was when it was measured or given, and what they have been told since. A
/// value that every rank has, without a clock: ranks that are told the same in the same order have the same picture.
class live_machine {
 public:
  explicit live_machine(run_platform const& began);

  /// Changes of which whoever prices messages knows nothing yet: whether a path has another latency or bandwidth, by
  /// more than prices are told apart (mapping::price_tolerance). Then there is another picture.
  bool take(std::vector<platform::announcement> const& said);

  /// 0: the one that it began with, also when it is so again; another number for each other one.
  std::uint64_t number() const { return number_; }
  platform::description const& machine() const { return now_; }

 private:
  platform::monitor monitor_;
  platform::description first_, now_;
  std::uint64_t number_ = 0, made_ = 0;
  double time_ = 0;
};

/// Announcements as one text for the other ranks, and back. read_news throws skel::input_error for what is none.
std::string to_news(std::vector<platform::announcement> const& all);
std::vector<platform::announcement> read_news(std::string const& text);

/// What a monitor expects of paths between clusters, and inside of them, where it knows more than its machine says: as
/// announcements, which tell a live_machine of the same hosts the same. O(paths of clusters).
std::vector<platform::announcement> known_paths(platform::monitor const& of);

}  // namespace skel
