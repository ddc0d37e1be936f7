#include "mapping/migration/assignment_search.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/formats/lb_data_file.hpp>

#include "bench/support/lb_case.hpp"

namespace {

using namespace skel;
using namespace skel::mapping::migration;

/// A made-up program, read from its data files, and hosts for its ranks.
struct program {
  program(bench::lb_case const& of, double memory, std::optional<double> beta) {
    std::vector<formats::lb_data_file> files;
    std::vector<std::string> names(of.ranks.size(), "file");
    for (std::size_t r = 0; r < of.ranks.size(); ++r)
      files.push_back(formats::parse_lb_data_file(of.file(r), "file", r));
    read = formats::join_lb_data(files, names, false, of.tasks());
    machine.hosts = platform::description(0, {{"host", of.ranks.size(), 1, 1, {0, 1e10}, {}, {}}}, {});
    if (memory > 0) machine.memory.assign(of.ranks.size(), memory);
    machine.beta = beta;
    present = {.load = read.program.steps.front(),
               .hosts = read.ranks,
               .state_bytes = read.state_bytes,
               .memory = read.memory};
    auto const& work = present.load.work;
    problem = {.machine = &machine,
               .present = &present,
               .pinned = &pinned,
               .work = {work},
               .supersteps = {1},
               .deviation = std::vector<double>(work.size())};
    bound = std::max(std::accumulate(work.begin(), work.end(), 0.0) / static_cast<double>(of.ranks.size()),
                     std::ranges::max(work));
  }
  double time_of(std::vector<std::size_t> const& hosts) const {
    auto step = present;
    step.hosts = hosts;
    return cost::bsp::time_of(machine, step).seconds();
  }
  double least_found() const {
    double least = std::numeric_limits<double>::infinity();
    for (auto const& one : near_assignments(problem)) {
      EXPECT_NEAR(one.seconds.front(), time_of(one.hosts), 1e-9 * time_of(one.hosts));
      least = std::min(least, one.seconds.front());
      if (machine.memory.empty()) continue;
      auto const used = record::memory_used(*present.memory, one.hosts);
      for (std::size_t h = 0; h < used.size(); ++h) EXPECT_LE(used[h], machine.memory[h]) << "host " << h;
    }
    return least;
  }

  platform::measured_program read;
  cost::bsp::machine machine;
  record::superstep present;
  std::vector<bool> pinned;
  assignment_problem problem;
  double bound = 0;
};

/// All assignments of nine tasks to four hosts.
double least_of_all(program const& of) {
  std::vector<std::size_t> at(9);
  double least = std::numeric_limits<double>::infinity();
  while (true) {
    least = std::min(least, of.time_of(at));
    std::size_t p = 0;
    while (p < 9 && ++at[p] == 4) at[p++] = 0;
    if (p == 9) return least;
  }
}

TEST(NearAssignments, AreTheBestOfNineTasksByLoadAndWithMessages) {
  for (unsigned const seed : {1U, 2U, 3U}) {
    program const by_load(bench::nine_tasks(seed), 0, 0), with_messages(bench::nine_tasks(seed), 1e9, 1);
    EXPECT_NEAR(by_load.least_found(), least_of_all(by_load), 1e-9) << seed;
    EXPECT_NEAR(with_messages.least_found(), least_of_all(with_messages), 1e-9) << seed;
  }
}

TEST(NearAssignments, AreEvenWithinMemory) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    program const one(bench::thirty_two_tasks(seed), 7.5e9, {});
    EXPECT_GT(one.time_of(one.present.hosts), 1.2 * one.bound);
    EXPECT_NEAR(one.least_found(), one.bound, 1e-9 * one.bound) << seed;
  }
}

TEST(NearAssignments, OfHundredsOfTasksAreNearTheBound) {
  for (unsigned seed = 1; seed <= 5; ++seed)
    for (double const memory : {0.0, 7.5e9}) {
      program const one(bench::tasks_with_blocks(16, 274, seed), memory, {});
      EXPECT_LE(one.least_found(), 1.05 * one.bound) << seed << ", " << memory;
    }
}

TEST(NearAssignments, OfManyTasksAreNearTheBound) {
  for (double const memory : {0.0, 7.5e9}) {
    program const one(bench::tasks_with_blocks(64, 23'709, 1), memory, {});
    EXPECT_LE(one.least_found(), 1.05 * one.bound) << memory;
  }
}

TEST(EvenLoads, LeavePinnedTasks) {
  program one(bench::tasks_with_blocks(4, 60, 1), 7.5e9, {});
  one.pinned.assign(60, false);
  for (std::size_t p = 0; p < 60; p += 2) one.pinned[p] = true;
  auto const found = even_loads(one.problem, host_memory(one.machine, one.present));
  ASSERT_FALSE(found.empty());
  for (auto const& hosts : found)
    for (std::size_t p = 0; p < 60; p += 2) EXPECT_EQ(hosts[p], one.present.hosts[p]);
}

TEST(EvenLoads, AreTheSameForTheSameProblem) {
  program const one(bench::tasks_with_blocks(8, 40, 2), 7.5e9, {});
  host_memory const memory(one.machine, one.present);
  EXPECT_EQ(even_loads(one.problem, memory), even_loads(one.problem, memory));
}

TEST(EvenLoads, AreThoseOfUnequalHosts) {
  program one(bench::tasks_with_blocks(4, 400, 3), 0, {});
  one.machine.hosts =
      platform::description(0, {{"slow", 2, 1, 1, {0, 1e10}, {}, {}}, {"fast", 2, 3, 1, {0, 1e10}, {}, {}}},
                            {{0, 1, {0, 1e10}, {}}, {1, 0, {0, 1e10}, {}}});
  auto const& work = one.present.load.work;
  double const bound = std::max(std::accumulate(work.begin(), work.end(), 0.0) / 8, std::ranges::max(work) / 3);
  auto const found = even_loads(one.problem, host_memory(one.machine, one.present));
  ASSERT_FALSE(found.empty());
  EXPECT_LE(one.time_of(found.back()), 1.02 * bound);
}

}  // namespace
