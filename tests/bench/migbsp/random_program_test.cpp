// What policy "skel" promises on random programs, in simulated time: the first ones that bench_migbsp compares.
#include "migbsp/random_program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/mapping/migration/policy.hpp>

#include "migbsp/clairvoyant.hpp"

namespace {

using namespace skel;
using namespace skel::mapping::migration;

double time_under(bench::random_program const& of, skeletons::migration_settings const& settings) {
  return simulate(of.program, of.machine, of.begin, *make_policy(settings, of.machine)).seconds;
}

constexpr unsigned seeds = 4;

TEST(RandomPrograms, HaveEachPatternOfMessagesAndOfLoads) {
  std::set<std::pair<std::string_view, bool>> messages;
  std::set<std::string_view> loads;
  for (auto const kind : bench::program_kinds)
    for (unsigned seed = 1; seed <= seeds; ++seed) {
      auto const drawn = bench::draw_program(kind, seed);
      messages.emplace(drawn.messages, drawn.talks_every == 1), loads.insert(drawn.load);
    }
  for (auto const pattern : bench::message_patterns)
    for (bool const each : {true, false})
      EXPECT_TRUE(pattern == "no messages" || messages.contains({pattern, each})) << pattern << ' ' << each;
  EXPECT_EQ(loads.size(), bench::load_patterns.size());
}

TEST(RandomPrograms, SendWhatTheirPatternSays) {
  for (auto const kind : bench::program_kinds)
    for (unsigned seed = 1; seed <= seeds; ++seed) {
      auto const drawn = bench::draw_program(kind, seed);
      if (drawn.messages.empty() || drawn.begin.hosts.size() < 3) continue;  // a wavefront; whom, but the other one?
      auto const& steps = std::get<record::load_trace>(drawn.program).steps;
      std::vector<std::size_t> first;
      bool same = true, ring = true;
      for (std::size_t s = 0; s < steps.size(); ++s) {
        bool const talks = drawn.messages != "no messages" && s % drawn.talks_every == 0;
        ASSERT_EQ(steps[s].messages.size(), talks ? drawn.begin.hosts.size() : 0) << described(drawn);
        std::vector<std::size_t> to;
        for (auto const& one : steps[s].messages) {
          EXPECT_NE(one.from, one.to);
          ring = ring && one.to == (one.from + 1) % drawn.begin.hosts.size();
          to.push_back(one.to);
        }
        if (s == 0) first = to;
        same = same && (!talks || to == first);
      }
      EXPECT_EQ(same, drawn.messages != "new partners") << described(drawn);
      EXPECT_EQ(ring, drawn.messages == "ring" || drawn.messages == "no messages") << described(drawn);
    }
}

TEST(RandomPrograms, HaveLinksAndLoadsOfTheirOwn) {
  std::set<double> latencies;
  for (unsigned seed = 1; seed <= seeds; ++seed)
    for (auto const kind : bench::program_kinds) {
      auto const drawn = bench::draw_program(kind, seed), again = bench::draw_program(kind, seed);
      EXPECT_EQ(described(drawn), described(again));
      EXPECT_EQ(drawn.begin.external_load, again.begin.external_load);
      for (auto const& one : drawn.machine.hosts.links()) {
        EXPECT_TRUE(one.path.latency >= 1e-4 && one.path.latency <= 5e-2) << one.path.latency;
        EXPECT_TRUE(one.path.bandwidth >= 1e6 && one.path.bandwidth <= 1e9) << one.path.bandwidth;
        latencies.insert(one.path.latency);
      }
      EXPECT_EQ(drawn.begin.external_load.empty(), drawn.load == "idle hosts");
      EXPECT_EQ(drawn.begin.change.has_value(), drawn.load == "changing hosts");
      EXPECT_LE(drawn.begin.change.value_or(load_change{}).superstep, record::supersteps_of(drawn.program));
    }
  EXPECT_GT(latencies.size(), 2 * bench::program_kinds.size()) << "as many machines as programs";
}

TEST(RandomPrograms, AreNotSlowerUnderSkelThanWhereNothingMoves) {
  double logs = 0, greedy = 0, diffusion = 0;
  for (auto const kind : bench::program_kinds)
    for (unsigned seed = 1; seed <= seeds; ++seed) {
      auto const drawn = bench::draw_program(kind, seed);
      double const never = time_under(drawn, {.name = "never"}), untold = time_under(drawn, {});
      EXPECT_LT(untold, 1.005 * never) << kind << ' ' << seed;
      EXPECT_LT(time_under(drawn, {.supersteps = record::supersteps_of(drawn.program)}), 1.005 * never)
          << kind << ' ' << seed;
      logs += std::log(untold / never);
      greedy += std::log(time_under(drawn, {.name = "greedy_refine", .alpha = 8}) / never);
      diffusion += std::log(time_under(drawn, {.name = "diffusion", .alpha = 8}) / never);
    }
  constexpr double programs = seeds * bench::program_kinds.size();
  EXPECT_LT(std::exp(logs / programs), 0.96);
  EXPECT_LT(logs, greedy);
  EXPECT_LT(logs, diffusion);
}

TEST(RandomPrograms, AreNearTheCheapestScheduleUnderSkel) {
  double logs = 0;
  for (auto const kind : bench::program_kinds)
    for (unsigned seed = 1; seed <= seeds; ++seed) {
      auto const drawn = bench::draw_small_program(kind, seed);
      double const best = bench::best_schedule(drawn.program, drawn.machine, drawn.begin).seconds,
                   mine = time_under(drawn, {});
      EXPECT_GE(mine, best * (1 - 1e-9)) << kind << ' ' << seed;
      logs += std::log(mine / best);
    }
  // 1.05 is to be reached; it is 1.353 of these programs, and 1.26 over more of them.
  EXPECT_LT(std::exp(logs / (seeds * bench::program_kinds.size())), 1.37);
}

TEST(RandomPrograms, WithGrowingSpotsAreATenthFasterUnderSkelThanUnderGreedyRefinement) {
  double logs = 0;
  constexpr unsigned programs = 100;
  for (unsigned seed = 1; seed <= programs; ++seed) {
    auto const drawn = bench::draw_program("growing spot", seed);
    logs += std::log(time_under(drawn, {}) / time_under(drawn, {.name = "greedy_refine", .alpha = 8}));
  }
  EXPECT_LT(std::exp(logs / programs), 0.90);
}

TEST(RandomPrograms, WithGrowingSpotsAreFasterUnderSkelThanUnderGreedyRefinementAtItsBestInterval) {
  double logs = 0;
  constexpr unsigned programs = 25;
  for (unsigned seed = 1; seed <= programs; ++seed) {
    auto const drawn = bench::draw_program("growing spot", seed);
    double greedy = std::numeric_limits<double>::infinity();
    for (std::size_t const alpha : {2U, 4U, 8U, 16U})
      greedy = std::min(greedy, time_under(drawn, {.name = "greedy_refine", .alpha = alpha}));
    logs += std::log(time_under(drawn, {}) / greedy);
  }
  // 0.90 over more programs (bench_migbsp --growing 100).
  EXPECT_LT(std::exp(logs / programs), 0.97);
}

}  // namespace
