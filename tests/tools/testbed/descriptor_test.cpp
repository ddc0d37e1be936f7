#include "testbed/descriptor.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include <gtest/gtest.h>

#include "tools/command.hpp"

namespace {

using skel::testbed::owner_of;
using skel::testbed::try_lock;

class Lock : public skel::testing_tools::FolderTest {
 protected:
  std::filesystem::path lock() const { return folder_ / "lock"; }
};

TEST_F(Lock, OneHasItAndSignsIt) {
  EXPECT_FALSE(owner_of(lock()));
  auto mine = try_lock(lock());
  ASSERT_TRUE(mine);
  EXPECT_EQ(owner_of(lock()), 0);
  EXPECT_FALSE(try_lock(lock()));
  skel::testbed::sign(*mine, 4711);
  EXPECT_EQ(owner_of(lock()), 4711);
  mine->close();
  EXPECT_FALSE(owner_of(lock()));
  EXPECT_TRUE(try_lock(lock()));
}

TEST_F(Lock, IsLetGoWhenTheProcessThatHasItIsKilled) {
  pid_t const child = fork();
  if (child == 0) {
    auto const lock_of_child = try_lock(lock());
    pause();
    _exit(0);
  }
  while (!owner_of(lock())) usleep(1000);
  EXPECT_FALSE(try_lock(lock()));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(try_lock(lock()));
}

TEST_F(Lock, OneThatWasRemovedMeanwhileIsNoneAnyMore) {
  auto const old = try_lock(lock());
  std::filesystem::remove(lock());
  auto const fresh = try_lock(lock());
  ASSERT_TRUE(old && fresh);
  EXPECT_FALSE(try_lock(lock()));
}

}  // namespace
