#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <utility>

namespace skel::runtime {

/// Memory that is given back when it is destroyed. Large memory has huge pages where the system offers them: fresh pages
/// are given and zeroed one by one when they are first touched, and each is looked up in a small cache afterwards.
class page_memory {
 public:
  page_memory() = default;
  /// Aligned to a line of the cache; its content is not defined. Throws std::bad_alloc.
  explicit page_memory(std::size_t bytes);
  page_memory(page_memory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)),
        mapped_(std::exchange(other.mapped_, 0)) {}
  page_memory& operator=(page_memory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(mapped_, other.mapped_);
    return *this;
  }
  ~page_memory();

  void* data() const { return data_; }
  /// What is kept: where a huge page has room for more than was asked for, that too [B].
  std::size_t bytes() const { return bytes_; }

  /// From so much on what is left over after full huge pages gets one of its own: an eighth of it. Giving 64 small pages
  /// takes 95 us on the machine that we measured, a huge one 35 us, and where small ones are given five times as fast it
  /// costs no more than it saves later (docs/decisions/0035).
  static constexpr std::size_t huge = std::size_t{1} << 21, least = huge / 8;

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0, mapped_ = 0;  // mapped_: from the system, 0: from the heap
};

/// An array in such memory. Its values are default-initialised: numbers are not.
template <class T>
class page_array {
 public:
  page_array() = default;
  explicit page_array(std::size_t size) : memory_(bytes_for(size)) {
    static_assert(alignof(T) <= 64);
    std::uninitialized_default_construct_n(get(), size);
    size_ = size;
  }
  page_array(page_array&& other) noexcept
      : memory_(std::move(other.memory_)), size_(std::exchange(other.size_, 0)) {}
  page_array& operator=(page_array&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~page_array() { std::destroy_n(get(), size_); }

  T* get() const { return static_cast<T*>(memory_.data()); }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  static std::size_t bytes_for(std::size_t size) {
    if (size > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    return size * sizeof(T);
  }

  page_memory memory_;
  std::size_t size_ = 0;
};

}  // namespace skel::runtime
