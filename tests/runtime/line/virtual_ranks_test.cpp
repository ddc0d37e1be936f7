#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/pattern/compose.hpp>

#include "support/random_programs/programs.hpp"
#include "support/virtual_run.hpp"

// Runs over virtual ranks, whose messages come late and in any order. SKEL_SEEDS says how many are tried (10000 take
// some minutes), SKEL_SEED from which one on: SKEL_SEED=17 SKEL_SEEDS=1 repeats seed 17.
namespace {

using bench::dice;
using skel::runtime::closing;
using skel::runtime::program;
using skel::test::virtual_run;

std::uint64_t from_environment(char const* name, std::uint64_t otherwise) {
  char const* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

#if defined(SKEL_ADDRESS_SANITIZER) || defined(SKEL_THREAD_SANITIZER)
constexpr std::uint64_t times_slower = 10;
#else
constexpr std::uint64_t times_slower = 1;
#endif

/// Calls check(seed) until one fails.
template <class Check>
void for_seeds(std::uint64_t usually, Check const& check) {
  usually /= times_slower;
  std::uint64_t const first = from_environment("SKEL_SEED", 1), count = from_environment("SKEL_SEEDS", usually);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("SKEL_SEED=" + std::to_string(seed) + " SKEL_SEEDS=1");
    check(seed);
    if (testing::Test::HasFailure()) return;
  }
}

/// While it lives, something happens while functions of random programs run.
class interleaving {
 public:
  explicit interleaving(std::function<void()> of) { bench::meanwhile = std::move(of); }
  ~interleaving() { bench::meanwhile = nullptr; }
};

/// What a rank hears of what another one says.
closing across(closing const& said) {
  return skel::runtime::from_bytes<closing>(skel::runtime::to_bytes(said));
}

/// A random plan in which no time decides anything: batches of one item, or as many as their bytes say.
skel::plan::run_plan timeless_plan(program const& line, std::size_t items, std::size_t ranks, dice& roll) {
  auto plan = bench::random_plan(line, items, static_cast<int>(ranks), roll);
  plan.batch_latency = roll.one_in(3) ? 1e-12 : 1e6;
  plan.part_pause = 1e-12;
  return plan;
}

std::vector<std::string> hosts(std::size_t ranks) {
  std::vector<std::string> out;
  for (std::size_t r = 0; r < ranks; ++r) out.push_back("host" + std::to_string(r));
  return out;
}

/// Plans for a line that runs, which follow each other at random; some do not fit.
class restless {
 public:
  restless(program const& line, std::size_t items, std::size_t ranks, dice& roll)
      : line_(line), items_(items), ranks_(static_cast<int>(ranks)), roll_(roll.bits()) {}

  std::optional<skel::plan::run_plan> operator()(skel::plan::run_plan const& now, double) {
    if (!roll_.one_in(3)) return std::nullopt;
    auto next = bench::random_next_plan(line_, now, items_, ranks_, roll_);
    if (roll_.one_in(8)) next.stations.back().ranks = {ranks_};
    return next;
  }

 private:
  program const& line_;
  std::size_t items_;
  int ranks_;
  dice roll_;
};

/// What became of the plans of all seeds.
struct moves {
  std::size_t begun = 0, done = 0, refused = 0, rolled_back = 0, repaired = 0, stranded = 0, in_parts = 0,
              part_failed = 0;

  void count(std::vector<closing> const& ends) {
    for (auto const& one : ends.front().remaps) {
      begun += one.begun > 0;
      done += one.done > 0;
      refused += !one.refused.empty();
      rolled_back += !one.rolled_back.empty();
      repaired += one.repairs && one.done > 0;
      in_parts += one.in_parts > 0 && one.done > 0;
      part_failed += one.refused.find("stays on rank") != std::string::npos;
    }
  }
};

/// While it lives, what stages keep can sometimes not be written or read, or there is no memory for sending it.
class hindered {
 public:
  hindered(virtual_run& run, dice& roll) : roll_(roll.bits()), one_in_(1 + roll_.some(4)) {
    bench::state_travels = [this] {
      if (roll_.one_in(one_in_)) throw std::runtime_error("planted in a state");
    };
    run.without_memory([this](skel::runtime::channel where, skel::runtime::message const& what) {
      constexpr skel::runtime::channel moved_states = 5;  // of parcel_links
      return where == moved_states && !what.range_sizes().empty() && roll_.one_in(one_in_);
    });
  }
  ~hindered() { bench::state_travels = nullptr; }

 private:
  dice roll_;
  std::size_t one_in_;
};

enum class states { stay, move, move_sometimes };

/// A random program of random functions gives what it gives on the sequential engine, where it stays, where it is
/// moved while it runs, and where some moves fail half-way.
void check_composition(std::uint64_t seed, states what_moves, moves* moved = nullptr) {
  dice roll(seed);
  auto const& shapes = bench::all_shapes();
  auto const& what = shapes[roll.below(shapes.size())];
  std::size_t const items = roll.one_in(8) ? roll.below(3) : roll.below(80);
  std::size_t const ranks = 1 + roll.below(7);
  bench::item_length = roll.one_in(4) ? 3000 : 24;
  std::uint64_t const program_seed = roll.bits(), round = 0;
  SCOPED_TRACE(what.name + ", " + std::to_string(items) + " items on " + std::to_string(ranks) + " ranks");

  bench::account expected, got;
  auto const reference = what.make(bench::parts(program_seed, items, round, expected.digests));
  {
    interleaving const without([] {});
    reference.run_alone();
  }
  expected.sums = bench::said.take();

  std::vector<std::vector<std::uint64_t>> digests(ranks);
  std::vector<bench::made_program> programs;
  std::vector<program> lines;
  for (auto& mine : digests) {
    programs.push_back(what.make(bench::parts(program_seed, items, round, mine)));
    lines.push_back(programs.back().line());
  }
  auto const plan = timeless_plan(lines.front(), items, ranks, roll);
  std::vector<closing> ends;
  try {
    decltype(skel::runtime::run_options::next_plan) next;
    if (what_moves != states::stay) next = restless(lines.front(), items, ranks, roll);
    virtual_run run(lines, plan, seed, next);
    std::optional<hindered> some;
    if (what_moves == states::move_sometimes) some.emplace(run, roll);
    interleaving const during([&] { run.meanwhile(); });
    ends = run.run();
    if (moved != nullptr) moved->count(ends);
    auto const record = skel::runtime::conclude(lines.front(), plan, hosts(ranks), ends, 0, {});
    EXPECT_EQ(record.items, items);
  } catch (skel::stage_error const& e) {  // nobody has the whole state, and finish() needs it
    bench::said.take();
    if (what_moves != states::move_sometimes || std::string(e.what()).find("did not come home") == std::string::npos)
      FAIL() << e.what();
    ++moved->stranded;
    return;
  } catch (std::exception const& e) {
    FAIL() << e.what();
  }
  for (auto const& mine : digests) got.digests.insert(got.digests.end(), mine.begin(), mine.end());
  got.sums = bench::said.take();
  if (reference.free_order) {
    std::ranges::sort(got.digests);
    std::ranges::sort(expected.digests);
  }
  EXPECT_EQ(bench::difference(got, expected), "");
}

TEST(VirtualRanks, RandomProgramsGiveWhatTheSequentialEngineGives) {
  for_seeds(1000, [](std::uint64_t seed) { check_composition(seed, states::stay); });
}

TEST(VirtualRanks, ProgramsThatAreMovedGiveWhatTheSequentialEngineGives) {
  moves all;
  for_seeds(1000, [&](std::uint64_t seed) { check_composition(seed, states::move, &all); });
  EXPECT_GT(all.begun, 0U);
  EXPECT_GT(all.done, 0U);
  EXPECT_GT(all.refused, 0U);
  EXPECT_EQ(all.rolled_back, 0U);
}

TEST(VirtualRanks, ProgramsWhoseMovesFailHalfWayGiveWhatTheSequentialEngineGives) {
  moves all;
  for_seeds(1000, [&](std::uint64_t seed) { check_composition(seed, states::move_sometimes, &all); });
  EXPECT_GT(all.rolled_back, 0U);
  EXPECT_GT(all.repaired, 0U);
  EXPECT_LT(all.stranded, all.rolled_back);
}

constexpr std::size_t never = 1000000007;

/// Functions that throw, each on items of its own, and who has thrown on which.
struct dangers {
  std::uint64_t seed = 0;
  std::size_t one_in = 1;
  std::map<std::uint64_t, std::string> thrown;  // stage by item
  std::function<void(std::string const&, std::uint64_t)> also = {};

  void pass(std::string const& stage, std::uint64_t item) {
    bench::meanwhile();
    if (also) also(stage, item);
    if (bench::scatter(seed ^ std::hash<std::string>()(stage) ^ bench::scatter(item)) % one_in != 0) return;
    thrown.emplace(item, stage);
    throw std::runtime_error("planted in " + stage);
  }
};

dangers* of_fragile = nullptr;  ///< what may go wrong when fragile items are written and read

struct fragile {
  std::uint64_t number = 0;
};

/// Counts items.
struct fragile_state {
  std::uint64_t seen = 0;

  std::uint64_t operator()(std::uint64_t x) { return x * 1000 + seen++; }
  void finish() const { ended.emplace_back(this, seen); }

  static std::vector<std::pair<void const*, std::uint64_t>> ended;  ///< where finish() was called, with how many seen
};
std::vector<std::pair<void const*, std::uint64_t>> fragile_state::ended;

}  // namespace

template <>
struct skel::serializer<fragile> {
  template <class Archive>
  static void save(Archive& archive, fragile const& item) {
    if (!archive.counts()) of_fragile->pass("write", item.number);
    archive(item.number);
  }
  template <class Archive>
  static fragile load(Archive& archive) {
    fragile item;
    archive(item.number);
    of_fragile->pass("read", item.number);
    return item;
  }
};

template <>
struct skel::serializer<fragile_state> {
  template <class Archive>
  static void save(Archive& archive, fragile_state const& state) {
    if (!archive.counts()) of_fragile->pass("write", state.seen);
    archive(state.seen);
  }
  template <class Archive>
  static fragile_state load(Archive& archive) {
    fragile_state state;
    archive(state.seen);
    of_fragile->pass("read", state.seen);
    return state;
  }
};

namespace {

/// How many items stages make of one.
struct many {
  bool drawn = false;

  std::uint64_t of(std::uint64_t item) const { return drawn ? bench::scatter(item) % 3 : 1; }
};

/// What may go wrong before an item, of `length` elements, has come to the sink.
auto dangerous(dangers& of, std::uint64_t items, std::size_t length, bool ordered, many how,
               std::vector<std::uint64_t>& got) {
  using parcel = std::vector<std::uint64_t>;
  auto const step = [&of](char const* name) {
    return [&of, name](parcel x) {
      of.pass(name, x[0]);
      return x;
    };
  };
  auto farm = skel::farm("farm", skel::stage("first", step("first")) | skel::stage("second", step("second")));
  farm.notes.ordered = ordered;
  return skel::source("source",
                      [&of, items, length, next = std::uint64_t{0}]() mutable -> std::optional<parcel> {
                        if (next == items) return std::nullopt;
                        of.pass("source", next);
                        return parcel(length, next++);
                      }) |
         skel::stage("before",
                     [&of, how](parcel x, skel::emitter<parcel>& out) {
                       of.pass("before", x[0]);
                       for (std::uint64_t i = 0; i < how.of(x[0]); ++i) out(x);
                     }) |
         std::move(farm) | skel::stage("behind", step("behind")) | skel::sink("sink", [&of, &got](parcel x) {
           of.pass("sink", x[0]);
           got.push_back(x[0]);
         });
}

/// A run of a dangerous program.
struct dangerous_run {
  std::size_t ranks, items;
  dangers of;
  bool ordered;
  many how;
  std::vector<std::uint64_t> got{};
  std::vector<closing> ends{};
  std::vector<program> lines{};
  skel::plan::run_plan plan{};

  dangerous_run(std::uint64_t seed, dice& roll)
      : ranks(1 + roll.below(7)),
        items(1 + roll.below(60)),
        of{roll.bits(), 1, {}},
        ordered(roll.one_in(2)),
        how{roll.one_in(2)},
        seed_(seed) {}

  /// `prepare` may change what will be run.
  template <class Prepare>
  void run(dice& roll, Prepare const& prepare) {
    std::size_t const length = roll.one_in(2) ? 1 : 500;
    std::vector<decltype(dangerous(of, items, length, ordered, how, got))> apps;
    for (std::size_t r = 0; r < ranks; ++r) apps.push_back(dangerous(of, items, length, ordered, how, got));
    for (auto& app : apps) lines.push_back(skel::runtime::make_program(app));
    plan = timeless_plan(lines.front(), items, ranks, roll);
    decltype(skel::runtime::run_options::next_plan) next;
    if (roll.one_in(2)) next = restless(lines.front(), items, ranks, roll);
    virtual_run run(lines, plan, seed_, next);
    prepare(run);
    interleaving const during([&] { run.meanwhile(); });
    ends = run.run();
  }

  /// What rank `r` makes of what all say.
  void conclude(std::size_t r) const {
    std::vector<closing> heard;
    for (std::size_t other = 0; other < ranks; ++other) heard.push_back(other == r ? ends[other] : across(ends[other]));
    skel::runtime::conclude(lines.front(), plan, hosts(ranks), heard, static_cast<int>(r), {});
  }

  void expect_everything() {
    if (!ordered) std::ranges::sort(got);
    std::vector<std::uint64_t> all;
    for (std::uint64_t i = 0; i < items; ++i) all.insert(all.end(), how.of(i), i);
    ASSERT_EQ(got, all);
  }

 private:
  std::uint64_t seed_;
};

/// Every rank is told of the earliest item on which anything threw, and comes to rest; without a throw nothing is lost.
void check_faults(std::uint64_t seed) try {
  dice roll(seed);
  dangerous_run one(seed, roll);
  one.of.one_in = roll.one_in(8) ? never : 2 + roll.some(9);
  one.run(roll, [](virtual_run&) {});
  auto const& thrown = one.of.thrown;
  for (std::size_t r = 0; r < one.ranks; ++r) try {
      one.conclude(r);
      EXPECT_TRUE(thrown.empty()) << "rank " << r << " is told nothing of item " << thrown.begin()->first;
    } catch (skel::stage_error const& e) {
      ASSERT_FALSE(thrown.empty()) << e.what();
      auto const& [item, stage] = *thrown.begin();
      if (e.stage() == "source" || e.stage() == "before") {
        EXPECT_EQ(e.item(), item) << "rank " << r << ": " << e.what();
        EXPECT_EQ(e.stage(), stage);
      } else {  // the first of the batch in which it was
        EXPECT_LE(e.item(), item) << "rank " << r << ": " << e.what();
      }
      EXPECT_EQ(e.cause() != nullptr, e.rank() == static_cast<int>(r));
    }
  if (thrown.empty()) one.expect_everything();
} catch (std::exception const& e) {
  FAIL() << e.what();
}

TEST(VirtualRanks, FunctionsThatThrowBringAllToRestWithTheEarliestItem) {
  for_seeds(1000, check_faults);
}

/// Where items cannot be written or read, every rank is told of the batch that holds the earliest of them.
void check_fragile(std::uint64_t seed) try {
  dice roll(seed);
  std::size_t const ranks = 2 + roll.below(6), items = 1 + roll.below(60);
  dangers of{roll.bits(), 2 + roll.some(9), {}};
  of_fragile = &of;
  std::vector<std::uint64_t> got;
  auto const compose = [&] {
    return skel::source("source",
                        [items, next = std::uint64_t{0}]() mutable {
                          return next == items ? std::nullopt : std::optional(fragile{next++});
                        }) |
           skel::farm("farm",
                      [](fragile x) {
                        bench::meanwhile();
                        return x;
                      }) |
           skel::sink("sink", [&](fragile x) { got.push_back(x.number); });
  };
  std::vector<decltype(compose())> apps;
  std::vector<program> lines;
  for (std::size_t r = 0; r < ranks; ++r) apps.push_back(compose());
  for (auto& app : apps) lines.push_back(skel::runtime::make_program(app));
  auto const plan = timeless_plan(lines.front(), items, ranks, roll);
  virtual_run run(lines, plan, seed);
  interleaving const during([&] { run.meanwhile(); });
  std::vector<closing> ends;
  for (closing const& one : run.run()) ends.push_back(across(one));
  std::vector<std::string> told;
  for (std::size_t r = 0; r < ranks; ++r) try {
      skel::runtime::conclude(lines.front(), plan, hosts(ranks), ends, static_cast<int>(r), {});
    } catch (skel::stage_error const& e) {
      told.push_back(e.what());
      ASSERT_FALSE(of.thrown.empty());
      EXPECT_LE(e.item(), of.thrown.begin()->first) << e.what();
    }
  EXPECT_EQ(told, std::vector<std::string>(of.thrown.empty() ? 0 : ranks, told.empty() ? "" : told.front()));
  if (!of.thrown.empty()) return;
  ASSERT_EQ(got.size(), items);
  for (std::size_t i = 0; i < items; ++i) ASSERT_EQ(got[i], i);
} catch (std::exception const& e) {
  FAIL() << e.what();
}

TEST(VirtualRanks, ItemsThatCannotBeWrittenOrReadBringAllToRest) {
  for_seeds(500, check_fragile);
}

/// Where the state of stages that move cannot be written or read, they go on with it where it is: nothing is lost, and
/// the record says why.
void check_fragile_state(std::uint64_t seed, moves& moved) try {
  dice roll(seed);
  std::size_t const ranks = 2 + roll.below(6), items = 1 + roll.below(200);
  dangers of{roll.bits(), roll.one_in(8) ? never : 1 + roll.some(5), {}};
  of_fragile = &of;
  std::vector<std::uint64_t> got;
  fragile_state::ended.clear();
  auto const compose = [&] {
    return skel::source("source",
                        [items, next = std::uint64_t{0}]() mutable {
                          return next == items ? std::nullopt : std::optional(next++);
                        }) |
           skel::stage("count", fragile_state()) | skel::stage("count again", fragile_state()) |
           skel::sink("sink", [&](std::uint64_t x) {
             bench::meanwhile();
             got.push_back(x);
           });
  };
  std::vector<decltype(compose())> apps;
  std::vector<program> lines;
  for (std::size_t r = 0; r < ranks; ++r) apps.push_back(compose());
  for (auto& app : apps) lines.push_back(skel::runtime::make_program(app));
  auto const plan = timeless_plan(lines.front(), items, ranks, roll);
  virtual_run run(lines, plan, seed, restless(lines.front(), items, ranks, roll));
  interleaving const during([&] { run.meanwhile(); });
  auto const ends = run.run();
  moved.count(ends);
  auto const record = skel::runtime::conclude(lines.front(), plan, hosts(ranks), ends, 0, {});
  std::size_t rolled_back = 0;
  for (auto const& one : record.remaps) {
    if (one.rolled_back.empty()) continue;
    ++rolled_back;
    EXPECT_NE(one.rolled_back.find("planted in"), std::string::npos) << one.rolled_back;
    EXPECT_NE(one.rolled_back.find("'count"), std::string::npos) << one.rolled_back;
    EXPECT_FALSE(one.stay.empty());
    for (auto const s : one.stay)
      EXPECT_NE(one.rolled_back.find("'" + lines.front().stations[s].notes.name + "'"), std::string::npos);
  }
  EXPECT_EQ(rolled_back > 0, !of.thrown.empty());
  for (std::size_t s = 1; s < 3; ++s) {  // a later run finds the state where the record says that it is
    ASSERT_EQ(record.final_ranks[s].size(), 1U);
    auto const at = static_cast<std::size_t>(record.final_ranks[s].front());
    ASSERT_EQ(fragile_state::ended.size(), 2U);
    auto const [where, seen] = fragile_state::ended[s - 1];
    EXPECT_TRUE(where >= &apps[at] && where < &apps[at] + 1) << "station " << s;
    EXPECT_EQ(seen, items);
  }
  ASSERT_EQ(got.size(), items);
  for (std::size_t i = 0; i < items; ++i) ASSERT_EQ(got[i], (i * 1000 + i) * 1000 + i);
} catch (std::exception const& e) {
  FAIL() << e.what();
}

TEST(VirtualRanks, StagesWhoseStateCannotBeWrittenOrReadGoOnWhereItIs) {
  moves all;
  for_seeds(1000, [&](std::uint64_t seed) { check_fragile_state(seed, all); });
  EXPECT_GT(all.rolled_back, 0U);
  EXPECT_GT(all.repaired, 0U);
}

/// Stages with states in parts, which move again and again while many items pass.
void check_parts(std::uint64_t seed, bool fails, moves& moved) try {
  dice roll(seed);
  std::size_t const ranks = 2 + roll.below(6), items = 200 + roll.below(800), parts = 1 + roll.below(20);
  bench::habit const of{roll.bits(), 0, 0, 0, true, false};
  std::vector<std::uint64_t> got, expected;
  auto const compose = [&](std::vector<std::uint64_t>& out) {
    using bench::keeping_in_parts;
    return skel::source(
               "source",
               [items, next = std::uint64_t{0}]() mutable {
                 return next == items ? std::nullopt : std::optional(bench::scatter(next++));
               },
               skel::stateless) |
           skel::stage("parts", keeping_in_parts<std::uint64_t, std::uint64_t>(of, parts)) |
           skel::farm("farm", bench::plain<std::uint64_t, std::uint64_t>{of}) |
           skel::stage("more parts", keeping_in_parts<std::uint64_t, std::uint64_t>(of, parts + 3)) |
           skel::sink(
               "sink", [&out](std::uint64_t x) { out.push_back(x); }, skel::stateless);
  };
  {
    interleaving const without([] {});
    auto alone = compose(expected);
    skel::runtime::run_sequential(alone);
  }
  auto const said = bench::said.take();
  std::vector<decltype(compose(got))> apps;
  std::vector<program> lines;
  for (std::size_t r = 0; r < ranks; ++r) apps.push_back(compose(got));
  for (auto& app : apps) lines.push_back(skel::runtime::make_program(app));
  auto plan = timeless_plan(lines.front(), items, ranks, roll);
  plan.batch_bytes = 8 * (1 + roll.some(4));
  virtual_run run(lines, plan, seed, restless(lines.front(), items, ranks, roll));
  std::optional<hindered> some;
  if (fails) some.emplace(run, roll);
  interleaving const during([&] { run.meanwhile(); });
  auto const ends = run.run();
  moved.count(ends);
  auto const now_said = bench::said.take();
  try {
    skel::runtime::conclude(lines.front(), plan, hosts(ranks), ends, 0, {});
  } catch (skel::stage_error const& e) {
    ASSERT_TRUE(fails && std::string(e.what()).find("did not come home") != std::string::npos) << e.what();
    ++moved.stranded;
    return;
  }
  ASSERT_EQ(got, expected);
  EXPECT_EQ(now_said, said);
} catch (std::exception const& e) {
  FAIL() << e.what();
}

TEST(VirtualRanks, StatesInPartsMoveWhileTheirStagesWork) {
  moves all;
  for_seeds(300, [&](std::uint64_t seed) { check_parts(seed, false, all); });
  EXPECT_GT(all.in_parts, 0U);
  EXPECT_EQ(all.rolled_back + all.part_failed + all.stranded, 0U);
}

TEST(VirtualRanks, PartsThatCannotBeWrittenOrReadStayOrComeHome) {
  moves all;
  for_seeds(300, [&](std::uint64_t seed) { check_parts(seed, true, all); });
  EXPECT_GT(all.in_parts, 0U);
  EXPECT_GT(all.part_failed, 0U);
  EXPECT_LT(all.stranded, all.part_failed);
}

TEST(VirtualRanks, ARunIsRepeatedByItsSeed) {
  auto const trace = [](std::uint64_t seed) {
    dice roll(seed);
    dangerous_run one(seed, roll);
    one.of.one_in = never;
    std::vector<std::string> calls;
    one.of.also = [&](std::string const& stage, std::uint64_t item) { calls.push_back(stage + std::to_string(item)); };
    one.run(roll, [](virtual_run&) {});
    return calls;
  };
  for (std::uint64_t seed = 1; seed <= 50; ++seed) EXPECT_EQ(trace(seed), trace(seed)) << "seed " << seed;
  EXPECT_NE(trace(1), trace(2));
}

/// A run that is interrupted on some rank ends as cancelled on all of them, or on none, and then it is complete.
void check_interrupt(std::uint64_t seed) try {
  dice roll(seed);
  dangerous_run one(seed, roll);
  one.of.one_in = never;
  std::string const stage = roll.one_in(2) ? "before" : "sink";
  std::uint64_t const item = roll.below(one.items);
  std::size_t const rank = roll.below(one.ranks);
  one.run(roll, [&](virtual_run& run) {
    one.of.also = [&, stage, item, rank](std::string const& where, std::uint64_t which) {
      if (where == stage && which == item) run.interrupt(rank);
    };
  });
  std::size_t cancelled = 0;
  for (std::size_t r = 0; r < one.ranks; ++r) try {
      one.conclude(r);
    } catch (skel::cancelled const&) {
      ++cancelled;
    }
  EXPECT_TRUE(cancelled == 0 || cancelled == one.ranks);
  if (cancelled == 0) one.expect_everything();
} catch (std::exception const& e) {
  FAIL() << e.what();
}

TEST(VirtualRanks, AnInterruptOnOneRankBringsAllToRest) {
  for_seeds(500, check_interrupt);
}

/// Gives the numbers below a limit, and knows which are left.
struct counting {
  std::uint64_t limit = 0, next = 0;

  std::optional<std::uint64_t> operator()() {
    bench::meanwhile();
    return next == limit ? std::nullopt : std::optional(next++);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(limit, next);
  }
};

/// Adds what it has seen before.
struct adding {
  std::uint64_t sum = 0;

  std::uint64_t operator()(std::uint64_t x) {
    bench::meanwhile();
    return sum += x;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    if (bench::state_travels) bench::state_travels();
    archive(sum);
  }
};

/// Keeps what it gets, which is its place in what it writes too.
struct keeping_all {
  std::vector<std::uint64_t> got;

  void operator()(std::uint64_t x) {
    bench::meanwhile();
    got.push_back(x);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(got);
  }
};

auto compose_windows(std::size_t items) {
  return skel::source("source", counting{items}) | skel::stage("add", adding{}) |
         skel::farm("farm", [](std::uint64_t x) { return bench::meanwhile(), 3 * x; }) |
         skel::reduce(
             "fold", [](std::uint64_t a, std::uint64_t b) { return 7 * a + b; }, skel::every(3)) |
         skel::sink("sink", keeping_all{});
}

/// The workers of the farm fold too.
auto compose_sum(std::size_t items) {
  return skel::source("source", counting{items}) |
         skel::farm("farm", [](std::uint64_t x) { return bench::meanwhile(), x * x; }) | skel::stage("add", adding{}) |
         skel::farm(
             "filter",
             [](std::uint64_t x, skel::emitter<std::uint64_t>& out) {
               bench::meanwhile();
               for (std::uint64_t i = 0; i < x % 3; ++i) out(x);
             },
             skel::unordered) |
         skel::stage("one by one", [](std::uint64_t x) { return x; }) |
         skel::farm("worker", [](std::uint64_t x) { return bench::meanwhile(), x + 1; }) |
         skel::reduce("sum", std::plus<std::uint64_t>()) | skel::sink("sink", keeping_all{});
}

/// What a program gave, of all ranks: one of them has the sink.
template <class App>
std::vector<std::uint64_t> given(std::vector<App> const& apps) {
  std::vector<std::uint64_t> all;
  for (auto const& app : apps) {
    auto const& some = boost::hana::back(app.parts).consume.got;
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

std::size_t checkpoints_tried = 0, checkpoints_failed = 0;

/// A line goes on from any of its checkpoints on another number of ranks, where it may be moved too, to what it gives
/// alone; also where some checkpoints and moves `fail`.
template <class Compose>
void check_checkpoints(std::uint64_t seed, Compose const& compose, bool fail = false) try {
  dice roll(seed);
  std::size_t const items = roll.below(60);
  auto expected = compose(items);
  {
    interleaving const without([] {});
    skel::runtime::run_sequential(expected);
  }
  std::vector<std::uint64_t> const all = boost::hana::back(expected.parts).consume.got;
  std::optional<skel::runtime::checkpoint> from;
  std::uint64_t before = 0;
  for (int lives = 2 + static_cast<int>(roll.below(3)); lives > 0; --lives) {
    std::size_t const ranks = 1 + roll.below(6);
    using app = decltype(compose(items));
    std::vector<app> apps;
    for (std::size_t r = 0; r < ranks; ++r) apps.push_back(compose(items));
    std::vector<program> lines;
    for (auto& one : apps) lines.push_back(skel::runtime::make_program(one));
    auto const plan = timeless_plan(lines.front(), items, ranks, roll);
    if (from)
      for (std::size_t s = 0; s < lines.front().size(); ++s)
        if (auto const& state = lines[static_cast<std::size_t>(plan.stations[s].ranks.front())].stations[s].state)
          state->restore(from->states[s]);
    std::vector<skel::runtime::checkpoint> kept;
    decltype(skel::runtime::run_options::next_plan) next;
    if (roll.one_in(2)) next = restless(lines.front(), items, ranks, roll);
    virtual_run run(lines, plan, roll.bits(), next, [&kept](skel::runtime::checkpoint const& one) {
      kept.push_back(one);
      return std::uint64_t{1};
    });
    interleaving const during([&] { run.meanwhile(); });
    std::optional<hindered> some;
    if (fail) some.emplace(run, roll);
    auto const ends = run.run();
    for (std::size_t r = 0; r < ranks; ++r) {
      std::vector<closing> heard;
      for (auto const& one : ends) heard.push_back(across(one));
      auto const record = skel::runtime::conclude(lines.front(), plan, hosts(ranks), heard, static_cast<int>(r), {});
      EXPECT_EQ(record.checkpoints.written, kept.size());
      EXPECT_EQ(record.checkpoints.failed > 0, !record.checkpoints.problem.empty());
      if (record.checkpoints.failed > 0) {
        EXPECT_TRUE(record.checkpoints.problem.starts_with("the state of stage 'add' could not be serialised on rank "))
            << record.checkpoints.problem;
      }
    }
    checkpoints_failed += ends.front().checkpoints.failed;
    ASSERT_EQ(given(apps), all) << "on " << ranks << " ranks";
    for (auto const& one : kept) EXPECT_LE(one.item, items - before);
    checkpoints_tried += kept.size();
    if (kept.empty()) continue;
    from = kept[roll.below(kept.size())];
    before += from->item;
  }
} catch (std::exception const& e) {
  FAIL() << e.what();
}

TEST(VirtualRanks, ALineGoesOnFromAnyCheckpointOnAnyNumberOfRanks) {
  checkpoints_tried = 0;
  for_seeds(600, [](std::uint64_t seed) { check_checkpoints(seed, compose_windows); });
  for_seeds(400, [](std::uint64_t seed) { check_checkpoints(seed, compose_sum); });
  EXPECT_GT(checkpoints_tried, 0U);
}

TEST(VirtualRanks, ACheckpointThatCannotBeWrittenIsGivenUpAndTheLineGoesOn) {
  checkpoints_tried = checkpoints_failed = 0;
  for_seeds(300, [](std::uint64_t seed) { check_checkpoints(seed, compose_windows, true); });
  for_seeds(200, [](std::uint64_t seed) { check_checkpoints(seed, compose_sum, true); });
  EXPECT_GT(checkpoints_tried, 0U);
  EXPECT_GT(checkpoints_failed, 0U);
}

/// Thousands of plans, most of which do not fit, for a line that is moved by the others.
TEST(VirtualRanks, OfThousandsOfPlansTheFirstAndTheLastAreKeptAndAllAreCounted) {
  std::size_t const items = 1000, ranks = 3;
  auto expected = compose_windows(items);
  {
    interleaving const without([] {});
    skel::runtime::run_sequential(expected);
  }
  std::vector<decltype(compose_windows(items))> apps;
  std::vector<program> lines;
  for (std::size_t r = 0; r < ranks; ++r) apps.push_back(compose_windows(items));
  for (auto& one : apps) lines.push_back(skel::runtime::make_program(one));
  dice roll(1);
  auto const plan = timeless_plan(lines.front(), items, ranks, roll);
  std::uint64_t given_plans = 0, fitting = 0;
  virtual_run run(lines, plan, 1, [&](skel::plan::run_plan const& now, double) {
    auto next = now;
    if (++given_plans % 100 == 0)
      ++fitting, next.stations[1].ranks = {(now.stations[1].ranks.front() + 1) % static_cast<int>(ranks)};
    else
      next.stations.back().ranks = {static_cast<int>(ranks)};
    return std::optional(next);
  });
  interleaving const during([&] { run.meanwhile(); });
  auto const ends = run.run();
  auto const record = skel::runtime::conclude(lines.front(), plan, hosts(ranks), ends, 0, {});
  EXPECT_EQ(given(apps), given(std::vector{std::move(expected)}));
  ASSERT_GT(given_plans, record.remaps.most);
  EXPECT_EQ(record.remaps.all(), given_plans);
  EXPECT_EQ(record.remaps.size(), record.remaps.most);
  EXPECT_EQ(record.remaps.front().epoch, 1U);
  EXPECT_EQ(record.remaps.back().epoch, given_plans);
  EXPECT_GE(record.moves + 1, fitting);  // the stream may have ended before the last one
  EXPECT_LE(record.moves, fitting);
  for (auto const& one : record.remaps) EXPECT_TRUE(one.done == 0 || one.refused.empty()) << one.epoch;
}

}  // namespace
