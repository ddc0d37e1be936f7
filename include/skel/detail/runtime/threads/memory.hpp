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

/// Bandwidth of all threads together to and from memory.
struct memory_bandwidth {
  double bytes_per_second = 0;
  std::size_t array_bytes = 0, threads = 0, rounds = 0;  ///< 0 where the figure was given, not measured
};

/// The triad a[i] = b[i] + s c[i] in double precision, each thread on a contiguous block that it was the first to
/// touch. The result is 24 bytes for each i over the time of the fastest of some rounds. Each of the three arrays is as
/// large as the last-level `cache` [B], and so little of them is left there from round to round. Throws skel::error if
/// that size is not known (0) or the arrays do not fit into half of the `memory` [B].
/// Source: McCalpin 1995, IEEE TCCA Newsletter, 19-25 (STREAM), also for the bytes that count as moved.
memory_bandwidth measure_bandwidth(std::size_t threads, double cache, double memory);

}  // namespace skel::runtime
