#include <cstdint>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/pattern/compose.hpp>

#include <runtime/line/checkpoints.hpp>

// Which checkpoints come about, without a line that runs. With one: virtual_ranks_test.cpp.
namespace {

using skel::runtime::no_rank;

/// There are no other ranks.
class alone final : public skel::runtime::transport {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void send(int, skel::runtime::channel, skel::runtime::message) override { FAIL(); }
  void wake() override {}
  bool progress() override { return false; }
  void rest(double, std::function<bool()> const&) override {}
  void quiesce() override {}
  bool quiet() override { return true; }
};

/// Cannot be written sometimes.
class fragile final : public skel::runtime::station_state {
 public:
  bool fails = true;

  void take_into(std::string& to) override {
    to = "half of it";
    if (fails) throw std::bad_alloc();
  }
  void restore(std::string const&) override {}
};

class Checkpoints : public testing::Test {
 protected:
  Checkpoints() {
    options_.keep_checkpoint = [](skel::runtime::checkpoint const&) { return std::uint64_t{1}; };
    options_.checkpoint_period = 1;
    options_.checkpoints_beside = false;
    options_.checkpoint_failed = [this](std::string const& why) { told_.push_back(why); };
  }

  /// The next one that is due; the sink's state is on `keeper`.
  void make(skel::runtime::checkpoints& of, int keeper, skel::runtime::station_state* state = nullptr) {
    ASSERT_TRUE(of.due(++now_));
    of.begin(++epoch_);
    for (std::uint32_t station : {0U, 1U})
      of.saved({.station = station, .epoch = epoch_, .keeper = station == 1 ? keeper : no_rank},
               station == 1 ? state : nullptr);
  }

  skel::runtime::run_options options_;
  std::vector<std::string> told_;
  double now_ = 0;
  std::uint32_t epoch_ = 0;
};

TEST_F(Checkpoints, ThatDoNotComeAboutAgainAndAgainAreToldOnce) {
  auto app = skel::source([] { return std::optional<int>(); }) | skel::sink([](int) {});
  auto const line = skel::runtime::make_program(app);
  alone among;
  skel::runtime::checkpoints some(among, line, options_);
  make(some, 1);
  make(some, no_rank);
  make(some, 1);
  make(some, no_rank);
  EXPECT_THAT(told_, testing::IsEmpty());  // not in a row
  make(some, 1);
  ASSERT_TRUE(some.due(++now_));
  some.begin(++epoch_);
  some.give_up();
  for (int more = 0; more < 3; ++more) make(some, 1);
  EXPECT_THAT(told_, testing::ElementsAre(testing::HasSubstr("2 in a row failed, because")));
  auto const kept = some.finish();
  EXPECT_EQ(kept.written, 2U);
  EXPECT_EQ(kept.skipped, 6U);
}

TEST_F(Checkpoints, OfAStateThatCannotBeWrittenIsGivenUpAndToldOnce) {
  auto app = skel::source([] { return std::optional<int>(); }) | skel::sink("keep", [](int) {});
  auto const line = skel::runtime::make_program(app);
  alone among;
  skel::runtime::checkpoints some(among, line, options_);
  fragile state;
  for (int tries = 0; tries < 3; ++tries) make(some, no_rank, &state);
  state.fails = false;
  make(some, no_rank, &state);
  auto const words = testing::HasSubstr("the state of sink 'keep' could not be serialised on rank 0: ");
  EXPECT_THAT(told_, testing::ElementsAre(words));
  auto const kept = some.finish();
  EXPECT_EQ(kept.written, 1U);
  EXPECT_EQ(kept.failed, 3U);
  EXPECT_EQ(kept.skipped, 0U);
  EXPECT_THAT(kept.problem, words);
}

using skel::runtime::state_buffers;

TEST(StateBuffers, GiveAStationWhatItHasGivenBack) {
  state_buffers buffers(2);
  EXPECT_EQ(buffers.take(1).size(), 0U);
  std::string one(1000, 'a');
  char const* const memory = one.data();
  buffers.give_back(1, std::move(one));
  EXPECT_EQ(buffers.take(0).size(), 0U);
  EXPECT_EQ(buffers.take(1).data(), memory);
  EXPECT_EQ(buffers.take(1).size(), 0U);
}

TEST(StateBuffers, DoNotKeepWhatASmallerStateLeavesEmpty) {
  state_buffers buffers(1);
  std::string one(1000, 'a');
  one.resize(400);
  buffers.give_back(0, std::move(one));
  EXPECT_EQ(buffers.take(0).size(), 0U);
}

}  // namespace
