#include <skel/detail/record/bsp_timeline.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>

namespace {

using skel::record::bsp_timeline;
using testing::HasSubstr;
using testing::Not;

/// Supersteps of 2 ms from 10 s on, of two ranks that compute 1 and 2 ms; a process has moved before the third.
bsp_timeline timeline(std::uint64_t supersteps) {
  bsp_timeline out({"here", "there \"2\""});
  for (std::uint64_t s = 1; s <= supersteps; ++s) {
    double const begin = 10 + 2e-3 * static_cast<double>(s - 1);
    bool const moved = s == 3;
    out.add({s, 1, begin, begin + 2e-3, {1e-3, moved ? 1.5e-3 : 2e-3}, moved ? 1U : 0U, moved ? 5e-4 : 0});
  }
  return out;
}

std::string written(bsp_timeline const& run, std::vector<skel::record::bsp_migration> const& migrations) {
  std::string const file = "/tmp/skel_bsp_timeline_test." + std::to_string(::getpid());
  skel::record::write_chrome_trace(run, migrations, file);
  std::ifstream in(file);
  std::string const text(std::istreambuf_iterator<char>(in), {});
  std::filesystem::remove(file);
  return text;
}

TEST(BspTimeline, IsARowForEachRank) {
  auto const text = written(timeline(3), {{.superstep = 2, .process = 5, .from = 0, .to = 1},
                                          {.superstep = 2, .process = 6, .from = 0, .to = 1, .failed = "no memory"}});
  EXPECT_THAT(text, HasSubstr("{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"rank 1 (there "
                              "\\\"2\\\")\"}}"));
  EXPECT_THAT(text, HasSubstr("{\"ph\":\"X\",\"pid\":0,\"tid\":0,\"name\":\"superstep 2\",\"ts\":2000.000,\"dur\":"
                              "1000.000,\"args\":{\"first\":2,\"count\":1}}"));
  EXPECT_THAT(text, HasSubstr("\"pid\":0,\"tid\":0,\"name\":\"waiting\",\"ts\":3000.000,\"dur\":1000.000"));
  EXPECT_THAT(text, HasSubstr("\"pid\":1,\"tid\":0,\"name\":\"migrations\",\"ts\":4000.000,\"dur\":500.000"));
  EXPECT_THAT(text, HasSubstr("\"pid\":1,\"tid\":0,\"name\":\"superstep 3\",\"ts\":4500.000,\"dur\":1500.000"));
  EXPECT_THAT(text, HasSubstr("{\"ph\":\"i\",\"pid\":1,\"tid\":0,\"s\":\"t\",\"name\":\"process 5 from rank 0\","
                              "\"ts\":4000.000}"));
  EXPECT_THAT(text, Not(HasSubstr("process 6")));
}

TEST(BspTimeline, ASuperstepBeginsSoonEnoughForItsSlowestRank) {
  bsp_timeline run({"a", "b"});
  run.add({1, 1, 0, 3, {1, 2}, 0, 0});
  run.add({2, 1, 3, 4.5, {1, 2}, 0, 0});  // rank 0 heard half a second late of the first barrier
  run.add({3, 1, 4, 7, {1, 2}, 1, 0.5});  // migrations that took longer on another rank than on rank 0
  auto const& all = run.supersteps();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_DOUBLE_EQ(all[0].end, 2.5);
  EXPECT_DOUBLE_EQ(all[1].begin, 2.5);
  EXPECT_DOUBLE_EQ(all[1].end, 4.5);
  EXPECT_DOUBLE_EQ(all[2].begin, 4.5);
}

TEST(BspTimeline, OfNothingIsATraceToo) {
  EXPECT_THAT(written(bsp_timeline({"n"}), {{.superstep = 1, .process = 0, .from = 0, .to = 0}}),
              HasSubstr("\"traceEvents\":["));
}

TEST(BspTimeline, IsBounded) {
  auto const run = timeline(3 * bsp_timeline::most_cells);
  EXPECT_LE(2 * run.supersteps().size(), bsp_timeline::most_cells);
  std::uint64_t count = 0;
  for (auto const& some : run.supersteps()) count += some.count;
  EXPECT_EQ(count, 3 * bsp_timeline::most_cells);
  EXPECT_NEAR(run.supersteps().back().end, 10 + 2e-3 * static_cast<double>(count), 1e-6);
  EXPECT_EQ(run.supersteps().front().moved, 1U);
}

TEST(BspTimeline, AFileThatCannotBeWrittenIsSaid) {
  EXPECT_THROW(skel::record::write_chrome_trace(timeline(1), {}, "/tmp/no/such/folder/trace.json"), skel::error);
}

}  // namespace
