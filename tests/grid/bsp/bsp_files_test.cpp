#include "bsp/bsp_files.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <variant>

#include <unistd.h>

#include <gmock/gmock.h>

#include <skel/detail/base/error.hpp>

namespace {

using skel::bsp_scenario_recorder;
using testing::ElementsAre;
using testing::HasSubstr;

/// Rank 0 is host 1, rank 1 is host 0.
skel::bsp_machine two_ranks() {
  skel::bsp_machine made;
  made.machine.hosts = {
      1e-6, {{.name = "slow", .speed = 1}, {.name = "fast", .speed = 2}}, {{0, 1, {1e-3, 1e8}}, {1, 0, {1e-3, 1e8}}}};
  made.machine.fixed = 0.25;
  made.host_of_rank = {1, 0};
  made.rank_of_host = {1, 0};
  made.threads = {1, 1};
  return made;
}

skel::record::superstep step(std::vector<double> work, std::vector<double> taken) {
  return {.load = {std::move(work), {{0, 2, 8}}},
          .hosts = {1, 1, 0},
          .state_bytes = {1, 2, 3},
          .external_load = std::move(taken)};
}

class BspScenarioRecorder : public testing::Test {
 protected:
  ~BspScenarioRecorder() override { std::filesystem::remove(file_); }

  skel::platform::bsp_scenario written() const {
    std::ifstream in(file_);
    return skel::platform::parse_bsp_scenario(std::string(std::istreambuf_iterator<char>(in), {}), file_, "");
  }

  std::string file_ = "/tmp/skel_scenario_recorder_test." + std::to_string(::getpid());
};

TEST_F(BspScenarioRecorder, HasSuperstepsMeansOfLoadsAndWhatWasMeasuredLast) {
  bsp_scenario_recorder of(two_ranks(), {0, 0, 1}, {2}, {.name = "migbsp", .alpha = 7});
  of.add(step({1, 2, 3}, {0.5, 0}));
  auto last = step({4, 0, 0}, {0, 0.25});
  last.migration_fixed = 0.5, last.migration_per_byte = 1e-9;
  last.state_bytes = {10, 20, 30};
  of.add(last);
  of.write(file_);
  auto const made = written();
  EXPECT_THAT(made.hosts, ElementsAre(1, 1, 0));
  EXPECT_THAT(made.state_bytes, ElementsAre(10, 20, 30));
  EXPECT_THAT(made.pinned, ElementsAre(false, false, true));
  EXPECT_THAT(made.external_load, ElementsAre(0.25, 0.125));
  EXPECT_EQ(made.migration_fixed, 0.5);
  EXPECT_EQ(made.migration_per_byte, 1e-9);
  EXPECT_EQ(made.policy.name, "migbsp");
  EXPECT_EQ(made.policy.alpha, 7U);
  ASSERT_EQ(skel::record::supersteps_of(made.program), 2U);
  EXPECT_THAT(skel::record::load_of(made.program, 2).work, ElementsAre(4, 0, 0));
  EXPECT_EQ(of.left_out(), 0U);
}

TEST_F(BspScenarioRecorder, EndsWhereThereIsNoRoom) {
  std::size_t const each = 3 * sizeof(double) + sizeof(skel::record::bsp_message);
  bsp_scenario_recorder of(two_ranks(), {0, 0, 1}, {}, {}, 2 * each);
  for (double work = 1; work < 6; ++work) of.add(step({work, work, work}, {0, 0}));
  EXPECT_EQ(of.left_out(), 3U);
  of.write(file_);
  ASSERT_EQ(skel::record::supersteps_of(written().program), 2U);
  EXPECT_THAT(skel::record::load_of(written().program, 2).work, ElementsAre(2, 2, 2));
}

TEST_F(BspScenarioRecorder, SaysWhatCannotBeWritten) {
  bsp_scenario_recorder of(two_ranks(), {0, 0, 1}, {}, {});
  auto const why = [&](std::string const& file) {
    try {
      of.write(file);
    } catch (skel::error const& problem) {
      return std::string(problem.what());
    }
    return std::string("written");
  };
  EXPECT_THAT(why(file_), HasSubstr("no superstep was measured"));
  of.add(step({1, 2, 3}, {0, 0}));
  EXPECT_THAT(why("/nowhere/scenario.json"),
              HasSubstr("/nowhere/scenario.json: cannot be written: No such file or directory; make its folder first"));
  if (std::filesystem::exists("/dev/full")) {
    EXPECT_THAT(why("/dev/full"), HasSubstr("/dev/full: cannot be written: No space left on device; make room"));
  }
}

}  // namespace
