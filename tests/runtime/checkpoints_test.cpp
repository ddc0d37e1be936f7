#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/pattern/compose.hpp>

#include <runtime/checkpoints.hpp>

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

class Checkpoints : public testing::Test {
 protected:
  Checkpoints() {
    options_.keep_checkpoint = [](skel::runtime::checkpoint const&) { return std::uint64_t{1}; };
    options_.checkpoint_period = 1;
    options_.checkpoints_beside = false;
    options_.checkpoint_failed = [this](std::string const& why) { told_.push_back(why); };
  }

  /// The next one that is due; the sink's state is on `keeper`.
  void make(skel::runtime::checkpoints& of, int keeper) {
    ASSERT_TRUE(of.due(++now_));
    of.begin(++epoch_);
    for (std::uint32_t station : {0U, 1U})
      of.saved({.station = station, .epoch = epoch_, .keeper = station == 1 ? keeper : no_rank}, nullptr);
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
  EXPECT_THAT(told_, testing::ElementsAre(testing::HasSubstr("2 in a row did not come about")));
  auto const kept = some.finish();
  EXPECT_EQ(kept.written, 2U);
  EXPECT_EQ(kept.skipped, 6U);
}

}  // namespace
