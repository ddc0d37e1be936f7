#include "grid/collective_data.hpp"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

namespace {

using bench::collective_data;
using skel::plan::collective;

std::vector<std::byte> input_of(collective_data const& data, std::size_t rank) {
  std::vector<std::byte> bytes(data.input_bytes(rank));
  data.fill(rank, bytes);
  return bytes;
}

TEST(CollectiveData, AcceptsTheSumOfAllInputsAndNothingElse) {
  for (std::uint64_t const bytes : {24u, 13u}) {
    collective_data const data(collective::allreduce, 5, 0, bytes, 3);
    auto sum = input_of(data, 0);
    for (std::size_t rank = 1; rank < 5; ++rank) {
      EXPECT_TRUE(data.first_wrong(0, sum).has_value()) << rank;
      bench::add_words(data.word(), input_of(data, rank), sum);
    }
    EXPECT_EQ(data.first_wrong(0, sum), std::nullopt);
    sum[8] ^= std::byte{1};
    EXPECT_EQ(data.first_wrong(4, sum), 8);
  }
}

TEST(CollectiveData, GivesEachRankOfAnAllToAllTheBlocksMeantForIt) {
  std::size_t const ranks = 4, bytes = 16;
  collective_data const data(collective::alltoall, ranks, 0, bytes, 1);
  for (std::size_t to = 0; to < ranks; ++to) {
    std::vector<std::byte> got;
    for (std::size_t from = 0; from < ranks; ++from) {
      auto const sent = input_of(data, from);
      got.insert(got.end(), sent.begin() + static_cast<std::ptrdiff_t>(to * bytes),
                 sent.begin() + static_cast<std::ptrdiff_t>((to + 1) * bytes));
    }
    EXPECT_EQ(data.first_wrong(to, got), std::nullopt);
    EXPECT_TRUE(data.first_wrong((to + 1) % ranks, got).has_value());
  }
}

TEST(CollectiveData, SeesWhatIsLeftOfTheMeasurementBefore) {
  collective_data const before(collective::broadcast, 3, 1, 64, 0), now(collective::broadcast, 3, 1, 64, 1);
  EXPECT_EQ(before.first_wrong(2, input_of(before, 1)), std::nullopt);
  EXPECT_TRUE(now.first_wrong(2, input_of(before, 1)).has_value());
}

TEST(CollectiveData, GivesOnlyTheRootWhatOnlyTheRootHas) {
  collective_data const gather(collective::gather, 6, 2, 8, 0), scatter(collective::scatter, 6, 2, 8, 0);
  EXPECT_EQ(gather.input_bytes(0), 8);
  EXPECT_EQ(gather.output_bytes(0), 0);
  EXPECT_EQ(gather.output_bytes(2), 48);
  EXPECT_EQ(scatter.input_bytes(0), 0);
  EXPECT_EQ(scatter.input_bytes(2), 48);
  EXPECT_EQ(scatter.output_bytes(0), 8);
}

}  // namespace
