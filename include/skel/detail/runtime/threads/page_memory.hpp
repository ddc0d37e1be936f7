#pragma once

#include <cstddef>
#include <utility>

namespace skel::runtime {

/// Memory that is given back when it is destroyed; its content is not defined. Large memory has huge pages if the
/// system offers them. Small ones are given and zeroed one by one at their first touch, and each is looked up in a
/// small cache afterwards. Amount of memory in huge pages: base/pages.hpp.
class page_memory {
 public:
  page_memory() = default;
  /// Throws std::bad_alloc. Precondition: the alignment is a power of two, at most a huge page.
  explicit page_memory(std::size_t bytes, std::size_t alignment = 64);
  page_memory(page_memory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)),
        alignment_(other.alignment_),
        is_mapped_(std::exchange(other.is_mapped_, false)) {}
  page_memory& operator=(page_memory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(alignment_, other.alignment_);
    std::swap(is_mapped_, other.is_mapped_);
    return *this;
  }
  ~page_memory();

  std::byte* data() const { return data_; }
  /// Memory that is kept, with the room that a huge page has beyond the request [B].
  std::size_t bytes() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0, alignment_ = 0;
  bool is_mapped_ = false;  // from the system; otherwise from the heap
};

}  // namespace skel::runtime
