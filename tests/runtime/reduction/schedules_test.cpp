#include <skel/detail/runtime/reduction/schedules.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/plan/block.hpp>

#include "random_pattern.hpp"

namespace {

using namespace skel;
using namespace skel::runtime::reduction;

/// Calls check(pattern, parts, team, where) for every odd shape and several numbers of parts.
template <class Check>
void for_each_case(Check check) {
  unsigned seed = 0;
  for (auto const& shape : tests::odd_shapes()) {
    auto const of = tests::random_pattern(shape, ++seed);
    for (std::size_t const parts : {1u, 2u, 3u, 7u, 32u}) {
      SCOPED_TRACE("shape " + std::to_string(seed) + ", " + std::to_string(parts) + " parts");
      runtime::thread_team workers(parts);
      check(of, parts, workers);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// The elements that each part's iterations touch.
std::vector<std::set<std::size_t>> touched_by(pattern const& of, std::size_t parts) {
  std::vector<std::set<std::size_t>> touched(parts);
  for (std::size_t part = 0; part < parts; ++part) {
    auto const mine = plan::block_of(of.iterations(), parts, part);
    for (std::size_t i = mine.begin; i < mine.end; ++i) touched[part].insert(of.row(i).begin(), of.row(i).end());
  }
  return touched;
}

std::vector<std::size_t> members(std::vector<iteration_run> const& runs) {
  std::vector<std::size_t> all;
  for (auto const& run : runs)
    for (std::size_t i = run.begin; i < run.end; ++i) all.push_back(i);
  return all;
}

std::vector<std::size_t> members(plan::block of) {
  std::vector<std::size_t> all;
  for (std::size_t i = of.begin; i < of.end; ++i) all.push_back(i);
  return all;
}

bool is_rising(std::vector<iteration> const& list) {
  return std::adjacent_find(list.begin(), list.end(), std::greater_equal<>{}) == list.end();
}

TEST(LinkSchedule, HasTheRunsThatPartsTouchCutWhereSlicesAre) {
  for_each_case([](pattern const& of, std::size_t parts, runtime::team& workers) {
    auto const made = make_link_schedule(of, workers);
    auto const touched = touched_by(of, parts);
    ASSERT_EQ(made.parts.size(), parts);
    EXPECT_TRUE(made.parts[0].runs.empty());  // accumulates into the array itself
    for (std::size_t part = 1; part < parts; ++part) {
      auto const& mine = made.parts[part];
      ASSERT_EQ(mine.slices.size(), parts + 1);
      ASSERT_EQ(mine.slices.front(), 0u);
      ASSERT_EQ(mine.slices.back(), mine.runs.size());
      std::set<std::size_t> found;
      for (std::size_t s = 0; s < parts; ++s) {
        auto const slice = plan::block_of(of.elements(), parts, s);
        std::size_t last = slice.begin;
        for (std::size_t k = mine.slices[s]; k < mine.slices[s + 1]; ++k) {
          auto const run = mine.runs[k];
          ASSERT_LT(run.begin, run.end);
          ASSERT_TRUE(run.begin > last || k == mine.slices[s]) << "two runs that are one";
          ASSERT_GE(run.begin, slice.begin);
          ASSERT_LE(run.end, slice.end);
          for (std::size_t e = run.begin; e < run.end; ++e) found.insert(e);
          last = run.end;
        }
      }
      ASSERT_EQ(found, touched[part]);
    }
  });
}

TEST(SelectiveSchedule, RunsEachPartsIterationsOnce) {
  for_each_case([](pattern const& of, std::size_t parts, runtime::team& workers) {
    auto const made = make_selective_schedule(of, workers);
    ASSERT_EQ(made.parts.size(), parts);
    for (std::size_t part = 0; part < parts; ++part) {
      auto run = members(made.parts[part].interior);
      run.insert(run.end(), made.parts[part].boundary.begin(), made.parts[part].boundary.end());
      std::sort(run.begin(), run.end());
      ASSERT_EQ(run, members(plan::block_of(of.iterations(), parts, part)));
      ASSERT_TRUE(is_rising(made.parts[part].boundary));
    }
  });
}

TEST(SelectiveSchedule, LeavesEveryElementToOneKeeper) {
  for_each_case([](pattern const& of, std::size_t parts, runtime::team& workers) {
    auto const made = make_selective_schedule(of, workers);
    auto const touched = touched_by(of, parts);
    std::vector<std::set<std::size_t>> privates(parts);
    for (std::size_t part = 0; part < parts; ++part) {
      auto const& list = made.parts[part].privates;
      privates[part].insert(list.begin(), list.end());
      ASSERT_EQ(privates[part].size(), list.size());
      ASSERT_TRUE(std::is_sorted(list.begin(), list.end()));
      ASSERT_TRUE(std::includes(touched[part].begin(), touched[part].end(), list.begin(), list.end()));
    }
    for (std::size_t e = 0; e < of.elements(); ++e) {
      std::size_t touches = 0, keeps = 0;
      for (std::size_t part = 0; part < parts; ++part) {
        touches += touched[part].contains(e);
        keeps += touched[part].contains(e) && !privates[part].contains(e);
      }
      ASSERT_EQ(keeps, touches > 0 ? 1u : 0u) << "element " << e;
    }
  });
}

TEST(SelectiveSchedule, PointsRowsOfTheBoundaryToElementsAndToPrivatePlaces) {
  for_each_case([](pattern const& of, std::size_t parts, runtime::team& workers) {
    auto const made = make_selective_schedule(of, workers);
    for (std::size_t part = 0; part < parts; ++part) {
      auto const& mine = made.parts[part];
      std::set<std::size_t> const privates(mine.privates.begin(), mine.privates.end());
      for (std::size_t const i : members(mine.interior))
        for (auto const e : of.row(i)) ASSERT_FALSE(privates.contains(e)) << "iteration " << i;
      std::size_t at = 0;
      for (std::size_t k = 0; k < mine.boundary.size(); ++k) {
        auto const row = of.row(mine.boundary[k]);
        if (!of.uniform()) {
          ASSERT_EQ(mine.rows.at(k), at);
        }
        std::size_t in_private = 0;
        for (std::size_t slot = 0; slot < row.size(); ++slot, ++at) {
          std::int32_t const place = mine.index.at(at);
          in_private += place < 0;
          ASSERT_EQ(place < 0, privates.contains(row[slot]));
          ASSERT_EQ(place < 0 ? mine.privates.at(static_cast<std::size_t>(~place)) : static_cast<subscript>(place),
                    row[slot]);
        }
        ASSERT_GT(in_private, 0u);
      }
      ASSERT_EQ(at, mine.index.size());
      ASSERT_EQ(mine.slices.size(), parts + 1);
      ASSERT_EQ(mine.slices.front(), 0u);
      ASSERT_EQ(mine.slices.back(), mine.privates.size());
      for (std::size_t s = 0; s < parts; ++s)
        for (std::size_t k = mine.slices[s]; k < mine.slices[s + 1]; ++k)
          ASSERT_EQ(plan::owner_of(of.elements(), parts, mine.privates[k]), s);
    }
  });
}

TEST(OwnerSchedule, RunsEveryIterationAtTheOwnersOfItsElementsAndNowhereElse) {
  for_each_case([](pattern const& of, std::size_t parts, runtime::team& workers) {
    auto const made = make_owner_schedule(of, workers);
    ASSERT_EQ(made.parts.size(), parts);
    std::vector<std::multiset<std::size_t>> runners(of.iterations());
    for (std::size_t part = 0; part < parts; ++part) {
      auto const own = plan::block_of(of.elements(), parts, part);
      for (std::size_t const i : members(made.parts[part].interior)) {
        runners[i].insert(part);
        for (auto const e : of.row(i)) ASSERT_TRUE(e >= own.begin && e < own.end) << "iteration " << i;
      }
      ASSERT_TRUE(is_rising(made.parts[part].boundary));
      for (std::size_t const i : made.parts[part].boundary) runners[i].insert(part);
    }
    for (std::size_t i = 0; i < of.iterations(); ++i) {
      std::set<std::size_t> owners;
      for (auto const e : of.row(i)) owners.insert(plan::owner_of(of.elements(), parts, e));
      if (owners.empty())
        ASSERT_EQ(runners[i].size(), 1u) << "iteration " << i << " touches nothing";
      else
        ASSERT_EQ(std::vector<std::size_t>(runners[i].begin(), runners[i].end()),
                  std::vector<std::size_t>(owners.begin(), owners.end()))
            << "iteration " << i;
    }
  });
}

TEST(GatherSchedule, HasTheContributionsToEachElementInTheOrderOfTheIterations) {
  for_each_case([](pattern const& of, std::size_t, runtime::team& workers) {
    auto const made = make_gather_schedule(of, workers);
    std::vector<std::vector<contribution>> expected(of.elements());
    for (std::size_t k = 0; k < of.subscripts(); ++k) expected[of.index()[k]].push_back(static_cast<contribution>(k));
    ASSERT_EQ(made.contributions.size(), of.subscripts());
    ASSERT_EQ(made.offsets.size(), of.elements() + 1);
    ASSERT_EQ(made.offsets.back(), of.subscripts());
    for (std::size_t e = 0; e < of.elements(); ++e)
      ASSERT_EQ(
          std::vector<contribution>(made.contributions.begin() + static_cast<std::ptrdiff_t>(made.offsets[e]),
                                    made.contributions.begin() + static_cast<std::ptrdiff_t>(made.offsets[e + 1])),
          expected[e])
          << "element " << e;
  });
}

TEST(GatherSchedule, CoversAllElementsWithSlicesOfAboutEqualWork) {
  for_each_case([](pattern const& of, std::size_t parts, runtime::team& workers) {
    auto const made = make_gather_schedule(of, workers);
    ASSERT_EQ(made.slices.size(), parts + 1);
    ASSERT_EQ(made.slices.front(), 0u);
    ASSERT_EQ(made.slices.back(), of.elements());
    ASSERT_TRUE(std::is_sorted(made.slices.begin(), made.slices.end()));
    std::size_t most = 0;  // of one element
    for (std::size_t e = 0; e < of.elements(); ++e) most = std::max(most, made.offsets[e + 1] - made.offsets[e]);
    for (std::size_t part = 0; part < parts; ++part) {
      std::size_t const work = made.offsets[made.slices[part + 1]] - made.offsets[made.slices[part]];
      ASSERT_LE(work, of.subscripts() / parts + 1 + most);
    }
  });
}

TEST(Schedules, SayWhatTheyKeep) {
  auto const of = tests::random_pattern({1000, 300, 2}, 5);
  runtime::thread_team workers(3);
  auto const links = make_link_schedule(of, workers);
  auto const gather = make_gather_schedule(of, workers);
  EXPECT_GE(links.bytes(), sizeof(link_schedule::run) * (links.parts[1].runs.size() + links.parts[2].runs.size()));
  EXPECT_GE(gather.bytes(), sizeof(contribution) * of.subscripts() + sizeof(std::size_t) * of.elements());
  EXPECT_GT(make_selective_schedule(of, workers).bytes(), 0u);
  EXPECT_GE(make_owner_schedule(of, workers).bytes(), sizeof(iteration));
  EXPECT_EQ(link_schedule().bytes(), 0u);
}

}  // namespace
