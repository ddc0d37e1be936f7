#include <skel/detail/record/workload.hpp>

#include <gtest/gtest.h>

namespace {

using namespace skel::record;

TEST(Wavefront, HasProcessesThatBeginAndEndOneAfterTheOther) {
  workload const program = wavefront{.order = 4, .first = 1, .last = 7, .message_bytes = 5};
  ASSERT_EQ(processes_of(program), 4U);
  ASSERT_EQ(supersteps_of(program), 7U);
  for (std::size_t s = 1; s <= 7; ++s) {
    auto const load = load_of(program, s);
    for (std::size_t p = 0; p < 4; ++p)
      EXPECT_DOUBLE_EQ(load.work[p], s >= p + 1 && s <= p + 4 ? static_cast<double>(s) : 0) << s << ", " << p;
  }
  auto const messages = load_of(program, 5).messages;
  ASSERT_EQ(messages.size(), 2U) << "the last process has nobody to send to";
  EXPECT_EQ(messages[0].from, 1U);
  EXPECT_EQ(messages[0].to, 2U);
  EXPECT_EQ(messages[0].bytes, 5);
}

TEST(Wavefront, OfOneProcessHasOneSuperstep) {
  workload const program = wavefront{.order = 1, .first = 3, .last = 9};
  ASSERT_EQ(supersteps_of(program), 1U);
  EXPECT_EQ(load_of(program, 1).work, std::vector<double>{3});
  EXPECT_TRUE(load_of(program, 1).messages.empty());
}

TEST(LoadTrace, GivesWhatItHas) {
  workload const program = load_trace{{{.work = {1, 2}}, {.work = {0, 3}, .messages = {{0, 1, 8}}}}};
  EXPECT_EQ(processes_of(program), 2U);
  EXPECT_EQ(supersteps_of(program), 2U);
  EXPECT_EQ(load_of(program, 2).work, (std::vector<double>{0, 3}));
  EXPECT_EQ(load_of(program, 2).messages.size(), 1U);
}

TEST(LoadTrace, IsRepeated) {
  workload const program = load_trace{.steps = {{.work = {1}}, {.work = {2}}}, .repeat = 3};
  EXPECT_EQ(supersteps_of(program), 6U);
  EXPECT_EQ(load_of(program, 5).work, std::vector<double>{1});
  EXPECT_EQ(load_of(program, 6).work, std::vector<double>{2});
}

}  // namespace
