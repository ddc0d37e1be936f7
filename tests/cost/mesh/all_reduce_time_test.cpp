#include <skel/detail/cost/mesh/partition_time.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/plan/relays.hpp>

namespace {

using namespace skel;
using cost::mesh::all_reduce_time;
using cost::mesh::message_path;

constexpr double near = 1e-4, far = 1e-2;  // [s]
constexpr double port = 1e8, link = 1e7;   // [B/s]

struct grid {
  explicit grid(std::vector<std::size_t> of) : ranks(std::move(of)) {
    for (std::size_t a = 0; a < ranks.size(); ++a)
      for (std::size_t b = 0; b < ranks.size(); ++b)
        paths.emplace_back(a == b ? platform::link{near, port} : platform::link{far, link}, 1);
  }

  double seconds() const { return all_reduce_time(paths, ranks); }

  /// As the ranks relay, message by message.
  double relayed() const {
    std::vector<std::size_t> cluster_of;
    for (std::size_t c = 0; c < ranks.size(); ++c) cluster_of.insert(cluster_of.end(), ranks[c], c);
    std::vector<std::vector<plan::relay_step>> steps;
    for (std::size_t r = 0; r < cluster_of.size(); ++r)
      steps.push_back(plan::relays_of(cluster_of, static_cast<int>(r)));
    std::vector<double> ready(cluster_of.size(), 0);
    for (std::size_t k = 0; k < steps[0].size(); ++k) {
      auto next = ready;
      for (std::size_t r = 0; r < steps.size(); ++r)
        for (int const to : steps[r][k].to) {
          auto const other = static_cast<std::size_t>(to);
          double const bytes = plan::round_message_bytes + static_cast<double>(steps[r][k].heads.size()) *
                                                               (plan::relayed_head_bytes + sizeof(double));
          auto const& path = paths[cluster_of[r] * ranks.size() + cluster_of[other]];
          next[other] = std::max(next[other], ready[r] + path.time(bytes));
        }
      ready = std::move(next);
    }
    return *std::ranges::max_element(ready);
  }

  std::vector<std::size_t> ranks;
  std::vector<message_path> paths;
};

TEST(AllReduceTime, OfOneClusterIsThatOfItsRelays) {
  for (std::size_t const ranks : {27U, 32U, 33U, 100U, 256U}) {
    grid const one({ranks});
    EXPECT_NEAR(one.seconds(), one.relayed(), 1e-12) << ranks;
  }
}

/// The longest message of each step counts, wherever it is.
TEST(AllReduceTime, OfSeveralClustersIsAtMostAStepInsideLonger) {
  for (auto const& ranks : {std::vector<std::size_t>{14, 14},
                            {16, 16, 16},
                            {40, 40, 40, 40, 40},
                            {1, 40},
                            {30, 2, 9},
                            {1, 1, 1, 64},
                            {17, 33, 5, 8}}) {
    grid const all(ranks);
    EXPECT_GE(all.seconds(), all.relayed() * (1 - 1e-12));
    EXPECT_LE(all.seconds(), all.relayed() + near);
  }
}

TEST(AllReduceTime, OfFewRanksIsOneLatencyAndAMessageOfEachOther) {
  constexpr double bytes = plan::round_message_bytes + sizeof(double);
  EXPECT_DOUBLE_EQ(grid({8}).seconds(), near + 7 * bytes / port);
  EXPECT_DOUBLE_EQ(grid({4, 4}).seconds(), far + bytes / link) << "longer than seven through a port";
  EXPECT_EQ(grid({1}).seconds(), 0);
}

}  // namespace
