#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>

#include "command.hpp"
#include "run/mpirun_command.hpp"

namespace {

using skel::testing_tools::FolderTest;
using skel::tools::death_in;
using skel::tools::mpirun_command;
using words = std::vector<std::string>;

class MpirunCommand : public FolderTest {};

words without(words const& command, std::string const& host) {
  auto const fewer = mpirun_command(command).without(host);
  return fewer ? fewer->words() : words{};
}

TEST_F(MpirunCommand, IsKnownByItsName) {
  EXPECT_TRUE(mpirun_command({"/usr/bin/mpirun", "x"}).starts_mpirun());
  EXPECT_TRUE(mpirun_command({"mpiexec.openmpi"}).starts_mpirun());
  EXPECT_TRUE(mpirun_command({"prterun", "x"}).starts_mpirun());
  EXPECT_FALSE(mpirun_command({"program", "mpirun-like", "--mpirun"}).starts_mpirun());
  EXPECT_FALSE(mpirun_command({"program", "--launcher=/usr/bin/mpirun"}).starts_mpirun());
  EXPECT_FALSE(mpirun_command({}).starts_mpirun());
}

TEST_F(MpirunCommand, IsFoundBehindWhatStartsIt) {
  for (words const& before : {words{"nice", "-n", "5"}, words{"env", "OMPI_MCA_btl=self", "A=mpirun"},
                              words{"env", "MPIEXEC=/usr/bin/mpiexec"}, words{"start", "--launcher=/usr/bin/mpirun"},
                              words{"taskset", "-c", "0,1"}, words{"timeout", "100"}}) {
    auto command = before;
    for (auto const* word : {"/usr/bin/mpirun", "-H", "a:2,b:2", "-np", "4", "p", "-np", "9"}) command.push_back(word);
    EXPECT_TRUE(mpirun_command(command).starts_mpirun());
    EXPECT_FALSE(mpirun_command(command).hidden_mpirun());
    EXPECT_EQ(mpirun_command(command).ranks(), 4U);
    auto fewer = before;
    for (auto const* word : {"/usr/bin/mpirun", "-H", "a:2", "-np", "2", "p", "-np", "9"}) fewer.push_back(word);
    EXPECT_EQ(without(command, "b"), fewer);
  }
}

TEST_F(MpirunCommand, SaysWhereAShellWouldFindIt) {
  std::string const line = "cd x && (/usr/bin/mpirun -np 4 p)";
  EXPECT_EQ(mpirun_command({"sh", "-c", line}).hidden_mpirun(), line);
  EXPECT_FALSE(mpirun_command({"sh", "-c", line}).starts_mpirun());
  EXPECT_FALSE(mpirun_command({"sh", "-c", "cd not-mpirun; p"}).hidden_mpirun());
}

TEST_F(MpirunCommand, LeavesOutAHostOfAList) {
  EXPECT_EQ(without({"mpirun", "--host", "a:2,b:2,c:1", "-np", "5", "p", "--host", "b"}, "b"),
            (words{"mpirun", "--host", "a:2,c:1", "-np", "3", "p", "--host", "b"}));
  EXPECT_EQ(without({"mpirun", "-H", "a,b,a", "-n", "2", "p"}, "b"), (words{"mpirun", "-H", "a:2", "-n", "2", "p"}));
  EXPECT_EQ(without({"mpirun", "--mca", "-np", "9", "-H", "a,b", "p"}, "a"),
            (words{"mpirun", "--mca", "-np", "9", "-H", "b:1", "p"}));
}

TEST_F(MpirunCommand, KeepsItsRanksWhereTheyMayBeMoreThanSlots) {
  EXPECT_EQ(without({"mpirun", "--oversubscribe", "-H", "a,b", "-np", "4", "p"}, "a"),
            (words{"mpirun", "--oversubscribe", "-H", "b:1", "-np", "4", "p"}));
  EXPECT_EQ(mpirun_command({"mpirun", "--bind-to", "none", "-np", "4", "p", "-np", "9"}).ranks(), 4U);
  EXPECT_FALSE(mpirun_command({"mpirun", "p", "-np", "9"}).ranks());
}

TEST_F(MpirunCommand, LeavesOutAHostOfAFile) {
  auto const hosts = file("hosts", "# all of them\nn1.site slots=2\nn2 slots=4  # fast\n\nn3\n");
  EXPECT_EQ(without({"mpirun", "--hostfile", hosts, "-np", "8", "p"}, "n2"),
            (words{"mpirun", "--host", "n1.site:2,n3", "-np", "8", "p"}));
  EXPECT_EQ(without({"mpirun", "-machinefile", hosts, "p"}, "n1"), (words{"mpirun", "--host", "n2:4,n3", "p"}));
  auto const of_windows = file("w", "\xef\xbb\xbfn1 slots=2\r\nn2 slots=4\r\nn3\r");
  EXPECT_EQ(without({"mpirun", "--hostfile", of_windows, "-np", "8", "p"}, "n2"),
            (words{"mpirun", "--host", "n1:2,n3", "-np", "8", "p"}));
  EXPECT_THROW(without({"mpirun", "--hostfile", (folder_ / "none").string(), "p"}, "n2"), skel::error);
}

TEST_F(MpirunCommand, KeepsItsOnlyHostAndThoseThatItDoesNotName) {
  EXPECT_EQ(without({"mpirun", "-H", "a:4", "p"}, "a"), words{});
  EXPECT_EQ(without({"mpirun", "-H", "a,b", "p"}, "c"), words{});
  EXPECT_EQ(without({"mpirun", "-np", "4", "p"}, "a"), words{});
  EXPECT_EQ(without({"program", "-H", "a,b"}, "a"), words{});
  EXPECT_EQ(without({"mpirun", "-H", "a.one,a.two", "p"}, "a.two"), (words{"mpirun", "-H", "a.one:1", "p"}));
}

TEST_F(MpirunCommand, FindsOptionsOfPrograms) {
  mpirun_command const one({"mpirun", "p", "--skel-checkpoint", "here", "--skel-x=there"});
  EXPECT_EQ(one.value_of("--skel-checkpoint"), "here");
  EXPECT_EQ(one.value_of("--skel-x"), "there");
  EXPECT_FALSE(one.value_of("--skel"));
  EXPECT_FALSE(mpirun_command({"p", "--skel-checkpoint"}).value_of("--skel-checkpoint"));
}

TEST_F(MpirunCommand, SaysWhoDied) {
  auto const died = death_in(
      "---\nmpirun noticed that process rank 12 with PID 345 on node n7 exited on signal 11 (Segmentation "
      "fault).\n---\n");
  ASSERT_TRUE(died);
  EXPECT_EQ(died->rank, 12);
  EXPECT_EQ(died->host, "n7");
  EXPECT_EQ(died->signal, 11);
  auto const lost = death_in(
      "ORTE has lost communication with a remote daemon.\n\n  HNP daemon   : [[1,0],0] on node n1\n  Remote daemon: "
      "[[1,0],1] on node n2\n\nThis is usually due to either a failure of the TCP network\n");
  ASSERT_TRUE(lost);
  EXPECT_FALSE(lost->rank);
  EXPECT_EQ(lost->host, "n2");
  EXPECT_EQ(lost->signal, 0);
}

TEST_F(MpirunCommand, SaysNothingOfOtherEnds) {
  EXPECT_FALSE(death_in(""));
  EXPECT_FALSE(death_in("MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD\nwith errorcode 3.\n"));
  EXPECT_FALSE(death_in("mpirun noticed that process rank"));
  EXPECT_FALSE(death_in("mpirun noticed that process rank 1 with PID 2 on node a exited on signal soon"));
  EXPECT_FALSE(death_in("ORTE has lost communication with a remote daemon.\n"));
}

}  // namespace
