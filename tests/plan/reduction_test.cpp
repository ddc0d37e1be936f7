#include <skel/detail/plan/reduction.hpp>

#include <gtest/gtest.h>

namespace {

using namespace skel::plan;

TEST(ReductionCatalogue, FindsEveryAlgorithmByItsNameAndPlace) {
  ASSERT_EQ(reduction_catalogue().size(), reduction_algorithms);
  for (std::size_t k = 0; k < reduction_algorithms; ++k) {
    auto const& one = reduction_catalogue()[k];
    EXPECT_EQ(static_cast<std::size_t>(one.algorithm), k);
    EXPECT_EQ(find_reduction(one.name), one.algorithm);
    EXPECT_EQ(name_of(one.algorithm), one.name);
  }
  EXPECT_EQ(find_reduction("no such one"), std::nullopt);
}

TEST(ReductionCatalogue, SaysWhatOneAlgorithmNeedsAndNothingOfOthers) {
  EXPECT_EQ(words_for_needs(reduction_algorithm::sequential), "sequential runs any loop");
  EXPECT_EQ(words_for_needs(reduction_algorithm::local_write),
            "localwr needs a body that may be called several times (reduction_rules::replayable), sums that may differ "
            "with the number of threads, subscripts that are known before the loop runs");
  EXPECT_EQ(words_for_needs(reduction_algorithm::atomic),
            "atomic needs an operation on small values that processors have as one step, sums that may differ from run "
            "to run");
}

}  // namespace
