#include <skel/detail/runtime/reduction/columns.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/base/pages.hpp>

namespace {

using namespace skel;
using namespace skel::runtime::reduction;

/// A value that cannot be copied byte by byte, and is counted.
struct counted {
  inline static int alive = 0, most = std::numeric_limits<int>::max();
  std::string name = "none";

  counted() {
    if (alive == most) throw std::runtime_error("too many");
    ++alive;
  }
  counted(counted const& other) : name(other.name) { ++alive; }
  counted& operator=(counted const&) = default;
  ~counted() { --alive; }
};

TEST(OwnedColumns, BuildAndDestroyValuesOfAnyType) {
  for (std::size_t const size : {std::size_t{3}, huge_page / sizeof(counted) + 1}) {
    {
      owned_columns<double, counted> first(size);
      EXPECT_EQ(counted::alive, static_cast<int>(size));
      std::get<1>(first.view().at)[size - 1].name = "the last one of all";
      owned_columns<double, counted> second(std::move(first));
      EXPECT_EQ(std::get<1>(second.view().at)[size - 1].name, "the last one of all");
      second = owned_columns<double, counted>(1);
      EXPECT_EQ(counted::alive, 1);
    }
    EXPECT_EQ(counted::alive, 0);
  }
}

TEST(OwnedColumns, DestroyWhatWasBuiltBeforeAConstructorThrew) {
  counted::most = 14;  // ten of the first column, four of the second
  EXPECT_THROW((owned_columns<counted, counted>(10)), std::runtime_error);
  counted::most = std::numeric_limits<int>::max();
  EXPECT_EQ(counted::alive, 0);
}

TEST(OwnedColumns, AreAlignedAsTheirValuesAre) {
  struct alignas(256) wide {
    double value;
  };
  owned_columns<char, wide, double> const some(7);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(std::get<1>(some.view().at)) % 256, 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(std::get<2>(some.view().at)) % 64, 0u);
}

TEST(PrivateColumns, HoldTheIdentityAlsoAfterAUseThatWasBrokenOff) {
  private_columns<std::int64_t> own;
  own.hold(100, std::multiplies<>{});
  own.use();
  std::get<0>(own.view().at)[99] = 7;  // and nobody says clean()
  own.hold(50, std::multiplies<>{});
  own.hold(100, std::multiplies<>{});
  for (std::size_t e = 0; e < 100; ++e) EXPECT_EQ(std::get<0>(own.view().at)[e], 1);
}

TEST(PrivateColumns, CanBeUsedAfterThereWasNoRoom) {
  private_columns<double> own;
  own.hold(100, std::plus<>{});
  EXPECT_THROW(own.hold(std::size_t{1} << 60, std::plus<>{}), std::bad_alloc);
  own.hold(50, std::plus<>{});
  for (std::size_t e = 0; e < 50; ++e) EXPECT_EQ(std::get<0>(own.view().at)[e], 0.0);
}

}  // namespace
