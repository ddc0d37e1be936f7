#include "grid/simulator.hpp"

#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>

#include "grid/candidates.hpp"

namespace {

using skel::plan::collective;
using skel::platform::cluster;

cluster of(char const* name, std::size_t hosts) {
  cluster c;
  c.name = name, c.hosts = hosts, c.inside = {1e-4, 1e8};
  return c;
}

// a(3) --10 ms, 12.5 MB/s-- b(2)
skel::platform::description two_clusters() {
  skel::platform::link const path{1e-2, 1.25e7};
  return {1e-6, {of("a", 3), of("b", 2)}, {{0, 1, path, {}}, {1, 0, path, {}}}};
}

/// Every algorithm of the catalogue and the simulator's own, at sizes that are no multiples of words or ranks too.
bench::work_list everything() {
  bench::work_list work;
  for (auto const operation : {collective::broadcast, collective::reduce, collective::allreduce, collective::scatter,
                               collective::gather, collective::allgather, collective::alltoall, collective::barrier})
    for (std::uint64_t const bytes : {0u, 8u, 1001u, 8192u}) {
      if (operation == collective::barrier && bytes > 0) continue;
      // Some of the simulator's own divide by the size.
      if (bytes > 0 || operation == collective::barrier)
        work.collectives.push_back({.operation = operation, .bytes = bytes, .root = 4});
      for (auto const& plan : bench::all_plans(operation, bytes, 5)) {
        work.collectives.push_back({.operation = operation, .bytes = bytes, .root = 4});
        work.collectives.back().plan = plan;
      }
    }
  return work;
}

TEST(Simulator, RunsEveryAlgorithmWithRightResultsInTimesThatRepeat) {
  bench::simulator on(two_clusters());
  auto const work = everything();
  auto const once = on.run(work, "ompi"), again = on.run(work, "ompi");
  EXPECT_EQ(once, again);
  for (std::size_t i = 0; i < work.collectives.size(); ++i) {
    auto const& what = work.collectives[i];
    EXPECT_TRUE(std::isfinite(once.collectives[i]));
    EXPECT_LT(once.collectives[i], 1) << i;
    // From one cluster to the other: what all of them have to wait for.
    if (what.bytes > 0 || what.operation == collective::barrier) {
      EXPECT_GT(once.collectives[i], 1e-2) << i;
    }
  }
}

TEST(Simulator, TimesMessagesByLatencyAndBandwidth) {
  bench::simulator on(two_clusters());
  bench::work_list work;
  work.messages = {{.from = 0, .to = 1, .bytes = 1 << 20}, {.from = 0, .to = 3, .bytes = 1 << 20}, {4, 2, 1}};
  auto const times = on.run(work).messages;
  // A mebibyte at 100 and 12.5 MB/s, give or take what the simulator's model of MPI adds and takes.
  EXPECT_NEAR(times[0].gap, 0x1p20 / 1e8, 0.2 * times[0].gap);
  EXPECT_NEAR(times[1].gap, 0x1p20 / 1.25e7, 0.2 * times[1].gap);
  EXPECT_GT(times[1].transfer, times[1].gap);
  EXPECT_GT(times[2].transfer, 1e-2);
  // Flows on one link get equal shares, so that they end together.
  EXPECT_GT(times[1].together, 0.9);
}

TEST(Simulator, SaysWhichCollectivesASelectorRefuses) {
  // Rabenseifner's algorithm for powers of two is what this selector wants for 12 ranks and 16 KiB.
  skel::platform::link const path{1e-2, 1.25e7};
  bench::simulator on({1e-6, {of("a", 8), of("b", 4)}, {{0, 1, path, {}}, {1, 0, path, {}}}});
  bench::work_list work;
  for (std::uint64_t const bytes : {8u, 16384u})
    work.collectives.push_back({.operation = collective::allreduce, .bytes = bytes});
  auto const found = on.run(work, "impi").collectives;
  EXPECT_GT(found.at(0), 1e-2);
  EXPECT_TRUE(std::isnan(found.at(1)));
}

TEST(Simulator, SaysWhatTheSimulatorSaidWhenItFails) {
  bench::simulator on(two_clusters());
  bench::work_list work;
  work.collectives.push_back({.operation = collective::broadcast, .bytes = 8, .root = 0});
  work.collectives.back().plan = skel::plan::collective_plan{.algorithm = "no such thing"};
  try {
    on.run(work);
    FAIL();
  } catch (skel::error const& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("no such thing"));
  }
}

TEST(Simulator, EndsARunThatTakesTooLong) {
  bench::simulator on(two_clusters(), {.time_limit = std::chrono::duration<double>(0.001)});
  try {
    on.run(everything());
    FAIL();
  } catch (skel::error const& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("give it more time"));
  }
}

}  // namespace
