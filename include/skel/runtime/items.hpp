#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <skel/base/contract.hpp>

namespace skel::runtime {

/// A batch of items whose type only the two stages at its ends know. Engines pass these; items are never handled
/// singly.
class items_base {
 public:
  items_base() = default;
  items_base(items_base const&) = delete;
  items_base& operator=(items_base const&) = delete;
  virtual ~items_base() = default;

  std::size_t size() const noexcept { return size_; }

 protected:
  std::size_t size_ = 0;
};

/// A batch of items of type T in one block of memory of fixed capacity. Items need be neither copyable nor
/// default-constructible.
template <class T>
class items final : public items_base {
 public:
  explicit items(std::size_t capacity) : data_(std::allocator<T>{}.allocate(capacity)), capacity_(capacity) {}
  ~items() override {
    std::destroy_n(data_, size_);
    std::allocator<T>{}.deallocate(data_, capacity_);
  }

  /// Constructs an item at the end from what `make()` returns, without moving it. Precondition: size() < capacity().
  template <class Make>
  void emplace(Make&& make) {
    SKEL_EXPECTS(size_ < capacity_);
    ::new (static_cast<void*>(data_ + size_)) T(std::forward<Make>(make)());
    ++size_;
  }

  /// Declares `count` items whose bytes have been written to data(). For trivially copyable types only.
  void adopt(std::size_t count) requires std::is_trivially_copyable_v<T> {
    SKEL_EXPECTS(count <= capacity_);
    size_ = count;
  }

  T* data() noexcept { return data_; }
  T* begin() noexcept { return data_; }
  T* end() noexcept { return data_ + size_; }
  T& operator[](std::size_t i) noexcept { return data_[i]; }
  std::size_t capacity() const noexcept { return capacity_; }

 private:
  T* data_;
  std::size_t capacity_;
};

}  // namespace skel::runtime
