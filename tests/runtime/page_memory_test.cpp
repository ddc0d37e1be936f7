#include <skel/runtime/page_memory.hpp>

#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include <gtest/gtest.h>

namespace {

using skel::runtime::page_array;
using skel::runtime::page_memory;

TEST(PageMemory, HasRoomForWhatIsAskedAndSaysWhatItKeeps) {
  constexpr std::size_t huge = page_memory::huge, least = page_memory::least;
  for (std::size_t const bytes :
       {std::size_t{1}, std::size_t{100}, least - 1, least, huge - 1, huge, huge + 1, huge + least, 3 * huge + 12345}) {
    page_memory memory(bytes);
    ASSERT_NE(memory.data(), nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % 64, 0u);
    EXPECT_GE(memory.bytes(), bytes);
    EXPECT_LE(memory.bytes(), bytes < least ? bytes : 8 * bytes);
    EXPECT_LE(memory.bytes(), bytes + huge);
    std::memset(memory.data(), 0xa5, memory.bytes());  // all of it is there
  }
}

TEST(PageMemory, OfNothingIsNone) {
  page_memory memory(0);
  EXPECT_EQ(memory.data(), nullptr);
  EXPECT_EQ(memory.bytes(), 0u);
}

TEST(PageMemory, RefusesMoreThanThereIs) {
  EXPECT_THROW(page_memory(std::numeric_limits<std::size_t>::max() - 4096), std::bad_alloc);
  EXPECT_THROW(page_memory(std::size_t{1} << 62), std::bad_alloc);
}

TEST(PageArray, MovesItsValues) {
  page_array<double> from(page_memory::huge / sizeof(double));
  from.get()[17] = 4;
  double const* const at = from.get();
  page_array<double> into = std::move(from);
  EXPECT_EQ(into.get(), at);
  EXPECT_EQ(into.get()[17], 4);
  into = page_array<double>(3);
  EXPECT_EQ(into.size(), 3u);
  EXPECT_LT(into.bytes(), page_memory::least);
}

}  // namespace
