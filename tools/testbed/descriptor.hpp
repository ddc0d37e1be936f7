#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <skel/detail/base/error.hpp>

namespace skel::testbed {

/// An open file, closed when its owner goes.
class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int open) : open_(open) {}
  descriptor(descriptor&& other) noexcept : open_(std::exchange(other.open_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    if (this != &other) close(), open_ = std::exchange(other.open_, -1);
    return *this;
  }
  ~descriptor() { close(); }

  int get() const { return open_; }
  explicit operator bool() const { return open_ >= 0; }
  void close() {
    if (open_ >= 0) ::close(open_);
    open_ = -1;
  }

 private:
  int open_ = -1;
};

/// Throws skel::error "WHAT: the system's reason", by errno; `remedy` says what to try.
[[noreturn]] inline void fail_by_errno(std::string const& what, std::string const& remedy = {}) {
  std::string const reason = std::generic_category().message(errno);
  throw error(what + ": " + reason + (remedy.empty() ? "" : "; " + remedy));
}

/// Locks a file, and makes it first if it is missing. Children inherit the lock. The system releases it when the last
/// owner has ended, in whatever way. Nothing: somebody else has it. Throws skel::error if the file cannot be made.
std::optional<descriptor> try_lock(std::filesystem::path const& file);

/// Writes the owner into a locked file.
void sign(descriptor const& lock, pid_t owner);

/// The owner of a locked file: 0 if it is not written yet, nothing if it is not locked. Throws skel::error if this user
/// may not read it.
std::optional<pid_t> owner_of(std::filesystem::path const& file);

}  // namespace skel::testbed
