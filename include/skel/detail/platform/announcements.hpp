#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <skel/detail/platform/announcement.hpp>

namespace skel::platform {

/// A line that came, and where it stands: "PATH: line 3".
struct announcement_line {
  std::string text, place;
};

/// Announcements that come while a program runs: lines that are added to a file, or datagrams to a Unix socket.
/// Somebody polls it; nothing waits.
///
/// A file may be appended to, written anew or replaced; what stands in it when it is first seen counts too. A last line
/// without its end is waited for. A socket has mode 0600, so that only this user (and root) may write to it; a file
/// that others may write is refused.
///
/// However many come, a poll takes a bounded time: lines of which a later one is the same but for its numbers are not
/// even parsed, the last word on a subject is given, and what is too much waits in the file, or lets the senders wait.
class announcements {
 public:
  /// Of text that one poll reads, and of lines that it parses: together some milliseconds (bench_constants announce).
  static constexpr std::size_t most_bytes = std::size_t{1} << 18U, most_parsed = 256;
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

  /// What is new, in the order of the last words: at most most_parsed, one for each subject, all of them about hosts
  /// that there are.
  std::vector<announcement> poll();
  /// The same of all that is there now, however long that takes: some microseconds a line. A subject may come again.
  std::vector<announcement> poll_all();

  counts const& seen() const { return seen_; }
  /// Why the first ones were refused, "PATH: line 3: speed: ...".
  std::vector<std::string> const& refusals() const { return refusals_; }
  /// Whether it is a socket.
  bool listens() const;

  class source;  // of text: a file or a socket

 private:
  void refuse(std::string message);
  void sift(std::vector<announcement_line> lines);

  std::unique_ptr<source> from_;
  std::unique_ptr<host_names> names_;
  std::deque<announcement_line> waiting_;
  counts seen_;
  std::vector<std::string> refusals_;
};

/// Sends an announcement to who listens at a socket, or appends it to a file that is there. Throws skel::error with
/// what to try where nobody listens, where who listens does not take it within 5 s, or where it cannot be written.
void announce(std::filesystem::path const& to, announcement const& said);

}  // namespace skel::platform
