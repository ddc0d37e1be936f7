#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/pattern/collective_stages.hpp>
#include <skel/detail/runtime/line/calibration.hpp>

#include <runtime/line/stages.hpp>

namespace {

using namespace skel::test;

/// An item x becomes x % 4 of them.
void some(std::uint64_t x, skel::emitter<std::uint64_t>& out) {
  stumble(x);
  for (std::uint64_t i = 0; i < x % 4; ++i) out(10 * x + i);
}

TEST(EmittingStage, GivesWhatTheSequentialEngineGives) {
  for (std::size_t width : {1u, 3u, 5u})
    gives_what_the_sequential_engine_gives<std::string>(
        [](auto& out) {
          return count_to(5000) | skel::farm(&some) |
                 skel::stage("text", [](std::uint64_t x) { return std::to_string(x); }) |
                 skel::farm(skel::filter([](std::string const& s) { return s.back() != '1'; })) |
                 skel::sink([&out](std::string s) { out.push_back(std::move(s)); });
        },
        width);
}

TEST(EmittingStage, GivesAReduceWhatThereIs) {
  for (std::uint64_t n : {0u, 1u, 3000u})
    gives_what_the_sequential_engine_gives<matrix>(
        [n](auto& out) {
          return count_to(n) | skel::farm([](std::uint64_t x, skel::emitter<matrix>& to) {
                   for (std::uint64_t i = 0; i < x % 3; ++i) to(matrix{x, 1, i, x + 1});
                 }) |
                 skel::reduce(times{}) | skel::sink([&out](matrix const& x) { out.push_back(x); });
        },
        3);
  gives_what_the_sequential_engine_gives<std::uint64_t>(
      [](auto& out) {
        return count_to(3000) | skel::farm(skel::filter([](std::uint64_t) { return false; })) |
               skel::reduce(std::plus<>{}) | skel::sink([&out](std::uint64_t x) { out.push_back(x); });
      },
      3);
}

TEST(EmittingStage, IsRecordedWithWhatItTakesAndGives) {
  auto app = count_to(4000) | skel::farm("some", &some) | skel::sink([](std::uint64_t) {});
  program const line = make_program(app);
  EXPECT_TRUE(line.stations[1].emits);
  EXPECT_FALSE(line.stations[1].renumbered);
  EXPECT_TRUE(line.stations[2].renumbered);
  auto const record = run_line(line, spread(line, 2), ranks());
  EXPECT_EQ(record.items, 4000u);
  std::uint64_t taken = 0, given = 0;
  for (auto const& one : record.stations)
    if (one.station == 1) taken += one.items, given += one.items_out;
  EXPECT_EQ(taken, 4000u);
  EXPECT_EQ(given, 6000u);
  EXPECT_EQ(record.stations.back().items, 6000u);
  EXPECT_EQ(record.stations.back().items_out, 0u);
  EXPECT_EQ(record.stations.back().source_items, 4000u);
}

TEST(EmittingStage, WindowsCarryTheItemsThatTheyWereMadeOf) {
  auto app = count_to(1000) | skel::reduce(std::plus<>{}, skel::every(7)) | skel::sink([](std::uint64_t) {});
  program const line = make_program(app);
  auto const record = run_line(line, spread(line, 1), ranks());
  EXPECT_EQ(record.stations.back().items, 143u);
  EXPECT_EQ(record.stations.back().source_items, 1000u);
}

TEST(EmittingStage, WindowsWeighWhatTheirLastBatchHoldsTheCreditsOf) {
  auto app = count_to(100) | skel::reduce(std::plus<>{}, skel::every(10)) |
             skel::stage("long", [](std::uint64_t x) { return std::string(1000, static_cast<char>('a' + x % 26)); }) |
             skel::sink([](std::string const&) {});
  program const line = make_program(app);
  auto plan = spread(line, 1);
  plan.batch_latency = 1e-12;  // one item in each batch
  for (auto const& one : run_line(line, plan, ranks()).stations)
    if (one.name == "long") {
      EXPECT_GE(one.item_bytes, 1000u);
    }
}

TEST(EmittingStage, FailuresBehindItNameTheItemsOfTheBatch) {
  auto app = count_to(100) |
             skel::stage("twice",
                         [](std::uint64_t x, skel::emitter<std::uint64_t>& out) {
                           out(x);
                           out(x);
                         }) |
             skel::stage("check",
                         [](std::uint64_t x) {
                           if (x == 60) throw std::runtime_error("sixty");
                           return x;
                         }) |
             skel::sink([](std::uint64_t) {});
  program const line = make_program(app);
  auto plan = spread(line, 1);
  plan.batch_latency = 1e6;
  plan.batch_bytes = 10 * sizeof(std::uint64_t);
  try {
    run_line(line, plan, ranks());
    ADD_FAILURE() << "nothing was thrown";
  } catch (skel::stage_error const& e) {
    EXPECT_EQ(e.stage(), "check");
    EXPECT_LE(e.item(), 60u);
    EXPECT_GT(e.item() + 10, 60u);
    std::string const first = std::to_string(e.item());
    EXPECT_THAT(e.what(), testing::HasSubstr("'check' threw on a result of item"));
    EXPECT_THAT(e.what(), testing::HasSubstr("sixty"));
  }
}

TEST(EmittingStage, IsMeasuredPerItemOfTheSource) {
  auto app = count_to(400) | skel::stage("some", &some) | skel::stage("copy", [](std::uint64_t x) { return x; }) |
             skel::sink([](std::uint64_t) {});
  program const line = make_program(app);
  auto const found = skel::runtime::calibrate(line, 3600);
  EXPECT_TRUE(found.ended);
  EXPECT_EQ(found.items, 400u);
  EXPECT_DOUBLE_EQ(found.stations[1].takes, 1);
  EXPECT_DOUBLE_EQ(found.stations[2].takes, 1.5);
  EXPECT_DOUBLE_EQ(found.stations[3].takes, 1.5);
  EXPECT_DOUBLE_EQ(found.stations[2].bytes, 1.5 * sizeof(std::uint64_t));
}

}  // namespace
