#include <cmath>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/cost/reduction/predictor.hpp>
#include <skel/detail/cost/reduction/terms.hpp>

#include "planted.hpp"

namespace {

namespace cost = skel::cost;
using skel::testing_cost::random_problems;

void expect_amounts(std::vector<cost::reduction_term> const& terms, std::vector<cost::reduction_term> const& names) {
  ASSERT_EQ(terms.size(), names.size());
  for (std::size_t k = 0; k < terms.size(); ++k) {
    EXPECT_EQ(terms[k].name, names[k].name);
    EXPECT_TRUE(std::isfinite(terms[k].amount)) << terms[k].name;
    EXPECT_GE(terms[k].amount, 0) << terms[k].name;
  }
}

TEST(ReductionTerms, AreFiniteAndNotNegativeAndTheSameOnesForAnyProblem) {
  random_problems random(1);
  std::vector<cost::reduction_problem> problems(1);  // that without any element
  for (int k = 0; k < 500; ++k) problems.push_back(random.next());
  for (auto const& traits : skel::plan::reduction_catalogue())
    for (auto const& problem : problems) {
      expect_amounts(run_terms(traits.algorithm, problem, {}), run_terms(traits.algorithm, problems[0], {}));
      expect_amounts(setup_terms(traits.algorithm, problem, {}), setup_terms(traits.algorithm, problems[0], {}));
    }
}

TEST(ReductionTerms, TraitsOfAnyProblemAreFinite) {
  random_problems random(2);
  for (double const x : cost::traits_of({})) EXPECT_TRUE(std::isfinite(x));
  for (int k = 0; k < 500; ++k)
    for (double const x : cost::traits_of(random.next())) EXPECT_TRUE(std::isfinite(x));
}

TEST(ReductionTerms, MoreWorkIsNeverLess) {
  random_problems random(3);
  for (int k = 0; k < 200; ++k) {
    auto const problem = random.next();
    auto longer = problem;
    longer.pattern.iterations *= 2, longer.pattern.subscripts *= 2;
    for (auto const& traits : skel::plan::reduction_catalogue()) {
      auto const few = run_terms(traits.algorithm, problem, {}), many = run_terms(traits.algorithm, longer, {});
      for (std::size_t t = 0; t < few.size(); ++t) EXPECT_GE(many[t].amount, few[t].amount) << few[t].name;
    }
  }
}

}  // namespace
