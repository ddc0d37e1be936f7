#include "mapping/line/completions.hpp"

#include <map>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include <skel/detail/cost/line_bounds.hpp>

#include "mapping/random_problem.hpp"

namespace skel::mapping::detail {
namespace {

using hosts = std::vector<plan::host_id>;

bool every_host(plan::host_id, std::vector<std::size_t> const&) {
  return true;
}

/// A problem of single workers with planes at two placements, and the node that puts the first stages of one of them.
struct search_node {
  placement_problem problem;
  placement_tables tables{problem};
  supporting_planes planes{tables};
  cost::line_solver solver{};
  partial_placement part{};
  std::vector<std::size_t> order{};

  search_node(placement_problem of, std::mt19937& random, std::size_t placed) : problem(std::move(of)) {
    auto const stages = problem.program.stages.size();
    for (int k = 0; k < 2; ++k) planes.touch(line_of(any(random)), solver);
    auto const where = any(random);
    part.last = placed;
    part.hosts.resize(stages);
    part.count.assign(problem.platform.host_count(), 0);
    for (std::size_t i = 0; i < stages; ++i) {
      if (i < placed) part.hosts[i] = {where[i]};
      if (i < placed || planes.pinned(i) < tables.hosts()) ++part.count[where[i]];
    }
    order.resize(stages - placed);
    std::iota(order.rbegin(), order.rend(), placed);  // the last stage first
  }

  hosts any(std::mt19937& random) const {
    hosts where;
    for (std::size_t i = 0; i < tables.stages(); ++i) {
      auto const pinned = planes.pinned(i);
      where.push_back(
          pinned < tables.hosts() ? pinned : std::uniform_int_distribution<std::size_t>(0, tables.hosts() - 1)(random));
    }
    return where;
  }

  cost::line line_of(hosts const& where) const {
    plan::placement placement;
    for (auto h : where) placement.stages.push_back({h});
    return cost::relax(cost::make_line(problem.program, placement, problem.platform, problem.options));
  }

  /// Every placement that agrees with the node, by counting up.
  std::vector<hosts> all() const {
    std::vector<hosts> result;
    hosts where(tables.stages(), 0);
    for (bool more = true; more;) {
      bool agrees = true;
      for (std::size_t i = 0; i < where.size(); ++i) {
        if (part.has(i)) agrees = agrees && part.hosts[i].front() == where[i];
        if (planes.pinned(i) < tables.hosts()) agrees = agrees && planes.pinned(i) == where[i];
      }
      if (agrees) result.push_back(where);
      more = false;
      for (std::size_t i = 0; i < where.size() && !more; ++i) {
        where[i] = (where[i] + 1) % tables.hosts();
        more = where[i] != 0;
      }
    }
    return result;
  }
};

placement_problem random_single_workers(std::mt19937& random) {
  auto problem = random_problem(random, 4, 3);
  auto const any = [&](std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(random); };
  if (any(1) == 0) problem.program.input = skeletons::terminal{problem.platform.host_name(any(2)), 1e4};
  if (any(1) == 0) problem.program.stages[any(3)].at = {problem.platform.host_name(any(2))};
  return problem;
}

TEST(Completions, AreAllPlacementsThatNoPlaneExcludes) {
  std::mt19937 random(31);
  for (int round = 0; round < 40; ++round) {
    search_node node(random_single_workers(random), random, static_cast<std::size_t>(round % 4));
    double const enough = node.solver.throughput(node.line_of(node.any(random)));
    std::map<hosts, double> found;
    completions(node.tables, node.planes)
        .for_each(node.part, node.order, enough, every_host, [&](std::span<plan::host_id const> chosen, double bound) {
          hosts where(node.tables.stages());
          for (std::size_t i = 0; i < node.part.last; ++i) where[i] = node.part.hosts[i].front();
          for (std::size_t k = 0; k < chosen.size(); ++k) where[node.order[k]] = chosen[k];
          EXPECT_TRUE(found.emplace(where, bound).second) << "twice";
        });
    std::size_t wanted = 0;
    for (auto const& where : node.all()) {
      double const bound = node.planes.bound(where, enough);
      auto const at = found.find(where);
      EXPECT_EQ(at != found.end(), bound >= enough) << "round " << round;
      if (bound < enough) continue;
      ++wanted;
      if (at != found.end()) {
        EXPECT_EQ(at->second, bound);
      }
    }
    EXPECT_EQ(found.size(), wanted) << "round " << round;
  }
}

TEST(Completions, AreNotBoundedBelowTheirThroughput) {
  std::mt19937 random(32);
  for (int round = 0; round < 20; ++round) {
    search_node node(random_single_workers(random), random, 1);
    for (auto const& where : node.all())
      EXPECT_GE(node.planes.bound(where, 0), node.solver.throughput(node.line_of(where))) << "round " << round;
  }
}

TEST(Completions, UseAdmissibleHostsOnly) {
  std::mt19937 random(33);
  search_node node(random_problem(random, 4, 3), random, 1);
  std::size_t seen = 0;
  auto const once = [](plan::host_id h, std::vector<std::size_t> const& count) { return count[h] < 2; };
  completions(node.tables, node.planes)
      .for_each(node.part, node.order, 1e-9, once, [&](std::span<plan::host_id const> chosen, double) {
        auto count = node.part.count;
        for (auto h : chosen) EXPECT_LE(++count[h], 2u);
        ++seen;
      });
  EXPECT_EQ(seen,
            18u);  // one host has a stage: of 27 ways, 3 * 2 put two more stages there, 1 three and 2 three elsewhere
}

}  // namespace
}  // namespace skel::mapping::detail
