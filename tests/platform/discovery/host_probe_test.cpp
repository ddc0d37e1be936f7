#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include <skel/detail/platform/host_probe.hpp>
#include <skel/detail/platform/kept_files.hpp>

namespace {

namespace fs = std::filesystem;
using skel::platform::read_group_limits;

TEST(HostProbe, DoesNotMeasureTheSpeedWhereNobodyWantsIt) {
  auto const host = skel::platform::probe_host({.repeats = 0});
  EXPECT_EQ(host.repeats, 0U);
  EXPECT_EQ(host.speed, 1);
  EXPECT_GE(host.cores, 1U);
  EXPECT_GT(host.hand_over, 0);
  EXPECT_EQ(host.copying, 0);
  EXPECT_EQ(host.load, 0);
  EXPECT_EQ(host.doubt, 0);
}

TEST(HostProbe, MeasuresWhatThisProcessMayUse) {
  auto const host = skel::platform::probe_host({.repeats = 3, .time_limit = 0});
  EXPECT_EQ(host.name, skel::platform::host_name());
  EXPECT_EQ(host.repeats, 3U);
  EXPECT_GT(host.speed, 0);
  EXPECT_GE(host.speed_spread, 0);
  EXPECT_GT(host.hand_over, 0);
  EXPECT_GE(host.cores, 1U);
  EXPECT_EQ(host.cores, skel::platform::granted_cores());
  EXPECT_LE(host.cores, static_cast<std::size_t>(sysconf(_SC_NPROCESSORS_CONF)));
  EXPECT_GT(host.memory, 1 << 20);
  EXPECT_GT(host.copying, 0);
  EXPECT_GE(host.load, 0);
  EXPECT_LE(host.load, 1);
  EXPECT_GE(host.doubt, host.load);
  EXPECT_TRUE(skel::platform::parse_date(host.date));
}

TEST(HostProbe, RepeatsUntilItIsSureButNoMoreThanFourTimesAsOften) {
  for (int i = 0; i < 5; ++i) {
    auto const host = skel::platform::probe_host({.repeats = 4, .time_limit = 60});
    EXPECT_GE(host.repeats, 4U);
    EXPECT_LE(host.repeats, 16U);
    if (host.repeats < 16) {
      EXPECT_LE(host.doubt, std::max(skel::platform::sure_enough, host.load)) << "after " << host.repeats;
    }
  }
}

/// A file system of control groups, as far as the reader looks at it.
class GroupLimits : public testing::Test {
 protected:
  GroupLimits() {
    std::string pattern = (fs::temp_directory_path() / "skel_groups_XXXXXX").string();
    root_ = mkdtemp(pattern.data());
  }
  ~GroupLimits() override { fs::remove_all(root_); }

  void write(std::string const& file, std::string const& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text << '\n';
  }
  auto read() const { return read_group_limits(root_ / "membership", root_); }

  fs::path root_;
};

TEST_F(GroupLimits, AreAbsentWhereNothingIsSet) {
  write("membership", "0::/job");
  write("job/cpu.max", "max 100000");
  write("job/memory.max", "max");
  EXPECT_EQ(read().processors, std::nullopt);
  EXPECT_EQ(read().memory, std::nullopt);
}

TEST_F(GroupLimits, AreAbsentWhereNothingCanBeRead) {
  EXPECT_EQ(read().processors, std::nullopt);
  write("membership", "garbage\n1:2\n::\n");
  EXPECT_EQ(read().memory, std::nullopt);
}

TEST_F(GroupLimits, AreTheTightestOfAllLevelsInVersion2) {
  write("membership", "0::/outer/inner");
  write("outer/cpu.max", "50000 100000");
  write("outer/inner/cpu.max", "300000 100000");
  write("outer/inner/memory.max", "1048576");
  EXPECT_EQ(read().processors, 0.5);
  EXPECT_EQ(read().memory, 1048576);
}

TEST_F(GroupLimits, SayHowOftenProcessorsAreGranted) {
  write("membership", "0::/outer/inner");
  write("outer/cpu.max", "25000 50000");
  write("outer/inner/cpu.max", "160000 200000");
  EXPECT_DOUBLE_EQ(read().period, 0.05);
  write("outer/cpu.max", "max 50000");
  EXPECT_DOUBLE_EQ(read().period, 0.2);
}

TEST(SustainedTime, IsLongerWhereLessThanAProcessorIsGranted) {
  using skel::platform::sustained_time;
  EXPECT_EQ(sustained_time(0.01, {}), 0.01);
  EXPECT_EQ(sustained_time(0.01, {.processors = 2.5}), 0.01);
  skel::platform::group_limits const limits{.processors = 0.4, .period = 0.1};
  EXPECT_DOUBLE_EQ(sustained_time(0.01, limits), 0.025);  // as in a period without waiting
  EXPECT_DOUBLE_EQ(sustained_time(0.06, limits), 0.1);    // it has waited once, or twice in 0.06 s
  EXPECT_DOUBLE_EQ(sustained_time(2, limits), 2);         // it has waited as often as it always will
}

TEST_F(GroupLimits, AreReadInVersion1) {
  write("membership", "4:memory:/m\n1:cpu,cpuacct:/c\n");
  write("cpu,cpuacct/c/cpu.cfs_quota_us", "150000");
  write("cpu,cpuacct/c/cpu.cfs_period_us", "100000");
  write("memory/m/memory.limit_in_bytes", "4096");
  EXPECT_EQ(read().processors, 1.5);
  EXPECT_EQ(read().memory, 4096);
}

TEST_F(GroupLimits, AreAbsentWhereVersion1SaysMinusOne) {
  write("membership", "1:cpu:/c\n");
  write("cpu/c/cpu.cfs_quota_us", "-1");
  write("cpu/c/cpu.cfs_period_us", "100000");
  EXPECT_EQ(read().processors, std::nullopt);
}

}  // namespace
