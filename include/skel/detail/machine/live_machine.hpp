#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <skel/detail/machine/find_hosts.hpp>
#include <skel/detail/platform/announcement.hpp>
#include <skel/detail/platform/description.hpp>
#include <skel/detail/platform/monitor.hpp>

namespace skel {

/// The machine as all ranks know it: as it was measured or given, with the news since. A value on every rank, without a
/// clock: ranks with the same news in the same order have the same picture.
class live_machine {
 public:
  explicit live_machine(run_platform const& began);

  /// Adds changes. True if a path has another latency or bandwidth, by more than prices are told apart
  /// (mapping::price_tolerance). Then there is another picture, which prices of messages do not know yet.
  bool take(std::vector<platform::announcement> const& said);

  /// 0: the first picture, also when it comes back; another number for each other one.
  std::uint64_t number() const { return number_; }
  platform::description const& machine() const { return now_; }

 private:
  platform::monitor monitor_;
  platform::description first_, now_;
  std::uint64_t number_ = 0, made_ = 0;
  double time_ = 0;
};

/// Announcements as one text for the other ranks, and back. read_news throws skel::input_error for any other text.
std::string to_news(std::vector<platform::announcement> const& all);
std::vector<platform::announcement> read_news(std::string const& text);

/// A monitor's knowledge of paths between and inside clusters, beyond its machine: as announcements, which give a
/// live_machine of the same hosts the same knowledge. O(paths of clusters).
std::vector<platform::announcement> known_paths(platform::monitor const& of);

}  // namespace skel
