#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace skel::runtime::iteration {

/// Room for cells behind each other, each of which is made by one of several threads, and destroyed where it was made.
template <class Cell>
class cell_memory {
 public:
  cell_memory() = default;
  cell_memory(cell_memory const&) = delete;
  cell_memory& operator=(cell_memory const&) = delete;
  ~cell_memory() { clear(); }

  /// Without cells. Throws std::bad_alloc.
  void resize(std::size_t count) {
    clear();
    made_.assign(std::is_trivially_destructible_v<Cell> ? 0 : count, 0);
    cells_ = std::allocator<Cell>().allocate(count);
    count_ = count;
  }
  /// Makes a cell of what a function gives. Precondition: place < size(), and it is not made yet.
  template <class Make>
  void emplace(std::size_t place, Make const& make) {
    ::new (static_cast<void*>(cells_ + place)) Cell(make());
    if constexpr (!std::is_trivially_destructible_v<Cell>) made_[place] = 1;
  }
  Cell* data() { return cells_; }
  Cell const* data() const { return cells_; }
  std::size_t size() const { return count_; }

 private:
  void clear() {
    for (std::size_t place = 0; place < made_.size(); ++place)
      if (made_[place] != 0) std::destroy_at(cells_ + place);
    if (cells_ != nullptr) std::allocator<Cell>().deallocate(cells_, count_);
    cells_ = nullptr, count_ = 0;
    made_.clear();
  }

  Cell* cells_ = nullptr;
  std::size_t count_ = 0;
  std::vector<char> made_;
};

}  // namespace skel::runtime::iteration
