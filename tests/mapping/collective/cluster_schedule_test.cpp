#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/mapping/cluster_schedule.hpp>

#include "mapping/random_cluster_problem.hpp"

namespace skel::mapping {
namespace {

using edges = std::vector<cluster_edge>;
using testing::HasSubstr;

constexpr double no_link = std::numeric_limits<double>::infinity();

cluster_schedule_problem even(std::size_t clusters, double gap, double latency, double local = 0) {
  return {clusters, 0, std::vector(clusters * clusters, gap), std::vector(clusters * clusters, latency),
          std::vector(clusters, local)};
}

cluster_schedule made(std::string_view policy, cluster_schedule_problem const& problem) {
  return make_schedule(*find_policy(policy), problem);
}

//        g + L from the row to the column            T
//          a        b        c        d
//   a      -      1 + 1    3 + 0    1 + 5            0
//   b    1 + 1      -      1 + 3    1 + 1            1
//   c    3 + 0    1 + 3      -      1 + 0            9
//   d    1 + 5    1 + 1    1 + 0      -              2
cluster_schedule_problem four() {
  return {4,
          0,
          {0, 1, 3, 1, 1, 0, 1, 1, 3, 1, 0, 1, 1, 1, 1, 0},
          {0, 1, 0, 5, 1, 0, 3, 1, 0, 3, 0, 0, 5, 1, 0, 0},
          {0, 1, 9, 2},
          {}};
}
enum : std::uint32_t { a, b, c, d };

TEST(ClusterSchedule, ArrivalsFollowFromGapsAndLatencies) {
  auto const problem = four();
  auto const times = arrival(edges{{a, b}, {a, c}, {b, d}}, problem);
  EXPECT_EQ(times.arrival, (std::vector<double>{0, 2, 4, 4}));  // a is free at 1 and 4, b gets it at 2
  EXPECT_EQ(times.free, (std::vector<double>{4, 3, 4, 4}));
  EXPECT_EQ(times.completion, 13);  // of c, which has 9 to do
}

TEST(ClusterSchedule, PoliciesAreThoseOfTheLiterature) {
  auto const problem = four();
  // From a: b at 2, c at 3, d at 6.
  EXPECT_EQ(made("flat", problem).edges, (edges{{a, b}, {a, c}, {a, d}}));
  EXPECT_EQ(made("flat", problem).completion, 13);
  // C: ab 2; then bd 2 (ac 3); then dc 1.
  EXPECT_EQ(made("FEF", problem).edges, (edges{{a, b}, {b, d}, {d, c}}));
  EXPECT_EQ(made("FEF", problem).completion, 14);
  // b at 2; then c at 1 + 3 and d at 2 + 2: the lower sender; then d from b at 4 rather than from c at 5.
  EXPECT_EQ(made("ECEF", problem).edges, (edges{{a, b}, {a, c}, {b, d}}));
  // F: b 2 (to d), c 1 (to d), d 1: b at 2 + 2, c at 3 + 1, d at 6 + 1; b arrives earlier.
  EXPECT_EQ(made("ECEF-LA", problem).edges, (edges{{a, b}, {a, c}, {b, d}}));
  // F: b 4 (d: 2 + 2), c 3 (d: 1 + 2), d 3 (b: 2 + 1): b 6, c 6, d 9.
  EXPECT_EQ(made("ECEF-LAt", problem).edges, (edges{{a, b}, {a, c}, {b, d}}));
  // F: b 13 (c: 4 + 9), c 5 (b: 4 + 1), d 10 (c): c 8 is the least; then b from a at 3 + 2 with F 4, d from c at 4
  // with 3.
  EXPECT_EQ(made("ECEF-LAT", problem).edges, (edges{{a, c}, {c, d}, {a, b}}));
  EXPECT_EQ(made("ECEF-LAT", problem).completion, 13);  // c: 3, one send, 9
  // F: b (4 + 2) / 2, c (4 + 1) / 2, d (2 + 1) / 2: b 5, c 5.5; then c at 4 with 1, d at 4 with 1.
  EXPECT_EQ(made("ECEF-LAa", problem).edges, (edges{{a, b}, {a, c}, {b, d}}));
  // b 2 + 1, c 3 + 9, d 6 + 2: c first; then b at 5 + 1 from a, d at 4 + 2 from c: the lower number.
  EXPECT_EQ(made("bottom-up", problem).edges, (edges{{a, c}, {a, b}, {c, d}}));
  EXPECT_EQ(made("bottom-up", problem).completion, 13);
  // a is busy until b has it at 2: then d from b at 4, c from d at 5 (as from a: the lower sender).
  EXPECT_EQ(made("ECEF-blocked", problem).edges, (edges{{a, b}, {a, c}, {b, d}}));
  // c takes 3 + 9 at least.
  auto const exact = exact_schedule(problem);
  EXPECT_EQ(lower_bound(problem), 12);
  EXPECT_EQ(exact.completion, 12);
  EXPECT_EQ(exact.edges, (edges{{a, c}, {a, b}, {b, d}}));
}

/// For every sender, whom it sends to, in order: what a schedule means.
std::vector<std::vector<std::uint32_t>> sends(edges const& of, std::size_t clusters) {
  std::vector<std::vector<std::uint32_t>> result(clusters);
  for (auto const& [from, to] : of) result[from].push_back(to);
  return result;
}

/// The table of the heuristics, literally.
edges reference(std::string const& name, cluster_schedule_problem const& problem) {
  std::vector<double> RT(problem.clusters, no_link);
  std::vector<bool> A(problem.clusters, false);
  A[problem.root] = true, RT[problem.root] = 0;
  auto const C = [&](std::size_t i, std::size_t j) { return problem.transfer(i, j); };
  auto const F = [&](std::size_t j) {
    double least = no_link, least_local = no_link, most_local = 0, sum = 0;
    int links = 0, others = 0;
    for (std::size_t k = 0; k < problem.clusters; ++k) {
      if (A[k] || k == j) continue;
      ++others;
      if (C(j, k) == no_link) continue;
      ++links, sum += C(j, k);
      least = std::min(least, C(j, k));
      least_local = std::min(least_local, C(j, k) + problem.local[k]);
      most_local = std::max(most_local, C(j, k) + problem.local[k]);
    }
    if (others == 0 || !name.starts_with("ECEF-LA")) return 0.0;
    if (links == 0) return no_link;
    return name == "ECEF-LA" ? least : name == "ECEF-LAt" ? least_local : name == "ECEF-LAT" ? most_local : sum / links;
  };
  edges result;
  while (result.size() + 1 < problem.clusters) {
    std::vector<std::pair<std::vector<double>, cluster_edge>> choices;
    for (std::uint32_t i = 0; i < problem.clusters; ++i)
      for (std::uint32_t j = 0; j < problem.clusters; ++j) {
        if (!A[i] || A[j] || C(i, j) == no_link) continue;
        double const there = RT[i] + C(i, j);
        double score = there + F(j);
        if (name == "FEF") score = C(i, j);
        if (name == "flat") score = i == problem.root ? j : 1e6 + j;
        if (name == "bottom-up") {
          score = 0;
          double soonest = no_link;
          for (std::size_t s = 0; s < problem.clusters; ++s)
            if (A[s]) soonest = std::min(soonest, RT[s] + C(s, j));
          if (there > soonest) continue;
          score = -(soonest + problem.local[j]);
        }
        choices.push_back({{score, there, double(i), double(j)}, {i, j}});
      }
    auto const best = std::ranges::min_element(choices, {}, [](auto const& one) { return one.first; })->second;
    RT[best.to] = RT[best.from] + C(best.from, best.to);
    RT[best.from] =
        name == "ECEF-blocked" ? RT[best.to] : RT[best.from] + problem.gap[best.from * problem.clusters + best.to];
    A[best.to] = true;
    result.push_back(best);
  }
  return result;
}

bool reachable(cluster_schedule_problem const& problem) {
  return lower_bound(problem) < no_link;
}

/// Calls visit(problem) for random problems of 1 to `most` clusters.
template <class Visit>
void for_random_problems(unsigned seed, std::size_t most, int draws, Visit visit) {
  std::mt19937 random(seed);
  int visited = 0;
  for (int draw = 0; draw < draws; ++draw) {
    auto const problem = random_cluster_problem(random, 1 + static_cast<std::size_t>(draw) % most);
    if (!reachable(problem)) continue;
    ++visited;
    SCOPED_TRACE("draw " + std::to_string(draw));
    visit(problem);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(visited, 3 * draws / 4);
}

TEST(ClusterSchedule, PoliciesFollowTheirFormulas) {
  for_random_problems(1, 12, 600, [](cluster_schedule_problem const& problem) {
    for (auto const& policy : schedule_policies())
      EXPECT_EQ(sends(make_schedule(policy, problem).edges, problem.clusters),
                sends(reference(std::string(policy.name), problem), problem.clusters))
          << policy.name;
  });
}

void expect_valid(cluster_schedule const& schedule, cluster_schedule_problem const& problem) {
  std::vector<int> reached(problem.clusters, 0);
  double latest = 0;
  for (std::size_t e = 0; e < schedule.edges.size(); ++e) {
    ++reached[schedule.edges[e].to];
    double const start = arrival(std::span(schedule.edges).first(e), problem).free[schedule.edges[e].from];
    EXPECT_GE(start, latest);
    latest = start;
  }
  for (std::size_t k = 0; k < problem.clusters; ++k) EXPECT_EQ(reached[k], k == problem.root ? 0 : 1);
  EXPECT_DOUBLE_EQ(schedule.completion, arrival(schedule, problem).completion);
}

TEST(ClusterSchedule, ReachesEveryClusterOnceInTheOrderOfSends) {
  for_random_problems(2, 20, 600, [](cluster_schedule_problem const& problem) {
    double const bound = lower_bound(problem) * (1 - 1e-12);
    auto const best = best_schedule(problem);
    expect_valid(best, problem);
    for (auto const& policy : schedule_policies()) {
      auto const schedule = make_schedule(policy, problem);
      expect_valid(schedule, problem);
      EXPECT_GE(schedule.completion, bound);
      EXPECT_GE(schedule.completion, best.completion);
      auto const improved = improve(schedule, problem);
      expect_valid(improved, problem);
      EXPECT_GE(improved.completion, bound);
      EXPECT_EQ(improved.improved, improved.completion < schedule.completion);
      if (!improved.improved) {
        EXPECT_EQ(improved.edges, schedule.edges);
      }
    }
  });
}

/// The least completion of all orders of sends.
double enumerate(cluster_schedule_problem const& problem, edges& begun) {
  if (begun.size() + 1 == problem.clusters) return arrival(begun, problem).completion;
  std::vector<bool> has(problem.clusters, false);
  has[problem.root] = true;
  for (auto const& edge : begun) has[edge.to] = true;
  double least = no_link;
  for (std::uint32_t i = 0; i < problem.clusters; ++i)
    for (std::uint32_t j = 0; j < problem.clusters; ++j) {
      if (!has[i] || has[j] || problem.transfer(i, j) == no_link) continue;
      begun.push_back({i, j});
      least = std::min(least, enumerate(problem, begun));
      begun.pop_back();
    }
  return least;
}

TEST(ExactClusterSchedule, MatchesPlainEnumerationUpToFiveClusters) {
  for_random_problems(3, 5, 500, [](cluster_schedule_problem const& problem) {
    edges begun;
    auto const exact = exact_schedule(problem);
    EXPECT_TRUE(exact.optimal);
    EXPECT_EQ(exact.name, "exact");
    expect_valid(exact, problem);
    EXPECT_NEAR(exact.completion, enumerate(problem, begun), 1e-11 * exact.completion);
  });
}

TEST(ExactClusterSchedule, IsBetweenTheLowerBoundAndEveryPolicy) {
  for_random_problems(4, 8, 800, [](cluster_schedule_problem const& problem) {
    auto const exact = exact_schedule(problem);
    expect_valid(exact, problem);
    EXPECT_GE(exact.completion, lower_bound(problem) * (1 - 1e-12));
    for (auto const& policy : schedule_policies())
      EXPECT_LE(exact.completion * (1 - 1e-11), make_schedule(policy, problem).completion) << policy.name;
  });
}

TEST(ExactClusterSchedule, DoublesInEachRoundWithoutLatency) {
  EXPECT_EQ(exact_schedule(even(8, 1, 0)).completion, 3);
  EXPECT_EQ(exact_schedule(even(9, 1, 0)).completion, 4);
}

TEST(ExactClusterSchedule, ReachesFibonacciManyWhereAGapIsHalfATransfer) {
  // Who has it at t: those at t - 1 and whom those at t - 2 have sent it to: 1 1 2 3 5 8 13.
  EXPECT_EQ(exact_schedule(even(8, 1, 1)).completion, 5);
  EXPECT_EQ(exact_schedule(even(9, 1, 1)).completion, 6);
  EXPECT_EQ(best_schedule(even(13, 1, 1)).completion, 6);
}

TEST(ExactClusterSchedule, ReturnsWhatItHasWhenItsNodesRunOut) {
  std::mt19937 random(5);
  int proven = 0, stopped = 0;
  for (int draw = 0; draw < 200; ++draw) {
    auto const problem = random_cluster_problem(random, 8);
    if (!reachable(problem)) continue;
    auto const hurried = exact_schedule(problem, 40);
    expect_valid(hurried, problem);
    double const least = exact_schedule(problem).completion;
    ++(hurried.optimal ? proven : stopped);
    if (hurried.optimal) {
      EXPECT_NEAR(hurried.completion, least, 1e-11 * least);
    }
    EXPECT_GE(hurried.completion, least * (1 - 1e-11));
    EXPECT_LE(hurried.completion, made("ECEF-LAT", problem).completion);
  }
  EXPECT_GT(proven, 10);
  EXPECT_GT(stopped, 10);
}

TEST(BestClusterSchedule, IsNearTheExactOneUpToSevenClusters) {
  double sum = 0, worst = 0;
  int count = 0;
  for_random_problems(6, 7, 3000, [&](cluster_schedule_problem const& problem) {
    double const ratio = best_schedule(problem).completion / exact_schedule(problem).completion;
    sum += ratio, worst = std::max(worst, ratio), ++count;
  });
  EXPECT_LE(sum / count, 1.02);
  EXPECT_LE(worst, 1.10);
}

TEST(BestClusterSchedule, IsNearTheExactOneByLocalSearchAlone) {
  std::vector<double> plain, improved;
  for_random_problems(7, 8, 2000, [&](cluster_schedule_problem const& problem) {
    double const exact = exact_schedule(problem).completion;
    double best = no_link, best_improved = no_link;
    for (auto const& policy : schedule_policies()) {
      auto const schedule = make_schedule(policy, problem);
      best = std::min(best, schedule.completion);
      best_improved = std::min(best_improved, improve(schedule, problem).completion);
    }
    plain.push_back(best / exact);
    improved.push_back(best_improved / exact);
  });
  auto const mean = [](std::vector<double> const& of) {
    return std::accumulate(of.begin(), of.end(), 0.0) / static_cast<double>(of.size());
  };
  EXPECT_LE(mean(improved), 1.005);
  EXPECT_LE(*std::ranges::max_element(improved), 1.10);
  EXPECT_GT(mean(plain), 1.01);  // what there was to improve
}

TEST(BestClusterSchedule, SaysWhatIsProven) {
  int proven = 0, others = 0;
  for_random_problems(8, 8, 400, [&](cluster_schedule_problem const& problem) {
    auto const best = best_schedule(problem, 20);
    double const least = exact_schedule(problem).completion;
    ++(best.optimal ? proven : others);
    if (best.optimal) {
      EXPECT_NEAR(best.completion, least, 1e-11 * least);
    }
  });
  EXPECT_GT(proven, 10);
  EXPECT_GT(others, 10);
}

TEST(BestClusterSchedule, IsTheSameEveryTime) {
  for_random_problems(9, 16, 60, [](cluster_schedule_problem const& problem) {
    auto const one = best_schedule(problem), other = best_schedule(problem);
    EXPECT_EQ(one.edges, other.edges);
    EXPECT_EQ(one.name, other.name);
  });
}

TEST(ClusterSchedule, LowerNumbersBreakTies) {
  EXPECT_EQ(made("ECEF", even(4, 1, 0)).edges, (edges{{0, 1}, {0, 2}, {1, 3}}));
  EXPECT_EQ(made("bottom-up", even(3, 1, 0)).edges, (edges{{0, 1}, {0, 2}}));
  EXPECT_EQ(made("FEF", even(4, 1, 0)).edges, (edges{{0, 1}, {0, 2}, {1, 3}}));
}

TEST(ClusterSchedule, BlockedSendersAreThoseOfAProblemWithoutLatency) {
  for_random_problems(10, 9, 300, [](cluster_schedule_problem const& problem) {
    auto blocking = problem;
    for (std::size_t pair = 0; pair < problem.gap.size(); ++pair) {
      blocking.gap[pair] += problem.latency[pair];
      blocking.latency[pair] = 0;
    }
    EXPECT_EQ(sends(made("ECEF-blocked", problem).edges, problem.clusters),
              sends(made("ECEF", blocking).edges, problem.clusters));
  });
}

TEST(ClusterSchedule, GoesWhereLinksLead) {
  auto line = even(4, 1, no_link);  // 0 -> 2 -> 1 -> 3
  for (auto const& [from, to] : edges{{0, 2}, {2, 1}, {1, 3}}) line.latency[from * 4 + to] = 1;
  for (auto const& policy : schedule_policies())
    EXPECT_EQ(make_schedule(policy, line).edges, (edges{{0, 2}, {2, 1}, {1, 3}})) << policy.name;
  EXPECT_EQ(exact_schedule(line).completion, 6);
  EXPECT_EQ(best_schedule(line).completion, 6);
  EXPECT_TRUE(best_schedule(line).optimal);
}

TEST(ClusterSchedule, NamesAClusterThatNobodyCanReach) {
  auto problem = even(3, 1, 1);
  problem.names = {"Nancy", "Rennes", "Lille"};
  for (std::size_t from = 0; from < 3; ++from) problem.latency[from * 3 + 2] = no_link;
  auto const message = [&](auto&& call) -> std::string {
    try {
      call();
    } catch (error const& thrown) {
      return thrown.what();
    }
    return "nothing was thrown";
  };
  EXPECT_THAT(message([&] { best_schedule(problem); }),
              HasSubstr("cluster 'Lille': no links lead there from cluster 'Nancy'"));
  problem.names.clear();
  EXPECT_THAT(message([&] { exact_schedule(problem); }), HasSubstr("cluster number 2: no links lead there"));
  EXPECT_THAT(message([&] { made("FEF", problem); }), HasSubstr("add a link"));
  EXPECT_EQ(lower_bound(problem), no_link);
}

TEST(ClusterSchedule, OneClusterNeedsNoMessage) {
  auto const alone = even(1, 1, 1, 7);
  EXPECT_EQ(best_schedule(alone).completion, 7);
  EXPECT_TRUE(best_schedule(alone).edges.empty());
  EXPECT_TRUE(best_schedule(alone).optimal);
  auto two = even(2, 1, 2, 7);
  two.root = 1;
  EXPECT_EQ(best_schedule(two).edges, (edges{{1, 0}}));
  EXPECT_EQ(best_schedule(two).completion, 10);
}

TEST(ClusterSchedule, ManyClustersAreScheduledWithinTheTries) {
  std::mt19937 random(11);
  auto const problem = random_cluster_problem(random, 100);
  auto const best = best_schedule(problem, 500);
  expect_valid(best, problem);
  for (auto const& policy : schedule_policies()) EXPECT_LE(best.completion, make_schedule(policy, problem).completion);
}

TEST(ClusterSchedule, PoliciesAreFoundByTheirNames) {
  EXPECT_EQ(find_policy("ECEF-LAt")->ahead, look_ahead::nearest_local);
  EXPECT_EQ(find_policy("ECEF-LAT")->ahead, look_ahead::farthest_local);
  EXPECT_EQ(find_policy("ecef"), nullptr);
}

}  // namespace
}  // namespace skel::mapping
