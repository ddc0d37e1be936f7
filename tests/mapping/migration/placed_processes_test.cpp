#include "mapping/migration/placed_processes.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace skel;
using namespace skel::mapping::migration;

constexpr double any = std::numeric_limits<double>::infinity();
constexpr auto no_host = placed_processes::no_host;

// Three sets of two hosts with paths that differ.
cost::bsp::machine three_sets() {
  std::vector<platform::cluster> sets;
  std::vector<platform::cluster_link> links;
  for (std::size_t a = 0; a < 3; ++a) {
    sets.push_back({std::string(1, static_cast<char>('a' + a)), 2, 1 + static_cast<double>(a), 1, {1e-4, 1e8}, {}, {}});
    for (std::size_t b = 0; b < 3; ++b)
      if (a != b) links.push_back({a, b, {1e-3 * static_cast<double>(1 + a + 2 * b), 1e7}, {}});
  }
  return {platform::description(1e-6, sets, links)};
}

/// Time of all supersteps by the model. Processes on no host neither work nor talk.
double told(assignment_problem const& problem, std::vector<std::size_t> hosts) {
  auto const kinds = problem.machine->beta || problem.messages.empty()
                         ? std::vector<usual_messages>{{problem.present->load.messages, 1}}
                         : problem.messages;
  double sum = 0;
  for (std::size_t k = 0; k < problem.work.size(); ++k)
    for (auto const& kind : kinds) {
      auto step = *problem.present;
      step.load = {problem.work[k], kind.messages};
      std::erase_if(step.load.messages,
                    [&](auto const& one) { return hosts[one.from] == no_host || hosts[one.to] == no_host; });
      step.hosts = hosts;
      for (std::size_t p = 0; p < hosts.size(); ++p)
        if (hosts[p] == no_host) step.load.work[p] = 0, step.hosts[p] = 0;
      auto const time = cost::bsp::time_of(*problem.machine, step);
      sum += problem.supersteps[k] * kind.part * (time.computation + time.communication);
    }
  return sum;
}

TEST(PlacedProcesses, TakeWhatTheModelSaysAlsoAfterChanges) {
  std::mt19937 random(7);
  auto const below = [&](std::size_t many) { return std::uniform_int_distribution<std::size_t>(0, many - 1)(random); };
  for (int round = 0; round < 200; ++round) {
    auto machine = three_sets();
    if (round % 3 == 0) machine.beta = 1e-7;
    std::size_t const processes = 2 + below(11);
    auto const talk = [&] {
      std::vector<record::bsp_message> messages(below(30));
      for (auto& one : messages) one = {below(processes), below(processes), static_cast<double>(below(1'000'000))};
      return messages;
    };
    record::superstep present{.load = {{}, talk()}, .hosts = {}, .state_bytes = {}};
    for (std::size_t p = 0; p < processes; ++p) present.hosts.push_back(below(6));
    std::vector<bool> const pinned;
    assignment_problem problem{
        .machine = &machine, .present = &present, .pinned = &pinned, .work = {}, .supersteps = {}, .deviation = {}};
    for (std::size_t k = 0; k <= below(3); ++k) {
      problem.supersteps.push_back(static_cast<double>(1 + k));
      auto& work = problem.work.emplace_back();
      for (std::size_t p = 0; p < processes; ++p) work.push_back(1e-2 * static_cast<double>(below(10)));
    }
    if (round % 2 == 0) problem.messages = {{talk(), 0.25}, {talk(), 0.75}};

    placed_processes now(problem, present.hosts);
    auto hosts = present.hosts;
    for (int step = 0; step < 8; ++step) {
      ASSERT_NEAR(now.seconds(), told(problem, hosts), 1e-12);
      now.critical();
      for (std::size_t p = 0; p < processes; ++p)
        for (std::size_t q = 0; q <= processes; ++q) {
          change one{p, q < processes ? hosts[q] : below(6), {}};
          if (one.to == hosts[p]) continue;
          auto moved = hosts;
          if (q < processes) one.back = q, moved[q] = hosts[p];
          moved[p] = one.to;
          double const then = told(problem, moved);
          EXPECT_NEAR(now.seconds_with(one, any), then, 1e-12) << round << ' ' << p << ' ' << q;
          EXPECT_GE(now.seconds_with(one, then / 2), then / 2);
        }
      ASSERT_EQ(now.hosts(), hosts) << "looks leave processes where they are";
      std::size_t const p = below(processes);
      now.put(p, hosts[p] = below(6));
    }
    for (std::size_t p = 0; p < processes; p += 2) now.put(p, hosts[p] = no_host);
    EXPECT_NEAR(now.seconds(), told(problem, hosts), 1e-12) << round;
  }
}

}  // namespace
