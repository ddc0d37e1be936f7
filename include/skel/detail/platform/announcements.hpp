#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/platform/announcement.hpp>

namespace skel::platform {

/// Announcements that come while a program runs: lines that are added to a file, or datagrams to a Unix socket.
/// Somebody polls it; nothing waits. At a socket a thread of its own takes what comes, as the system keeps ten messages
/// only.
///
/// A file may be appended to, written anew or replaced; what stands in it when it is first seen counts too. A last line
/// without its end is waited for. A socket has mode 0600, so that only this user (and root) may write to it; a file
/// that others may write is refused.
///
/// However many come, they take little time: of all that is there the last word on each subject is given, and most
/// lines take no more than to look at their bytes. Time is counted as reading takes it by measurement (bench_constants
/// announce), not by a clock. What is too much for now waits in the file, or lets the senders wait.
class announcements {
 public:
  /// Of one core, that reading takes in the long run: half of what all that watches a machine may. At a socket, that
  /// taking messages takes besides.
  static constexpr double most_share = 0.005;
  /// [s] That it may take before that is so, since it has taken less before: as it would in 20 s.
  static constexpr double most_ahead = 0.1;
  /// [s] That one poll takes: as long as a decision to move a line may.
  static constexpr double most_of_a_poll = 0.01;
  /// Messages that are remembered of those that were refused.
  static constexpr std::size_t most_refused = 8;

  /// How many there were; `refused` of them were no announcement for this machine, and `superseded` were followed by
  /// another word on the same subject before anybody asked.
  struct counts {
    std::uint64_t lines = 0, given = 0, superseded = 0, refused = 0;
  };

  /// Listens at a socket if there is one at `path`, or if nothing is there and the name ends with ".sock"; otherwise
  /// watches a file, which need not be there yet. A socket that nobody listens at any more is taken over. Throws
  /// skel::error where somebody does, where it cannot be made, and where `path` is neither.
  announcements(std::filesystem::path const& path, snapshot const& machine);
  announcements(announcements&&) noexcept;
  announcements& operator=(announcements&&) noexcept;
  /// Removes the socket.
  ~announcements();

  /// What is new, in the order of the last words: one for each subject (platform::last_words), all of them about hosts
  /// and paths that there are. `now`: of any clock that does not go back [s].
  std::vector<announcement> poll(double now);
  /// The same of all that is there now, however long that takes.
  std::vector<announcement> poll_all();

  counts const& seen() const { return seen_; }
  /// Why the first ones were refused, "PATH: line 3: speed: ...".
  std::vector<std::string> const& refusals() const { return refusals_; }
  /// Whether it is a socket.
  bool listens() const;

  class source;  // of text: a file or a socket

 private:
  std::vector<announcement> read(double most, std::optional<std::size_t> most_bytes);
  bool understand(std::string_view line, std::uint64_t number);
  void refuse(std::string why);

  std::unique_ptr<source> from_;
  std::unique_ptr<host_names> names_;
  announcement said_;  // by the line that was read last
  counts seen_;
  std::vector<std::string> refusals_;
  double ahead_ = most_ahead, took_ = 0;  // [s] that reading may take; that it took this time
  std::optional<double> then_;            // when it was polled last
};

/// Sends an announcement to who listens at a socket, or appends it to a file that is there. Throws skel::error with
/// what to try where nobody listens, where who listens does not take it within 5 s, or where it cannot be written.
void announce(std::filesystem::path const& to, announcement const& said);

}  // namespace skel::platform
