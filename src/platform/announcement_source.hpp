#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <skel/detail/platform/announcements.hpp>

namespace skel::platform {

/// Where lines come from: a file that others append to, or a Unix socket.
class announcements::source {
 public:
  struct found {
    std::vector<announcement_line> lines{};  ///< whole ones, not empty
    std::string problem{};                   ///< why nothing can be read now, said once; empty: nothing is wrong
  };

  /// As announcements() says.
  static std::unique_ptr<source> open(std::filesystem::path const& path);

  virtual ~source() = default;
  source(source const&) = delete;
  source& operator=(source const&) = delete;

  /// What has come, `most_bytes` and one line at most. Never waits.
  virtual found read(std::size_t most_bytes) = 0;
  virtual bool is_socket() const = 0;
  /// Bytes that are there and were not read, of a file; of a socket 0, as its senders wait.
  virtual std::size_t unread() const = 0;

 protected:
  source() = default;
};

/// The two kinds of it: src/platform/announcement_file.cpp, announcement_socket.cpp.
std::unique_ptr<announcements::source> watch_file(std::filesystem::path const& file);
std::unique_ptr<announcements::source> listen_at(std::filesystem::path const& path);

}  // namespace skel::platform
