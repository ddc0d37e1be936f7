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

/// Announcements that come while a program runs: lines that are added to a file, or datagrams to a Unix socket. The
/// program polls; nothing waits. The system keeps only ten messages of a socket, so a thread of its own takes them.
///
/// Writers may append to a file, rewrite it or replace it. The first look reads the lines that it already has. A last
/// line without its end is waited for. A socket has mode 0600, so that only this user (and root) can write to it. A
/// file that others may write is refused.
///
/// Many announcements still take little time. A poll gives the last word on each subject, and it only looks at the
/// bytes of most lines. Time is counted by the measured cost of reading (bench_constants announce), not by a clock. The
/// excess waits in the file, or lets the senders wait.
class announcements {
 public:
  /// Part of one core that reading takes in the long run: half of the limit for all that watches a machine. At a
  /// socket, taking messages takes as much again.
  static constexpr double most_share = 0.005;
  /// [s] Most time that reading may save up by taking less than its share: as much as it may take in 20 s.
  static constexpr double most_ahead = 0.1;
  /// [s] Most time of one poll: as long as a decision to move a line may take.
  static constexpr double most_of_a_poll = 0.01;
  /// The most reasons for refusals that are kept.
  static constexpr std::size_t most_refused = 8;

  /// Numbers of lines. `refused`: no announcement for this machine. `superseded`: followed by another word on the same
  /// subject before anybody asked.
  struct counts {
    std::uint64_t lines = 0, given = 0, superseded = 0, refused = 0;
  };

  /// Listens at the socket at `path`, or makes one if nothing is there and the name ends with ".sock". Otherwise
  /// watches a file, which may come later. Takes over a socket that nobody listens at any more. Throws skel::error if
  /// somebody listens there, if the socket cannot be made, or if `path` is neither socket nor file.
  announcements(std::filesystem::path const& path, snapshot const& machine);
  announcements(announcements&&) noexcept;
  announcements& operator=(announcements&&) noexcept;
  /// Removes the socket.
  ~announcements();

  /// The news in the order of the last words: one announcement for each subject (platform::last_words), only about
  /// known hosts and paths. `now`: of any clock that does not go back [s].
  std::vector<announcement> poll(double now);
  /// The same for all that is there now, however long that takes.
  std::vector<announcement> poll_all();

  counts const& seen() const { return seen_; }
  /// Reasons of the first refusals, "PATH: line 3: speed: ...".
  std::vector<std::string> const& refusals() const { return refusals_; }
  /// True if it listens at a socket.
  bool listens() const;

  class source;  // of text: a file or a socket

 private:
  std::vector<announcement> read(double most, std::optional<std::size_t> most_bytes);
  bool understand(std::string_view line, std::uint64_t number);
  void refuse(std::string why);

  std::unique_ptr<source> from_;
  std::unique_ptr<host_names> names_;
  announcement said_;  // of the line that was read last
  counts seen_;
  std::vector<std::string> refusals_;
  double ahead_ = most_ahead, took_ = 0;  // [s] that reading may take; that it took in this poll
  std::optional<double> then_;            // time of the last poll
};

/// Sends an announcement to the listener at a socket, or appends it to an existing file. Throws skel::error with advice
/// if nobody listens, if the listener does not take it within 5 s, or if it cannot be written.
void announce(std::filesystem::path const& to, announcement const& said);

}  // namespace skel::platform
