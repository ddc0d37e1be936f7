#include <skel/detail/runtime/iteration/cell_memory.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>

#include <gtest/gtest.h>

#include <skel/detail/runtime/iteration/mesh_part.hpp>

namespace {

using skel::runtime::iteration::cell_memory;

TEST(CellMemory, DestroysTheCellsThatWereMade) {
  auto const one = std::make_shared<int>(1);
  {
    cell_memory<std::shared_ptr<int>> cells;
    cells.resize(3);
    cells.emplace(1, [&] { return one; });
    EXPECT_EQ(one.use_count(), 2);
    cells.resize(0);
    EXPECT_EQ(one.use_count(), 1);
    cells.resize(2);
    cells.emplace(0, [&] { return one; });
  }
  EXPECT_EQ(one.use_count(), 1);
}

TEST(CellMemory, BeginsAsCellsAndLinesWant) {
  struct alignas(256) wide {
    double u;
  };
  cell_memory<wide> few;
  few.resize(3);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(few.data()) % 256, 0u);
  cell_memory<char> many;  // several huge pages
  many.resize(std::size_t{5} << 20);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(many.data()) % 64, 0u);
  many.data()[(std::size_t{5} << 20) - 1] = 1;
}

TEST(CellMemory, RefusesWhatNoMemoryHolds) {
  cell_memory<double> cells;
  EXPECT_THROW(cells.resize(std::numeric_limits<std::size_t>::max() / 8), std::bad_alloc);
}

TEST(FetchesAhead, WhereCellsAreLargerThanALineAndMoreThanACacheHolds) {
  using skel::runtime::iteration::fetches_ahead;
  EXPECT_FALSE(fetches_ahead(std::size_t{1} << 40, 64));
  EXPECT_FALSE(fetches_ahead(10, 1000));
  EXPECT_TRUE(fetches_ahead(std::size_t{1} << 40, 65));
}

}  // namespace
