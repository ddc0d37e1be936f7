#include "mapping/migration/assignment_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <string>

#include <gmock/gmock.h>

#include "bench/support/draw.hpp"

namespace {

using namespace skel;
using namespace skel::mapping::migration;

double total(assignment const& one, assignment_problem const& problem) {
  return std::inner_product(one.seconds.begin(), one.seconds.end(), problem.supersteps.begin(), 0.0);
}

/// The least time of any assignment: all of them are looked at.
double least(assignment_problem const& problem) {
  std::size_t const hosts = problem.machine->hosts.host_count(), processes = problem.present->hosts.size();
  double best = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> at(processes);
  while (true) {
    double sum = 0;
    for (std::size_t k = 0; k < problem.work.size(); ++k) {
      std::vector<double> load(hosts);
      for (std::size_t p = 0; p < processes; ++p) load[at[p]] += problem.work[k][p];
      double most = 0;
      for (std::size_t h = 0; h < hosts; ++h) most = std::max(most, load[h] / problem.machine->hosts.speed(h));
      sum += problem.supersteps[k] * most;
    }
    best = std::min(best, sum);
    std::size_t p = 0;
    while (p < processes && ++at[p] == hosts) at[p++] = 0;
    if (p == processes) return best;
  }
}

struct drawn {
  cost::bsp::machine machine;
  record::superstep present;
  std::vector<bool> pinned;
  assignment_problem problem;
};

/// `processes` on three unequal hosts.
std::unique_ptr<drawn> draw(unsigned seed, std::size_t supersteps, std::size_t processes = 7) {
  std::mt19937 random(seed);
  auto one = std::make_unique<drawn>();
  std::vector<platform::cluster> clusters;
  std::vector<platform::cluster_link> links;
  for (std::size_t h = 0; h < 3; ++h)
    clusters.push_back({std::string(1, static_cast<char>('a' + h)), 1, bench::draw_log(random, 0.5, 2), 1, {}, {}, {}});
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b)
      if (a != b) links.push_back({a, b, {}, {}});
  one->machine.hosts = platform::description(0, clusters, links);
  for (std::size_t p = 0; p < processes; ++p) one->present.hosts.push_back(p / 2 % 3);
  one->present.state_bytes.assign(processes, 1.0);
  one->problem = {.machine = &one->machine,
                  .present = &one->present,
                  .pinned = &one->pinned,
                  .work = {},
                  .supersteps = {},
                  .deviation = std::vector<double>(processes)};
  for (std::size_t k = 0; k < supersteps; ++k) {
    one->problem.work.emplace_back();
    for (std::size_t p = 0; p < processes; ++p) one->problem.work.back().push_back(bench::draw_log(random, 0.2, 5));
    one->problem.supersteps.push_back(1);
  }
  return one;
}

TEST(NearAssignments, BeginWithThePresentOne) {
  auto const one = draw(1, 2);
  EXPECT_EQ(near_assignments(one->problem).front().hosts, one->present.hosts);
}

/// The least time that was found.
double found_in(assignment_problem const& problem) {
  double found = std::numeric_limits<double>::infinity();
  for (auto const& way : near_assignments(problem)) found = std::min(found, total(way, problem));
  return found;
}

TEST(NearAssignments, HaveTheBestOfSmallCases) {
  for (std::size_t const supersteps : {1U, 3U})
    for (unsigned seed = 0; seed < 40; ++seed) {
      auto const one = draw(seed, supersteps);
      ASSERT_TRUE(is_small(one->problem));
      double const best = least(one->problem);
      EXPECT_NEAR(found_in(one->problem), best, 1e-9 * best) << supersteps << ' ' << seed;
    }
}

/// Processes that may move, and pinned ones, on hosts of one cluster.
std::unique_ptr<drawn> on_one_cluster(std::size_t hosts, std::size_t movable, std::size_t pinned) {
  auto one = std::make_unique<drawn>();
  std::size_t const processes = movable + pinned;
  one->machine.hosts = platform::description(0, {{"a", hosts, 1, 1, {}, {}, {}}}, {});
  one->present.hosts.assign(processes, 0);
  one->pinned.assign(processes, true);
  std::fill_n(one->pinned.begin(), movable, false);
  one->problem = {.machine = &one->machine,
                  .present = &one->present,
                  .pinned = &one->pinned,
                  .work = std::vector(12, std::vector<double>(processes, 1)),
                  .supersteps = std::vector<double>(12, 1),
                  .deviation = std::vector<double>(processes)};
  return one;
}

TEST(IsSmall, CountsWhatIsLookedAtForEachAssignment) {
  EXPECT_TRUE(is_small(on_one_cluster(4, 6, 0)->problem));
  EXPECT_FALSE(is_small(on_one_cluster(512, 2, 0)->problem)) << "2^18 assignments of 512 hosts";
  EXPECT_FALSE(is_small(on_one_cluster(4, 6, 1000)->problem)) << "each price has all processes";
  auto talking = on_one_cluster(4, 6, 0);
  talking->problem.messages = {{std::vector<record::bsp_message>(10'000, {0, 1, 1}), 1}};
  EXPECT_FALSE(is_small(talking->problem)) << "and all messages";
}

TEST(NearAssignments, AreNearTheBestWhereNotAllCanBeLookedAt) {
  double regret = 0;
  constexpr unsigned seeds = 4;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    auto const one = draw(seed, 2, 12);
    ASSERT_FALSE(is_small(one->problem));
    double const found = found_in(one->problem), best = least(one->problem);
    EXPECT_GE(found, best * (1 - 1e-9));
    EXPECT_LE(found, best * 1.1) << seed;
    regret += std::log(found / best) / seeds;
  }
  EXPECT_LT(regret, 0.04);
}

TEST(NearAssignments, CountMessagesByThePartOfSuperstepsInWhichTheyGo) {
  auto const one = draw(5, 1);
  one->machine.hosts =
      platform::description(0, {{"a", 1, 1, 1, {}, {}, {}}, {"b", 1, 1, 1, {}, {}, {}}, {"c", 1, 1, 1, {}, {}, {}}},
                            {{0, 1, {0, 100}, {}},
                             {1, 0, {0, 100}, {}},
                             {0, 2, {0, 100}, {}},
                             {2, 0, {0, 100}, {}},
                             {1, 2, {0, 100}, {}},
                             {2, 1, {0, 100}, {}}});
  auto const without = near_assignments(one->problem).front().seconds.front();
  one->problem.messages = {{{{0, 2, 1000}}, 0.25}, {{}, 0.75}};
  EXPECT_DOUBLE_EQ(near_assignments(one->problem).front().seconds.front(), without + 2.5);
}

TEST(NearAssignments, LeavePinnedProcesses) {
  auto const one = draw(3, 2);
  one->pinned = {true, false, true, false, true, false, false};
  for (auto const& way : near_assignments(one->problem))
    for (std::size_t p = 0; p < 7; ++p) EXPECT_TRUE(!one->pinned[p] || way.hosts[p] == one->present.hosts[p]);
}

TEST(NearAssignments, KeepToMemory) {
  auto const one = draw(4, 2);
  one->machine.memory = {3, 2, 3};
  for (auto const& way : near_assignments(one->problem)) {
    std::vector<double> used(3);
    for (auto const h : way.hosts) ++used[h];
    for (std::size_t h = 0; h < 3; ++h) EXPECT_LE(used[h], one->machine.memory[h]);
  }
}

TEST(MigrationsBetween, AreThoseThatDiffer) {
  std::vector<std::size_t> const from{0, 1, 2}, to{0, 2, 1};
  std::vector<double> const bytes{5, 6, 7};
  auto const moves = migrations_between(from, to, bytes);
  ASSERT_EQ(moves.size(), 2U);
  EXPECT_EQ(moves[0].process, 1U);
  EXPECT_EQ(moves[0].to, 2U);
  EXPECT_EQ(moves[1].bytes, 7);
}

}  // namespace
