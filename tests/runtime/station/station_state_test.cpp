#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/runtime/station/divisible_state.hpp>
#include <skel/detail/runtime/station/fold.hpp>
#include <skel/detail/runtime/station/station_state.hpp>

namespace {

struct table {
  std::vector<std::uint64_t> rows{};

  int operator()(int x) { return x; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(rows);
  }
};

struct empty_in_writing {
  int unwritten = 0;

  int operator()(int x) { return x; }
  template <class Archive>
  void serialize(Archive&) {}
};

struct in_parts {
  std::vector<std::string> shelves = std::vector<std::string>(3);

  int operator()(int x) { return x; }
  std::size_t parts() const { return shelves.size(); }
  std::size_t part_of(int x) const { return static_cast<std::size_t>(x) % shelves.size(); }
  template <class Archive>
  void serialize_part(Archive& archive, std::size_t part) {
    archive(shelves[part]);
  }
};

/// Written over what is longer, and shorter, it is what a state of its own is.
void check_taken_into(skel::runtime::station_state& state) {
  std::string const alone = state.take();
  for (std::size_t const before : {0U, 3U, 10'000U}) {
    std::string into(before, 'x');
    state.take_into(into);
    EXPECT_EQ(into, alone) << before;
  }
}

TEST(StationState, IsTakenIntoWhateverIsThere) {
  table some{{1, 2, 3}};
  check_taken_into(*skel::runtime::state_of(some));
  in_parts parts{{"a", "", std::string(100, 'b')}};
  check_taken_into(*skel::runtime::stage_state_of<int, int>(parts));
  skel::runtime::partial_fold<std::uint64_t> fold;
  check_taken_into(fold);
  fold.add([](std::uint64_t a, std::uint64_t b) { return a + b; }, 3);
  check_taken_into(fold);
}

TEST(StationState, UsesMemoryThatItIsGiven) {
  table some{std::vector<std::uint64_t>(1000, 7)};
  auto const state = skel::runtime::state_of(some);
  std::string bytes = state->take();
  char const* const memory = bytes.data();
  state->take_into(bytes);
  EXPECT_EQ(bytes.data(), memory);
}

TEST(StationState, WithoutBytesIsNotNone) {
  empty_in_writing nothing;
  EXPECT_NE(skel::runtime::state_of(nothing)->take(), "");
}

TEST(StationState, OfPartsIsRestoredAsAWhole) {
  in_parts from{{"a", "", "ccc"}}, to;
  skel::runtime::stage_state_of<int, int>(to)->restore(skel::runtime::stage_state_of<int, int>(from)->take());
  EXPECT_EQ(to.shelves, from.shelves);
}

}  // namespace
