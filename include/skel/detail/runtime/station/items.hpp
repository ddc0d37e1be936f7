#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <skel/detail/base/contract.hpp>

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

/// Used ranges, whose memory serves the next ones that arrive. Only ranges that were taken from a shelf come back to
/// it, so it never keeps more than were in use at once. Any thread may call.
class shelf_base {
 public:
  shelf_base() = default;
  shelf_base(shelf_base const&) = delete;
  shelf_base& operator=(shelf_base const&) = delete;
  virtual ~shelf_base() = default;
};

template <class T>
class shelf final : public shelf_base {
 public:
  /// The range that was put last, with the elements it had.
  std::optional<T> take() {
    std::lock_guard guard(mutex_);
    if (kept_.empty()) return std::nullopt;
    std::optional<T> out(std::move(kept_.back()));
    kept_.pop_back();
    return out;
  }
  /// Drops the range if there is no memory for keeping it.
  void put(T&& range) noexcept {
    std::lock_guard guard(mutex_);
    try {
      kept_.push_back(std::move(range));
    } catch (std::bad_alloc const&) {
    }
  }

 private:
  std::mutex mutex_;
  std::vector<T> kept_;
};

/// A batch of items of type T in one block of memory. Items need be neither copyable nor default-constructible.
template <class T>
class items final : public items_base {
 public:
  explicit items(std::size_t capacity) : data_(std::allocator<T>{}.allocate(capacity)), capacity_(capacity) {}
  ~items() override {
    if constexpr (requires(T range) { range.capacity(); }) {
      for (std::size_t i = 0; i < size_ && borrowed_ > 0; ++i)
        if (data_[i].capacity() >= least_) home_->put(std::move(data_[i])), --borrowed_;
    }
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

  /// Adds an item at the end, and moves all of them if there is no room. O(1) amortised.
  void append(T&& item) {
    if (size_ == capacity_) grow();
    emplace([&]() -> T&& { return std::move(item); });
  }

  /// Declares `count` items whose bytes have been written to data(). For trivially copyable types only.
  void adopt(std::size_t count) requires std::is_trivially_copyable_v<T> {
    SKEL_EXPECTS(count <= capacity_);
    size_ = count;
  }

  /// Leaves up to `count` ranges with room for `least` elements on `home` when the batch is destroyed: those that
  /// nobody has moved away.
  void borrowed_from(std::shared_ptr<shelf<T>> home, std::size_t count, std::size_t least) noexcept {
    home_ = std::move(home);
    borrowed_ = count;
    least_ = least;
  }

  T* data() noexcept { return data_; }
  T* begin() noexcept { return data_; }
  T* end() noexcept { return data_ + size_; }
  T& operator[](std::size_t i) noexcept { return data_[i]; }
  T const& operator[](std::size_t i) const noexcept { return data_[i]; }
  std::size_t capacity() const noexcept { return capacity_; }

 private:
  void grow() {
    std::size_t const capacity = std::max<std::size_t>(4, 2 * capacity_);
    T* const data = std::allocator<T>{}.allocate(capacity);
    try {
      std::uninitialized_move_n(data_, size_, data);
    } catch (...) {
      std::allocator<T>{}.deallocate(data, capacity);
      throw;
    }
    std::destroy_n(data_, size_);
    std::allocator<T>{}.deallocate(data_, capacity_);
    data_ = data;
    capacity_ = capacity;
  }

  T* data_;
  std::size_t capacity_;
  std::shared_ptr<shelf<T>> home_;
  std::size_t borrowed_ = 0, least_ = 0;
};

}  // namespace skel::runtime
