// An algorithm of a test's own: its row is all that it takes to be named, and to be tested like all others
// (collective_test.cpp runs all rows).
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/plan/collective.hpp>
#include <skel/detail/plan/collective_plan.hpp>

#include "support/refusal.hpp"
#include "support/registry_laws.hpp"

namespace {

using skel::plan::algorithm_named;
using skel::plan::collective;
using skel::plan::collective_algorithms;
using skel::plan::collective_problem;
using skel::plan::find_algorithm;

skel::plan::schedule make_own(collective_problem const& problem) {
  collective_problem whole = problem;
  whole.segment = 0;
  return find_algorithm(collective::broadcast, "chain")->make(whole);
}

bool const is_added = [] {
  collective_algorithms().push_back({"own", collective::broadcast, false, skel::plan::order::any, nullptr, make_own});
  return true;
}();

TEST(OwnAlgorithm, IsFoundByItsName) {
  ASSERT_TRUE(is_added);
  EXPECT_EQ(algorithm_named(collective::broadcast, "own").make, make_own);
  EXPECT_EQ(find_algorithm(collective::reduce, "own"), nullptr);
  EXPECT_EQ(skel::test::refusal_of([] { (void)algorithm_named(collective::broadcast, "onw"); }),
            "algorithm: 'onw' is no algorithm of broadcast; did you mean 'own'?");
  collective_problem const problem{.ranks = 4, .bytes = 100};
  EXPECT_EQ(steps_of({.operation = collective::broadcast, .algorithm = "own"}, problem, 3).steps.size(), 1U);
}

TEST(OwnAlgorithm, NamesOfAnOperationDiffer) {
  for (auto const operation : skel::plan::all_collectives) {
    std::vector<skel::plan::collective_algorithm> rows;
    for (auto const& row : collective_algorithms())
      if (row.operation == operation) rows.push_back(row);
    check_names(rows);
  }
}

TEST(Collectives, KeepTheLawsOfARegistry) {
  auto const& rows = skel::plan::collectives();
  check_registry(rows);
  ASSERT_EQ(rows.size(), skel::plan::all_collectives.size());
  for (auto const one : skel::plan::all_collectives) EXPECT_EQ(rows.at(name_of(one)), static_cast<std::size_t>(one));
}

}  // namespace
