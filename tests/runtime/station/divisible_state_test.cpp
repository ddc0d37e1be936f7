#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/pattern/compose.hpp>
#include <skel/detail/runtime/line/program.hpp>

#include "support/divisible_laws.hpp"
#include "support/random_programs/leaves.hpp"

namespace {

using skel::runtime::halves;
using skel::runtime::items;
using skel::runtime::make_program;

/// How often each word has come.
struct word_counts {
  std::vector<std::map<std::string, int>> shelves = std::vector<std::map<std::string, int>>(4);

  int operator()(std::string const& word) { return ++shelves[part_of(word)][word]; }
  std::size_t parts() const { return shelves.size(); }
  std::size_t part_of(std::string const& word) const { return word.size() % shelves.size(); }
  template <class Archive>
  void serialize_part(Archive& archive, std::size_t part) {
    archive(shelves[part]);
  }
};

TEST(DivisibleState, ObeysItsLaws) {
  std::vector<std::string> words;
  for (std::uint64_t i = 0; i < 40; ++i) words.emplace_back(1 + i * i % 7, 'a');
  skel::test::check_divisible_laws<std::string, int>(word_counts(), words);

  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < 40; ++i) numbers.push_back(bench::scatter(i));
  skel::test::check_divisible_laws<std::uint64_t, std::uint64_t>(
      bench::keeping_in_parts<std::uint64_t, std::uint64_t>(bench::habit{7, 0, 0, 0, true, false}, 5), numbers);
}

TEST(DivisibleState, IsThatOfASerialStageWhichGivesOneItemForOne) {
  auto const from = [] { return skel::source([]() -> std::optional<std::string> { return std::nullopt; }); };
  auto serial = from() | skel::stage(word_counts()) | skel::sink([](int) {});
  auto farm = from() | skel::farm(word_counts()) | skel::sink([](int) {});
  auto stateless = from() | skel::stage(word_counts(), skel::stateless) | skel::sink([](int) {});
  auto const line = make_program(serial);
  ASSERT_NE(line.stations[1].state, nullptr);
  EXPECT_NE(line.stations[1].state->divisible(), nullptr);
  EXPECT_EQ(make_program(farm).stations[1].state, nullptr);
  EXPECT_EQ(make_program(stateless).stations[1].state, nullptr);
}

TEST(DivisibleState, SplitsABatchAndPutsItTogetherInItsOrder) {
  word_counts counts;
  auto const state = skel::runtime::stage_state_of<std::string, int>(counts);
  auto batch = std::make_unique<items<std::string>>(4);
  for (char const* word : {"a", "bb", "c", "dd"}) batch->append(word);
  std::size_t position = 0;
  EXPECT_EQ(state->divisible()->parts_of(*batch, position), (std::vector<std::size_t>{1, 2, 1, 2}));
  std::vector<bool> const there{false, true, false, true};
  auto const apart = state->divisible()->split(std::move(batch), there);
  auto const& mine = static_cast<items<std::string> const&>(*apart.here);
  auto const& others = static_cast<items<std::string> const&>(*apart.there);
  EXPECT_EQ(mine[0] + mine[1], "ac");
  EXPECT_EQ(others[0] + others[1], "bbdd");

  halves made{std::make_unique<items<int>>(2), std::make_unique<items<int>>(2)};
  for (int i : {1, 3}) static_cast<items<int>&>(*made.here).append(int(i));
  for (int i : {2, 4}) static_cast<items<int>&>(*made.there).append(int(i));
  auto const all = state->divisible()->merge(std::move(made), there);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(static_cast<items<int> const&>(*all)[static_cast<std::size_t>(i)], i + 1);
}

TEST(DivisibleState, IsNotReadByAFunctionWithAnotherNumberOfParts) {
  word_counts four, three, five;
  three.shelves.resize(3), five.shelves.resize(5);
  auto const written = skel::runtime::stage_state_of<std::string, int>(four)->take();
  for (auto* const other : {&three, &five}) {
    auto const state = skel::runtime::stage_state_of<std::string, int>(*other);
    EXPECT_THROW(state->restore(written), skel::error);
  }
  auto const state = skel::runtime::stage_state_of<std::string, int>(three);
  EXPECT_THROW(state->divisible()->restore_part(3, std::string(8, '\0')), skel::error);
}

TEST(DivisibleState, OfAPartThatThereIsNotIsAnError) {
  struct astray : word_counts {
    std::size_t part_of(std::string const&) const { return 9; }
  } counts;
  auto const state = skel::runtime::stage_state_of<std::string, int>(counts);
  items<std::string> batch(1);
  batch.append("a");
  std::size_t position = 0;
  EXPECT_THROW(state->divisible()->parts_of(batch, position), skel::error);
}

}  // namespace
