#include <skel/detail/runtime/iteration/phase_times.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

using skel::runtime::communicator;

TEST(StepTime, AllRanksHearWhatTheMembersTook) {
  communicator const ranks;
  for (int members = 2; members <= ranks.size(); members += 3) {
    std::vector<int> last(static_cast<std::size_t>(members));  // so that rank 0 is none, where it can be
    std::iota(last.begin(), last.end(), ranks.size() - members);
    double const took = skel::runtime::iteration::time_steps(ranks, last);
    EXPECT_GT(took, 0);
    auto const all = ranks.all_gather(std::to_string(took));
    EXPECT_EQ(std::ranges::count(all, all.front()), ranks.size());
  }
}

}  // namespace
