#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include <skel/detail/runtime/threads/memory.hpp>

namespace skel::runtime::iteration {

/// Room for cells behind each other. Several threads may make them; only those that were made are destroyed. It begins
/// with a cache line, and has huge pages if it is large. Neighbours are pages apart, and with small pages the search
/// for these took a sixth of a phase (bench_mesh_phases, 2026-11-28, EPYC).
template <class Cell>
class cell_memory {
 public:
  cell_memory() = default;
  cell_memory(cell_memory const&) = delete;
  cell_memory& operator=(cell_memory const&) = delete;
  ~cell_memory() { clear(); }

  /// Makes room for `count` cells, and destroys those that were there. Throws std::bad_alloc.
  void resize(std::size_t count) {
    clear();
    made_.assign(std::is_trivially_destructible_v<Cell> ? 0 : count, 0);
    if (count > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / sizeof(Cell))
      throw std::bad_array_new_length();
    memory_ = page_memory(count * sizeof(Cell), std::max(alignof(Cell), line));
    cells_ = reinterpret_cast<Cell*>(memory_.data());
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
  static constexpr std::size_t line = 64;

  void clear() {
    for (std::size_t place = 0; place < made_.size(); ++place)
      if (made_[place] != 0) std::destroy_at(cells_ + place);
    memory_ = {};
    cells_ = nullptr, count_ = 0;
    made_.clear();
  }

  page_memory memory_;
  Cell* cells_ = nullptr;
  std::size_t count_ = 0;
  std::vector<char> made_;
};

}  // namespace skel::runtime::iteration
