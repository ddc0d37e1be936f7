#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/machine/run_platform.hpp>
#include <skel/detail/platform/announcement.hpp>
#include <skel/detail/platform/announcements.hpp>
#include <skel/detail/platform/description.hpp>
#include <skel/detail/platform/last_words.hpp>
#include <skel/detail/platform/monitor.hpp>
#include <skel/detail/platform/snapshot.hpp>
#include <skel/detail/runtime/ranks/communicator.hpp>

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

/// Announcements about the machine of a grid: rank 0 hears them, and tells the other ranks when they all meet.
class machine_news {
 public:
  /// True if rank 0 hears announcements from `path`, about this machine. An empty path: none. Collective, of the same
  /// ranks each time. Throws skel::error on every rank if the path cannot be opened.
  bool listen(runtime::communicator const& ranks, std::filesystem::path const& path, platform::snapshot const& machine);

  /// Announcements since the last call. On rank 0, if it listens; nothing elsewhere.
  std::vector<platform::announcement> hear();
  /// Hears all announcements up to now, however long that takes. On rank 0.
  void hear_all();
  /// The last word on each subject that was heard. On rank 0.
  std::vector<platform::announcement> last_words() const { return last_words_.all(); }
  /// Reasons of the first refusals, and the number of all others. On rank 0.
  std::vector<std::string> refusals() const;

  /// As text, the announcements that other ranks were not told yet (to_news). On rank 0.
  std::string take_unsent();
  /// Rank 0 tells all ranks the announcements, and the findings of `monitor` if there is one. As text. Collective.
  std::string tell_all(runtime::communicator const& ranks, platform::monitor const* monitor);
  /// All that tell_all() has told, the same on all ranks.
  std::vector<platform::announcement> told() const { return told_.all(); }

 private:
  void keep(std::vector<platform::announcement> const& said);

  std::optional<platform::announcements> from_;  // on rank 0
  platform::last_words last_words_, unsent_, told_;
};

}  // namespace skel
