#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/pages.hpp>
#include <skel/detail/runtime/threads/memory.hpp>

namespace {

using skel::huge_page;
using skel::least_of_huge_page;
using skel::runtime::page_memory;

TEST(PageMemory, HasRoomForWhatIsAskedAndSaysWhatItKeeps) {
  constexpr std::size_t huge = huge_page, least = least_of_huge_page;
  for (std::size_t const bytes :
       {std::size_t{1}, std::size_t{100}, least - 1, least, huge - 1, huge, huge + 1, huge + least, 3 * huge + 12345}) {
    page_memory memory(bytes);
    ASSERT_NE(memory.data(), nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % 64, 0u);
    EXPECT_GE(memory.bytes(), bytes);
    EXPECT_LE(memory.bytes(), skel::kept_bytes(bytes) + 65536);  // a page
    std::memset(memory.data(), 0xa5, memory.bytes());            // all of it is there
  }
}

TEST(PageMemory, IsAlignedAsIsAsked) {
  for (std::size_t const alignment : {std::size_t{8}, std::size_t{256}, std::size_t{65536}})
    for (std::size_t const bytes : {std::size_t{24}, huge_page + 24})
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(page_memory(bytes, alignment).data()) % alignment, 0u);
}

TEST(PageMemory, KeepsWholeHugePagesWhereLittleIsLeftOver) {
  EXPECT_EQ(skel::kept_bytes(1000), 1000u);
  EXPECT_EQ(skel::kept_bytes(least_of_huge_page), huge_page);
  EXPECT_EQ(skel::kept_bytes(huge_page + 8), huge_page + 8);
  EXPECT_EQ(skel::in_huge_pages(huge_page + 8), huge_page);
  EXPECT_EQ(skel::kept_bytes(2 * huge_page - 8), 2 * huge_page);
}

TEST(PageMemory, Moves) {
  for (std::size_t const bytes : {std::size_t{24}, huge_page}) {
    page_memory from(bytes);
    auto* const at = from.data();
    page_memory into(std::move(from));
    EXPECT_EQ(into.data(), at);
    into = page_memory(huge_page - bytes + 24);  // from the heap to the system and back
    EXPECT_GE(into.bytes(), huge_page - bytes + 24);
    into = page_memory();
    EXPECT_EQ(into.bytes(), 0u);
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

using skel::runtime::measure_bandwidth;

TEST(Bandwidth, SaysWhatItMeasured) {
  auto const found = measure_bandwidth(2, 1 << 16, 1e9);
  EXPECT_GT(found.bytes_per_second, 0);
  EXPECT_EQ(found.array_bytes, 1U << 16U);
  EXPECT_EQ(found.threads, 2U);
  EXPECT_GT(found.rounds, 0U);
}

TEST(Bandwidth, RefusesACacheThatIsNotKnownAndArraysThatDoNotFit) {
  EXPECT_THROW(measure_bandwidth(1, 0, 1e9), skel::error);
  EXPECT_THROW(measure_bandwidth(1, 1e9, 1e9), skel::error);
}

}  // namespace
