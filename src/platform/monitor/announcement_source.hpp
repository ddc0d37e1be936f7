#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <skel/detail/platform/announcements.hpp>

namespace skel::platform {

/// Where lines come from: a file that others append to, or a Unix socket.
class announcements::source {
 public:
  /// Takes a line, no longer than longest_announcement + 1, with its number. Whether it takes another one. An empty one
  /// says nothing; it is given as a message may have no other.
  using taker = std::function<bool(std::string_view line, std::uint64_t number)>;

  /// As announcements() says.
  static std::unique_ptr<source> open(std::filesystem::path const& path);

  virtual ~source() = default;
  source(source const&) = delete;
  source& operator=(source const&) = delete;

  /// Gives what has come and was not given yet, until that is all, or `take` takes no more, or it has read `most_bytes`
  /// and what it reads at once; nothing: all that is there when it begins. Waits for nobody who writes. Why nothing can
  /// be read now, said once; empty where nothing is wrong.
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
