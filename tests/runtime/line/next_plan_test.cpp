#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/runtime/line/run_line.hpp>

#include <runtime/line/lines.hpp>

// Lines that are moved while they run, over MPI. Random programs on virtual ranks: virtual_ranks_test.cpp.
namespace {

using namespace skel::test;
using skel::plan::run_plan;
using skel::runtime::check_next_plan;

/// Counts the items that it has seen, and numbers them.
struct numbering {
  std::uint64_t seen = 0;

  std::pair<std::uint64_t, std::uint64_t> operator()(std::uint64_t x) {
    stumble(x);
    return {seen++, x};
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(seen);
  }
};

/// Whose state cannot travel.
struct rooted {
  std::uint64_t seen = 0;
  std::uint64_t operator()(std::uint64_t x) { return ++seen, x; }
};

/// As numbering, but nobody can read what it has written.
struct unreadable {
  std::uint64_t seen = 0;

  std::pair<std::uint64_t, std::uint64_t> operator()(std::uint64_t x) {
    stumble(x);
    return {seen++, x};
  }
  template <class Archive>
  void save(Archive& archive) const {
    archive(seen);
  }
  template <class Archive>
  void load(Archive&) {
    seen = 1000000;
    throw std::runtime_error("planted");
  }
};

/// Every station but source and sink on random ranks, farms of one to three.
run_plan anywhere(program const& line, std::mt19937& random) {
  run_plan plan = spread(line, 1);
  auto const any_rank = [&] { return std::uniform_int_distribution(0, ranks().size() - 1)(random); };
  for (std::size_t s = 1; s + 1 < line.size(); ++s) {
    plan.stations[s].ranks.resize(line.stations[s].replicable ? std::uniform_int_distribution<std::size_t>(1, 3)(random)
                                                              : 1);
    for (int& rank : plan.stations[s].ranks) rank = any_rank();
  }
  plan.batch_latency = 1e-4;
  return plan;
}

/// The second station goes to the next rank each time.
skel::runtime::run_options to_the_next_rank() {
  skel::runtime::run_options options;
  options.plan_period = 1e-3;
  options.next_plan = [](run_plan const& now, double) {
    run_plan next = now;
    next.stations[1].ranks = {(now.stations[1].ranks.front() + 1) % ranks().size()};
    return std::optional(next);
  };
  return options;
}

TEST(NextPlan, MovesSerialStagesWithTheirStateAndFarmsOfAnyWidth) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> got;
  auto app = count_to(20000) | skel::stage("first", numbering{}) |
             skel::farm("farm", [](std::pair<std::uint64_t, std::uint64_t> x) { return stumble(x.second + 3), x; }) |
             skel::stage(
                 "second", [](std::pair<std::uint64_t, std::uint64_t> x) { return std::pair(x.first, x.second * 2); },
                 skel::stateless) |
             skel::sink([&](std::pair<std::uint64_t, std::uint64_t> x) { got.push_back(x); });
  program const line = make_program(app);
  std::mt19937 random(1);
  skel::runtime::run_options options;
  options.plan_period = 1e-3;
  options.next_plan = [&](run_plan const&, double) { return std::optional(anywhere(line, random)); };
  auto const run = run_line(line, anywhere(line, random), ranks(), options);
  EXPECT_EQ(run.items, 20000U);
  std::size_t const done =
      static_cast<std::size_t>(std::ranges::count_if(run.remaps, [](auto const& r) { return r.done > 0; }));
  EXPECT_GT(done, 0U);
  for (auto const& one : run.remaps)
    EXPECT_TRUE(one.refused.empty() || one.refused == "the stream had ended") << one.refused;
  if (!at_sink()) return;
  ASSERT_EQ(got.size(), 20000U);
  for (std::uint64_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], std::pair(i, 2 * i));
}

TEST(NextPlan, MovesAReduceWithWhatItHolds) {
  std::vector<std::uint64_t> got;
  auto app = count_to(10000) | skel::farm([](std::uint64_t x) { return stumble(x), x; }) |
             skel::reduce("sum", std::plus<std::uint64_t>(), skel::every(7)) |
             skel::sink([&](std::uint64_t x) { got.push_back(x); });
  program const line = make_program(app);
  std::mt19937 random(2);
  skel::runtime::run_options options;
  options.plan_period = 1e-3;
  options.next_plan = [&](run_plan const&, double) { return std::optional(anywhere(line, random)); };
  run_line(line, anywhere(line, random), ranks(), options);
  if (!at_sink()) return;
  std::vector<std::uint64_t> expected;
  for (std::uint64_t i = 0, sum = 0; i < 10000; ++i) {
    sum += i;
    if (i % 7 == 6 || i == 9999) expected.push_back(std::exchange(sum, 0));
  }
  EXPECT_EQ(got, expected);
}

TEST(NextPlan, ThatDoesNotFitIsRefusedAndTheRunGoesOn) {
  std::uint64_t got = 0;
  auto app = count_to(3000) | skel::stage("rooted", rooted{}) |
             skel::stage("free", [](std::uint64_t x) { return stumble(x), x; }) |
             skel::sink([&](std::uint64_t) { ++got; });
  program const line = make_program(app);
  run_plan const first = spread(line, 1);
  run_plan elsewhere = first;
  elsewhere.stations[1].ranks = {ranks().size() - 1 - first.stations[1].ranks.front()};
  bool asked = false;
  skel::runtime::run_options options;
  options.plan_period = 0;
  options.next_plan = [&](run_plan const&, double) -> std::optional<run_plan> {
    if (std::exchange(asked, true)) return std::nullopt;
    run_plan bad = first;
    bad.stations[1].ranks = {ranks().size()};
    return bad;
  };
  auto const run = run_line(line, first, ranks(), options);
  EXPECT_EQ(run.items, 3000U);
  ASSERT_EQ(run.remaps.size(), 1U);
  EXPECT_THAT(run.remaps[0].refused, testing::HasSubstr("'rooted'"));
  if (elsewhere.stations[1].ranks == first.stations[1].ranks) return;
  EXPECT_THAT([&] { check_next_plan(line, first, elsewhere, ranks().size()); },
              testing::ThrowsMessage<skel::error>(testing::HasSubstr("its state cannot travel")));
}

TEST(NextPlan, WhoseStateCannotBeReadIsRolledBackAndTheStageStays) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> got;
  auto app = count_to(20000) | skel::stage("number", unreadable{}) |
             skel::sink([&](std::pair<std::uint64_t, std::uint64_t> x) { got.push_back(x); });
  program const line = make_program(app);
  run_plan first = spread(line, 1);
  first.stations[1].ranks = {0};
  first.batch_latency = 1e-4;
  skel::runtime::run_options options;
  options.plan_period = 1e-3;
  options.next_plan = [&](run_plan const& now, double) -> std::optional<run_plan> {
    run_plan next = now;
    next.stations[1].ranks = {ranks().size() - 1};
    if (next.stations[1].ranks == now.stations[1].ranks) return std::nullopt;
    return next;
  };
  auto const run = run_line(line, first, ranks(), options);
  EXPECT_EQ(run.items, 20000U);
  EXPECT_EQ(run.final_ranks[1], std::vector<int>{0});
  if (ranks().size() > 1) {
    ASSERT_FALSE(run.remaps.empty());
    EXPECT_THAT(run.remaps[0].rolled_back,
                testing::HasSubstr("'number' stays on rank 0: its state could not be read on rank"));
    EXPECT_THAT(run.remaps[0].rolled_back, testing::HasSubstr("planted"));
    for (std::size_t i = 1; i < run.remaps.size(); ++i)
      EXPECT_TRUE(run.remaps[i].repairs || run.remaps[i].refused.find("planted") != std::string::npos ||
                  run.remaps[i].refused == "the stream had ended")
          << run.remaps[i].refused;
  }
  if (!at_sink()) return;
  ASSERT_EQ(got.size(), 20000U);
  for (std::uint64_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], std::pair(i, i));
}

/// Counts for each of some parts, of 1 KB each.
struct counts_in_parts {
  using part = std::array<std::uint64_t, 128>;
  std::vector<part> kept = std::vector<part>(64);

  std::pair<std::uint64_t, std::uint64_t> operator()(std::uint64_t x) {
    stumble(x);
    return {x, ++kept[part_of(x)][x / 64 % 128]};
  }
  std::size_t parts() const { return kept.size(); }
  std::size_t part_of(std::uint64_t x) const { return x % kept.size(); }
  template <class Archive>
  void serialize_part(Archive& archive, std::size_t which) {
    archive(kept[which]);
  }
};

TEST(NextPlan, MovesAStateInPartsWhileItsStageWorks) {
  constexpr std::uint64_t items = 200000;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> got;
  auto app = count_to(items) | skel::stage("counts", counts_in_parts{}) |
             skel::sink([&](std::pair<std::uint64_t, std::uint64_t> x) { got.push_back(x); });
  program const line = make_program(app);
  run_plan first = spread(line, 1);
  first.batch_latency = 1e-4;
  first.part_pause = 1e-4;
  auto const run = run_line(line, first, ranks(), to_the_next_rank());
  EXPECT_EQ(run.items, items);
  auto const in_parts = std::ranges::count_if(run.remaps, [](auto const& r) { return r.in_parts > 0; });
  EXPECT_EQ(in_parts > 0, ranks().size() > 1);
  int at = first.stations[1].ranks.front();
  for (std::size_t i = 0; i < run.remaps.size() && ranks().size() > 1; ++i) {
    auto const& one = run.remaps[i];
    if (one.refused.empty()) {
      int const next = (at + 1) % ranks().size();
      EXPECT_THAT(one.moved, testing::ElementsAre(skel::record::stage_move{1, {at}, {next}}));
      at = next;
    }
    // Of those that are left out nobody knows which were refused.
    if (run.remaps.is_before_gap(i) && !run.remaps[i + 1].moved.empty())
      at = run.remaps[i + 1].moved.front().from.front();
  }
  for (auto const& one : run.remaps)
    EXPECT_TRUE(one.refused.empty() || one.refused.find("the stream had ended") != std::string::npos) << one.refused;
  if (!at_sink()) return;
  ASSERT_EQ(got.size(), items);
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> counted;
  for (std::uint64_t i = 0; i < items; ++i) ASSERT_EQ(got[i], std::pair(i, ++counted[{i % 64, i / 64 % 128}]));
}

/// Has one part more after each item.
struct growing_parts : counts_in_parts {
  std::uint64_t operator()(std::uint64_t x) {
    stumble(x);
    kept.emplace_back();
    return x;
  }
  std::size_t part_of(std::uint64_t x) const { return x % 64; }
  template <class Archive>
  void serialize_part(Archive& archive, std::size_t which) {
    kept.resize(std::max(kept.size(), which + 1));
    archive(kept[which]);
  }
};

TEST(NextPlan, EndsARunWhoseNumberOfPartsChangesWhileTheyMove) {
  std::uint64_t got = 0;
  auto app = count_to(20000) | skel::stage("grows", growing_parts{}) | skel::sink([&](std::uint64_t) { ++got; });
  program const line = make_program(app);
  run_plan first = spread(line, 1);
  first.batch_latency = 1e-4;
  first.batch_bytes = 1;  // one part at once
  if (ranks().size() == 1) {
    EXPECT_EQ(run_line(line, first, ranks(), to_the_next_rank()).items, 20000U);
    return;
  }
  EXPECT_THAT([&] { run_line(line, first, ranks(), to_the_next_rank()); },
              testing::ThrowsMessage<skel::stage_error>(testing::AllOf(
                  testing::HasSubstr("parts() of stage 'grows' says that there are "),
                  testing::HasSubstr(", and said "), testing::HasSubstr("their number must not change"))));
}

TEST(NextPlan, ThatMovesAPinnedStageIsRefusedWithWhyItIs) {
  auto app =
      count_to(1) | skel::stage("number", numbering{}) | skel::sink([](std::pair<std::uint64_t, std::uint64_t>) {});
  program const line = make_program(app);
  run_plan here;
  here.stations = {{{0}}, {{0}}, {{0}}};
  run_plan there = here;
  there.stations[1].ranks = {1};
  check_next_plan(line, here, there, 2);
  check_next_plan(line, here, here, 2, {{1, "it broke once"}});
  EXPECT_THAT(
      [&] {
        check_next_plan(line, here, there, 2, {{1, "it broke once"}});
      },
      testing::ThrowsMessage<skel::error>(
          testing::HasSubstr("'number' cannot be moved while the line runs: it broke once")));
}

}  // namespace
