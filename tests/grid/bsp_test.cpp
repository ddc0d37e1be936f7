#include <skel/bsp.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <numeric>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/bsp/sequential.hpp>

#include "support/random_bsp.hpp"

namespace {

using testing::HasSubstr;

/// A message that counts how often somebody wants to know how large one is.
struct weighed {
  inline static std::atomic<int> times = 0;
};

}  // namespace

template <>
struct skel::serializer<weighed> {
  template <class Archive>
  static void save(Archive&, weighed const&) {}
  template <class Archive>
  static weighed load(Archive&) {
    return {};
  }
  static std::size_t bytes(weighed const&) {
    ++weighed::times;
    return 0;
  }
};

namespace {

skel::grid& grid() {
  static skel::grid instance;
  return instance;
}

/// Moves drawn by a seed at every barrier.
skel::bsp_mover random_mover(std::uint64_t seed) {
  return [roll = bench::dice(seed)](skel::bsp_measures const& of) mutable {
    std::vector<skel::bsp_move> moves;
    for (std::size_t p = 0; p < of.rank_of.size(); ++p)
      if (roll.one_in(2)) moves.push_back({p, of.rank_of[p], static_cast<int>(roll.below(of.share.size()))});
    return moves;
  };
}

template <class Message>
void expect_as_sequential(std::uint64_t seed) {
  auto app = skel::test::random_bsp<Message>(seed);
  std::uint64_t supersteps = 0;
  auto const expected = skel::runtime::bsp::run_sequential(app, supersteps);
  auto const state_of = [](std::size_t, skel::test::witness& state) { return state; };
  for (bool const moves : {false, true}) {
    if (moves) app.next_moves = random_mover(seed);
    auto const [report, values] = grid().run(app, state_of);
    EXPECT_EQ(report.run.supersteps, supersteps);
    EXPECT_TRUE(std::ranges::equal(values, expected)) << "seed " << seed;
  }
}

TEST(Bsp, GivesWhatTheSequentialEngineGives) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    expect_as_sequential<std::uint64_t>(seed);
    expect_as_sequential<std::string>(seed);
  }
}

TEST(Bsp, GivesTheSameUnderEveryPolicy) {
  for (auto const& policy : skel::skeletons::migration_policies().names()) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      auto app = skel::test::random_bsp<std::string>(seed);
      app.migration = {.name = policy, .alpha = 2};
      std::uint64_t supersteps = 0;
      auto const expected = skel::runtime::bsp::run_sequential(app, supersteps);
      auto const [report, values] = grid().run(app, [](std::size_t, skel::test::witness& state) { return state; });
      EXPECT_EQ(report.run.supersteps, supersteps);
      EXPECT_TRUE(std::ranges::equal(values, expected)) << policy << ", seed " << seed;
      EXPECT_EQ(report.run.not_migrated, 0U) << policy << ", seed " << seed;
      bool const decides = grid().size() > 1 && policy != "never";
      EXPECT_EQ(report.run.decisions.policy, decides ? policy : "");
      if (policy == "rotate" && decides && supersteps > 4) {
        EXPECT_GT(report.run.migrated, 0U) << "seed " << seed;
      }
    }
  }
}

/// One core a host, whatever machine this is.
skel::run_settings one_core_a_host() {
  skel::run_settings settings;
  settings.platform = skel::platform::description(1e-6,
                                                  {{.name = "host",
                                                    .hosts = static_cast<std::size_t>(grid().size()),
                                                    .speed = 1,
                                                    .inside = {.latency = 1e-5, .bandwidth = 1e9}}},
                                                  {});
  return settings;
}

/// The same in two clusters, where there are several ranks, the second of which is faster: policies that look at sets
/// have another one to move to.
skel::run_settings one_core_a_host_in_two_clusters() {
  auto const ranks = static_cast<std::size_t>(grid().size());
  if (ranks == 1) return one_core_a_host();
  skel::platform::link const path{.latency = 1e-5, .bandwidth = 1e9};
  skel::run_settings settings;
  settings.platform =
      skel::platform::description(1e-6,
                                  {{.name = "slow", .hosts = ranks - ranks / 2, .speed = 1, .inside = path},
                                   {.name = "fast", .hosts = ranks / 2, .speed = 2, .inside = path}},
                                  {{0, 1, path, {}}, {1, 0, path, {}}});
  return settings;
}

/// Where the first processes have all the work, whoever decides by loads has reason to move them. It takes 360 ms by
/// the clock, 0.2 % of which is more than what `skel` expects of its first call. Ranks that share cores get other parts
/// of them in each superstep, so that there who stays may be right.
TEST(Bsp, GivesTheSameWherePoliciesMove) {
  auto app = skel::bsp<double>(
      "lopsided", 24, [](std::size_t p) { return static_cast<double>(p); },
      [](skel::superstep<double>& now, double& mine) {
        for (auto const& [from, what] : now.received()) mine += 1e-3 * what * static_cast<double>(from);
        double const end = skel::record::now() + (now.process() < 3 ? 4e-3 : 0);
        while (skel::record::now() < end) continue;
        if (now.number() == 30) return now.halt();
        now.send((now.process() + 1) % now.processes(), mine);
      });
  std::uint64_t supersteps = 0;
  auto const expected = skel::runtime::bsp::run_sequential(app, supersteps);
  skel::grid here(one_core_a_host_in_two_clusters());
  for (std::string const policy : {"greedy_refine", "diffusion", "migbsp", "skel"}) {
    app.migrated_by({.name = policy, .alpha = 4, .supersteps = 30});
    auto const [report, values] = here.run(app, [](std::size_t, double& mine) { return mine; });
    EXPECT_TRUE(std::ranges::equal(values, expected)) << policy;
    bool const each_has_a_core = static_cast<unsigned>(grid().size()) <= std::thread::hardware_concurrency();
    if (grid().size() > 1 && each_has_a_core) {
      EXPECT_GT(report.run.migrated, 0U) << policy;
    }
  }
}

TEST(Bsp, MeasuresNothingUnderNever) {
  for (std::string const policy : {"never", "rotate"}) {
    weighed::times = 0;
    grid().run(skel::bsp<weighed>(
                   "weighed", 24, [](std::size_t) { return 0; },
                   [](skel::superstep<weighed>& now, int&) {
                     if (now.number() == 4) return now.halt();
                     now.send(now.process(), {});
                   })
                   .migrated_by({.name = policy}));
    EXPECT_EQ(weighed::times > 0, policy != "never" && grid().size() > 1) << policy;
  }
}

/// Processes whose work is their number, by a clock that the program keeps itself.
auto uneven(std::string policy) {
  return skel::bsp<int>(
             "uneven", 24, [](std::size_t) { return 0.0; },
             [](skel::superstep<int>& now, double& mine) {
               if (now.number() == 60) return now.halt();
               for (std::size_t i = 0; i < 4000 * now.process(); ++i) mine = mine * 0.999 + 1;
             })
      .migrated_by({.name = std::move(policy)});
}

TEST(Bsp, MovesProcessesFromRanksThatHaveMore) {
  auto const report = grid().run(uneven("greedy_refine"));  // its calls do not depend on what they take
  auto const& made = report.run.decisions;
  if (grid().size() == 1) {
    EXPECT_EQ(made.calls.all(), 0U);
    return;
  }
  ASSERT_GT(made.calls.all(), 0U);
  EXPECT_EQ(made.supersteps, report.run.supersteps);
  EXPECT_GT(made.computation, 0);
  for (auto const& call : made.calls)
    for (auto const& one : call.candidates) EXPECT_LT(one.to, static_cast<std::size_t>(grid().size()));
  // Later ones may be for a hair.
  EXPECT_LT(made.calls.front().imbalance_after, made.calls.front().imbalance_before);
  std::ostringstream text;
  text << report;
  EXPECT_THAT(text.str(), HasSubstr("moved by 'greedy_refine'"));
}

/// A platform that says nothing of cores has one a host, whether somebody places processes by it or not.
TEST(Bsp, ComputesWithTheThreadsOfThePlatformUnderEveryPolicy) {
  auto const ranks = static_cast<std::size_t>(grid().size());
  for (std::string const policy : {"never", "skel"}) {
    skel::grid here(one_core_a_host());
    std::atomic<bool> alone = true;
    auto const app = skel::bsp<int>(
                         "threads", 16 * ranks, [](std::size_t) { return 0; },
                         [&alone, mine = std::this_thread::get_id()](skel::superstep<int>& now, int&) {
                           if (std::this_thread::get_id() != mine) alone = false;
                           std::this_thread::sleep_for(std::chrono::milliseconds(1));
                           if (now.number() == 4) now.halt();
                         })
                         .migrated_by({.name = policy});
    here.run(app);
    EXPECT_TRUE(alone) << policy;
    EXPECT_EQ(here.plan(app).threads, std::vector<std::size_t>(ranks, 1)) << policy;
  }
}

TEST(Bsp, IsChangedAlsoWhereItHasAName) {
  auto app = uneven("skel");
  app.pin(1).pin(3).limited(7).migrated_by({.name = "rotate"});
  EXPECT_EQ(app.pinned, (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(app.most_supersteps, 7U);
  EXPECT_EQ(app.migration.name, "rotate");
  EXPECT_EQ(app.name, "uneven");
  EXPECT_THROW(app.pin(24), skel::error);
}

TEST(Bsp, HasAPlan) {
  auto const plan = grid().plan(uneven("migbsp"));
  auto const ranks = static_cast<std::size_t>(grid().size());
  EXPECT_EQ(plan.policy, ranks == 1 ? "never" : "migbsp");
  ASSERT_EQ(plan.processes_of.size(), ranks);
  EXPECT_EQ(std::accumulate(plan.processes_of.begin(), plan.processes_of.end(), std::size_t{0}), 24U);
  std::size_t in_sets = 0;
  for (auto const& set : plan.sets) in_sets += set.ranks.size();
  EXPECT_EQ(in_sets, ranks);
  EXPECT_EQ(plan.paths.size(), plan.sets.size() * (plan.sets.size() - 1));
  if (ranks > 1) {
    EXPECT_GT(plan.barrier, 0);
  }
  std::ostringstream text;
  text << plan;
  EXPECT_THAT(text.str(), HasSubstr("a barrier of all"));
}

/// The first of 100 processes has as much work as all the others.
TEST(Bsp, ProcessesBeginByTheirWeights) {
  auto const app = skel::bsp<int>(
                       "heavy", 100, [](std::size_t) { return 0; }, [](skel::superstep<int>& now, int&) { now.halt(); })
                       .migrated_by({.name = "never"})
                       .weighted_by([](std::size_t p) { return p == 0 ? 99.0 : 1.0; });
  auto const report = grid().run(app);
  auto const on_first = std::ranges::count(report.run.rank_of, 0);
  EXPECT_EQ(on_first, grid().size() == 1 ? 100 : 1);
  EXPECT_TRUE(std::ranges::is_sorted(report.run.rank_of));
  auto const plan = grid().plan(app);
  EXPECT_EQ(plan.processes_of[0], static_cast<std::size_t>(on_first));
  EXPECT_THROW(
      grid().run(skel::bsp<int>(
                     "light", 2, [](std::size_t) { return 0; }, [](skel::superstep<int>& now, int&) { now.halt(); })
                     .weighted_by([](std::size_t) { return -1.0; })),
      skel::error);
}

TEST(Bsp, RefusesAPolicyThatThereIsNot) {
  try {
    auto const app = uneven("migbps");
    FAIL() << "no error";
  } catch (skel::error const& e) {
    EXPECT_THAT(e.what(), HasSubstr("did you mean 'migbsp'?"));
  }
}

TEST(Bsp, RefusesAnAlphaThatNoProgramReaches) {
  try {
    auto app = uneven("rotate");
    app.migrated_by({.name = "rotate", .alpha = std::size_t(-1)});
    FAIL() << "no error";
  } catch (skel::error const& e) {
    EXPECT_THAT(e.what(), HasSubstr("alpha of policy 'rotate' is 18446744073709551615"));
  }
}

TEST(Bsp, TakesLongMessagesAndStatesAcross) {
  auto const app = skel::bsp<std::vector<double>>(
                       "long", 8, [](std::size_t p) { return std::vector<double>(100'000, static_cast<double>(p)); },
                       [](skel::superstep<std::vector<double>>& now, std::vector<double>& mine) {
                         for (auto const& [from, what] : now.received())
                           for (std::size_t i = 0; i < mine.size(); ++i) mine[i] += what[i];
                         if (now.number() == 6) return now.halt();
                         now.send((now.process() + 3) % now.processes(), mine);
                       })
                       .moved_by(random_mover(1));
  std::uint64_t supersteps = 0;
  auto const expected = skel::runtime::bsp::run_sequential(app, supersteps);
  auto const values = grid().run(app, [](std::size_t, std::vector<double>& mine) { return mine; }).values;
  EXPECT_TRUE(std::ranges::equal(values, expected));
}

TEST(Bsp, SaysWhatHappened) {
  auto const app = skel::bsp<int>(
                       "report", 20, [](std::size_t) { return 0; },
                       [](skel::superstep<int>& now, int&) {
                         if (now.number() == 4) return now.halt();
                         now.send(0, 1);
                       })
                       .moved_by(random_mover(3))
                       .pin(3);
  auto const report = grid().run(app);
  auto const ranks = static_cast<std::size_t>(grid().size());
  EXPECT_EQ(report.run.hosts.size(), ranks);
  EXPECT_EQ(report.run.messages, 60u);
  EXPECT_EQ(report.run.times.size(), 4u);
  for (auto const& one : report.run.times) EXPECT_EQ(one.waiting.size(), ranks);
  EXPECT_EQ(report.run.rank_of[3], static_cast<int>(3 * ranks / 20));
  EXPECT_EQ(report.run.migrated > 0, ranks > 1);
  std::ostringstream text;
  text << report;
  EXPECT_THAT(text.str(), HasSubstr("bsp 'report': 20 processes on " + std::to_string(ranks) + " rank"));
  EXPECT_THAT(text.str(), HasSubstr("4 supersteps and 60 messages"));
  auto refused = report;
  refused.run.refused_announcements = {"there is no host 'm'"};
  text << refused;
  EXPECT_THAT(text.str(), HasSubstr("an announcement was refused: there is no host 'm'"));
}

TEST(Bsp, AnExceptionReachesEveryRank) {
  auto const app = skel::bsp<int>(
      "throws", 20, [](std::size_t) { return 0; },
      [](skel::superstep<int>& now, int&) {
        if (now.number() == 3 && now.process() >= 18) throw std::runtime_error("enough");
      });
  try {
    grid().run(app);
    FAIL() << "nothing was thrown";
  } catch (skel::process_error const& e) {
    EXPECT_EQ(e.program(), "throws");
    EXPECT_EQ(e.process(), 18u);
    EXPECT_EQ(e.superstep(), 3u);
    EXPECT_EQ(e.rank(), 18 * grid().size() / 20);
    EXPECT_EQ(e.cause() != nullptr, e.rank() == grid().rank());
    EXPECT_THAT(e.what(), HasSubstr("enough"));
  }
}

TEST(Bsp, AResultThatCannotBeMadeReachesEveryRank) {
  auto const app = skel::bsp<int>(
      "results", 20, [](std::size_t) { return 0; }, [](skel::superstep<int>& now, int&) { now.halt(); });
  try {
    grid().run(app, [](std::size_t process, int&) {
      if (process == 11) throw std::runtime_error("no result");
      return process;
    });
    FAIL() << "nothing was thrown";
  } catch (skel::process_error const& e) {
    EXPECT_EQ(e.process(), 11u);
    EXPECT_THAT(e.what(), HasSubstr("the result of process 11 could not be made"));
  }
}

TEST(Bsp, IsStoppedByATokenOfOneRank) {
  std::stop_source stop;
  auto const app = skel::bsp<int>(
      "endless", 20, [](std::size_t) { return 0; },
      [&](skel::superstep<int>& now, int&) {
        if (now.number() == 10 && now.process() == 19) stop.request_stop();
      });
  EXPECT_THROW(grid().run(app, stop.get_token()), skel::cancelled);
}

TEST(Bsp, ACallOfTheGridInASuperstepIsRefused) {
  auto const app = skel::bsp<int>(
      "calls", 4, [](std::size_t) { return 0; }, [](skel::superstep<int>&, int&) { grid().barrier(); });
  EXPECT_THROW(grid().run(app), skel::process_error);
}

TEST(Bsp, AGridThatIsMadeInASuperstepIsRefused) {
  if (grid().size() == 1) GTEST_SKIP() << "on several ranks";
  auto const app = skel::bsp<int>(
      "makes", 8, [](std::size_t) { return 0; },
      [](skel::superstep<int>& now, int&) {
        if (now.process() == 5) skel::grid const another;
        now.halt();
      });
  EXPECT_THROW(grid().run(app), skel::process_error);
}

/// A folder of its own on rank 0, which removes it.
class BspCheckpoints : public testing::Test {
 protected:
  BspCheckpoints() {
    settings_.checkpoint = testing::TempDir() + "/bsp_checkpoints." + std::to_string(::getppid()) + "." +
                           testing::UnitTest::GetInstance()->current_test_info()->name();
    settings_.checkpoint_period = 1e-9;  // as often as can be
    clean();
  }
  ~BspCheckpoints() override { clean(); }
  void clean() const {
    if (grid().rank() == 0) std::filesystem::remove_all(settings_.checkpoint);
    grid().ranks().broadcast("");
  }
  /// The checkpoints in the folder, from the newest one on. On rank 0.
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> out;
    if (grid().rank() == 0)
      for (auto const& one : std::filesystem::directory_iterator(settings_.checkpoint))
        if (one.path().extension() == ".checkpoint") out.push_back(one.path());
    std::ranges::sort(out, {}, [](auto const& path) { return std::pair(path.string().size(), path); });
    std::ranges::reverse(out);
    return out;
  }

  skel::run_settings settings_;
};

/// A random program, one of whose processes throws in a superstep; 0: none does.
template <class Message>
auto failing(std::uint64_t seed, std::uint64_t superstep) {
  auto const whole = skel::test::random_bsp<Message>(seed);
  return skel::bsp<Message, double>(
      "failing", whole.processes, whole.make,
      [step = whole.step, superstep](skel::superstep<Message, double>& now, skel::test::witness& mine) {
        if (now.number() == superstep && now.process() == superstep * 7 % now.processes())
          throw std::runtime_error("planted");
        step(now, mine);
      },
      std::plus<>{}, skel::registered<&skel::test::witness::board>());
}

TEST_F(BspCheckpoints, AProgramThatHasFailedGoesOnFromTheLastOne) {
  skel::grid here(settings_);
  auto const state_of = [](std::size_t, skel::test::witness& state) { return state; };
  std::size_t went_on = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    std::uint64_t supersteps = 0;
    auto const expected = skel::runtime::bsp::run_sequential(failing<std::string>(seed, 0), supersteps);
    bench::dice roll(seed);
    auto const with_moves = [&](auto program) {
      if (seed % 2 == 0) program.next_moves = random_mover(seed);
      return program;
    };
    std::uint64_t const fails = roll.between(1, supersteps);
    bool failed = false;
    try {
      here.run(with_moves(failing<std::string>(seed, fails)), state_of);
    } catch (skel::process_error const&) {
      failed = true;
    }
    auto const [report, values] = here.run(with_moves(failing<std::string>(seed, 0)), state_of);
    EXPECT_TRUE(std::ranges::equal(values, expected)) << "seed " << seed;
    EXPECT_EQ(report.run.supersteps, supersteps);
    EXPECT_EQ(report.resumed, failed && fails > 1 ? std::optional(fails - 1) : std::nullopt) << "seed " << seed;
    std::ostringstream text;
    text << report;
    if (report.resumed) {
      ++went_on;
      EXPECT_THAT(text.str(), HasSubstr("went on after superstep " + std::to_string(fails - 1) +
                                        ", from a checkpoint, up to superstep " + std::to_string(supersteps)));
    }
    EXPECT_EQ(report.run.checkpoints.written, report.supersteps_made() - 1);
    EXPECT_TRUE(files().empty());
  }
  EXPECT_GT(went_on, 3U);
}

TEST_F(BspCheckpoints, ADamagedOneIsPutAsideAndTheOneBeforeIsTaken) {
  skel::grid here(settings_);
  auto const counting = [](std::uint64_t fails) {
    return skel::bsp<int>(
        "counting", 9, [](std::size_t) { return 0; },
        [fails](skel::superstep<int>& now, int& mine) {
          if (now.number() == fails) throw std::runtime_error("planted");
          if (++mine == 20) now.halt();
        });
  };
  EXPECT_THROW(here.run(counting(10)), skel::process_error);
  if (auto const all = files(); !all.empty()) {
    ASSERT_EQ(all.size(), 2U);
    std::filesystem::resize_file(all[0], std::filesystem::file_size(all[0]) - 1);
  }
  auto const [report, values] = here.run(counting(0), [](std::size_t, int& mine) { return mine; });
  EXPECT_EQ(report.resumed, 8U);
  EXPECT_THAT(values, testing::Each(20));
}

/// States and messages of a program that may change between two starts.
template <class State, class Message = int>
auto changed(char const* name, std::size_t processes, std::uint64_t fails, std::uint64_t most = 1000) {
  return skel::bsp<Message>(
             name, processes, [](std::size_t) { return State(); },
             [fails](skel::superstep<Message>& now, State&) {
               if (now.number() == fails) throw std::runtime_error("planted");
               if (now.number() == 20) now.halt();
             })
      .limited(most);
}

TEST_F(BspCheckpoints, ThoseOfAnotherProgramAreRefused) {
  skel::grid here(settings_);
  auto const refusal = [&](auto const& program) -> std::string {
    try {
      here.run(program);
      return "it ran";
    } catch (skel::error const& refused) {
      return refused.what();
    }
  };
  EXPECT_THROW(here.run(changed<std::array<int, 2>>("one", 9, 10)), skel::process_error);
  using two = std::array<int, 2>;
  EXPECT_THAT(refusal(changed<two>("other", 9, 0)), HasSubstr("the program is 'one' there and 'other' here"));
  EXPECT_THAT(refusal(changed<two>("one", 8, 0)), HasSubstr("the number of processes is 9 there and 8 here"));
  EXPECT_THAT(refusal(changed<two, double>("one", 9, 0)), HasSubstr("the size of a message is 4 B there and 8 B here"));
  EXPECT_THAT(refusal(changed<std::array<int, 3>>("one", 9, 0)),
              testing::AllOf(HasSubstr("the state of a process is 8 B"), HasSubstr("there and 12 B"),
                             HasSubstr("keep_checkpoints")));
  EXPECT_THAT(refusal(changed<two>("one", 9, 0, 5)),
              HasSubstr("was made after 9 supersteps, and the program makes 5 now (limited()); say more"));
  EXPECT_EQ(refusal(changed<two>("one", 9, 0)), "it ran");
}

}  // namespace
