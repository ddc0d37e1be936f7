#include <skel/detail/runtime/bsp/superstep.hpp>

#include <cstddef>
#include <limits>
#include <new>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace skel::runtime::bsp;

struct state {
  std::vector<std::byte> bytes;
};

/// What is put needs more room than there is.
TEST(Superstep, APutWithoutRoomForItsValuesIsNone) {
  outbox<int, no_value> out;
  participation<int, no_value> part;
  part.processes = 1, part.out = &out, part.arrays = skel::registered<&state::bytes>::entries();
  skel::superstep<int> now(part);
  std::byte const one{};
  now.put<&state::bytes>(0, 0, one);
  std::span<std::byte const> const all(&one, std::numeric_limits<std::ptrdiff_t>::max());
  EXPECT_THROW(now.put<&state::bytes>(0, 0, all), std::length_error);
  now.put<&state::bytes>(0, 1, one);
  EXPECT_EQ(out.accesses.puts.size(), 2U);
  EXPECT_EQ(out.accesses.values.size(), 2U);
}

/// Runs out of memory where it is moved, once.
struct scarce {
  bool full = false;

  explicit scarce(bool is_full) : full(is_full) {}
  scarce(scarce&& from) {
    if (from.full) throw std::bad_alloc();
  }
};

TEST(Superstep, AContributionWithoutMemoryIsNone) {
  outbox<int, scarce> out;
  participation<int, scarce> part;
  part.processes = 1, part.out = &out;
  skel::superstep<int, scarce> now(part);
  EXPECT_THROW(now.contribute(scarce(true)), std::bad_alloc);
  now.contribute(scarce(false));
  EXPECT_EQ(out.contributions.size(), 1U);
  EXPECT_THROW(now.contribute(scarce(false)), skel::error);
}

}  // namespace
