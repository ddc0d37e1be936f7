#include "grid/link_times.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include <skel/detail/cost/communication/any_model.hpp>

namespace {

using skel::platform::cluster;

cluster of(char const* name, std::size_t hosts) {
  cluster c;
  c.name = name, c.hosts = hosts, c.inside = {1e-4, 1e8};
  return c;
}

// a(2) --10 ms, 12.5 MB/s-- b(1)
skel::platform::description two_clusters() {
  skel::platform::link const path{1e-2, 1.25e7};
  return {1e-6, {of("a", 2), of("b", 1)}, {{0, 1, path, {}}, {1, 0, path, {}}}};
}

TEST(LinkTimes, FindsWhereTimesJump) {
  auto const machine = two_clusters();
  bench::simulator on(machine);
  bench::link_times const times(machine, on, 1 << 17, 0.03);
  EXPECT_TRUE(times.between(1, 1).empty());
  // The simulator's latency goes from 3.5 to 11.6 times the link's at 65,472 bytes.
  auto const& samples = times.between(0, 1);
  std::size_t at = 0;
  while (samples[at].times.transfer < 0.1) ++at;
  EXPECT_GE(samples[at].bytes, 65472);
  EXPECT_LE(static_cast<double>(samples[at].bytes), 1.03 * static_cast<double>(samples[at - 1].bytes));
  EXPECT_LT(samples[at - 1].bytes, 65472);
  EXPECT_EQ(samples.back().bytes, 1 << 17);
  EXPECT_LT(samples.size(), 150);
}

TEST(LinkTimes, GiveParametersThatPredictWhatWasNotMeasured) {
  auto machine = two_clusters();
  bench::simulator on(machine);
  bench::link_times const times(machine, on, 1 << 17, 0.03);
  machine = bench::with_plogp(machine, times);
  auto const model = make_grid_model(skel::cost::model_kind::steffenel, machine).model;
  bench::work_list work;
  for (std::uint64_t const bytes : {1u, 650u, 1300u, 5000u, 12000u, 50000u, 100000u})
    for (std::size_t const to : {1u, 2u}) work.messages.push_back({.from = 0, .to = to, .bytes = bytes});
  auto const found = on.run(work).messages;
  for (std::size_t i = 0; i < found.size(); ++i) {
    auto const& what = work.messages[i];
    skel::cost::message const m{.bytes = static_cast<double>(what.bytes), .from = what.from, .to = what.to};
    double const predicted = std::visit([&](auto const& one) { return one.transfer(m); }, model);
    EXPECT_NEAR(predicted, found[i].transfer, 0.05 * found[i].transfer) << what.bytes << " bytes to " << what.to;
  }
}

}  // namespace
