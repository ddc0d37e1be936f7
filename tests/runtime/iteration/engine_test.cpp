#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/hash.hpp>
#include <skel/detail/pattern/made_meshes.hpp>
#include <skel/detail/pattern/mesh_program.hpp>
#include <skel/detail/runtime/errors.hpp>
#include <skel/detail/runtime/iteration/sequential.hpp>

#include "support/random_meshes.hpp"
#include "support/virtual_mesh.hpp"
#include "support/waiting_read.hpp"

namespace {

using skel::element;
using skel::mesh;
using skel::mesh_element;
using skel::mesh_error;
using skel::mixed;
using skel::runtime::iteration::run_options;
using skel::runtime::iteration::run_sequential;
using skel::test::random_ranks;
using skel::test::random_triangles;
using skel::test::virtual_mesh;
using testing::AllOf;
using testing::HasSubstr;

std::uint64_t seeds() {
  char const* const asked = std::getenv("SKEL_SEEDS");
  return asked == nullptr ? 200 : std::strtoull(asked, nullptr, 10);
}

struct cell {
  std::uint64_t a = 0, b = 0;
  std::array<float, 3> c{};
  std::uint64_t number = 0;
  friend bool operator==(cell const&, cell const&) = default;
};
struct totals {
  std::uint64_t sum = 0, last = 0, most = 0;
  friend bool operator==(totals const&, totals const&) = default;
};

cell made(mesh_element const& e) {
  cell out;
  out.number = e.number();
  out.a = mixed(e.number() + 1);
  for (auto const node : e.nodes()) out.b = mixed(out.b + node);
  return out;
}

/// All that the neighbours say, by faces.
template <class Cell, class Member>
std::uint64_t around(element<Cell> const& e, Member what) {
  std::uint64_t all = e.number();
  for (std::size_t f = 0; f < e.faces(); ++f) {
    auto const* const there = e.neighbour(f);
    all = mixed(all ^ (there == nullptr ? f : there->*what));
    if (there != nullptr && there->number != e.neighbour_number(f)) throw std::logic_error("another element");
  }
  return all;
}

/// Everything that there is, in whole numbers, so that no bit depends on an order. `last`: after how many iterations.
auto random_program(mesh over, std::uint64_t last) {
  return skel::iterate("random", std::move(over), totals{}, made)  //
         | skel::phase("b", [](element<cell> e) { e->b = around(e, &cell::a); }) | skel::update("b", &cell::b) |
         skel::phase("a", [](element<cell> e, totals const& t) { e->a = mixed(around(e, &cell::b) + t.last); }) |
         skel::phase("c",
                     [](cell& own) {
                       own.c = {static_cast<float>(own.a % 1000), 1, 2};
                     }) |
         skel::update("a, c", &cell::a, &cell::c) |
         skel::all_reduce(
             "sum", &totals::sum, [](cell const& of) { return of.a; }, std::plus<>{}) |
         skel::on_totals("last", [](totals& t, std::uint64_t n) { t.last = mixed(t.sum + n); }) |
         skel::all_reduce(
             "most", &totals::most, [](element<cell const> e) { return around(e, &cell::a); }, skel::maximum{}) |
         skel::until([last](totals const& t, std::uint64_t n) { return n >= last || t.most % 5 == 0; });
}

/// Updates behind each other, that wait and that do not; the end is in the middle.
auto other_program(mesh of, std::uint64_t last) {
  return skel::iterate("other", std::move(of), totals{}, made)  //
         | skel::update("all") |
         skel::all_reduce(
             "around", &totals::sum, [](element<cell const> e) { return around(e, &cell::a); }, std::plus<>{}) |
         skel::phase("b", [](element<cell> e) { e->b = around(e, &cell::a); }) |
         skel::update("b", skel::blocking, &cell::b) | skel::update("c", &cell::c) | skel::times(last) |
         skel::phase("a",
                     [](element<cell> e) {
                       auto all = around(e, &cell::b);
                       for (std::size_t f = 0; f < e.faces(); ++f)
                         if (auto const* const there = e.neighbour(f)) all += static_cast<std::uint64_t>(there->c[0]);
                       e->a = all;
                     }) |
         skel::phase("c", [](cell& own) { own.c[0] = static_cast<float>(own.a % 77); });
}

template <class Program>
void expect_as_sequential(Program const& program, std::uint64_t seed, run_options options) {
  bench::dice roll(seed);
  int const ranks = static_cast<int>(roll.between(1, 9));
  auto const rank_of = random_ranks(roll, program.over->cells(), ranks);
  auto const expected = run_sequential(program);
  if (!options.group_of.empty()) options.group_of.resize(static_cast<std::size_t>(ranks));
  virtual_mesh<Program> run(program, rank_of, ranks, seed, options);
  run.run();
  std::size_t found = 0;
  for (int r = 0; r < ranks; ++r) {
    auto const rank = static_cast<std::size_t>(r);
    auto const record = run.end(rank);
    EXPECT_EQ(record.iterations, expected.iterations) << "seed " << seed;
    EXPECT_EQ(record.shares.size(), static_cast<std::size_t>(ranks));
    EXPECT_TRUE(run.part(rank).totals() == expected.totals) << "seed " << seed;
    run.part(rank).for_each([&](std::size_t number, auto const& has) {
      ++found;
      EXPECT_TRUE(has == expected.cells[number]) << "seed " << seed << ", element " << number;
      EXPECT_EQ(rank_of[number], rank);
    });
  }
  EXPECT_EQ(found, program.over->cells());
}

TEST(MeshEngine, GivesWhatTheSequentialEngineGives) {
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    bench::dice roll(seed);
    run_options options;
    options.relays_from = seed % 2 == 0 ? 1 : 1000;
    if (seed % 4 == 0) options.group_of = {1, 0, 1, 1, 5, 0, 1, 5, 1};  // of 9 ranks, at the most
    options.threads = seed % 8 == 0 ? 3 : 1;
    expect_as_sequential(random_program(random_triangles(roll), roll.between(1, 9)), seed, options);
    expect_as_sequential(other_program(random_triangles(roll), roll.between(1, 9)), seed, options);
  }
}

/// What is thrown where, and that each rank throws it.
struct planted {
  std::string step;
  std::uint64_t iteration = 0;
  std::size_t element = 0;
};

auto failing_program(mesh over, planted const& where) {
  auto const fail = [where](std::string const& step, std::uint64_t iteration, std::size_t element) {
    if (step == where.step && iteration == where.iteration && element == where.element)
      throw std::runtime_error("planted");
  };
  struct counted {
    std::uint64_t n = 0, sum = 0;
  };
  struct counting {
    std::uint64_t a = 0, number = 0, n = 0;
  };
  return skel::iterate("failing", std::move(over), counted{},
                       [fail](mesh_element const& e) {
                         fail("make", 0, e.number());
                         return counting{e.number(), e.number(), 0};
                       }) |
         skel::phase("a",
                     [fail](element<counting> e) {
                       fail("a", e->n + 1, e.number());
                       ++e->n;
                     }) |
         skel::update("a", &counting::a) | skel::phase("b", [fail](counting& own) { fail("b", own.n, own.number); }) |
         skel::all_reduce(
             "sum", &counted::sum,
             [fail](counting const& of) {
               fail("sum", of.n, of.number);
               return of.a;
             },
             [fail](std::uint64_t a, std::uint64_t b) {
               fail("plus", a > 100 ? 2 : 0, 0);
               return a + b;
             }) |
         skel::output("file", 2, [fail](auto const& view) { fail("file", view.iteration, view.numbers.size() % 2); }) |
         skel::until([fail](counted const&, std::uint64_t n) {
           fail("until", n, 0);
           return n == 4;
         });
}

TEST(MeshEngine, EveryRankThrowsWhatAFunctionHasThrown) {
  std::map<std::string, std::size_t> thrown;
  for (std::uint64_t seed = 1; seed <= 2 * seeds(); ++seed) {
    bench::dice roll(seed);
    auto const of = random_triangles(roll);
    std::array<std::string, 7> const steps{"make", "a", "b", "sum", "plus", "file", "until"};
    planted where{roll.one_of(steps), roll.between(1, 4), roll.below(of.cells())};
    if (where.step == "make") where.iteration = 0;
    if (where.step == "plus") where.iteration = 2;
    if (where.step == "plus" || where.step == "until") where.element = 0;
    if (where.step == "file") where.element = roll.below(2);
    auto const program = failing_program(of, where);
    int const ranks = static_cast<int>(roll.between(1, 9));
    virtual_mesh run(program, random_ranks(roll, of.cells(), ranks), ranks, seed);
    run.run();
    std::map<std::string, int> said;
    int causes = 0;
    for (int r = 0; r < ranks; ++r) try {
        run.end(static_cast<std::size_t>(r));
        ++said["nothing"];
      } catch (mesh_error const& e) {
        ++said[e.what()];
        if (e.cause()) ++causes;
        EXPECT_THAT(e.what(), HasSubstr("planted")) << "seed " << seed;
        EXPECT_EQ(e.program(), "failing");
        EXPECT_EQ(e.iteration(), where.step == "plus" ? e.iteration() : where.iteration) << e.what();
        if (where.step == "a" || where.step == "b" || where.step == "sum" || where.step == "make") {
          EXPECT_EQ(e.element(), where.element) << e.what();
        }
        ++thrown[where.step];
      }
    EXPECT_EQ(said.size(), 1u) << "seed " << seed << ": ranks do not agree, " << where.step;
    if (!said.contains("nothing")) {
      EXPECT_EQ(causes, 1) << "seed " << seed;
    }
  }
  for (auto const* const step : {"make", "a", "b", "sum", "plus", "file", "until"}) EXPECT_GT(thrown[step], 0u) << step;
}

TEST(MeshEngine, ALimitOfIterationsEndsTheRun) {
  bench::dice roll(1);
  auto const program = other_program(random_triangles(roll), 1000).limited(3);
  virtual_mesh run(program, random_ranks(roll, program.over->cells(), 3), 3, 1);
  run.run();
  for (std::size_t r = 0; r < 3; ++r) try {
      run.end(r);
      ADD_FAILURE() << "rank " << r << " has ended";
    } catch (skel::error const& e) {
      EXPECT_THAT(e.what(), AllOf(HasSubstr("'other' has not ended after 3 iterations"), HasSubstr("limited()")));
    }
}

/// Whether ranks wait for those that have ended, or find out when all have: with and without updates and reductions.
TEST(MeshEngine, RanksThatDoNotEndTogetherAreTold) {
  std::size_t odd_ones = 0;
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    bench::dice roll(seed);
    int const ranks = static_cast<int>(roll.between(2, 9));
    auto const of = skel::iterate("odd", random_triangles(roll), totals{}, made);
    auto const rank_of = random_ranks(roll, of.over->cells(), ranks);
    auto const odd = rank_of[roll.below(rank_of.size())];
    if (std::ranges::count(rank_of, odd) == static_cast<std::ptrdiff_t>(rank_of.size())) continue;  // it is alone
    ++odd_ones;
    std::uint64_t const ends = roll.between(1, 5), ends_there = ends + roll.between(1, 3);
    bool const later = roll.below(2) == 0;
    std::uint32_t here = 0;
    auto const who = skel::output("who", 1, [&](auto const& view) { here = static_cast<std::uint32_t>(view.rank); });
    auto const until =
        skel::until([&](totals const&, std::uint64_t n) { return n >= ((here == odd) == later ? ends_there : ends); });
    auto const try_out = [&](auto const& program) {
      run_options options;
      options.relays_from = seed % 2 == 0 ? 1 : 1000;
      virtual_mesh run(program, rank_of, ranks, seed, options);
      run.run();
      std::map<std::string, int> said;
      for (int r = 0; r < ranks; ++r) try {
          run.end(static_cast<std::size_t>(r));
          ADD_FAILURE() << "seed " << seed << ": rank " << r << " has not noticed";
        } catch (skel::error const& e) {
          ++said[e.what()];
          EXPECT_THAT(e.what(), AllOf(HasSubstr("'odd' has ended after " + std::to_string(ends) + " iteration"),
                                      HasSubstr("skel::until()")));
        }
      EXPECT_EQ(said.size(), 1u) << "seed " << seed << ": ranks do not agree";
    };
    auto const reduces = skel::all_reduce(
        "sum", &totals::sum, [](cell const& c) { return c.a; }, std::plus<>{});
    try_out(of | skel::phase("a", [](cell& own) { ++own.a; }) | who | until);
    try_out(of | skel::update("a", &cell::a) | skel::phase("b", [](element<cell> e) { e->b = around(e, &cell::a); }) |
            who | until);
    try_out(of | reduces | who | until);
    try_out(of | skel::update("a", &cell::a) | who | until | reduces);
  }
  EXPECT_GT(odd_ones, seeds() / 2);
}

TEST(MeshEngine, AnInterruptOfOneRankCancelsAll) {
  for (std::uint64_t seed = 1; seed <= seeds() / 4; ++seed) {
    bench::dice roll(seed);
    std::atomic<bool> interrupt = false;
    std::uint64_t const when = roll.between(1, 30);
    auto const program = skel::iterate("endless", random_triangles(roll), made) |
                         skel::phase("a",
                                     [&](element<cell> e) {
                                       e->b = around(e, &cell::a);
                                       if (e.number() == 0 && ++e->c[0] >= static_cast<float>(when)) interrupt = true;
                                     }) |
                         skel::update("b", &cell::b) | skel::times(3000);
    int const ranks = static_cast<int>(roll.between(1, 7)),
              asked = static_cast<int>(roll.below(static_cast<std::size_t>(ranks)));
    virtual_mesh run(program, random_ranks(roll, program.over->cells(), ranks), ranks, seed, {},
                     [&](int rank, run_options& own) {
                       if (rank == asked) own.interrupt = &interrupt;
                     });
    run.run();
    for (int r = 0; r < ranks; ++r) EXPECT_THROW(run.end(static_cast<std::size_t>(r)), skel::cancelled);
  }
}

TEST(MeshEngine, AWaitThatASignalInterruptsIsNoErrorOfTheProgram) {
  skel::test::watched_process const watched;
  for (auto const* const where : {"phase", "until"}) {
    std::atomic<bool> interrupt = false;
    auto const wait = [&] {
      interrupt = true;
      skel::runtime::interrupt_runs(SIGINT);
      skel::test::read_for_ever();
    };
    bool const in_phase = where == std::string("phase");
    bench::dice roll(1);
    auto const program = skel::iterate("endless", random_triangles(roll), totals{}, made) |
                         skel::phase("a",
                                     [&](element<cell> e) {
                                       if (in_phase && e.number() == 0) wait();
                                     }) |
                         skel::until([&](totals const&, std::uint64_t) {
                           if (!in_phase) wait();
                           return false;
                         });
    virtual_mesh run(program, random_ranks(roll, program.over->cells(), 3), 3, 1, {},
                     [&](int, run_options& own) { own.interrupt = &interrupt; });
    run.run();
    for (std::size_t r = 0; r < 3; ++r) EXPECT_THROW(run.end(r), skel::cancelled) << where;
  }
}

TEST(MeshEngine, TheErrorThatEndsTheRunIsToldAndNotWhatItInterrupts) {
  skel::test::watched_process const watched;
  std::atomic<bool> reads = false;
  auto const program = skel::iterate("stuck", skel::cube_of_tetrahedra(1), made) |
                       skel::phase("a",
                                   [&](element<cell> e) {
                                     if (e.number() == 0) reads = true, skel::test::read_for_ever();
                                     while (!reads) std::this_thread::yield();
                                     if (e.number() == 5) throw std::runtime_error("bad frame");
                                   }) |
                       skel::times(1);
  run_options options;
  options.threads = 2;
  virtual_mesh run(program, std::vector<std::uint32_t>(program.over->cells()), 1, 1, options);
  run.run();
  try {
    run.end(0);
    ADD_FAILURE();
  } catch (mesh_error const& e) {
    EXPECT_EQ(e.element(), 5u);
    EXPECT_THAT(e.what(), HasSubstr("bad frame"));
  }
}

TEST(MeshEngine, CellsThatAreNotPlainAreMadeAndDestroyedOnce) {
  auto const alive = std::make_shared<int>(0);
  struct held {
    std::shared_ptr<int> one;
    std::uint64_t a = 0;
  };
  bench::dice roll(7);
  {
    auto const program = skel::iterate("held", random_triangles(roll),
                                       [alive](mesh_element const& e) {
                                         return held{alive, e.number()};
                                       }) |
                         skel::update("a", &held::a) | skel::phase("more", [](held& own) { ++own.a; }) | skel::times(2);
    virtual_mesh run(program, random_ranks(roll, program.over->cells(), 4), 4, 1);
    run.run();
    EXPECT_GT(alive.use_count(), static_cast<long>(program.over->cells()));
  }
  EXPECT_EQ(alive.use_count(), 1);
}

TEST(MeshEngine, MissingMemoryForAMessageEndsTheRunOnAllRanks) {
  std::size_t ended = 0;
  for (std::uint64_t seed = 1; seed <= seeds() / 4; ++seed) {
    bench::dice roll(seed);
    auto const program = random_program(random_triangles(roll), 6);
    int const ranks = static_cast<int>(roll.between(2, 6));
    virtual_mesh run(program, random_ranks(roll, program.over->cells(), ranks), ranks, seed);
    std::size_t left = roll.between(1, 20);
    run.net().without_memory([&left](auto where, auto const&) { return where == 1 && left > 0 && --left == 0; });
    run.run();
    if (left > 0) continue;  // fewer ghosts than that were sent
    ++ended;
    for (int r = 0; r < ranks; ++r) try {
        run.end(static_cast<std::size_t>(r));
        ADD_FAILURE() << "seed " << seed << ", rank " << r << " has ended";
      } catch (mesh_error const& e) {
        EXPECT_THAT(e.what(), HasSubstr("the rank could not go on")) << "seed " << seed;
      }
  }
  EXPECT_GT(ended, 0u);
}

/// What crosses ranks, and finds no memory there in the second iteration.
struct short_of_memory {
  std::uint64_t n = 0;
  std::vector<int> more{};  // so that it is not plain bytes

  template <class Archive>
  void save(Archive& archive) const {
    archive(n);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(n);
    if (n == 2) throw std::bad_alloc();
  }
};

struct most_of_all {
  short_of_memory most{};

  template <class Archive>
  void serialize(Archive& archive) {
    archive(most);
  }
};

/// Where there is none to read what is combined, the operator is not to blame; where it throws that itself, it is.
TEST(MeshEngine, MissingMemoryIsBlamedOnWhoAskedForIt) {
  bench::dice roll(1);
  for (bool const in_operator : {false, true}) {
    auto const program = skel::iterate("short", random_triangles(roll), most_of_all{}, made) |
                         skel::phase("count", [](cell& own) { own.c[0] += 1; }) |
                         skel::all_reduce(
                             "most", &most_of_all::most,
                             [](cell const& own) {
                               return short_of_memory{static_cast<std::uint64_t>(own.c[0]), {}};
                             },
                             [in_operator](short_of_memory a, short_of_memory b) {
                               if (in_operator) throw std::bad_alloc();
                               return a.n > b.n ? a : b;
                             }) |
                         skel::times(4);
    virtual_mesh run(program, random_ranks(roll, program.over->cells(), 3), 3, 1);
    run.run();
    try {
      run.end(0);
      ADD_FAILURE() << "there was memory";
    } catch (mesh_error const& e) {
      EXPECT_THAT(e.what(), HasSubstr(in_operator ? "all_reduce 'most' " : "the rank could not go on in iteration 2"));
    }
  }
}

/// All ranks pause after the same iteration, whenever rank 0 asks, and go on elsewhere.
TEST(MeshEngine, GivesTheSameWhereItPausesAndGoesOnOnOtherRanks) {
  std::size_t pauses = 0, without_rank_0 = 0;
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    bench::dice roll(seed);
    auto const program = random_program(random_triangles(roll), roll.between(2, 12));
    auto const expected = run_sequential(program);
    std::optional<skel::test::mesh_standing> at;
    for (int segment = 0;; ++segment) {
      int const ranks = static_cast<int>(roll.between(1, 9));
      auto const rank_of = random_ranks(roll, program.over->cells(), ranks);
      run_options options;
      options.relays_from = seed % 2 == 0 ? 1 : 1000;
      std::uint64_t const after = (at ? at->done : 0) + roll.between(0, 3);
      options.pauses = [after, looks = 0](std::uint64_t iteration) mutable {
        return iteration >= after || (iteration == 0 && ++looks == 20);
      };
      virtual_mesh run(program, rank_of, ranks, roll.bits(), options, {}, at);
      run.run();
      auto const record = run.end(0);
      for (int r = 1; r < ranks; ++r) {
        auto const other = run.end(static_cast<std::size_t>(r));
        EXPECT_EQ(other.iterations, record.iterations) << "seed " << seed;
        EXPECT_EQ(other.paused, record.paused) << "seed " << seed;
      }
      if (!record.paused) {
        EXPECT_EQ(record.iterations, expected.iterations) << "seed " << seed;
        for (int r = 0; r < ranks; ++r) {
          EXPECT_TRUE(run.part(static_cast<std::size_t>(r)).totals() == expected.totals) << "seed " << seed;
          run.part(static_cast<std::size_t>(r)).for_each([&](std::size_t number, cell const& has) {
            EXPECT_TRUE(has == expected.cells[number]) << "seed " << seed << ", element " << number;
          });
        }
        break;
      }
      ++pauses;
      if (std::ranges::count(rank_of, 0U) == 0) ++without_rank_0;
      EXPECT_GT(record.iterations, at ? at->done : 0) << "seed " << seed;
      at = run.standing(record.iterations);
      ASSERT_LT(segment, 20) << "seed " << seed;
    }
  }
  EXPECT_GT(pauses, seeds() / 2);
  EXPECT_GT(without_rank_0, 0u);
}

TEST(MeshEngine, NoIterationsAreRefused) {
  EXPECT_THAT([] { skel::times(0); }, testing::ThrowsMessage<skel::error>(testing::HasSubstr("skel::times(0): ")));
}

TEST(MeshEngine, CellsThatCannotTravelSaySo) {
  struct held {
    std::shared_ptr<int> one;
  };
  bench::dice roll(7);
  auto const program =
      skel::iterate("held", random_triangles(roll), [](mesh_element const&) { return held(); }) | skel::times(1);
  skel::runtime::iteration::typed_part const part(program);
  EXPECT_FALSE(part.cells_travel());
  auto const plain = other_program(random_triangles(roll), 1);
  EXPECT_TRUE(skel::runtime::iteration::typed_part(plain).cells_travel());
}

TEST(MeshEngine, CellsThatAreMissingAreRefused) {
  bench::dice roll(3);
  auto const program = other_program(random_triangles(roll), 2);
  std::vector<std::uint32_t> const rank_of(program.over->cells());
  auto const layout = skel::plan::layout_of(*program.faces, rank_of, 0);
  skel::runtime::iteration::typed_part part(program);
  try {
    part.adopt(layout, {});
    ADD_FAILURE() << "cells were missing";
  } catch (skel::error const& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("the cells of " + std::to_string(layout.places()) + " elements are missing"));
  }
  std::string damaged(13, '\7');
  EXPECT_THROW(skel::runtime::iteration::cells_by_rank(std::as_bytes(std::span(damaged)), *program.faces, rank_of, 1),
               skel::error);
}

struct rough_totals {
  double sum = 0;
  std::string words{};

  template <class Archive>
  void serialize(Archive& archive) {
    archive(sum, words);
  }
};

/// What an element gives, whose sums round.
double rough(std::size_t number, std::uint64_t iteration) {
  return 1.0 / static_cast<double>(mixed(number + iteration) % 1000 + 1);
}

/// Of all elements along the tree over their numbers, as it is meant.
double sum_along_the_tree(std::size_t begin, std::size_t length, std::size_t elements, std::uint64_t iteration) {
  if (length == 1) return rough(begin, iteration);
  if (begin + length / 2 >= elements) return sum_along_the_tree(begin, length / 2, elements, iteration);
  return sum_along_the_tree(begin, length / 2, elements, iteration) +
         sum_along_the_tree(begin + length / 2, length / 2, elements, iteration);
}

/// Wherever elements are, on however many threads; also of an operator that does not commute.
TEST(MeshEngine, GivesReproducibleTotalsTheBitsOfTheTreeOverTheNumbersOfElements) {
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    bench::dice roll(seed);
    auto over = random_triangles(roll);
    std::size_t const elements = over.cells();
    auto const program =
        skel::iterate("rough", std::move(over), rough_totals{}, made) |
        skel::phase("count", [](cell& own) { ++own.a; }) |
        skel::all_reduce(
            "sum", &rough_totals::sum, [](cell const& of) { return rough(of.number, of.a - mixed(of.number + 1)); },
            std::plus<>{}, skel::reproducible) |
        skel::all_reduce(
            "words", &rough_totals::words, [](cell const& of) { return std::to_string(of.number % 10); }, std::plus<>{},
            skel::reproducible) |
        skel::times(2);
    std::string words;
    for (std::size_t e = 0; e < elements; ++e) words += std::to_string(e % 10);
    std::size_t length = 1;
    while (length < elements) length *= 2;
    int const ranks = static_cast<int>(roll.between(1, 9));
    auto const rank_of = random_ranks(roll, elements, ranks);
    virtual_mesh run(program, rank_of, ranks, seed, {.threads = roll.between(1, 3)});
    run.run();
    for (int r = 0; r < ranks; ++r) {
      auto const rank = static_cast<std::size_t>(r);
      run.end(rank);
      EXPECT_EQ(run.part(rank).totals().sum, elements == 0 ? 0 : sum_along_the_tree(0, length, elements, 2)) << seed;
      EXPECT_EQ(run.part(rank).totals().words, words) << seed;
    }
  }
}

}  // namespace
