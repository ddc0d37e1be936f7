// On folders that look like those of the kernel, so that both versions are tested on any machine; real groups are in
// emulated_grid_test.cpp.
#include "testbed/cpu_groups.hpp"

#include <fstream>

#include <gmock/gmock.h>

#include <skel/detail/base/error.hpp>

#include "tools/command.hpp"

namespace {

using skel::testbed::cpu_groups;
using testing::HasSubstr;

class CpuGroups : public skel::testing_tools::FolderTest {
 protected:
  std::string text(std::string const& name) const {
    std::ifstream in(folder_ / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST_F(CpuGroups, AreFoundInEitherVersion) {
  std::filesystem::create_directories(folder_ / "with");
  file("with/cgroup.controllers", "cpuset cpu io\n");
  std::string const with = "cgroup2 " + (folder_ / "with").string() + " cgroup2 rw 0 0\n",
                    without = "cgroup2 " + (folder_ / "without").string() + " cgroup2 rw 0 0\n",
                    first = "cgroup /groups/cpu,cpuacct cgroup rw,nosuid,cpu,cpuacct 0 0\n",
                    other = "cgroup /groups/cpuset cgroup rw,cpuset 0 0\n";
  EXPECT_EQ(cpu_groups::find(file("m1", without + other + first)).which(), cpu_groups::version::one);
  EXPECT_EQ(cpu_groups::find(file("m2", other + with)).which(), cpu_groups::version::two);
  try {
    cpu_groups::find(file("m3", other + without));
    ADD_FAILURE();
  } catch (skel::error const& problem) {
    EXPECT_THAT(problem.what(), HasSubstr("none has the controller of processors"));
  }
}

TEST_F(CpuGroups, LimitsAreQuotasOfShortPeriods) {
  cpu_groups const one(folder_, cpu_groups::version::one), two(folder_, cpu_groups::version::two);
  one.make("g");
  one.limit("g", 0.25);
  EXPECT_EQ(text("g/cpu.cfs_period_us"), "10000");
  EXPECT_EQ(text("g/cpu.cfs_quota_us"), "2500");
  one.limit("g", 3);
  EXPECT_EQ(text("g/cpu.cfs_quota_us"), "30000");
  one.limit("g", 0.001);
  EXPECT_EQ(text("g/cpu.cfs_period_us"), "1000000") << "the kernel takes quotas of a millisecond and more";
  EXPECT_EQ(text("g/cpu.cfs_quota_us"), "1000");
  two.limit("g", 0.05);
  EXPECT_EQ(text("g/cpu.max"), "1000 20000");
}

TEST_F(CpuGroups, TheSecondVersionGetsTheControllerWhereItIsNotPassedOn) {
  cpu_groups const groups(folder_, cpu_groups::version::two);
  file("cgroup.subtree_control", "memory\n");
  groups.make("g");
  EXPECT_EQ(text("cgroup.subtree_control"), "+cpu");
  file("cgroup.subtree_control", "memory cpu\n");
  groups.make("h");
  EXPECT_EQ(text("cgroup.subtree_control"), "memory cpu\n");
}

TEST_F(CpuGroups, AreListedByPrefixAndRemovedByName) {
  cpu_groups const groups(folder_, cpu_groups::version::one);
  for (char const* name : {"skel-a-x", "skel-a-y", "skel-ab-x"}) groups.make(name);
  EXPECT_THAT(groups.named("skel-a-"), testing::UnorderedElementsAre("skel-a-x", "skel-a-y"));
  groups.remove("skel-a-x");
  groups.remove("skel-a-x");
  EXPECT_THAT(groups.named("skel-a-"), testing::ElementsAre("skel-a-y"));
  EXPECT_THROW(groups.make("skel-a-y"), skel::error) << "one of this name is there";
  EXPECT_THROW(groups.limit("nobody", 1), skel::error);
}

TEST_F(CpuGroups, MembersAreReadAndJoined) {
  cpu_groups const groups(folder_, cpu_groups::version::two);
  file("cgroup.subtree_control", "cpu\n");
  groups.make("g");
  EXPECT_TRUE(groups.members("g").empty());
  groups.join("g", 17);
  EXPECT_THAT(groups.members("g"), testing::ElementsAre(17));
}

}  // namespace
