#include <skel/detail/runtime/threads/team.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>

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

TEST(ThreadTeam, RefusesMoreThreadsThanTheSystemGives) {
  for (std::size_t const many : {std::size_t{1} << 40, std::numeric_limits<std::size_t>::max()}) {
    try {
      thread_team const workers(many);
      ADD_FAILURE() << many << " threads are there";
    } catch (skel::error const& refused) {
      EXPECT_THAT(refused.what(),
                  testing::StartsWith(std::to_string(many - 1) + " threads for functions of the program cannot"));
    }
  }
#if !defined(SKEL_ADDRESS_SANITIZER) && \
    !defined(SKEL_THREAD_SANITIZER)  // which take more address space than there is here
  auto const in_little_memory = [] {
    rlimit little{};
    ::getrlimit(RLIMIT_AS, &little);
    little.rlim_cur = std::size_t{1} << 30;
    ::setrlimit(RLIMIT_AS, &little);
    std::set_terminate([] { ::_exit(2); });
    try {
      thread_team const workers(20000);
    } catch (skel::error const& refused) {
      ::_exit(
          std::string_view(refused.what()).starts_with("19999 threads for functions of the program cannot be started, ")
              ? 0
              : 1);
    }
    ::_exit(3);
  };
  EXPECT_EXIT(in_little_memory(), testing::ExitedWithCode(0), "");
#endif
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
