#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/pattern/collective_stages.hpp>
#include <skel/detail/runtime/station/flow_control.hpp>

#include <runtime/line/stages.hpp>

namespace {

using namespace skel::test;

/// The product of those of 23 matrices that are this copy's: a whole that does not depend on the number of copies.
matrix part_of_product(std::uint64_t const& x, skel::portion mine) {
  stumble(x + mine.index);
  matrix product{1, 0, 0, 1};
  for (std::uint64_t i = mine.begin(23); i < mine.end(23); ++i) product = times{}(product, matrix_of(x + i));
  return product;
}

std::atomic<std::uint64_t> given_at_first;

TEST(BroadcastStage, JoinsThePartsOfAllCopiesInTheirOrder) {
  for (std::size_t copies : {1u, 2u, 3u, 5u, 9u})
    for (std::size_t capacity : {0u, 2u})
      for (int shift : {0, 1, 3})
        gives_what_the_sequential_engine_gives<matrix>(
            [](auto& out) {
              return count_to(500) | skel::broadcast("parts", part_of_product) | skel::reduce(times{}) |
                     skel::sink([&out](matrix x) { out.push_back(x); });
            },
            copies, capacity, shift);
}

TEST(BroadcastStage, TellsEachCopyWhichItIs) {
  gives_what_the_sequential_engine_gives<std::string>(
      [](auto& out) {
        return count_to(300) | skel::stage([](std::uint64_t x) { return std::to_string(x); }) |
               skel::broadcast(
                   [](std::string const& x, skel::portion mine) {
                     return x + "@" + std::to_string(mine.index) + "/" + std::to_string(mine.copies) + " ";
                   },
                   skel::width{6}) |
               skel::reduce(std::plus<>{}) | skel::sink([&out](std::string x) { out.push_back(std::move(x)); });
      },
      1);
}

TEST(BroadcastStage, CarriesLongVectorsToAllCopies) {
  gives_what_the_sequential_engine_gives<std::vector<double>>(
      [](auto& out) {
        auto const make = [](std::uint64_t x) {
          return std::vector<double>(x % 3 == 0 ? 10 : 20000 + x, static_cast<double>(x));
        };
        auto const part = [](std::vector<double> const& all, skel::portion mine) {
          using place = std::vector<double>::difference_type;
          return std::vector<double>(all.begin() + static_cast<place>(mine.begin(all.size())),
                                     all.begin() + static_cast<place>(mine.end(all.size())));
        };
        auto const append = [](std::vector<double> a, std::vector<double> const& b) {
          a.insert(a.end(), b.begin(), b.end());
          return a;
        };
        return count_to(60) | make | skel::broadcast(part) | skel::reduce(append) |
               skel::sink([&out](std::vector<double> x) { out.push_back(std::move(x)); });
      },
      4);
}

TEST(BroadcastStage, StandsBetweenFarmsAndBehindItself) {
  for (std::size_t width : {2u, 4u})
    gives_what_the_sequential_engine_gives<std::uint64_t>(
        [](auto& out) {
          auto const share = [](std::uint64_t const& x, skel::portion mine) { return mine.end(x) - mine.begin(x); };
          return count_to(2000) | skel::farm(stumbling) | skel::broadcast(share) | skel::reduce(std::plus<>{}) |
                 skel::farm(stumbling) | skel::broadcast(share) | skel::reduce(std::plus<>{}) | skel::broadcast(share) |
                 skel::reduce(std::plus<>{}) | skel::reduce(std::plus<>{}, skel::every(3)) |
                 skel::sink([&out](std::uint64_t x) { out.push_back(x); });
        },
        width);
}

TEST(BroadcastStage, LosesAndDoublesNothingBehindAnUnorderedFarm) {
  std::vector<std::uint64_t> got;
  auto app = count_to(3000) | skel::farm(stumbling, skel::unordered) |
             skel::broadcast([](std::uint64_t const& x, skel::portion mine) { return mine.index == 0 ? x : 0; }) |
             skel::reduce(std::plus<>{}) | skel::sink([&](std::uint64_t x) { got.push_back(x); });
  program const line = make_program(app);
  run_line(line, spread(line, 5), ranks());
  if (!at_sink()) return;
  std::sort(got.begin(), got.end());
  ASSERT_EQ(got.size(), 3000u);
  for (std::uint64_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], i);
}

TEST(BroadcastStage, EndsAnEmptyStreamAndFinishesEveryCopy) {
  static std::atomic<int> finished;
  finished = 0;
  struct counting {
    std::uint64_t operator()(std::uint64_t const& x) const { return x; }
    void finish() { ++finished; }
  };
  for (std::uint64_t n : {0u, 10u}) {
    finished = 0;
    std::uint64_t items = 0;
    auto app = count_to(n) | skel::broadcast(counting{}) | skel::reduce(skel::minimum{}) |
               skel::sink([&](std::uint64_t) { ++items; });
    program const line = make_program(app);
    auto const plan = spread(line, 5);
    run_line(line, plan, ranks());
    auto const& at = plan.stations[1].ranks;
    EXPECT_EQ(finished, std::count(at.begin(), at.end(), ranks().rank()));
    if (at_sink()) {
      EXPECT_EQ(items, n);
    }
  }
}

TEST(BroadcastStage, KeepsItemsThatCannotCrossOnOneRank) {
  static std::vector<std::uint64_t> const table{5, 6, 7};
  std::vector<std::uint64_t> got;
  auto app = count_to(3) | [](std::uint64_t x) { return &table[x]; } |
             skel::broadcast([](std::uint64_t const* const& x) { return *x; }) | skel::reduce(std::plus<>{}) |
             skel::sink([&](std::uint64_t x) { got.push_back(x); });
  program const line = make_program(app);
  run_plan plan = spread(line, 2);
  plan.stations[1].ranks = {0};
  plan.stations[2].ranks = {0, 0};
  run_line(line, plan, ranks());
  if (at_sink()) {
    EXPECT_THAT(got, testing::ElementsAre(10, 12, 14));
  }
  if (ranks().size() == 1) return;
  plan.stations[2].ranks = {0, 1};
  EXPECT_THROW(run_line(line, plan, ranks()), skel::error);
}

TEST(BroadcastStage, TellsEveryRankWhichCopyOrOperatorThrewOnWhichItem) {
  for (bool in_copy : {true, false}) {
    auto app = count_to(2000) |
               skel::broadcast("part",
                               [=](std::uint64_t const& x, skel::portion mine) {
                                 if (in_copy && x == 1234 && mine.index + 1 == mine.copies)
                                   throw std::runtime_error("no part of 1234");
                                 return x;
                               }) |
               skel::reduce("sum",
                            [=](std::uint64_t a, std::uint64_t b) {
                              if (!in_copy && b == 1234) throw std::runtime_error("no sum of 1234");
                              return std::max(a, b);
                            }) |
               skel::sink([](std::uint64_t) {});
    program const line = make_program(app);
    try {
      run_line(line, spread(line, 5), ranks());
      ADD_FAILURE() << "nothing was thrown";
    } catch (skel::stage_error const& e) {
      EXPECT_EQ(e.stage(), in_copy ? "part" : "sum");
      EXPECT_EQ(e.item(), 1234u);
      EXPECT_THAT(e.what(), testing::HasSubstr("of 1234"));
    }
  }
}

TEST(BroadcastStage, BeginsNoMoreThanItsWindowHolds) {
  // The last copy does not move until the source has rested: what then exists is what was let in.
  static std::atomic<std::uint64_t> given;
  given = 0;
  auto app = skel::source([i = std::uint64_t{0}]() mutable -> std::optional<std::uint64_t> {
               given = i + 1;
               return i < 2000 ? std::optional(i++) : std::nullopt;
             }) |
             skel::broadcast("hold",
                             [](std::uint64_t const& x, skel::portion mine) {
                               if (x == 0 && mine.index + 1 == mine.copies) std::this_thread::sleep_for(200ms);
                               return x;
                             }) |
             skel::reduce(skel::maximum{}) | skel::sink([n = std::uint64_t{0}](std::uint64_t) mutable {
               if (n++ == 0) given_at_first = given.load();
             });
  program const line = make_program(app);
  run_plan plan = spread(line, 4);
  plan.batch_bytes = 1;  // an item is a batch
  auto const record = run_line(line, plan, ranks());
  EXPECT_EQ(record.items, 2000u);
  if (at_sink()) {
    EXPECT_GT(given_at_first, 0u);
    EXPECT_LE(given_at_first, record.most_batches + 1);
  }
}

TEST(BroadcastStage, AgreesWithTheSequentialEngineOnRandomPlansAndTrees) {
  std::mt19937 draw(5);  // the same on all ranks
  for (int round = 0; round < 25; ++round) {
    std::uint64_t const n = draw() % 800;
    auto const compose = [n](auto& out) {
      return count_to(n) | skel::farm(stumbling) | skel::broadcast(part_of_product) | skel::reduce(times{}) |
             skel::sink([&out](matrix x) { out.push_back(x); });
    };
    std::vector<matrix> expected, got;
    auto reference = compose(expected);
    skel::runtime::run_sequential(reference);
    auto app = compose(got);
    program const line = make_program(app);
    run_plan plan = spread(line, 1 + draw() % 4, draw() % 3);
    auto& shown = plan.stations[2];
    shown.ranks.clear();
    for (std::size_t copies = 1 + draw() % 10; copies > 0; --copies)
      shown.ranks.push_back(static_cast<int>(draw() % static_cast<unsigned>(ranks().size())));
    std::size_t const vertices = skel::runtime::flow_control::copy_ranks(shown).size();
    shown.parents.assign(vertices, 0);
    for (std::uint32_t v = 1; v < vertices; ++v) {
      shown.parents[v] = v - 1;
      while (shown.parents[v] != 0 && draw() % 2 == 0) shown.parents[v] = shown.parents[shown.parents[v]];
    }
    run_line(line, plan, ranks());
    if (at_sink()) {
      EXPECT_EQ(got, expected);
    }
  }
}

TEST(BroadcastStage, RefusesTreesThatAreNotNumberedBranchByBranch) {
  skel::plan::station_plan station;
  station.ranks = {3, 3, 0, 1, 2};
  station.parents = {0, 0, 0, 1};
  EXPECT_THROW(skel::runtime::flow_control::copy_tree(station), skel::error);
  station.parents = {0, 0, 1};
  EXPECT_THROW(skel::runtime::flow_control::copy_tree(station), skel::error);
  station.parents = {0, 0, 1, 3};
  EXPECT_THROW(skel::runtime::flow_control::copy_tree(station), skel::error);
  station.parents = {0, 0, 1, 0};
  EXPECT_EQ(skel::runtime::flow_control::copy_tree(station).degree(0), 2u);
}

}  // namespace
