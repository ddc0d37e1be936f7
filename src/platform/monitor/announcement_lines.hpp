#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <skel/detail/platform/announcement.hpp>
#include <skel/detail/platform/announcements.hpp>

#include "files/quick_scanner.hpp"

namespace skel::platform {

/// The source of lines: a file to which others append, or a Unix socket.
class announcements::source {
 public:
  /// Takes a line of at most longest_announcement + 1 bytes, with its number. True if it takes another one. An empty
  /// one says nothing: a message may have no other.
  using taker = std::function<bool(std::string_view line, std::uint64_t number)>;

  /// As announcements() says.
  static std::unique_ptr<source> open(std::filesystem::path const& path);

  virtual ~source() = default;
  source(source const&) = delete;
  source& operator=(source const&) = delete;

  /// Gives new lines until there are no more, `take` takes no more, or it has read `most_bytes` (perhaps a piece more).
  /// Without `most_bytes` it reads all that is there when it begins. Does not wait for writers. Returns why nothing can
  /// be read now, once; empty if nothing is wrong.
  virtual std::string read(std::optional<std::size_t> most_bytes, taker const& take) = 0;
  /// Of the line with this number: "PATH: line 3".
  virtual std::string place_of(std::uint64_t number) const = 0;
  virtual bool is_socket() const = 0;

 protected:
  source() = default;
};

/// The two kinds of it: announcement_file.cpp, announcement_socket.cpp.
std::unique_ptr<announcements::source> watch_file(std::filesystem::path const& file);
std::unique_ptr<announcements::source> listen_at(std::filesystem::path const& path);

}  // namespace skel::platform

namespace skel::platform::detail {

/// Parses a line as parse_announcement() does, but faster: without memory and exceptions. Unclear are texts with
/// escapes or other than printable ASCII, values in values, and numbers at the ends of what a double can be. `said` is
/// the announcement; its texts keep their memory from line to line. O(length of the line).
quick_answer quick_parse(std::string_view line, announcement& said);

}  // namespace skel::platform::detail
