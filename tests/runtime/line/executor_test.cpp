#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/pattern/compose.hpp>

#include <runtime/line/executor.hpp>
#include <runtime/station/site.hpp>

#include "support/spin.hpp"

// Epochs of one rank, without other ranks, threads and MPI. Over ranks: virtual_ranks_test.cpp.
namespace {

using skel::runtime::executor;

/// There are no other ranks.
class nobody : public skel::runtime::link_layer {
 public:
  void send(int, std::uint32_t, std::uint32_t, skel::runtime::posted, skel::runtime::codec const&) override { FAIL(); }
  void send(int, skel::runtime::notice const&) override { FAIL(); }
  void send(int, skel::runtime::stream_position const&, std::string) override { FAIL(); }
  void send(int, skel::runtime::errand, skel::runtime::codec const*) override { FAIL(); }
};

TEST(Executor, GoesOnAfterAnEpochThatWasForgotten) {
  constexpr std::uint64_t items = 100;
  std::vector<std::uint64_t> got, left;
  auto app = skel::source([i = std::uint64_t{0}]() mutable { return i < items ? std::optional(i++) : std::nullopt; }) |
             skel::farm([](std::uint64_t x) { return x; }) | skel::sink([&](std::uint64_t x) { got.push_back(x); });
  auto const line = skel::runtime::make_program(app);
  auto const of_width = [](std::size_t width) {
    skel::plan::run_plan plan;
    plan.stations = {{{0}}, {std::vector<int>(width, 0)}, {{0}}};
    plan.batch_latency = 1e-12;  // batches of one item
    return plan;
  };
  nobody links;
  bool finished = false;
  auto const first = of_width(1);
  executor here(
      line, first, 0, links,
      {[] {}, [&] { finished = true; }, [] { FAIL(); }, [] {}, {}, [&](std::uint32_t e) { left.push_back(e); }}, false,
      0, 2, 2);

  here.announce(1, of_width(5));
  here.forget(1);
  here.announce(2, of_width(3));
  EXPECT_EQ(here.most_jobs(), 7U);
  here.start();
  for (int i = 0; i < 20; ++i) here.run_job(0);
  EXPECT_TRUE(here.cut());
  while (here.waiting_jobs() > 0) here.run_job(0);

  EXPECT_TRUE(finished);
  EXPECT_FALSE(here.cut());  // the stream has ended
  EXPECT_EQ(left, std::vector<std::uint64_t>{0});
  ASSERT_EQ(got.size(), items);
  for (std::uint64_t i = 0; i < items; ++i) EXPECT_EQ(got[i], i);
  EXPECT_EQ(here.records()[1].workers, 3U);
}

/// Counts what goes to another rank, which never answers.
class silent_other : public nobody {
 public:
  using nobody::send;
  void send(int, std::uint32_t, std::uint32_t, skel::runtime::posted, skel::runtime::codec const&) override { ++sent; }
  void send(int, skel::runtime::notice const&) override {}
  std::size_t sent = 0;
};

/// A source, a farm on ranks 0 and 1, and a sink on rank 0, in batches of one item.
skel::plan::run_plan farm_on_two_ranks() {
  skel::plan::run_plan plan;
  plan.stations = {{{0}, 3}, {{0, 1}, 3}, {{0}, 3}};
  plan.batch_latency = 1e-12;
  return plan;
}
template <class Source, class Work, class Sink>
auto farm_of(Source source, Work work, Sink sink) {
  return skel::source(source) | skel::farm(work, skel::unordered) | skel::sink(sink);
}

/// Rank 1 has room for so many more parcels of the farm.
skel::runtime::notice room_for(std::uint64_t parcels) {
  return {.what = skel::runtime::notice::kind::room, .count = parcels};
}

TEST(Executor, GivesOthersWhatTheyHaveRoomForBeforeItWorksItself) {
  silent_other links;
  std::size_t worked = 0;
  std::optional<std::size_t> sent_before;
  auto app = farm_of([i = std::uint64_t{0}]() mutable { return i < 100 ? std::optional(i++) : std::nullopt; },
                     [&](std::uint64_t x) {
                       if (++worked == 2) sent_before = links.sent;  // how long it takes is known by the first one
                       return bench::spin(x, 20'000);
                     },
                     [](std::uint64_t) {});
  auto const line = skel::runtime::make_program(app);
  auto const plan = farm_on_two_ranks();
  executor here(line, plan, 0, links, {[] {}, [] {}, [] { FAIL(); }, [] {}}, false, 0, 2, 2);
  here.start();
  here.drain();
  ASSERT_TRUE(sent_before);
  EXPECT_EQ(*sent_before, links.sent);
  EXPECT_GE(links.sent, 3U);
}

TEST(Executor, GivesOthersAlsoWhatTheyGetRoomForWhileItsSourceWaitsForALane) {
  silent_other links;
  std::size_t worked = 0, sent_before = 0, sent_after = 0;
  auto app = farm_of([i = std::uint64_t{0}]() mutable { return i < 100 ? std::optional(i++) : std::nullopt; },
                     [&](std::uint64_t x) {
                       if (++worked == 21) sent_after = links.sent;
                       return bench::spin(x, 20'000);
                     },
                     [](std::uint64_t) {});
  auto const line = skel::runtime::make_program(app);
  auto const plan = farm_on_two_ranks();
  executor* all = nullptr;
  bool has_told = false;
  executor here(line, plan, 0, links,
                {.job_waits = [] {},
                 .finished = [] {},
                 .failed = [] { FAIL(); },
                 .stirred = [] {},
                 .turn =
                     [&] {
                       if (worked != 20 || std::exchange(has_told, true)) return;
                       sent_before = links.sent;
                       all->receive(1, room_for(4));
                     }},
                false, 0, 2, 1);
  all = &here;
  here.start();
  here.drain();
  EXPECT_GE(sent_before, 3U);
  EXPECT_EQ(sent_after, sent_before + 4);
}

/// Rank 1 always has room, so that what the source makes may go there; but most goes to this rank, where work and sink
/// take next to no time. How many of these items wait at most.
std::size_t most_waiting_behind_a_slow_source() {
  silent_other links;
  std::size_t made = 0, taken = 0, most = 0;
  std::uint64_t volatile busy = 1;
  auto app = farm_of(
      [&]() -> std::optional<std::uint64_t> {
        most = std::max(most, made - links.sent - taken);
        busy = bench::spin(busy, 100'000);
        return made < 100 ? std::optional(made++) : std::nullopt;
      },
      [](std::uint64_t x) { return x; }, [&](std::uint64_t) { ++taken; });
  auto const line = skel::runtime::make_program(app);
  auto plan = farm_on_two_ranks();
  plan.stations[1].capacity = 20;
  executor here(line, plan, 0, links, {[] {}, [] {}, [] { FAIL(); }, [] {}}, false, 0, 2, 1);
  here.start();
  here.drain();
  return most;
}

TEST(Executor, DoesNotLetItsSinkWaitForASlowSource) {
  std::size_t least = 100;  // others may have the core while the first item is worked on, which then looks slow
  for (int again = 0; again < 10 && least > 3; ++again) least = std::min(least, most_waiting_behind_a_slow_source());
  EXPECT_LE(least, 3U);  // while the first items pass, nobody knows how long they take
}

TEST(Executor, CallsTurnAfterEachJob) {
  auto app = skel::source([i = std::uint64_t{0}]() mutable { return i < 5 ? std::optional(i++) : std::nullopt; }) |
             skel::sink([](std::uint64_t) {});
  auto const line = skel::runtime::make_program(app);
  skel::plan::run_plan plan;
  plan.stations = {{{0}}, {{0}}};
  plan.batch_latency = 1e-12;
  nobody links;
  std::uint64_t turns = 0;
  executor here(line, plan, 0, links,
                {.job_waits = [] {}, .finished = [] {}, .failed = [] {}, .stirred = [] {}, .turn = [&] { ++turns; }},
                false, 0, 1, 2);
  here.start();
  here.drain();
  EXPECT_GE(turns, 10U);  // the source, and the sink, for each item
  EXPECT_EQ(turns, here.turns());
}

}  // namespace
