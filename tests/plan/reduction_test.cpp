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

}  // namespace
