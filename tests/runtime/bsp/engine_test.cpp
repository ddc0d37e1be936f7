#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <map>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/plan/block.hpp>
#include <skel/detail/runtime/bsp/program.hpp>
#include <skel/detail/runtime/bsp/sequential.hpp>
#include <skel/detail/runtime/bytes.hpp>
#include <skel/detail/runtime/errors.hpp>
#include <skel/detail/runtime/gathered_values.hpp>

#include "support/random_bsp.hpp"
#include "support/virtual_bsp.hpp"
#include "support/waiting_read.hpp"

namespace {

using skel::bsp_measures;
using skel::bsp_move;
using skel::process_error;
using skel::runtime::bsp::run_options;
using skel::runtime::bsp::run_sequential;
using skel::test::virtual_bsp;
using skel::test::witness;
using testing::AllOf;
using testing::HasSubstr;

std::uint64_t seeds() {
  char const* const asked = std::getenv("SKEL_SEEDS");
  return asked == nullptr ? 200 : std::strtoull(asked, nullptr, 10);
}

/// Heads are relayed over any number of ranks, or over none.
run_options relayed(bool relays, run_options options = {}) {
  options.relays_from = relays ? 1 : 1000;
  return options;
}

/// Moves drawn by a seed, of as many processes as one in `rarely`; among them some that cannot be made.
run_options random_moves(std::uint64_t seed, int ranks, std::size_t rarely) {
  run_options out;
  out.measures = true;
  out.next_moves = [roll = bench::dice(seed), ranks, rarely](bsp_measures const& of) mutable {
    std::vector<bsp_move> moves;
    for (std::size_t p = 0; p < of.rank_of.size(); ++p)
      if (roll.one_in(rarely))
        moves.push_back({p, of.rank_of[p], static_cast<int>(roll.below(static_cast<std::size_t>(ranks) + 1))});
    if (roll.one_in(5)) moves.push_back({of.rank_of.size(), 0, 0});
    return moves;
  };
  return out;
}

/// The program after some supersteps, as rank 0 was given it.
struct kept_program {
  std::uint64_t superstep = 0;
  std::vector<std::string> what{};
  std::string problem{};
};

/// Keeps the program as often as the seed says, one superstep in `rarely`.
void keep(run_options& options, std::vector<kept_program>& all, std::uint64_t seed, std::size_t rarely) {
  options.is_kept = [roll = bench::dice(seed), rarely](std::uint64_t) mutable { return roll.one_in(rarely); };
  options.keep = [&all](std::uint64_t superstep, std::vector<std::string> what, std::string problem, double) {
    all.push_back({superstep, std::move(what), std::move(problem)});
  };
}

/// What happened in some runs.
struct activity {
  std::uint64_t messages = 0, moved = 0, not_moved = 0;
};

/// `meaning`: a program that gives the same.
template <class Program, class Meaning>
void expect_as(Meaning const& meaning, Program const& program, int ranks, std::uint64_t seed, run_options options,
               activity& sum) {
  std::uint64_t supersteps = 0;
  auto const expected = run_sequential(meaning, supersteps);
  virtual_bsp<Program> run(program, ranks, seed, std::move(options));
  run.run();
  std::map<std::size_t, typename Program::state> all;
  for (int r = 0; r < ranks; ++r) {
    auto const record = run.end(static_cast<std::size_t>(r));
    EXPECT_EQ(record.supersteps, supersteps) << "seed " << seed;
    auto here = run.states(static_cast<std::size_t>(r));
    for (auto const& [process, state] : here) EXPECT_EQ(record.rank_of[process], r);
    all.merge(here);
    if (r > 0) continue;
    sum.messages += record.messages;
    sum.moved += record.migrated;
    sum.not_moved += record.not_migrated;
  }
  ASSERT_EQ(all.size(), expected.size());
  for (auto const& [process, state] : all)
    EXPECT_TRUE(state == expected[process]) << "seed " << seed << ", " << process;
}

template <class Program>
void expect_as_sequential(Program const& program, int ranks, std::uint64_t seed, run_options options, activity& sum) {
  expect_as(program, program, ranks, seed, std::move(options), sum);
}

TEST(BspEngine, GivesWhatTheSequentialEngineGives) {
  activity sum;
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    int const ranks = static_cast<int>(1 + seed % 9);
    auto const options = relayed(seed % 2 == 0);
    expect_as_sequential(skel::test::random_bsp<std::uint64_t>(seed), ranks, seed, options, sum);
    expect_as_sequential(skel::test::random_bsp<std::string>(seed), ranks, seed, options, sum);
  }
  EXPECT_GT(sum.messages, 50 * seeds());
  EXPECT_EQ(sum.moved + sum.not_moved, 0u);
}

TEST(BspEngine, GivesTheSameWhereProcessesMoveAtEveryBarrier) {
  activity sum;
  for (std::uint64_t seed = 1; seed <= 2 * seeds(); ++seed) {
    int const ranks = static_cast<int>(1 + seed % 7);
    auto const moves = relayed(seed / 4 % 2 == 0, random_moves(seed, ranks, 1 + seed % 4));
    expect_as_sequential(skel::test::random_bsp<std::uint64_t>(seed), ranks, seed, moves, sum);
    expect_as_sequential(skel::test::random_bsp<std::string>(seed), ranks, seed, moves, sum);
  }
  EXPECT_GT(sum.messages, 100 * seeds());
  EXPECT_GE(sum.moved, 50 * seeds());  // 10,000
  EXPECT_GT(sum.not_moved, seeds());
}

TEST(BspEngine, ProcessesBeginWhereTheOptionsSay) {
  activity sum;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto const program = skel::test::random_bsp<std::string>(seed);
    run_options options;
    bench::dice roll(seed);
    for (std::size_t p = 0; p < program.processes; ++p) options.first_ranks.push_back(static_cast<int>(roll.below(4)));
    expect_as_sequential(program, 4, seed, options, sum);
    virtual_bsp run(program, 4, seed, options);
    run.run();
    EXPECT_EQ(run.end(0).rank_of, options.first_ranks);
  }
}

/// A run that was kept now and then, and may have moves, goes on from each of these on other ranks with other places,
/// where it is kept again. All give what the sequential engine gives. Returns how often it went on.
template <class Program>
std::size_t expect_the_same_from_any_superstep(Program const& program, std::uint64_t seed) {
  bench::dice roll(seed);
  activity sum;
  auto const options = [&](int ranks) {
    auto out = roll.one_in(2) ? random_moves(seed, ranks, 1 + seed % 4) : run_options();
    if (roll.one_in(2))
      for (std::size_t p = 0; p < program.processes; ++p)
        out.first_ranks.push_back(static_cast<int>(roll.below(static_cast<std::size_t>(ranks))));
    return relayed(roll.one_in(2), std::move(out));
  };
  std::vector<kept_program> all;
  int const ranks = static_cast<int>(roll.between(1, 7));
  auto first = options(ranks);
  keep(first, all, seed, roll.between(1, 3));
  expect_as_sequential(program, ranks, seed, first, sum);
  for (std::size_t k = 0, end = all.size(); k < all.size() && k < 2 * end; ++k) {
    auto const kept = all[k];
    EXPECT_EQ(kept.problem, "");
    int const others = static_cast<int>(roll.between(1, 7));
    auto again = options(others);
    again.done = kept.superstep, again.kept = kept.what;
    keep(again, all, seed + k, 4);
    expect_as_sequential(program, others, seed, again, sum);
  }
  return all.size();
}

TEST(BspEngine, GoesOnAfterAnySuperstepOnAnyRanks) {
  std::size_t went_on = 0;
  for (std::uint64_t seed = 1; seed <= seeds() / 2; ++seed) {
    went_on += expect_the_same_from_any_superstep(skel::test::random_bsp<std::uint64_t>(seed), seed);
    went_on += expect_the_same_from_any_superstep(skel::test::random_bsp<std::string>(seed), seed);
    auto const combining = skel::test::combining_bsp<double>(seed, std::plus<>());
    went_on += expect_the_same_from_any_superstep(combining.combined_by(std::plus<>()), seed);
  }
  EXPECT_GT(went_on, 3 * seeds());
}

TEST(BspEngine, GivesTheSameOnSeveralThreads) {
  activity sum;
  for (std::uint64_t seed = 1; seed <= seeds() / 10; ++seed) {
    auto moves = random_moves(seed, 2, 3);
    moves.threads = 3;
    expect_as_sequential(skel::test::random_bsp<std::uint64_t>(seed), 2, seed, moves, sum);
    expect_as_sequential(skel::test::random_bsp<std::string>(seed), 2, seed, moves, sum);
  }
}

/// A program whose messages are combined gives what processes give that combine them by themselves.
template <class Message, class Combine>
void expect_the_same_combined(std::uint64_t seed, int ranks, run_options const& options, Combine combine,
                              activity& sum) {
  auto const alone = skel::test::combining_bsp<Message>(seed, combine);
  auto const combined = alone.combined_by(combine);
  expect_as(alone, combined, ranks, seed, options, sum);
  expect_as(combined, alone, ranks, seed, options, sum);
}

TEST(BspEngine, CombinedMessagesAreWhatTheirReceiverWouldHaveCombined) {
  activity sum;
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed)
    for (int const ranks : {1, 2, 4, 7}) {
      auto options = seed % 2 == 0 ? run_options() : random_moves(seed, ranks, 1 + seed % 4);
      options.threads = seed % 10 == 0 ? 3 : 1;
      expect_the_same_combined<double>(seed, ranks, options, std::plus<>(), sum);
      expect_the_same_combined<std::string>(seed, ranks, options, std::plus<>(), sum);
      expect_the_same_combined<std::uint64_t>(seed, ranks, options, std::plus<>(), sum);
      expect_the_same_combined<std::uint64_t>(seed, ranks, options, skel::minimum(), sum);
    }
  EXPECT_GT(sum.messages, 1000 * seeds());
  EXPECT_GT(sum.moved, 100 * seeds());
}

/// What each rank's run throws; "": nothing.
template <class Error, class Program>
std::vector<std::string> errors_of(virtual_bsp<Program>& run, int ranks) {
  run.run();
  std::vector<std::string> all;
  for (int r = 0; r < ranks; ++r) try {
      run.end(static_cast<std::size_t>(r));
      all.emplace_back();
    } catch (Error const& e) {
      all.emplace_back(e.what());
    }
  return all;
}

struct counter {
  int value = 0;
};

template <class Make, class Step>
auto counting(std::size_t processes, Make make, Step step) {
  return skel::bsp<int>("count", processes, make, step);
}
counter zero(std::size_t) {
  return {};
}

/// Calls of a function that has a state by reference are not taken for those of one that has a copy.
template <class Step>
constexpr bool copies(Step const&) {
  return skel::runtime::bsp::copies_state<Step, skel::superstep<int>, counter>();
}
void step_of_any_copy(skel::superstep<int>&, counter) {}
void step_of_any_state(skel::superstep<int>&, counter&) {}
static_assert(copies([](auto& now, auto mine) { now.send(0, mine.value); }));
static_assert(copies([](skel::superstep<int> now, counter const mine) { return now.send(0, mine.value), 1; }));
static_assert(copies([](auto&& now, counter) noexcept { now.halt(); }) && copies(&step_of_any_copy));
static_assert(!copies([](auto& now, auto& mine) { now.send(0, ++mine.value); }));
static_assert(!copies([](auto now, auto const& mine) { now.send(0, mine.value); }) && !copies(&step_of_any_state));
static_assert(!copies([](auto&& now, auto&& mine) {
  static_assert(std::is_lvalue_reference_v<decltype(mine)>);
  now.send(0, ++mine.value);
}));

TEST(BspEngine, TellsEveryRankWhichProcessThrewInWhichSuperstep) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto const program = counting(10, zero, [](skel::superstep<int>& now, counter&) {
      if (now.number() == 3 && now.process() >= 4) throw std::runtime_error("no more");
    });
    virtual_bsp run(program, 3, seed);
    auto const errors = errors_of<process_error>(run, 3);
    EXPECT_THAT(errors,
                testing::Each("bsp 'count': process 4 threw in superstep 3 on rank 1: no more (std::runtime_error)"));
    std::uint64_t supersteps = 0;
    EXPECT_THROW(run_sequential(program, supersteps), process_error);
  }
}

TEST(BspEngine, TellsEveryRankThatAStateCouldNotBeMade) {
  auto const program = counting(
      10,
      [](std::size_t p) {
        if (p == 9) throw std::runtime_error("no file");
        return counter{};
      },
      [](skel::superstep<int>& now, counter&) { now.halt(); });
  virtual_bsp run(program, 3, 1);
  EXPECT_THAT(
      errors_of<process_error>(run, 3),
      testing::Each("bsp 'count': the state of process 9 could not be made on rank 2: no file (std::runtime_error)"));
}

TEST(BspEngine, RefusesMessagesToProcessesThatThereAreNot) {
  auto const program = counting(4, zero, [](skel::superstep<int>& now, counter&) { now.send(4, 1); });
  virtual_bsp run(program, 2, 1);
  EXPECT_THAT(errors_of<process_error>(run, 2),
              testing::Each("bsp 'count': process 0 threw in superstep 1 on rank 0: there is no process 4 to send a "
                            "message to: they are 0 to 3"));
}

struct table {
  std::vector<int> values;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(values);
  }
};

TEST(BspEngine, ANumberThatWasNegativeIsToldAsSuch) {
  auto const before = counting(4, zero, [](skel::superstep<int>& now, counter&) { now.send(now.process() - 1, 1); });
  virtual_bsp run(before, 1, 1);
  EXPECT_THAT(errors_of<process_error>(run, 1),
              testing::Each(HasSubstr("there is no process -1 to send a message to")));

  auto const left = skel::bsp<int>(
      "put", 1,
      [](std::size_t) {
        return table{{1, 2}};
      },
      [](skel::superstep<int>& now, table&) { now.put<&table::values>(0, now.process() - 1, 5); },
      skel::registered<&table::values>());
  virtual_bsp puts(left, 1, 1);
  EXPECT_THAT(errors_of<process_error>(puts, 1), testing::Each(HasSubstr("elements -1 to 0 (not included)")));
}

TEST(BspEngine, RefusesASecondContributionOfAProcess) {
  auto const program = skel::bsp<int, int>(
      "sum", 2, zero, [](skel::superstep<int, int>& now, counter&) { now.contribute(1), now.contribute(2); },
      std::plus<>{});
  virtual_bsp run(program, 1, 1);
  EXPECT_THAT(errors_of<process_error>(run, 1), testing::Each(HasSubstr("contributes once")));
}

TEST(BspEngine, EndsAtTheLimitOfSupersteps) {
  auto const program = counting(6, zero, [](skel::superstep<int>&, counter&) {}).limited(17);
  virtual_bsp run(program, 3, 1);
  EXPECT_THAT(errors_of<skel::error>(run, 3),
              testing::Each(HasSubstr("'count' has not ended after 17 supersteps: 6 of 6 processes are awake")));
  std::uint64_t supersteps = 0;
  EXPECT_THROW(run_sequential(program, supersteps), skel::error);
  EXPECT_EQ(supersteps, 17u);
}

TEST(BspEngine, RefusesAtItsLimitWhatTheSequentialEngineRefuses) {
  for (std::uint64_t const limit : {0u, 1u, 5u, 6u}) {
    std::atomic<int> calls = 0;
    auto const program = counting(6, zero, [&](skel::superstep<int>& now, counter&) {
                           ++calls;
                           if (now.number() == 6) return now.halt();
                           if (now.process() < 2) now.send(5, 1);
                         }).limited(limit);
    std::string expected;
    std::uint64_t supersteps = 0;
    try {
      run_sequential(program, supersteps);
    } catch (skel::error const& e) {
      expected = e.what();
    }
    EXPECT_EQ(supersteps, limit);
    EXPECT_EQ(calls, 6 * static_cast<int>(limit));
    EXPECT_EQ(expected.empty(), limit == 6);
    virtual_bsp run(program, 3, 1);
    EXPECT_THAT(errors_of<skel::error>(run, 3), testing::Each(expected));
    EXPECT_EQ(calls, 12 * static_cast<int>(limit));
  }
}

TEST(BspEngine, IsCancelledOnAllRanks) {
  std::atomic<bool> interrupt = false;
  auto const program = counting(6, zero, [&](skel::superstep<int>& now, counter&) {
    if (now.number() == 5 && now.process() == 3) interrupt = true;
  });
  run_options options;
  options.interrupt = &interrupt;
  virtual_bsp run(program, 3, 1, options);
  EXPECT_THAT(errors_of<skel::cancelled>(run, 3), testing::Each(HasSubstr("'count' was cancelled in superstep")));
}

TEST(BspEngine, AWaitThatASignalInterruptsIsNoErrorOfTheProgram) {
  skel::test::watched_process const watched;
  std::atomic<bool> interrupt = false;
  auto const program = counting(6, zero, [&](skel::superstep<int>& now, counter&) {
    if (now.number() != 3 || now.process() != 3) return;
    interrupt = true;
    skel::runtime::interrupt_runs(SIGINT);
    skel::test::read_for_ever();
  });
  run_options options;
  options.interrupt = &interrupt;
  virtual_bsp run(program, 3, 1, options);
  EXPECT_THAT(errors_of<skel::cancelled>(run, 3), testing::Each(HasSubstr("'count' was cancelled in superstep 3")));
}

TEST(BspEngine, TheErrorThatEndsTheRunIsToldAndNotWhatItInterrupts) {
  skel::test::watched_process const watched;
  bool made = false;
  std::atomic<bool> reads = false;
  auto const wait_or_throw = [&](std::size_t process) {
    if (process == 0) reads = true, skel::test::read_for_ever();
    while (!reads) std::this_thread::yield();
    if (process == 2) throw std::runtime_error("bad frame");
  };
  auto const program = counting(
      3, [&](std::size_t process) { return made ? counter() : (wait_or_throw(process), counter()); },
      [&](skel::superstep<int>& now, counter&) { wait_or_throw(now.process()); });
  run_options options;
  options.threads = 2;
  for (made = false;; made = true, reads = false) {
    virtual_bsp run(program, 1, 1, options);
    EXPECT_THAT(errors_of<process_error>(run, 1), testing::Each(AllOf(HasSubstr("process 2"), HasSubstr("bad frame"))));
    if (made) break;
  }
}

TEST(BspEngine, ASleepingProcessIsCalledAgainWhenAMessageComes) {
  auto const program = counting(4, zero, [](skel::superstep<int>& now, counter& mine) {
    ++mine.value;
    if (now.number() < 5 && now.process() == 0) return now.number() == 3 ? now.send(3, 1) : void();
    now.halt();
  });
  virtual_bsp run(program, 2, 1);
  run.run();
  EXPECT_EQ(run.end(0).supersteps, 5u);
  auto const there = run.states(1);
  EXPECT_EQ(there.at(2).value, 1);
  EXPECT_EQ(there.at(3).value, 2);
}

TEST(BspEngine, NoProcessesAreRefused) {
  EXPECT_THROW(counting(0, zero, [](skel::superstep<int>&, counter&) {}), skel::error);
  EXPECT_THROW(counting(2, zero, [](skel::superstep<int>&, counter&) {}).pin(2), skel::error);
}

TEST(BspEngine, RefusesPutsAndGetsOfElementsThatThereAreNot) {
  for (bool const gets : {false, true}) {
    auto const program = skel::bsp<int>(
        "access", 6,
        [](std::size_t) {
          return table{{1, 2, 3}};
        },
        [=](skel::superstep<int>& now, table&) {
          if (now.process() == 1 && gets) now.get<&table::values>(5, 1, 3);
          if (now.process() == 1 && !gets) now.put<&table::values>(5, 3, 1);
          now.halt();
        },
        skel::registered<&table::values>());
    virtual_bsp run(program, 3, 1);
    EXPECT_THAT(errors_of<process_error>(run, 3),
                testing::Each(AllOf(HasSubstr("bsp 'access': a put or get of process 1 in superstep 1 failed"),
                                    HasSubstr("of array 0 of process 5 are put or got, which has 3"))));
    std::uint64_t supersteps = 0;
    EXPECT_THROW(run_sequential(program, supersteps), process_error);
  }
}

TEST(BspEngine, RefusesArraysThatAreNotListedAndGetsThatWereNotAskedFor) {
  for (bool const listed : {false, true}) {
    auto const make = [](std::size_t) { return table{{1, 2, 3}}; };
    auto const step = [=](skel::superstep<int>& now, table&) {
      if (listed)
        now.got<&table::values>(0);
      else
        now.put<&table::values>(0, 0, 1);
    };
    auto const expect = [](auto const& program, char const* words) {
      virtual_bsp run(program, 2, 1);
      EXPECT_THAT(errors_of<process_error>(run, 2), testing::Each(HasSubstr(words)));
    };
    if (listed)
      expect(skel::bsp<int>("access", 2, make, step, skel::registered<&table::values>()), "was not asked for");
    else
      expect(skel::bsp<int>("access", 2, make, step), "does not list");
  }
}

/// Can be written, or read, as often as it is not `stuck`.
struct stubborn {
  int value = 0;
  bool stuck_writing = false, stuck_reading = false;
};

}  // namespace

template <>
struct skel::serializer<stubborn> {
  template <class Archive>
  static void save(Archive& archive, stubborn const& value) {
    if (value.stuck_writing) throw std::runtime_error("cannot write");
    archive(value.value, value.stuck_reading);
  }
  template <class Archive>
  static stubborn load(Archive& archive) {
    stubborn out;
    out.value = archive.template get<int>();
    out.stuck_reading = archive.template get<bool>();
    if (out.stuck_reading) throw std::runtime_error("cannot read");
    return out;
  }
};

namespace {

/// Every process goes to the next rank at every barrier.
run_options rotation(int ranks) {
  run_options out;
  out.measures = true;
  out.next_moves = [ranks](bsp_measures const& of) {
    std::vector<bsp_move> moves;
    for (std::size_t p = 0; p < of.rank_of.size(); ++p)
      moves.push_back({p, of.rank_of[p], (of.rank_of[p] + 1) % ranks});
    return moves;
  };
  return out;
}

TEST(BspEngine, AProcessWhoseStateCannotTravelStaysWhereItIsForGood) {
  auto const program = skel::bsp<int>(
                           "rotate", 9,
                           [](std::size_t p) {
                             return stubborn{0, p == 1, p == 5};
                           },
                           [](skel::superstep<int>& now, stubborn& mine) {
                             for (auto const& [from, what] : now.received()) mine.value += what;
                             if (now.number() < 20)
                               now.send((now.process() + 1) % now.processes(), 1);
                             else
                               now.halt();
                           })
                           .pin(8);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    virtual_bsp run(program, 3, seed, rotation(3));
    run.run();
    auto const record = run.end(2);
    EXPECT_EQ(record.rank_of[1], 0);
    EXPECT_EQ(record.rank_of[5], 1);
    EXPECT_EQ(record.rank_of[8], 2);
    EXPECT_EQ(record.rank_of[0], static_cast<int>(record.migrated / 6 % 3));
    std::map<std::size_t, std::string> why;
    for (auto const& one : record.migrations)
      if (!one.failed.empty()) why.emplace(one.process, one.failed);
    EXPECT_EQ(why[1], "its state could not be serialised: cannot write (std::runtime_error)");
    EXPECT_EQ(why[5], "its state could not be deserialised: cannot read (std::runtime_error)");
    EXPECT_EQ(why[8], "it is pinned");
    EXPECT_EQ(why.size(), 3u);
    int values = 0;
    for (std::size_t r = 0; r < 3; ++r)
      for (auto const& [process, state] : run.states(r)) values += state.value;
    EXPECT_EQ(values, 9 * 19);
  }
}

/// Process 4 cannot be written, or read.
auto stubborn_program(bool writing) {
  return skel::bsp<int>(
      "stubborn", 9,
      [=](std::size_t p) {
        return stubborn{0, p == 4 && writing, p == 4 && !writing};
      },
      [](skel::superstep<int>& now, stubborn& mine) {
        mine.value = static_cast<int>(now.number());
        if (now.number() == 5) now.halt();
      });
}

TEST(BspEngine, ACheckpointOfAStateThatCannotBeWrittenSaysSoAndTheRunGoesOn) {
  std::vector<kept_program> all;
  run_options options;
  keep(options, all, 1, 1);
  auto const program = stubborn_program(true);
  virtual_bsp run(program, 3, 1, options);
  run.run();
  EXPECT_EQ(run.end(0).supersteps, 5u);
  ASSERT_EQ(all.size(), 4u);
  for (auto const& one : all)
    EXPECT_EQ(one.problem,
              "the state of process 4 could not be serialised on rank 1: cannot write (std::runtime_error)");
}

TEST(BspEngine, ACheckpointWhoseStatesCannotBeReadEndsTheRunOnEveryRank) {
  std::vector<kept_program> all;
  run_options options;
  keep(options, all, 1, 1);
  auto const program = stubborn_program(false);
  virtual_bsp first(program, 3, 1, options);
  first.run();
  ASSERT_EQ(all.size(), 4u);
  options.done = all[2].superstep, options.kept = all[2].what;
  virtual_bsp run(program, 2, 1, options);
  run.run();
  for (std::size_t r = 0; r < 2; ++r) {
    try {
      run.end(r);
      ADD_FAILURE() << "it ran";
    } catch (process_error const& e) {
      EXPECT_THAT(e.what(), HasSubstr("the state of process 4 after superstep 3 could not be read on rank 1: cannot"));
      EXPECT_EQ(e.process(), 4u);
      EXPECT_EQ(e.superstep(), 3u);
    }
  }
}

TEST(BspEngine, ACheckpointWithoutMemoryForItsProcessesIsGivenUpOrEndsTheRunThatNeedsIt) {
  auto const program = skel::bsp<int>(
      "large", 3, [](std::size_t p) { return std::vector<double>(p == 1 ? 100'000 : 1, 1); },
      [](skel::superstep<int>& now, std::vector<double>&) {
        if (now.number() > 2) now.halt();
      });
  std::vector<kept_program> all;
  run_options options;
  keep(options, all, 1, 1);
  auto const large = [](auto, skel::runtime::message const& what) { return what.ranges().size() > 0; };
  virtual_bsp run(program, 3, 5, options);
  run.net().without_memory(large);
  run.run();
  EXPECT_EQ(run.end(0).supersteps, 3u);
  for (auto const& one : all) EXPECT_EQ(one.problem, "there is no memory for it");
  all.clear();
  virtual_bsp(program, 3, 5, options).run();
  ASSERT_EQ(all.size(), 2u);
  options.done = all[1].superstep, options.kept = all[1].what;
  virtual_bsp again(program, 3, 5, options);
  again.net().without_memory(large);
  again.run();
  EXPECT_THAT(errors_of<process_error>(again, 3),
              testing::Each(HasSubstr("on rank 1: there is no memory for the processes of a checkpoint")));
}

TEST(BspEngine, AProcessForWhoseStateThereIsNoMemoryStays) {
  auto const program = skel::bsp<int>(
      "large", 3, [](std::size_t p) { return std::vector<double>(p == 1 ? 100'000 : 1, 1); },
      [](skel::superstep<int>& now, std::vector<double>&) {
        if (now.number() > 5) now.halt();
      });
  virtual_bsp run(program, 3, 5, rotation(3));
  run.net().without_memory([](auto, skel::runtime::message const& what) { return what.ranges().size() > 0; });
  run.run();
  auto const record = run.end(0);
  EXPECT_EQ(record.not_migrated, 4u);
  EXPECT_EQ(record.migrations[1].failed, "there is no memory for the states on its way");
  EXPECT_EQ(record.migrated, 8u);
  EXPECT_EQ(run.states(1).at(1).size(), 100'000u);
}

TEST(BspEngine, MessagesForWhichThereIsNoMemoryEndTheRun) {
  auto const program = skel::bsp<std::vector<double>>("large", 3, zero, [](auto& now, counter&) {
    if (now.number() == 2) now.send(1, std::vector<double>(100'000));
    if (now.number() == 3) now.halt();
  });
  virtual_bsp run(program, 3, 5);
  run.net().without_memory([](auto, skel::runtime::message const& what) { return what.ranges().size() > 0; });
  EXPECT_THAT(
      errors_of<process_error>(run, 3),
      testing::Each(HasSubstr("the barrier of superstep 2 failed on rank 1: there is no memory for the messages")));
}

TEST(BspEngine, SaysWhyMovesAreNotMade) {
  auto const program = counting(4, zero, [](skel::superstep<int>& now, counter&) {
                         if (now.number() == 3) now.halt();
                       }).pin(3);
  run_options options;
  options.measures = true;
  options.next_moves = [](bsp_measures const& of) -> std::vector<bsp_move> {
    if (of.number > 1) return {};
    return {{0, 0, 1}, {0, 0, 1}, {1, 1, 0}, {2, 1, 2}, {3, 1, 0}, {4, 0, 1}, {1, 0, 0}, {2, 1, -1}};
  };
  virtual_bsp run(program, 2, 1, options);
  run.run();
  auto const record = run.end(1);
  EXPECT_EQ(record.migrated, 1u);
  std::vector<std::string> why;
  for (auto const& one : record.migrations) why.push_back(one.failed);
  EXPECT_THAT(why, testing::ElementsAre("it moves already", "it is on rank 0", "there is no such rank", "it is pinned",
                                        "there is no such process", "there is no such rank", ""));
  EXPECT_EQ(record.rank_of, (std::vector{1, 0, 1, 1}));
}

TEST(BspEngine, AThousandRotationsLoseNothing) {
  auto const program = skel::bsp<std::string>(
      "rotate", 10, [](std::size_t p) { return std::vector<std::uint64_t>{p}; },
      [](skel::superstep<std::string>& now, std::vector<std::uint64_t>& mine) {
        mine[0] += now.received().size() * now.number();
        if (now.number() > 1001) return now.halt();
        now.send((now.process() * 7 + now.number()) % now.processes(), "x");
      });
  std::uint64_t supersteps = 0;
  auto const expected = run_sequential(program, supersteps);
  virtual_bsp run(program, 4, 3, rotation(4));
  run.run();
  auto const record = run.end(0);
  EXPECT_EQ(record.migrated, 10'000u);
  EXPECT_LE(record.times.size(), skel::record::bsp_record::most_times);
  for (std::size_t r = 0; r < 4; ++r)
    for (auto const& [process, state] : run.states(r)) EXPECT_EQ(state, expected[process]);
}

/// Trivially copyable, with a pointer that means nothing elsewhere, so that its author leaves it out.
struct cached {
  long n = 0;
  long const* cache = nullptr;
  template <class Archive>
  void save(Archive& archive) const {
    archive(n);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(n);
    cache = nullptr;
  }
};
static_assert(std::is_trivially_copyable_v<cached>);
/// The same without functions.
struct uncared {
  long n = 0;
  long const* cache = nullptr;
};

/// What of the caches is there after each process has gone to the other rank. `of`: values in a state.
template <class Make, class Of>
std::vector<bool> caches_after_a_move(Make make, Of of) {
  auto const program = skel::bsp<int>("cached", 2, make, [of](skel::superstep<int>& now, auto& mine) {
    for (auto& one : of(mine)) ++one.n;
    if (now.number() == 3) now.halt();
  });
  virtual_bsp run(program, 2, 1, rotation(2));
  run.run();
  EXPECT_EQ(run.end(0).migrated, 2u);
  std::vector<bool> there;
  for (std::size_t r = 0; r < 2; ++r)
    for (auto& [process, state] : run.states(r))
      for (auto const& one : of(state)) {
        EXPECT_EQ(one.n, 10 * static_cast<long>(process) + 3);
        there.push_back(one.cache != nullptr);
      }
  return there;
}

TEST(BspEngine, AStateWithFunctionsOfItsAuthorIsNoBytes) {
  static long const here = 1;
  auto const make = [](std::size_t p) { return cached{10 * static_cast<long>(p), &here}; };
  EXPECT_THAT(caches_after_a_move(make, [](auto& mine) { return std::span(&mine, 1); }),
              testing::ElementsAre(false, false));
  auto const all = [](auto& mine) { return std::span(mine); };
  EXPECT_THAT(caches_after_a_move([=](std::size_t p) { return std::vector(3, make(p)); }, all),
              testing::AllOf(testing::SizeIs(6), testing::Each(false)));
  EXPECT_THAT(caches_after_a_move(
                  [=](std::size_t p) {
                    return std::array{make(p), make(p)};
                  },
                  all),
              testing::AllOf(testing::SizeIs(4), testing::Each(false)));
  EXPECT_THAT(caches_after_a_move(
                  [](std::size_t p) {
                    return uncared{10 * static_cast<long>(p), &here};
                  },
                  [](auto& mine) { return std::span(&mine, 1); }),
              testing::ElementsAre(true, true));
}

TEST(BspEngine, AStateWithFunctionsOfItsAuthorIsAsLargeAsTheyWriteIt) {
  EXPECT_EQ(skel::runtime::state_bytes(uncared{}), sizeof(uncared));
  EXPECT_EQ(skel::runtime::state_bytes(cached{}), sizeof(cached) + sizeof(long));
}

TEST(BspEngine, AMoveThatCannotBeDecidedEndsTheRun) {
  auto const program = counting(4, zero, [](skel::superstep<int>&, counter&) {});
  run_options options;
  options.measures = true;
  options.next_moves = [](bsp_measures const&) -> std::vector<bsp_move> { throw std::runtime_error("lost"); };
  virtual_bsp run(program, 2, 1, options);
  EXPECT_THAT(errors_of<skel::error>(run, 2), testing::Each(HasSubstr("could not be decided: lost")));
}

TEST(BspEngine, MeasuresProcessesForWhoDecides) {
  auto const program = counting(6, zero, [](skel::superstep<int>& now, counter&) {
    if (now.process() == 5)
      for (auto const end = skel::record::thread_ns() + 1'000'000; skel::record::thread_ns() < end;) {
      }
    if (now.number() == 4 || now.process() == 0) now.halt();
  });
  std::size_t calls = 0;
  run_options options = rotation(3);
  options.next_moves = [&calls, rotate = options.next_moves](bsp_measures const& of) {
    ++calls;
    EXPECT_EQ(of.number, calls);
    EXPECT_EQ(of.share.size(), 3u);
    EXPECT_EQ(of.seconds[0] > 0, of.number == 1);
    EXPECT_GE(of.seconds[5], 1e-3);
    return rotate(of);
  };
  virtual_bsp run(program, 3, 1, options);
  run.run();
  EXPECT_EQ(run.end(1).migrated, 12u);
  EXPECT_EQ(calls, 3u);
}

/// What rank 0 does between barrier and computing is time that others may compute in.
TEST(BspEngine, ASuperstepLastsFromBarrierToBarrier) {
  auto const program = counting(4, zero, [](skel::superstep<int>& now, counter&) {
    if (now.number() == 5) now.halt();
  });
  double decided = 0;
  run_options options = rotation(3);
  options.next_moves = [&decided, rotate = options.next_moves](bsp_measures const& of) {
    EXPECT_GE(of.took, of.began);
    EXPECT_GE(of.began, decided);
    double const begun = skel::record::now();
    auto moves = rotate(of);
    while (skel::record::now() < begun + 1e-3) {
    }
    decided = skel::record::now() - begun;
    return moves;
  };
  virtual_bsp run(program, 3, 1, options);
  run.run();
  EXPECT_GT(decided, 0);
}

TEST(BspEngine, CountsCombinedMessagesAsTheyTravel) {
  auto const program = skel::bsp<long>("sum", 6, zero, [](skel::superstep<long>& now, counter&) {
                         if (now.number() == 3) return now.halt();
                         for (int i = 0; i < 10; ++i) now.send(5, 1);
                       }).combined_by(std::plus<>());
  run_options options = rotation(1);
  std::size_t calls = 0;
  options.next_moves = [&](bsp_measures const& of) {
    ++calls;
    double bytes = 0;
    for (auto const& one : of.traffic)
      if (one.from < 3) bytes += one.bytes;  // all of rank 0, whose first process sends for them
    EXPECT_EQ(bytes, of.number < 3 ? sizeof(long) : 0);
    return std::vector<bsp_move>{};
  };
  virtual_bsp run(program, 2, 1, options);
  run.run();
  EXPECT_GT(calls, 0U);
}

TEST(BspEngine, MeasuresTrafficAndStates) {
  auto const program = skel::bsp<std::string>(
      "traffic", 6, [](std::size_t p) { return table{std::vector<int>(100 * p)}; },
      [](skel::superstep<std::string>& now, table&) {
        if (now.number() == 4) return now.halt();
        if (now.process() != 2) return;
        now.send(5, std::string(1000, 'a'));
        now.send(0, std::string(10, 'b'));
        now.send(5, std::string(500, 'c'));
        now.put<&table::values>(3, 0, std::span<int const>(std::vector{1, 2, 3}));
        if (now.number() == 2) now.get<&table::values>(4, 0, 10);
      },
      skel::registered<&table::values>());
  std::size_t calls = 0;
  run_options options = rotation(3);
  options.next_moves = [&calls, rotate = options.next_moves](bsp_measures const& of) {
    ++calls;
    std::map<std::pair<std::size_t, std::size_t>, double> bytes;
    for (auto const& one : of.traffic) EXPECT_TRUE(bytes.emplace(std::pair(one.from, one.to), one.bytes).second);
    EXPECT_EQ(bytes.size(), of.number == 2 ? 4u : 3u);
    EXPECT_GE((bytes[{2, 5}]), 1500);
    EXPECT_EQ((bytes[{2, 3}]), 3 * sizeof(int));
    EXPECT_EQ((bytes[{4, 2}]), of.number == 2 ? 10 * sizeof(int) : 0);
    for (std::size_t p = 0; p < 6; ++p) {
      EXPECT_GE(of.state_bytes[p], 400.0 * static_cast<double>(p));
      EXPECT_LT(of.state_bytes[p], 400.0 * static_cast<double>(p) + 100);
    }
    EXPECT_GT(of.took, 0);
    return rotate(of);
  };
  virtual_bsp run(program, 3, 1, options);
  run.run();
  EXPECT_EQ(run.end(1).migrated, 12u);
  EXPECT_EQ(calls, 3u);
}

/// States grow in every superstep; all move after the fifth.
TEST(BspEngine, AMoveTellsHowLargeAStateIs) {
  auto const program = skel::bsp<int>(
      "grows", 6, [](std::size_t) { return table{}; },
      [](skel::superstep<int>& now, table& mine) {
        mine.values.resize(1000 * now.number());
        if (now.number() == 8) return now.halt();
        now.send_to_all(1);
      });
  std::size_t calls = 0;
  run_options options = rotation(3);
  options.next_moves = [&calls, rotate = options.next_moves](bsp_measures const& of) {
    ++calls;
    std::size_t const measured = of.number < 2 ? 1 : of.number < 4 ? 2 : of.number < 6 ? 4 : 6;
    for (double const bytes : of.state_bytes)
      EXPECT_NEAR(bytes, static_cast<double>(measured * 1000 * sizeof(int)), 100) << of.number;
    return of.number == 5 ? rotate(of) : std::vector<bsp_move>();
  };
  virtual_bsp run(program, 3, 1, options);
  run.run();
  EXPECT_EQ(run.end(0).migrated, 6U);
  EXPECT_EQ(calls, 7U);
}

/// A message that cannot be written or read where it says so.
struct bad_message {
  bool write = false, read = false;
};

}  // namespace

template <>
struct skel::serializer<bad_message> {
  template <class Archive>
  static void save(Archive& archive, bad_message const& value) {
    if (value.write) throw std::runtime_error("cannot write");
    archive(value.read);
  }
  template <class Archive>
  static bad_message load(Archive& archive) {
    if (archive.template get<bool>()) throw std::runtime_error("cannot read");
    return {};
  }
};

namespace {

TEST(BspEngine, TellsEveryRankWhichMessagesCouldNotCross) {
  for (bool const write : {true, false}) {
    auto const program = skel::bsp<bad_message>("send", 6, zero, [=](skel::superstep<bad_message>& now, counter&) {
      if (now.number() == 2 && now.process() == 1) now.send(0, {write, !write}), now.send(4, {write, !write});
      if (now.number() == 2) now.halt();
    });
    virtual_bsp run(program, 3, 1);
    EXPECT_THAT(
        errors_of<process_error>(run, 3),
        testing::Each(write ? "bsp 'send': a message of process 1 in superstep 2 could not be serialised on rank "
                              "0: cannot write (std::runtime_error)"
                            : "bsp 'send': a message to process 4 in superstep 2 could not be "
                              "deserialised on rank 2: cannot read (std::runtime_error)"));
  }
}

/// On so many ranks each tells each, or heads are relayed.
constexpr int few_and_many[] = {3, 30};

/// What goes wrong in superstep 2, in or between processes 40 and 41 of 60, which are on one rank.
enum class trouble { make, step, write, read, access, fold, last_fold, result, gather };

/// Throws when told so.
struct throwing_plus {
  int operator()(int a, int b) const {
    if (a + b > 100) throw std::runtime_error("too many");
    return a + b;
  }
};

auto troubled(trouble what) {
  return skel::bsp<bad_message, int>(
      "troubled", 60,
      [what](std::size_t p) {
        if (p == 41 && what == trouble::make) throw std::runtime_error("cannot make");
        return table{{1, 2, 3}};
      },
      [what](skel::superstep<bad_message, int>& now, table&) {
        if (now.number() == 2 && now.process() == 41) {
          if (what == trouble::step) throw std::runtime_error("cannot step");
          if (what == trouble::write) now.send(0, {true, false});
          if (what == trouble::read) now.send(0, {false, true});
          if (what == trouble::access) now.put<&table::values>(5, 3, 1);
        }
        if (now.number() == 2 && what == trouble::fold) {
          now.contribute(now.process() / 2 == 20 ? 51 : 0);
          if (now.process() == 41) now.send(0, {});
        }
        if (now.number() == 2 && what == trouble::last_fold) now.contribute(now.process() % 20 == 19 ? 34 : 0);
        if (now.number() == 3) now.halt();
      },
      throwing_plus(), skel::registered<&table::values>());
}

TEST(BspEngine, WhateverFailsIsTheSameOnEveryRank) {
  struct expected {
    trouble what;
    std::size_t process, rank_of;
    char const* words;
  };
  for (int const ranks : few_and_many)
    for (auto const& [what, process, rank_of, words] :
         {expected{trouble::make, 41, 41, "the state of process 41 could not be made on rank"},
          expected{trouble::step, 41, 41, "process 41 threw in superstep 2 on rank"},
          expected{trouble::write, 41, 41, "a message of process 41 in superstep 2 could not be serialised on rank"},
          expected{trouble::read, 0, 0, "a message to process 0 in superstep 2 could not be deserialised on rank"},
          expected{trouble::access, 41, 5, "a put or get of process 41 in superstep 2 failed on rank"},
          expected{trouble::fold, 40, 40, "the operator of the reduction threw in superstep 2 on rank"},
          expected{trouble::last_fold, 0, 0, "the operator of the reduction threw in superstep 2 on rank"},
          expected{trouble::result, 41, 41, "the result of process 41 could not be made on rank"},
          expected{trouble::gather, 40, 59,
                   "the results of process 40 and those behind it could not be taken on rank"}})
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        auto const program = troubled(what);
        using program_type = std::decay_t<decltype(program)>;
        trouble const which = what;
        virtual_bsp<program_type> run(program, ranks, seed, {}, [=](int rank, auto& group, run_options& options) {
          options.results = [which, &group](std::string& to) {
            auto const of = [which](std::size_t p, table&) {
              if (p == 41 && which == trouble::result) throw std::runtime_error("cannot give");
              return static_cast<int>(p);
            };
            return skel::runtime::gathered_values<int>::write(group, of, to, [](std::size_t process) {
              return skel::runtime::describe({skel::runtime::program_failure::kind::result, process});
            });
          };
          options.take_results = [=](std::span<std::byte const> bytes) {
            auto const first = skel::runtime::take_number<std::uint32_t>(bytes);
            if (which == trouble::gather && rank == ranks - 1 && first == 40) throw std::bad_alloc();
          };
        });
        run.run();
        auto const where = static_cast<int>(skel::plan::owner_of(60, static_cast<std::size_t>(ranks), rank_of));
        for (int r = 0; r < ranks; ++r) try {
            run.end(static_cast<std::size_t>(r));
            ADD_FAILURE() << "rank " << r << " of " << ranks << ": nothing was thrown; " << words;
          } catch (process_error const& e) {
            EXPECT_EQ(e.process(), process) << e.what();
            EXPECT_EQ(e.rank(), where) << e.what();
            EXPECT_EQ(e.cause() != nullptr, r == where) << e.what();
            EXPECT_THAT(e.what(), HasSubstr("bsp 'troubled': " + (words + (" " + std::to_string(where))) + ": "));
          }
      }
}

TEST(BspEngine, MessagesThatCannotBeCombinedEndTheRun) {
  auto const program = counting(6, zero, [](skel::superstep<int>& now, counter&) {
                         if (now.number() == 2 && now.process() > 0) now.send(5, 30);
                         if (now.number() == 3) now.halt();
                       }).combined_by(throwing_plus());
  std::uint64_t supersteps = 0;
  try {
    run_sequential(program, supersteps);
    ADD_FAILURE() << "nothing was thrown";
  } catch (process_error const& e) {
    EXPECT_THAT(e.what(), HasSubstr("messages to process 5 could not be combined in superstep 3"));
  }
  for (int const ranks : {1, 3})
    for (bool const moving : {false, true}) {
      virtual_bsp run(program, ranks, 1, moving ? rotation(ranks) : run_options());
      EXPECT_THAT(errors_of<process_error>(run, ranks),
                  testing::Each(AllOf(HasSubstr("bsp 'count': messages to process 5 could not be combined in superstep "
                                                "3 on rank "),
                                      HasSubstr("too many"))));
    }
}

TEST(BspEngine, TheFirstProcessWhoseMessagesCannotBeCombinedEndsTheRunAndThoseBeforeItHaveAll) {
  std::atomic<int> wrong = 0;
  auto const program = counting(8, zero, [&](skel::superstep<int>& now, counter&) {
                         if (now.number() == 2) {
                           if (now.process() < 2) now.send(7, 60);  // fails first, by senders
                           if (now.process() > 4) now.send(4, 60);
                           for (std::size_t to : {1, 2}) now.send(to, 1);
                         }
                         if (now.number() == 3 && now.process() < 3 && now.process() > 0)
                           wrong += now.received().size() != 1 || now.received()[0].what != 8;
                         if (now.number() == 3) now.halt();
                       }).combined_by(throwing_plus());
  auto const first = HasSubstr("messages to process 4 could not be combined in superstep 3");
  std::uint64_t supersteps = 0;
  try {
    run_sequential(program, supersteps);
    ADD_FAILURE() << "nothing was thrown";
  } catch (process_error const& e) {
    EXPECT_THAT(e.what(), first);
  }
  for (int const ranks : {1, 2, 3})
    for (bool const moving : {false, true}) {
      virtual_bsp run(program, ranks, 1, moving ? rotation(ranks) : run_options());
      EXPECT_THAT(errors_of<process_error>(run, ranks), testing::Each(first));
    }
  EXPECT_EQ(wrong, 0);
}

/// What ranks send each other is combined before where that changes no bits.
TEST(BspEngine, RanksCombineWhatTheySendWhereTheOrderDoesNotMatter) {
  auto const bytes = [](auto first) {
    using number = decltype(first);
    auto const program = skel::bsp<number>("sum", 200, zero, [](skel::superstep<number>& now, counter&) {
                           if (now.number() == 1)
                             for (int i = 0; i < 10; ++i) now.send(199, 1);
                           now.halt();
                         }).combined_by(std::plus<>());
    virtual_bsp run(program, 2, 1);
    std::size_t most = 0;
    run.net().without_memory([&](auto, auto const& what) {
      std::size_t all = what.body().size();
      for (auto const& one : what.ranges()) all += one.size();
      most = std::max(most, all);
      return false;
    });
    run.run();
    EXPECT_EQ(run.end(0).messages, 2000U);
    return most;
  };
  EXPECT_LT(bytes(1L), 500U);
  EXPECT_GT(bytes(1.0), 10'000U);
}

// Wherever its processes are, and so how far each rank combines what they have contributed.
TEST(BspEngine, NobodyCombinesInTheLastSuperstep) {
  auto const program = skel::bsp<int, int>(
      "last", 12, [](std::size_t) { return 0; },
      [](skel::superstep<int, int>& now, int& mine) {
        mine += now.reduced().value_or(0);
        now.contribute(now.number() < 3 ? 1 : 60);  // of which two are too many
        if (now.number() == 3) now.halt();
      },
      throwing_plus());
  using program_type = std::decay_t<decltype(program)>;
  std::uint64_t supersteps = 0;
  EXPECT_THAT(run_sequential(program, supersteps), testing::Each(24));
  for (int const ranks : {1, 2, 5, 30})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      virtual_bsp<program_type> run(program, ranks, seed);
      run.run();
      for (int r = 0; r < ranks; ++r) EXPECT_NO_THROW(run.end(static_cast<std::size_t>(r))) << r << " of " << ranks;
    }
}

/// Runs out of memory when it is measured, or moved from, while it says so.
struct scarce {
  bool measuring = false, moving = false;

  scarce() = default;
  scarce(scarce&& from) : measuring(from.measuring), moving(from.moving) {
    if (moving) throw std::bad_alloc();
  }
  scarce(scarce const&) = delete;
};

}  // namespace

template <>
struct skel::serializer<scarce> {
  template <class Archive>
  static void save(Archive& archive, scarce const& value) {
    archive(value.measuring);
  }
  template <class Archive>
  static scarce load(Archive& archive) {
    scarce out;
    out.measuring = archive.template get<bool>();
    return out;
  }
  static std::size_t bytes(scarce const& value) {
    if (value.measuring) throw std::bad_alloc();
    return 0;
  }
};

namespace {

TEST(BspEngine, ARankWithoutMemoryToMeasureOrToMoveTellsTheOthers) {
  for (int const ranks : few_and_many)
    for (bool const measuring : {true, false}) {
      auto const program = skel::bsp<int>(
          "scarce", 90, [](std::size_t) { return scarce(); },
          [measuring](skel::superstep<int>& now, scarce& mine) {
            if (now.process() == 89 && now.number() == 4) (measuring ? mine.measuring : mine.moving) = true;
            if (now.number() == 9) now.halt();
          });
      auto options = rotation(ranks);
      options.next_moves = [rotate = options.next_moves](bsp_measures const& of) {
        auto moves = rotate(of);
        std::erase_if(moves, [](auto const& one) { return one.process == 89; });
        return moves;
      };
      virtual_bsp run(program, ranks, 7, options);
      auto const where = std::to_string(ranks - 1);
      EXPECT_THAT(
          errors_of<process_error>(run, ranks),
          testing::Each("bsp 'scarce': the barrier of superstep 4 failed on rank " + where + ": std::bad_alloc"));
    }
}

/// Long parts of messages have no memory.
bool is_long(skel::runtime::channel, skel::runtime::message const& what) {
  return !what.ranges().empty();
}

TEST(BspEngine, WhatWasGotWithoutMemoryForItEndsTheRun) {
  for (int const ranks : few_and_many) {
    auto const program = skel::bsp<int>(
        "gets", 60, [](std::size_t) { return table{std::vector<int>(100'000)}; },
        [](skel::superstep<int>& now, table&) {
          if (now.number() == 2 && now.process() == 59) now.get<&table::values>(0, 0, 50'000);
          now.halt();
          if (now.number() == 1) now.send(59, 1);
        },
        skel::registered<&table::values>());
    virtual_bsp run(program, ranks, 3);
    run.net().without_memory(is_long);
    auto const where = std::to_string(ranks - 1);
    EXPECT_THAT(errors_of<process_error>(run, ranks),
                testing::Each("bsp 'gets': the barrier of superstep 2 failed on rank " + where +
                              ": there is no memory for what was got in a superstep"));
  }
}

TEST(BspEngine, MeasuresWithoutMemoryForThemEndTheRun) {
  for (int const ranks : few_and_many) {
    auto const program = counting(60, zero, [](skel::superstep<int>& now, counter&) {
      if (now.number() == 9) now.halt();
    });
    auto options = rotation(ranks);
    options.says = [] { return std::string(100'000, 'x'); };
    virtual_bsp run(program, ranks, 3, options);
    run.net().without_memory([](auto, auto const& what) { return what.body().size() > 100'000; });
    EXPECT_THAT(errors_of<process_error>(run, ranks),
                testing::Each(HasSubstr("the barrier of superstep 1 failed on rank 0: there is no memory")));
  }
}

/// Each rank gives a long result.
void give_long_results(run_options& options) {
  options.results = [](std::string& to) {
    to.assign(100'000, 'x');
    return std::nullopt;
  };
  options.take_results = [](std::span<std::byte const> bytes) { EXPECT_EQ(bytes.size(), 100'000u); };
}

TEST(BspEngine, ResultsWithoutMemoryForThemEndTheRun) {
  for (int const ranks : few_and_many) {
    auto const program = counting(60, zero, [](skel::superstep<int>& now, counter&) { now.halt(); });
    run_options options;
    give_long_results(options);
    virtual_bsp run(program, ranks, 3, options);
    run.net().without_memory([sent = 0](auto, auto const& what) mutable { return is_long(0, what) && ++sent == 1; });
    EXPECT_THAT(errors_of<process_error>(run, ranks), testing::Each(HasSubstr("there is no memory for them")));
  }
}

TEST(BspEngine, ResultsAreByProcessAlsoWhereARankHasNone) {
  skel::runtime::gathered_values<int> all(3);
  auto const read = [&](std::vector<std::uint32_t> const& processes) {
    std::string bytes;
    for (auto const one : processes) {
      skel::runtime::put_number(bytes, one);
      skel::runtime::put_value(bytes, static_cast<int>(10 * one));
    }
    all.read(std::as_bytes(std::span(bytes)));
  };
  read({});
  read({0, 2});
  read({1});
  read({});
  EXPECT_THAT(all.take(), testing::ElementsAre(0, 10, 20));
}

TEST(BspEngine, ResultsAreNotCopiedForEachRank) {
  for (int const ranks : few_and_many) {
    auto const program = counting(60, zero, [](skel::superstep<int>& now, counter&) { now.halt(); });
    run_options options;
    give_long_results(options);
    virtual_bsp run(program, ranks, 3, options);
    std::map<void const*, int> buffers;
    run.net().without_memory([&](auto, auto const& what) {
      if (is_long(0, what)) ++buffers[what.ranges()[0].data()];
      return false;
    });
    EXPECT_THAT(errors_of<process_error>(run, ranks), testing::Each(""));
    EXPECT_THAT(buffers, testing::SizeIs(ranks));
    EXPECT_THAT(buffers, testing::Each(testing::Pair(testing::_, ranks - 1)));
  }
}

/// Work that waits, and the part that is done of the first of it.
struct worker {
  std::vector<std::uint64_t> queue;
  std::uint64_t done = 0, sum = 0;

  friend bool operator==(worker const&, worker const&) = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(queue, done, sum);
  }
};

/// Each task takes several supersteps, and makes tasks of others.
auto unfinished_work(std::uint64_t seed) {
  bench::dice roll(seed);
  std::size_t const n = roll.between(2, 24);
  return skel::bsp<std::uint64_t>(
      "work", n,
      [=](std::size_t p) {
        return worker{{bench::scatter(seed + p), p}};
      },
      [=](skel::superstep<std::uint64_t>& now, worker& mine) {
        for (auto const& [from, what] : now.received()) mine.queue.push_back(what);
        if (mine.queue.empty()) return now.halt();
        auto const task = mine.queue.front();
        mine.sum = bench::scatter(mine.sum ^ task ^ mine.done);
        if (++mine.done < 1 + task % 5) return;
        mine.done = 0;
        mine.queue.erase(mine.queue.begin());
        if (now.number() < 30 && task % 3 > 0) now.send(mine.sum % n, mine.sum);
      });
}

TEST(BspEngine, WorkThatIsHalfDoneMovesWithItsProcess) {
  activity sum;
  for (std::uint64_t seed = 1; seed <= seeds() / 4; ++seed) {
    int const ranks = static_cast<int>(2 + seed % 6);
    expect_as_sequential(unfinished_work(seed), ranks, seed, random_moves(seed, ranks, 2), sum);
  }
  EXPECT_GT(sum.moved, 20 * seeds());
}

}  // namespace
