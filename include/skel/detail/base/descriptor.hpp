#pragma once

#include <unistd.h>

#include <utility>

namespace skel {

/// A file descriptor that is closed when nobody has it any more; less than 0: none.
class descriptor {
 public:
  explicit descriptor(int number = -1) : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(other.release()) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  /// The number, which is the caller's now.
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

}  // namespace skel
