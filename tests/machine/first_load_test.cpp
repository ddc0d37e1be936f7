#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/number.hpp>
#include <skel/detail/platform/host_load.hpp>

#include <line/processor_map.hpp>
#include <skel/detail/machine/first_load.hpp>

namespace {

using skel::load_beside;
using skel::runnable_series;
using skel::runtime::core_share;
using testing::HasSubstr;

/// Threads that got this share, of which so many wanted to run at once.
core_share got(double share, double threads, double doubt = 0.01) {
  return {.ran = share, .held = 1 - share, .threads = threads, .doubt = doubt};
}

runnable_series seen(std::vector<double> threads, double own) {
  return {std::move(threads), own};
}

TEST(LoadBeside, IsNothingWhereNobodyElseRuns) {
  auto const found = load_beside(got(1, 2), true, seen({2, 2, 2, 2, 2, 2, 2, 2}, 2), 2, 2);
  EXPECT_EQ(found.others, 0);
  EXPECT_EQ(found.doubt, 0);
  EXPECT_TRUE(found.known);
}

TEST(LoadBeside, TakesAThreadThatRunsNowAndThenForNone) {
  auto const found = load_beside(got(0.99, 2), true, seen({2, 2, 3, 2, 2, 2, 2, 2}, 2), 2, 2);
  EXPECT_EQ(found.others, 0);
  EXPECT_GT(found.doubt, 0);
}

TEST(LoadBeside, IsWhatExplainsTheShareThatThreadsGot) {
  // Two threads and four others on two cores.
  auto const fair = load_beside(got(2.0 / 6, 2), true, seen(std::vector<double>(16, 6), 2.0 / 3), 2, 2);
  EXPECT_NEAR(fair.others, 4, 1e-9);
  // Half of the cores went to another session, however few threads it has.
  auto const grouped = load_beside(got(1.0 / 6, 2), true, seen(std::vector<double>(16, 7), 1.0 / 3), 2, 2);
  EXPECT_NEAR(grouped.others, 10, 1e-9);
  EXPECT_GT(load_beside(got(1.0 / 3, 2, 0.1), true, seen({6}, 2.0 / 3), 2, 2).doubt, fair.doubt);
}

TEST(LoadBeside, CountsThreadsThatATakenCoreDoesNotShow) {
  // One thread on two cores notices nothing of another one, which two would.
  EXPECT_NEAR(load_beside(got(1, 1), true, seen(std::vector<double>(16, 2), 1), 2, 2).others, 1, 1e-9);
}

TEST(LoadBeside, DoesNotAskThreadsThatMostlyWait) {
  // Each wants an eighth of a core and is given it at once, where four others would leave a third to each.
  EXPECT_NEAR(load_beside(got(0.95, 2), true, seen(std::vector<double>(16, 4.25), 0.25 * 0.95), 2, 2).others, 4, 1e-9);
}

TEST(LoadBeside, CountsThoseOfTheHostByTheCoresThatTheProgramMayUse) {
  EXPECT_NEAR(load_beside(got(1, 1), true, seen(std::vector<double>(16, 5), 1), 2, 8).others, 1, 1e-9);
}

TEST(LoadBeside, BelievesOneWhereTheOtherIsNotKnown) {
  EXPECT_NEAR(load_beside({}, false, seen(std::vector<double>(16, 4), 0), 2, 2).others, 4, 1e-9);
  EXPECT_NEAR(load_beside(got(0.25, 2), true, {}, 2, 2).others, 6, 1e-9);
  auto const unseen = load_beside(got(1, 1, 0), true, {}, 4, 4);
  EXPECT_NEAR(unseen.others + unseen.doubt, 3, 1e-9) << "three cores may be taken";
  // A quota holds threads back as others do.
  EXPECT_NEAR(load_beside(got(0.5, 2), true, seen(std::vector<double>(16, 2), 1), 2, 2, true).others, 0, 1e-9);
}

TEST(LoadBeside, BelievesTheCountWhereTheShareHardlySaysAnything) {
  // A share of 0.0046, give or take as much: 434 threads, or eight.
  auto const found = load_beside(got(2.0 / 436, 2, 1), true, seen({10, 9, 11, 10, 9, 11, 10, 10}, 0.1), 2, 2);
  EXPECT_LT(found.others, 12);
  EXPECT_LT(found.doubt, 2);
}

TEST(CountedBeside, AreSpreadOverTheCoresOfAHost) {
  auto const found = skel::counted_beside(got(1, 1), true, seen(std::vector<double>(16, 5), 1), 1, 2);
  EXPECT_NEAR(found.others, 2, 1e-9);
  EXPECT_FALSE(skel::counted_beside(got(1, 1), true, {}, 1, 2).known);
}

TEST(OthersOfDomains, CountsOthersOnBoundRanksThatFleeToIdleCores) {
  // Two ranks, each bound to a core of one host, beside two other threads. Rank 0 measures, and got half of its core:
  // others are there one at least, and one on the core of rank 1, which is idle now.
  skel::rank_cores const bound{.own = {1, 1}, .domain = {0, 1}, .cores = {1, 1}};
  skel::looked_around const by{got(0.5, 1), true, seen(std::vector<double>(16, 3), 0.5), 2, {}};
  auto const found = skel::others_of_domains(bound, {"a", "a"}, {1, 1}, by);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NEAR(found[0].others, 1, 1e-9);
  EXPECT_NEAR(found[1].others, 1, 1e-9);
  // It got all of its core: they have fled, and come back when both cores are busy.
  skel::looked_around const fled{got(1, 1), true, seen(std::vector<double>(16, 3), 1), 2, {}};
  auto const later = skel::others_of_domains(bound, {"a", "a"}, {1, 1}, fled);
  EXPECT_NEAR(later[0].others, 1, 1e-9);
  EXPECT_NEAR(later[1].others, 1, 1e-9);
  // Where nobody looks, nothing is known of the core of rank 1.
  auto const unknown = skel::others_of_domains(bound, {"a", "a"}, {1, 1}, {got(1, 1), true, {}, 2, {}});
  EXPECT_TRUE(unknown[0].known);
  EXPECT_FALSE(unknown[1].known);
}

TEST(OthersOfDomains, HearsOfOtherHostsFromTheirRanks) {
  skel::rank_cores const apart{.own = {2, 1, 1}, .domain = {0, 1, 1}, .cores = {2, 2}};
  skel::looked_around by{got(1, 2), true, seen(std::vector<double>(16, 2), 2), 2, {}};
  EXPECT_EQ(skel::others_of_domains(apart, {"a", "b", "b"}, {2, 2}, by)[1].others, 0) << "nobody has told";
  auto silent = skel::platform::to_text(skel::platform::host_reading{});
  by.told_loads = {silent, silent, silent};
  auto const found = skel::others_of_domains(apart, {"a", "b", "b"}, {2, 2}, by);
  EXPECT_TRUE(found[0].known);
  EXPECT_FALSE(found[1].known) << "its ranks do not see how busy it is";
}

TEST(LoadBeside, SaysThatNothingIsKnown) {
  auto const none = load_beside({}, false, {}, 2, 2);
  EXPECT_FALSE(none.known);
  EXPECT_THAT(skel::describe(none, 2), HasSubstr("the load of this host is not known"));
  EXPECT_EQ(skel::describe({}, 2), "");
  EXPECT_THAT(skel::describe({4, 0.5, true}, 2),
              HasSubstr("as much as 4.0 threads that always run (give or take 0.5) on 2 cores,"));
  EXPECT_THAT(skel::describe({4, 0.5, true}, 1), HasSubstr(" on 1 core, which"));
}

TEST(LoadBeside, SaysOnWhichHostItIsWhereThereAreSeveral) {
  skel::processor_map where;
  where.rank_of = {0, 0, 1, 2};
  where.domain_of = {0, 0, 1, 1};
  where.rank_names = {"a", "b", "c"};
  where.own_names = {"", "node7", "node7"};
  where.cores = {2, 4, 8};
  where.others = {{1, 0, true}, {3, 0, true}, {5, 0, true}};
  EXPECT_THAT(where.notes_of_others(),
              testing::ElementsAre(HasSubstr("cores of host 'a', as much as 1.0 threads that always run on 2 cores"),
                                   HasSubstr("cores of host 'node7', as much as 3.0 threads")));
  where.others[0] = {};
  where.others[1].known = false;
  EXPECT_THAT(where.notes_of_others(), testing::ElementsAre(HasSubstr("the load of host 'node7' is not known")));
  where.others = {{1, 0, true}};
  EXPECT_THAT(where.notes_of_others(), testing::ElementsAre(HasSubstr("other programs use the cores, as much as")));
}

TEST(MeasuringTime, IsLongerBesideOthersOnly) {
  std::vector<std::optional<double>> answers;
  auto const time = [&](double usual) {
    std::size_t asked = 0;
    return skel::measuring_time(usual, [&] { return answers[asked++]; });
  };
  answers = {1};
  EXPECT_EQ(time(0.02), 0.02);
  answers = {3, 2, 1};
  EXPECT_EQ(time(0.02), 0.02) << "somebody has only woken up";
  answers = {std::nullopt};
  EXPECT_EQ(time(0.02), 0.02);
  answers = {3, 2, 3};
  EXPECT_EQ(time(0.02), 0.2);
  EXPECT_EQ(time(0), 0);
  EXPECT_EQ(time(1), 1);
}

TEST(LoadSamples, CountsThreadsThatCouldRunButItsOwn) {
  auto const proc = std::filesystem::path(testing::TempDir()) / ("first_load_" + std::to_string(::getpid()));
  std::filesystem::create_directories(proc);
  std::ofstream(proc / "loadavg") << "0.50 0.40 0.30 5/123 4567\n";
  skel::load_samples looks(proc);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  auto const found = looks.take();
  ASSERT_FALSE(found.threads.empty());
  EXPECT_THAT(found.threads, testing::Each(4));
  std::filesystem::remove_all(proc);
  skel::load_samples nothing(proc);
  EXPECT_TRUE(nothing.take().threads.empty());
}

#if !defined(SKEL_ADDRESS_SANITIZER) && \
    !defined(SKEL_THREAD_SANITIZER)  // which take more address space than there is here
TEST(LoadSamples, SeeNothingWhereThereCanBeNoThread) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a fork has stacks of threads that have ended
  auto const looks = [] {
    rlimit little{};
    ::getrlimit(RLIMIT_AS, &little);
    std::string pages;
    std::getline(std::ifstream("/proc/self/statm"), pages, ' ');
    auto const there = skel::number_in<std::size_t>(pages).value() * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    little.rlim_cur = there + (std::size_t{4} << 20);  // half a stack
    ::setrlimit(RLIMIT_AS, &little);
    skel::load_samples samples;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ::_exit(samples.take().threads.empty() ? 0 : 1);
  };
  EXPECT_EXIT(looks(), testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
