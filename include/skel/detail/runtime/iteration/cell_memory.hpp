#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace skel::runtime::iteration {

/// Room for cells behind each other, each of which is made by one of several threads, and destroyed where it was made.
/// It begins with a line of the caches.
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
    if (count > static_cast<std::size_t>(-1) / sizeof(Cell)) throw std::bad_array_new_length();
    cells_ = static_cast<Cell*>(::operator new(count * sizeof(Cell), alignment(count)));
    count_ = count;
    // Neighbours are pages apart: with pages of 4 KiB looking up where these are took a sixth of a phase. It may fail.
    if (count * sizeof(Cell) >= huge_page) ::madvise(cells_, count * sizeof(Cell), MADV_HUGEPAGE);
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
  static constexpr std::size_t line = 64, huge_page = std::size_t{1} << 21;

  static constexpr std::align_val_t alignment(std::size_t count) {
    return std::align_val_t(std::max(alignof(Cell), count * sizeof(Cell) >= huge_page ? huge_page : line));
  }

  void clear() {
    for (std::size_t place = 0; place < made_.size(); ++place)
      if (made_[place] != 0) std::destroy_at(cells_ + place);
    if (cells_ != nullptr) ::operator delete(cells_, alignment(count_));
    cells_ = nullptr, count_ = 0;
    made_.clear();
  }

  Cell* cells_ = nullptr;
  std::size_t count_ = 0;
  std::vector<char> made_;
};

}  // namespace skel::runtime::iteration
