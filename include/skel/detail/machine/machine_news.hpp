#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/platform/announcement.hpp>
#include <skel/detail/platform/announcements.hpp>
#include <skel/detail/platform/last_words.hpp>
#include <skel/detail/platform/monitor.hpp>
#include <skel/detail/platform/snapshot.hpp>
#include <skel/detail/runtime/ranks/communicator.hpp>

namespace skel {

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
