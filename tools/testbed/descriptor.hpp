#pragma once

#include <unistd.h>

#include <cerrno>
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

/// Throws skel::error "WHAT: the system's reason", by errno; `remedy` is what to try.
[[noreturn]] inline void fail_by_errno(std::string const& what, std::string const& remedy = {}) {
  std::string const reason = std::generic_category().message(errno);
  throw error(what + ": " + reason + (remedy.empty() ? "" : "; " + remedy));
}

}  // namespace skel::testbed
