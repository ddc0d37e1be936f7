// What every policy of migration keeps to, and what each of them does.
#include <skel/detail/mapping/migration/policy.hpp>

#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/mapping/migration/simulate.hpp>

namespace {

using namespace skel;
using namespace skel::mapping::migration;
using testing::ElementsAre;

// slow-0 .. slow-3: speed 1     fast-0, fast-1: speed 2
cost::bsp::machine two_sets(double fixed = 0.01) {
  return {platform::description(1e-6, {{"slow", 4, 1, 1, {1e-4, 1e8}, {}, {}}, {"fast", 2, 2, 1, {1e-4, 1e8}, {}, {}}},
                                {{0, 1, {2e-4, 1e7}, {}}, {1, 0, {2e-4, 1e7}, {}}}),
          fixed};
}

record::load_trace repeated(record::superstep_load const& load, std::size_t times) {
  return {std::vector<record::superstep_load>(times, load)};
}

simulated_run run(record::workload const& program, cost::bsp::machine const& machine, std::vector<std::size_t> hosts,
                  skeletons::migration_settings const& settings, std::vector<bool> const& pinned = {},
                  double state = 1000) {
  std::vector<double> const states(hosts.size(), state);
  return simulate(program, machine, {std::move(hosts), states}, *make_policy(settings, machine, pinned));
}

std::size_t migrations(simulated_run const& of) {
  std::size_t all = 0;
  for (auto const& call : of.calls)
    for (auto const& one : call.candidates) all += one.accepted ? 1 : 0;
  return all;
}

class EachPolicy : public testing::TestWithParam<std::string> {
 protected:
  skeletons::migration_settings settings() const { return {.name = GetParam(), .alpha = 2}; }
};

record::load_trace uneven() {
  record::load_trace program;
  for (std::size_t s = 0; s < 60; ++s) {
    record::superstep_load load{.work = {}, .messages = {}};
    for (std::size_t p = 0; p < 12; ++p) {
      load.work.push_back(static_cast<double>((p * 7 + s / 20) % 5));
      load.messages.push_back({p, (p + 1) % 12, 100});
    }
    program.steps.push_back(load);
  }
  return program;
}

std::vector<std::size_t> const twelve{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3};

TEST_P(EachPolicy, IsTheSameForTheSameProgram) {
  auto const one = run(uneven(), two_sets(), twelve, settings()), other = run(uneven(), two_sets(), twelve, settings());
  EXPECT_EQ(one.seconds, other.seconds);
  EXPECT_EQ(one.hosts, other.hosts);
  EXPECT_EQ(one.calls.size(), other.calls.size());
}

TEST_P(EachPolicy, MovesToHostsThatExistFromWhereAProcessIs) {
  auto const made = run(uneven(), two_sets(), twelve, settings());
  auto hosts = twelve;
  for (auto const& call : made.calls)
    for (auto const& one : call.candidates) {
      ASSERT_LT(one.to, 6U);
      ASSERT_EQ(one.from, hosts[one.process]);
      if (one.accepted) hosts[one.process] = one.to;
    }
  EXPECT_EQ(hosts, made.hosts);
}

TEST_P(EachPolicy, LeavesPinnedProcesses) {
  std::vector<bool> pinned(12, true);
  EXPECT_EQ(migrations(run(uneven(), two_sets(), twelve, settings(), pinned)), 0U);
  pinned.assign(12, false), pinned[1] = pinned[6] = true;
  for (auto const& call : run(uneven(), two_sets(), twelve, settings(), pinned).calls)
    for (auto const& one : call.candidates) EXPECT_FALSE(pinned[one.process]);
}

TEST_P(EachPolicy, LeavesWhatIsPinnedLaterToo) {
  std::vector<bool> pinned(12);
  auto const later = make_policy(settings(), two_sets(), pinned);
  for (std::size_t const process : {1U, 6U}) later->pin(process), pinned[process] = true;
  auto const made = simulate(uneven(), two_sets(), {twelve, std::vector<double>(12, 1000)}, *later);
  EXPECT_EQ(made.hosts, run(uneven(), two_sets(), twelve, settings(), pinned).hosts);
  for (auto const& call : made.calls)
    for (auto const& one : call.candidates) EXPECT_FALSE(pinned[one.process]);
}

TEST_P(EachPolicy, KeepsToTheMemoryOfHosts) {
  auto machine = two_sets();
  machine.memory = {4000, 4000, 3000, 3000, 1000, 2500};
  auto const made = run(uneven(), machine, twelve, settings());
  auto hosts = twelve;
  for (auto const& call : made.calls) {
    for (auto const& one : call.candidates)
      if (one.accepted) hosts[one.process] = one.to;
    std::vector<double> used(6);
    for (auto const h : hosts) used[h] += 1000;
    for (std::size_t h = 0; h < 6; ++h) EXPECT_LE(used[h], machine.memory[h]) << "superstep " << call.superstep;
  }
}

TEST_P(EachPolicy, DoesNothingOnOneHost) {
  cost::bsp::machine const one{platform::description(0, {{"a", 1, 1, 1, {}, {}, {}}}, {}), 0};
  auto const program = repeated({.work = {1, 5, 2}, .messages = {}}, 50);
  EXPECT_EQ(migrations(run(program, one, {0, 0, 0}, settings())), 0U);
}

TEST_P(EachPolicy, IsFineWithProcessesThatDoNothing) {
  auto const made = run(repeated({.work = {0, 0, 0}, .messages = {}}, 20), two_sets(), {0, 1, 4}, settings());
  EXPECT_TRUE(std::isfinite(made.seconds));
  for (auto const& call : made.calls) EXPECT_TRUE(std::isfinite(call.cost + call.price)) << call.superstep;
}

TEST_P(EachPolicy, PricesMigrationsByWhatTheyWereMeasuredToTake) {
  record::superstep step{.load = {.work = std::vector<double>(12, 1), .messages = {}},
                         .hosts = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 4},
                         .state_bytes = std::vector<double>(12, 2),
                         .seconds = 12,
                         .migration_fixed = 0.5,
                         .migration_per_byte = 0.25};
  auto const policy = make_policy(settings(), two_sets(0), {});
  for (step.number = 1; step.number < 20; ++step.number)
    for (auto const call = policy->after(step); call && call->price > 0;) {
      EXPECT_GE(call->price, 0.5 + 2 * 0.25);
      return;
    }
  EXPECT_EQ(GetParam(), "never");
}

TEST_P(EachPolicy, MovesNothingWhereMigrationsAreNotApplied) {
  auto not_applied = settings();
  not_applied.apply = false;
  auto const made = run(uneven(), two_sets(), twelve, not_applied);
  EXPECT_EQ(migrations(made), 0U);
  EXPECT_EQ(made.hosts, twelve);
  EXPECT_EQ(made.migrating, 0);
}

INSTANTIATE_TEST_SUITE_P(All, EachPolicy, testing::ValuesIn(skeletons::migration_policies().names()),
                         [](auto const& one) { return one.param; });

TEST(Policy, HasARowForEachName) {
  auto const names = skeletons::migration_policies().names();
  for (auto const& name : names) EXPECT_NE(make_policy({.name = name}, two_sets()), nullptr) << name;
  for (auto const name : {"never", "rotate", "migbsp", "greedy_refine", "diffusion", "skel"})
    EXPECT_THAT(names, testing::Contains(name));
  for (auto const& row : policies()) EXPECT_THAT(names, testing::Contains(row.name));
}

TEST(Policy, OfAnUnknownNameIsRefused) {
  try {
    make_policy({.name = "migbps"}, two_sets());
    FAIL();
  } catch (error const& refused) {
    EXPECT_THAT(std::string(refused.what()), testing::HasSubstr("did you mean 'migbsp'?"));
  }
}

TEST(Never, MakesNoCalls) {
  auto const made = run(uneven(), two_sets(), twelve, {.name = "never"});
  EXPECT_TRUE(made.calls.empty());
  EXPECT_EQ(made.calling + made.migrating, 0);
}

TEST(Rotate, PutsEachProcessWhereTheNextOneWas) {
  auto const made =
      run(repeated({.work = {1, 1, 1}, .messages = {}}, 3), two_sets(), {0, 1, 4}, {.name = "rotate", .alpha = 2});
  EXPECT_THAT(made.hosts, ElementsAre(1, 4, 0));
}

TEST(Rotate, PutsAllBackAfterAsManyCallsAsThereAreProcesses) {
  auto const made =
      run(repeated({.work = {1, 1, 1}, .messages = {}}, 1001), two_sets(), {0, 1, 4}, {.name = "rotate", .alpha = 1});
  EXPECT_EQ(migrations(made), 3000U);
  EXPECT_THAT(made.hosts, ElementsAre(1, 4, 0)) << "1000 = 1 mod 3";
}

TEST(GreedyRefine, LeavesNoHostFarAboveTheMean) {
  auto const made = run(repeated({.work = std::vector<double>(16, 1), .messages = {}}, 5), two_sets(),
                        std::vector<std::size_t>(16, 0), {.name = "greedy_refine", .alpha = 2});
  EXPECT_DOUBLE_EQ(made.supersteps.front().computation, 16);
  EXPECT_DOUBLE_EQ(made.supersteps.back().computation, 2) << "the mean is 16 / 8";
}

TEST(Diffusion, ComesNearTheMeanStepByStep) {
  auto const made = run(repeated({.work = std::vector<double>(64, 1), .messages = {}}, 100), two_sets(),
                        std::vector<std::size_t>(64, 0), {.name = "diffusion", .alpha = 1});
  EXPECT_GT(made.supersteps[2].computation, 16);
  EXPECT_LT(made.supersteps.back().computation, 12) << "the mean is 64 / 8";
  for (std::size_t s = 1; s < made.supersteps.size(); ++s)
    EXPECT_LE(made.supersteps[s].computation, made.supersteps[s - 1].computation) << s;
}

TEST(PolicySkel, BalancesWhereThatPays) {
  auto const program = repeated({.work = std::vector<double>(16, 1), .messages = {}}, 100);
  auto const made = run(program, two_sets(), std::vector<std::size_t>(16, 0), {});
  EXPECT_DOUBLE_EQ(made.supersteps.back().computation, 2);
  EXPECT_LT(made.seconds, 300) << "16 s a superstep without migrations, 2 s with";
  EXPECT_LE(made.calls.size(), 5U) << "nothing changes after the first";
}

TEST(PolicySkel, StaysWhereMigrationsDoNotPay) {
  auto const program = repeated({.work = {1, 1.2, 1, 1}, .messages = {}}, 200);
  EXPECT_EQ(migrations(run(program, two_sets(1e4), {0, 1, 2, 3}, {.supersteps = 200})), 0U);
}

/// The superstep at whose barrier a process moves for the first time, where the program goes on as these supersteps,
/// and of each so many the first twelve are told.
std::size_t first_move(std::vector<record::superstep_load> const& loads, std::vector<std::size_t> const& hosts,
                       std::size_t of_each) {
  constexpr std::size_t supersteps = 1 << 14, row = 12;
  cost::bsp::machine const two{platform::description(1e-6, {{"a", 2, 1, 1, {1e-4, 1e8}, {}, {}}}, {}), 100};
  auto const decides = make_policy({.supersteps = supersteps}, two);
  EXPECT_TRUE(decides->takes_samples());
  record::superstep told{
      .stands_for = 1, .load = {}, .hosts = hosts, .state_bytes = std::vector<double>(hosts.size(), 1000)};
  for (told.number = 1; told.number < supersteps; ++told.number) {
    if ((told.number - 1) % of_each >= row) continue;
    if (told.number > row) told.stands_for = of_each / row;
    told.load = loads[(told.number - 1) % loads.size()];
    told.seconds = cost::bsp::time_of(two, told).seconds();
    if (auto const call = decides->after(told))
      for (auto const& one : call->candidates)
        if (one.accepted) return told.number;
  }
  return supersteps;
}

/// Two of eight processes leave the host that has six; and two of four where each host has both that compute in the
/// same supersteps.
TEST(PolicySkel, MovesAsSoonWhereItIsToldSomeSuperstepsOnly) {
  std::vector<record::superstep_load> const uneven{{.work = std::vector<double>(8, 1)}},
      phases{{.work = {1, 1, 0, 0}}, {.work = {0, 0, 1, 1}}};
  for (auto const& [loads, hosts] : {std::pair(uneven, std::vector<std::size_t>{0, 0, 0, 0, 0, 0, 1, 1}),
                                     std::pair(phases, std::vector<std::size_t>{0, 0, 1, 1})}) {
    auto const alone = static_cast<double>(first_move(loads, hosts, 12));
    EXPECT_GT(alone, 32) << "forecasts have to hold for long enough";
    for (std::size_t const of_each : {24U, 96U, 192U}) {
      auto const found = static_cast<double>(first_move(loads, hosts, of_each));
      EXPECT_GE(found, 0.8 * alone) << of_each;
      EXPECT_LE(found, 1.25 * alone + static_cast<double>(of_each)) << of_each;
    }
  }
}

TEST(PolicySkel, MakesNoCallsWhileWorkIsEven) {
  auto const program = repeated({.work = {1, 1, 1, 1, 2, 2}, .messages = {}}, 200);
  EXPECT_TRUE(run(program, two_sets(), {0, 1, 2, 3, 4, 5}, {}).calls.empty());
}

/// Under the policy, told the end, with calls that take so long [s].
simulated_run run_with_calls(record::load_trace const& program, cost::bsp::machine const& machine,
                             std::vector<std::size_t> hosts, double call) {
  start begin{.hosts = std::move(hosts), .state_bytes = {}, .call = call};
  begin.state_bytes.assign(begin.hosts.size(), 1000);
  return simulate(program, machine, begin, *make_policy({.supersteps = program.supersteps()}, machine));
}

TEST(PolicySkel, CallsAgainWhenWhatACallInVainFoundPays) {
  // After four supersteps moving two of six processes does not pay yet. A call takes more than half of what all of them
  // may take together, and as much as staying loses in two supersteps.
  cost::bsp::machine const two{platform::description(1e-6, {{"a", 2, 1, 1, {1e-4, 1e8}, {}, {}}}, {}), 10};
  auto const program = repeated({.work = std::vector<double>(8, 1), .messages = {}}, 300);
  auto const made = run_with_calls(program, two, {0, 0, 0, 0, 0, 0, 1, 1}, 3);
  ASSERT_FALSE(made.calls.empty());
  EXPECT_EQ(made.calls.front().price, 0) << "the first is in vain";
  EXPECT_LT(made.seconds, 1350) << "1800 s where nothing moves, 1200 s without calls and migrations";
  EXPECT_LE(made.calls.size(), 6U);
}

TEST(PolicySkel, MovesWhereNoiseHidesThatProcessesDiffer) {
  // Each process has a mean of its own, 1e6 to 1e9, and a superstep's work is that times a factor of e in either
  // direction.
  cost::bsp::machine const machine{platform::description(1e-6, {{"c", 8, 1e9, 1, {1e-4, 1e8}, {}, {}}}, {}), 0.05};
  std::vector<std::size_t> hosts(32);
  for (std::size_t p = 0; p < hosts.size(); ++p) hosts[p] = p / 4;
  double ratios = 0;
  for (unsigned seed = 0; seed < 12; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> exponent(6, 9);
    std::lognormal_distribution<double> noise(0, 1);
    std::vector<double> means(hosts.size());
    for (double& one : means) one = std::pow(10, exponent(random));
    record::load_trace program;
    for (std::size_t s = 0; s < 40; ++s) {
      program.steps.push_back({.work = means, .messages = {}});
      for (double& one : program.steps.back().work) one *= noise(random);
    }
    ratios += run(program, machine, hosts, {}, {}, 1e6).seconds /
              run(program, machine, hosts, {.name = "never"}, {}, 1e6).seconds;
  }
  EXPECT_LT(ratios / 12, 0.95);
}

TEST(PolicySkel, MakesCallsAsOftenAsTheyAreCheap) {
  // Supersteps of seconds that get longer, and calls of milliseconds.
  record::wavefront program{.order = 100, .first = 1e6, .last = 1e9};
  cost::bsp::machine const machine{
      platform::description(
          1e-6, {{"slow", 16, 7.5e8, 1, {1e-4, 1.25e7}, {}, {}}, {"fast", 8, 1e9, 1, {1e-4, 1.25e8}, {}, {}}},
          {{0, 1, {2e-4, 1.25e7}, {}}, {1, 0, {2e-4, 1.25e7}, {}}}),
      0.05};
  std::vector<std::size_t> hosts(100);
  for (std::size_t p = 0; p < hosts.size(); ++p) hosts[p] = p % 24;
  auto const made = run(program, machine, hosts, {}, {}, 1.2e6);
  EXPECT_GT(made.calls.size(), 50U) << "of 199 supersteps";
  EXPECT_LT(made.seconds, run(program, machine, hosts, {.name = "greedy_refine", .alpha = 2}, {}, 1.2e6).seconds);
}

TEST(PolicySkel, MakesFewCallsThatTakeLongWhereNothingIsToBeWon) {
  // Five processes of the same work on four hosts: the slowest takes more than an even spread would, wherever they are.
  auto const program = repeated({.work = std::vector<double>(5, 1), .messages = {}}, 300);
  cost::bsp::machine const four{platform::description(1e-6, {{"a", 4, 1, 1, {1e-4, 1e8}, {}, {}}}, {}), 1};
  for (double const takes : {0.5, 1.0, 3.0})
    EXPECT_LT(run_with_calls(program, four, {0, 1, 2, 3, 0}, takes).seconds, 1.004 * 600) << takes;
}

TEST(PolicySkel, MovesBeforeAHostIsOverloaded) {
  // Processes 0 and 1 share a host and take less time than process 2 does on its own until the 60th superstep; by the
  // last they take 1.8 times as long. The third host takes one of them at once, later at the price of a barrier alone.
  cost::bsp::machine const three{platform::description(1e-6, {{"a", 3, 1, 1, {1e-4, 1e8}, {}, {}}}, {}), 0.01};
  record::load_trace program;
  for (std::size_t s = 0; s < 120; ++s)
    program.steps.push_back({.work = {1 + 0.1 * static_cast<double>(s), 1, 8, 0}, .messages = {}});
  auto const made = run(program, three, {0, 0, 1, 2}, {.supersteps = 120});
  ASSERT_GT(migrations(made), 0U);
  for (std::size_t s = 70; s < 120; ++s)
    EXPECT_DOUBLE_EQ(made.supersteps[s].computation, std::max(8.0, 1 + 0.1 * static_cast<double>(s))) << s;
}

TEST(PolicySkel, MovesWhereOnlyMessagesTakeTime) {
  // Work is even, or there is none, and those that talk are in different sets.
  for (double const work : {1.0, 0.0}) {
    auto const program = repeated(
        {.work = std::vector<double>(4, work), .messages = {{0, 2, 2e7}, {2, 0, 2e7}, {1, 3, 2e7}, {3, 1, 2e7}}}, 200);
    cost::bsp::machine const sets{
        platform::description(1e-6, {{"a", 2, 1, 1, {1e-4, 1e8}, {}, {}}, {"b", 2, 1, 1, {1e-4, 1e8}, {}, {}}},
                              {{0, 1, {1e-3, 1e7}, {}}, {1, 0, {1e-3, 1e7}, {}}}),
        0.01};
    EXPECT_LT(run(program, sets, {0, 1, 2, 3}, {}).seconds,
              0.45 * run(program, sets, {0, 1, 2, 3}, {.name = "never"}).seconds)
        << work;
  }
}

TEST(PolicySkel, GainsLittleAndLosesLittleWherePartnersAreOthersEachTime) {
  std::mt19937 random(7);
  record::load_trace program;
  std::vector<std::size_t> blocks;
  for (std::size_t p = 0; p < 32; ++p) blocks.push_back(p / 4);
  for (std::size_t s = 0; s < 300; ++s) {
    record::superstep_load load{.work = std::vector<double>(32, 0.01), .messages = {}};
    for (std::size_t p = 0; p < 32; ++p) load.messages.push_back({p, (p + 1 + random() % 31) % 32, 1e5});
    program.steps.push_back(load);
  }
  cost::bsp::machine const sets{
      platform::description(1e-6, {{"a", 4, 1, 1, {1e-4, 1e8}, {}, {}}, {"b", 4, 1, 1, {1e-4, 1e8}, {}, {}}},
                            {{0, 1, {1e-2, 1e7}, {}}, {1, 0, {1e-2, 1e7}, {}}}),
      1e-3};
  auto const stayed = run(program, sets, blocks, {.name = "never"}), made = run(program, sets, blocks, {});
  EXPECT_LT(made.seconds, 1.01 * stayed.seconds);
  EXPECT_LT(migrations(made), 16U) << "there is no order that would be worth it";
}

TEST(PolicySkel, RemembersMessagesThatGoInSomeSuperstepsOnly) {
  // Four processes share two hosts of one set. Spread over both sets they compute faster, and wait for each other over
  // the slow path in every second superstep.
  record::superstep_load talking{.work = {1, 1, 1, 1}, .messages = {}};
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t b = 0; b < 4; ++b)
      if (a != b) talking.messages.push_back({a, b, 2e7});
  for (bool const first : {true, false}) {
    record::load_trace program;
    for (std::size_t s = 0; s < 200; ++s)
      program.steps.push_back((s % 2 == 0) == first ? talking
                                                    : record::superstep_load{.work = {1, 1, 1, 1}, .messages = {}});
    cost::bsp::machine const sets{
        platform::description(1e-6, {{"a", 2, 1, 1, {1e-4, 1e8}, {}, {}}, {"b", 2, 1, 1, {1e-4, 1e8}, {}, {}}},
                              {{0, 1, {1e-3, 1e7}, {}}, {1, 0, {1e-3, 1e7}, {}}}),
        0.01};
    double const never = run(program, sets, {0, 0, 1, 1}, {.name = "never"}).seconds;
    EXPECT_LT(run(program, sets, {0, 0, 1, 1}, {}).seconds, 1.005 * never) << first;
    EXPECT_LT(run(program, sets, {0, 0, 1, 1}, {.supersteps = 200}).seconds, 1.005 * never) << first;
  }
}

TEST(PolicySkel, TakesWhateverAProgramSaysOfItsEnd) {
  auto const program = repeated({.work = std::vector<double>(16, 1), .messages = {}}, 100);
  std::vector<std::size_t> const at(16, 0);
  for (std::size_t const told : {std::size_t{2}, std::size_t{99}, std::numeric_limits<std::size_t>::max()})
    EXPECT_LT(run(program, two_sets(), at, {.supersteps = told}).seconds, 300) << told;
}

TEST(PolicySkel, KeepsProcessesTogetherThatTalkMuch) {
  // Both are on the slow set; on one fast host each they would compute less and wait for 10 MB over the slow path.
  auto const program = repeated({.work = {1, 1}, .messages = {{0, 1, 1e7}, {1, 0, 1e7}}}, 200);
  auto const made = run(program, two_sets(), {0, 1}, {.supersteps = 200});
  auto const& sets = two_sets().hosts;
  EXPECT_EQ(sets.cluster_of(made.hosts[0]), sets.cluster_of(made.hosts[1]));
  EXPECT_LE(made.supersteps.back().seconds(), made.supersteps.front().seconds());
}

}  // namespace
