#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <mpi.h>

#include <skel/detail/base/statistics.hpp>
#include <skel/detail/runtime/ranks/message_probe.hpp>

namespace {

/// Rank 1 holds up its answers to so many floods of one message, as if something else had its core.
int held_up = 0;
bool is_single = false;

}  // namespace

extern "C" int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm among,
                        MPI_Status* status) {
  int const result = PMPI_Recv(data, count, type, from, tag, among, status);
  constexpr int orders = 1, order_bytes = 24;
  if (held_up > 0 && tag == orders && count == order_bytes) {
    std::uint64_t order[3];  // what, bytes, count
    std::memcpy(order, data, sizeof order);
    is_single = order[0] == 2 && order[2] == 1;
  }
  return result;
}

extern "C" int MPI_Send(void const* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm among) {
  if (is_single && held_up > 0) {
    --held_up, is_single = false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return PMPI_Send(data, count, type, to, tag, among);
}

namespace {

using skel::record::probe_kind;
using skel::record::probe_sizes;
using skel::record::probe_wants;
using skel::runtime::answer_probes;
using skel::runtime::message_probe;
using skel::runtime::message_probe_options;

/// Rank 0 probes rank 1; the others look on.
class MessageProbe : public testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    if (ranks_ < 2) GTEST_SKIP() << "a message needs two ranks";
    options_.probes = 7;
    options_.time_limit = 2;
    options_.largest = 1 << 20;
  }
  void TearDown() override { skel::runtime::quiet::barrier(MPI_COMM_WORLD); }

  message_probe probe(probe_wants const& wants) const {
    if (rank_ == 1) answer_probes(MPI_COMM_WORLD, 0);
    return rank_ == 0 ? probe_messages(MPI_COMM_WORLD, 1, wants, options_) : message_probe{};
  }

  /// How many samples of a kind there are of each size.
  static std::map<double, int> counts(message_probe const& found, probe_kind kind) {
    std::map<double, int> result;
    for (auto const& sample : found.samples)
      if (sample.kind == kind) ++result[sample.bytes];
    return result;
  }

  int rank_ = 0, ranks_ = 0;
  message_probe_options options_;
};

TEST_F(MessageProbe, MeasuresNothingButWhatIsWanted) {
  auto const hockney = probe({.transfers = probe_sizes::two});
  if (rank_ == 0) {
    EXPECT_GE(counts(hockney, probe_kind::transfer).size(), 2U);
    for (probe_kind kind : {probe_kind::gap, probe_kind::send_overhead, probe_kind::receive_overhead})
      EXPECT_TRUE(counts(hockney, kind).empty());
  }
  auto const logp = probe({.transfers = probe_sizes::shortest,
                           .gaps = probe_sizes::shortest,
                           .send_overheads = probe_sizes::shortest,
                           .receive_overheads = probe_sizes::shortest});
  if (rank_ != 0) return;
  for (probe_kind kind :
       {probe_kind::transfer, probe_kind::gap, probe_kind::send_overhead, probe_kind::receive_overhead}) {
    auto const found = counts(logp, kind);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.begin()->first, 0);
  }
}

TEST_F(MessageProbe, MeasuresGapsOfAnEmptyAndALongMessageForLoggp) {
  auto const found = probe({.transfers = probe_sizes::shortest,
                            .gaps = probe_sizes::two,
                            .send_overheads = probe_sizes::shortest,
                            .receive_overheads = probe_sizes::shortest});
  if (rank_ != 0) return;
  auto const gaps = counts(found, probe_kind::gap);
  ASSERT_EQ(gaps.size(), 2U);
  EXPECT_EQ(gaps.begin()->first, 0);
  EXPECT_GE(gaps.rbegin()->first, 16384);
  EXPECT_EQ(counts(found, probe_kind::transfer).size(), 1U);
}

TEST_F(MessageProbe, FollowsTheTimesOverManySizesForPlogp) {
  options_.time_limit = 60;  // everything is measured, however slow the machine is
  auto const found = probe({probe_sizes::many, probe_sizes::many, probe_sizes::many, probe_sizes::many});
  if (rank_ != 0) return;
  auto const transfers = counts(found, probe_kind::transfer);
  for (double bytes : {0, 1024, 4096, 16384, 65536, 262144}) EXPECT_TRUE(transfers.contains(bytes)) << bytes;
  EXPECT_LE(transfers.rbegin()->first, 1 << 20);
  auto const sizes_of = [&](probe_kind kind) {
    std::set<double> sizes;
    for (auto const& [bytes, times] : counts(found, kind)) sizes.insert(bytes);
    return sizes;
  };
  EXPECT_EQ(sizes_of(probe_kind::gap), sizes_of(probe_kind::transfer));
  EXPECT_EQ(sizes_of(probe_kind::send_overhead), sizes_of(probe_kind::transfer));
  EXPECT_TRUE(sizes_of(probe_kind::receive_overhead).contains(1024));
}

TEST_F(MessageProbe, MakesNoMoreProbesThanAllowedAndNoFewerThanAMedianNeeds) {
  auto const found = probe({.transfers = probe_sizes::two, .gaps = probe_sizes::two});
  if (rank_ != 0) return;
  for (probe_kind kind : {probe_kind::transfer, probe_kind::gap})
    for (auto const& [bytes, times] : counts(found, kind)) {
      EXPECT_GE(times, 5) << bytes;
      EXPECT_LE(times, 7) << bytes;
    }
  EXPECT_GE(found.probes, found.samples.size());
  for (auto const& sample : found.samples) EXPECT_GT(sample.seconds, 0);
}

TEST_F(MessageProbe, FirstMessagesThatAreHeldUpMakeNoGapsOfNothing) {
  held_up = rank_ == 1 ? 4 : 0;  // one to warm up, and three that gave t(1)
  auto const found = probe({.gaps = probe_sizes::shortest});
  EXPECT_EQ(held_up, 0);
  if (rank_ != 0) return;
  std::vector<double> gaps;
  for (auto const& sample : found.samples)
    if (sample.kind == probe_kind::gap) gaps.push_back(sample.seconds);
  ASSERT_FALSE(gaps.empty());
  // No processor begins messages faster.
  EXPECT_GT(skel::statistics::median(gaps), 5e-9);
}

TEST_F(MessageProbe, MakesFewestProbesWhenItsTimeIsUp) {
  options_.time_limit = 0;
  auto const found = probe({probe_sizes::many, probe_sizes::many, probe_sizes::many, probe_sizes::many});
  if (rank_ != 0) return;
  auto const transfers = counts(found, probe_kind::transfer);
  EXPECT_EQ(transfers, (std::map<double, int>{{0, 5}, {16384, 5}})) << "what long messages take follows from these";
}

TEST_F(MessageProbe, LatencyHasItsErrorAndItsProbes) {
  if (rank_ == 1) answer_probes(MPI_COMM_WORLD, 0);
  if (rank_ != 0) return;
  auto const found = probe_latency(MPI_COMM_WORLD, 1, options_);
  EXPECT_GT(found.latency, 0);
  EXPECT_GE(found.error, 0);
  EXPECT_GE(found.probes, 6U);
  EXPECT_LE(found.probes, 8U);
}

}  // namespace
