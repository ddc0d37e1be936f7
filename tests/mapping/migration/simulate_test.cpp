#include <skel/detail/mapping/migration/simulate.hpp>

#include <string>

#include <gmock/gmock.h>

#include <skel/detail/base/error.hpp>

namespace {

using namespace skel;
using namespace skel::mapping::migration;

cost::bsp::machine pair() {
  return {platform::description(0, {{"a", 2, 1, 1, {0.25, 100}, {}, {}}}, {}), 0.5};
}

/// Moves one process after the first superstep.
class one_move final : public policy {
 public:
  one_move(std::size_t process, std::size_t from, std::size_t to) : process_(process), from_(from), to_(to) {}

  std::optional<record::rescheduling> after(record::superstep const& step) override {
    told_.push_back(step);
    if (step.number != 1) return std::nullopt;
    return record::rescheduling{.superstep = 1,
                                .candidates = {{.process = process_, .from = from_, .to = to_, .accepted = true}},
                                .cost = 0.125,
                                .price = 4};
  }
  std::vector<record::superstep> told_;

 private:
  std::size_t process_, from_, to_;
};

record::load_trace const program{{{.work = {1, 2}}, {.work = {1, 2}}, {.work = {1, 2}}}};

TEST(Simulate, ChargesSuperstepsCallsAndMigrations) {
  one_move decides(1, 0, 1);
  auto const run = simulate(program, pair(), {{0, 0}, {10, 10}}, decides);
  // 3 s together, then 2 s apart and a barrier of two latencies.
  EXPECT_DOUBLE_EQ(run.seconds, 3 + 0.125 + 4 + 2 * (2 + 2 * 0.25));
  EXPECT_DOUBLE_EQ(run.calling, 0.125);
  EXPECT_DOUBLE_EQ(run.migrating, 4);
  EXPECT_EQ(run.hosts, (std::vector<std::size_t>{0, 1}));
  EXPECT_DOUBLE_EQ(run.imbalance, 7 / (3 + 1.5 + 1.5) - 1);
}

TEST(Simulate, ChargesWhatACallTakesAtLeastAndTellsThePolicy) {
  one_move decides(1, 0, 1);
  auto const run = simulate(program, pair(), {.hosts = {0, 0}, .state_bytes = {10, 10}, .call = 2}, decides);
  EXPECT_DOUBLE_EQ(run.calling, 2);
  EXPECT_DOUBLE_EQ(run.seconds, 3 + 2 + 4 + 2 * (2 + 2 * 0.25));
  ASSERT_EQ(decides.told_.size(), 2U);
  EXPECT_EQ(decides.told_[0].call, 2);
  EXPECT_EQ(decides.told_[0].deciding, 0);
  EXPECT_EQ(decides.told_[1].deciding, 2);
}

TEST(Simulate, LoadsHostsByOthersUntilThatChanges) {
  one_move decides(1, 0, 0);
  start const begin{.hosts = {0, 0}, .state_bytes = {10, 10}, .external_load = {0.5, 0}, .change = {{3, {0.75, 0}}}};
  auto const run = simulate(program, pair(), begin, decides);
  EXPECT_DOUBLE_EQ(run.seconds - run.calling - run.migrating, 3 / 0.5 + 3 / 0.5 + 3 / 0.25);
  EXPECT_EQ(decides.told_[1].external_load, begin.external_load);
}

TEST(Simulate, TellsThePolicyWhatHappenedAndNothingAfterTheLast) {
  one_move decides(1, 0, 1);
  simulate(program, pair(), {{0, 0}, {10, 20}}, decides);
  ASSERT_EQ(decides.told_.size(), 2U);
  EXPECT_EQ(decides.told_[1].number, 2U);
  EXPECT_EQ(decides.told_[1].hosts, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(decides.told_[1].state_bytes, (std::vector<double>{10, 20}));
  EXPECT_DOUBLE_EQ(decides.told_[1].seconds, 2.5);
}

TEST(Simulate, RefusesMovesThatCannotBe) {
  struct bad {
    std::size_t process, from, to;
  };
  for (auto const& [process, from, to] : {bad{1, 0, 2}, {1, 1, 0}, {2, 0, 1}}) {
    one_move decides(process, from, to);
    try {
      simulate(program, pair(), {{0, 0}, {10, 10}}, decides);
      FAIL();
    } catch (error const& refused) {
      EXPECT_THAT(std::string(refused.what()),
                  testing::HasSubstr("after superstep 1, which cannot be; there are 2 processes"));
    }
  }
}

}  // namespace
