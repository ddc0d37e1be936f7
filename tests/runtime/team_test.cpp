#include <skel/detail/runtime/team.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "team_laws.hpp"

namespace {

using skel::runtime::dealing;
using skel::runtime::thread_team;

INSTANTIATE_TYPED_TEST_SUITE_P(Threads, AnyTeam, thread_team);

TEST(ThreadTeam, TakesOverWhatOneThatIsHeldUpHasNotBegun) {
  thread_team workers(2);
  std::size_t constexpr things = 400, grain = 10;
  std::vector<std::size_t> by(things);
  std::atomic<std::size_t> done{0};
  std::atomic<int> held{0};
  auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  // Part 1 is held up in its first piece until everything else has been done.
  workers.share({"share"}, things, dealing::on_demand, grain, [&](std::size_t part, auto& pieces) {
    while (auto const piece = pieces.next()) {
      bool const is_held = part == 1 && held.exchange(1) == 0;
      while (is_held && done < things - grain && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
      for (std::size_t k = piece->begin; k < piece->end; ++k) by[k] = part;
      done += piece->size();
    }
  });
  EXPECT_EQ(done, things);
  EXPECT_LE(std::count(by.begin(), by.end(), 1u), std::ptrdiff_t{grain});  // less than its block
}

TEST(ThreadTeam, RunsInsideAPartOfAnotherTeam) {
  thread_team outer(2);
  std::atomic<int> calls{0};
  outer.run({"outer"}, [&](std::size_t) {
    thread_team inner(2);
    inner.run({"inner"}, [&](std::size_t) { ++calls; });
  });
  EXPECT_EQ(calls, 4);
}

}  // namespace
