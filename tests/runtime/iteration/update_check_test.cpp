#include <skel/detail/runtime/iteration/update_check.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/pattern/mesh_program.hpp>
#include <skel/detail/runtime/iteration/typed_part.hpp>

#include "support/random_meshes.hpp"

namespace {

using skel::element;
using skel::mesh;
using skel::mesh_element;
using skel::runtime::program_failure;
using skel::runtime::iteration::find_forgotten_update;
using skel::runtime::iteration::typed_part;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

mesh some_mesh() {
  bench::dice roll(5);
  return skel::test::random_triangles(roll);
}

template <class Program>
std::optional<program_failure> found_in(Program const& program, std::uint64_t iterations = 10,
                                        std::atomic<bool> const* interrupt = nullptr) {
  typed_part<Program> part(program);
  return find_forgotten_update(part, *program.faces, iterations, interrupt).found;
}

/// With bytes between its members that nobody writes.
struct cell {
  char kind = 0;
  double a = 0, b = 0;
#if !SKEL_CLEARS_PADDING
  bool operator==(cell const&) const = default;
#endif
};
struct totals {
  double sum = 0, most = 0;
#if !SKEL_CLEARS_PADDING
  bool operator==(totals const&) const = default;
#endif
};

cell made(mesh_element const& e) {
  cell out;
  out.a = 1.0 / static_cast<double>(e.number() + 1);
  return out;
}

auto start() {
  return skel::iterate("waves", some_mesh(), totals{}, made);
}
template <class Cell>
double around(element<Cell> const& e, double cell::*what) {
  double sum = 0;
  for (std::size_t f = 0; f < e.faces(); ++f)
    if (auto const* const there = e.neighbour(f)) sum += there->*what;
  return sum;
}
auto advance(char const* name, double cell::*to, double cell::*from) {
  return skel::phase(name, [=](element<cell> e) { (*e).*to += around(e, from) / 10; });
}
auto all(double cell::*what) {
  return skel::all_reduce(
      "sum", &totals::sum, [=](cell const& c) { return c.*what; }, std::plus<>{});
}
auto use_of_totals() {
  return skel::phase("use", [](cell& c, totals const& t) { c.a -= t.sum / 1000; });
}

TEST(UpdateCheck, FindsNothingWhereAllIsUpdated) {
  EXPECT_FALSE(found_in(start() | advance("b", &cell::b, &cell::a) | skel::update("b", &cell::b) |
                        advance("a", &cell::a, &cell::b) | all(&cell::a) | use_of_totals() |
                        skel::update("a", &cell::a) | skel::times(20)));
}

TEST(UpdateCheck, NamesTheStepTheElementAndTheUpdateThatMendsIt) {
  auto const program = start() | advance("b", &cell::b, &cell::a) | skel::update("b", &cell::b) |
                       advance("a", &cell::a, &cell::b) | skel::update("a", &cell::a) | use_of_totals() |
                       advance("b again", &cell::b, &cell::a) | skel::update("b again", &cell::b) |
                       skel::on_totals("sum", [](totals& t) { t.sum = 1; }) | skel::times(20);
  auto const found = found_in(program);
  ASSERT_TRUE(found.has_value());
  // a is changed by "use" behind its update: by nothing in the first iteration, as the sum is 0 there.
  EXPECT_EQ(found->iteration, 2u);
  EXPECT_EQ(found->step, 5u);
  EXPECT_LT(found->number, program.over->cells());
  EXPECT_THAT(found->what, AllOf(HasSubstr("phase 'b again' gives another result for element " +
                                           std::to_string(found->number) + " in iteration 2"),
                                 HasSubstr("add an update like 'a' before 'b again'")));
}

TEST(UpdateCheck, FindsWhatNoUpdateSends) {
  auto const found =
      found_in(start() | advance("b", &cell::b, &cell::a) | advance("a", &cell::a, &cell::b) | skel::times(20));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->iteration, 1u);
  EXPECT_EQ(found->step, 1u);
  EXPECT_THAT(found->what, AllOf(HasSubstr("no update of the program sends the members that it reads: add "
                                           "skel::update(name, &Cell::member) for them before 'a'"),
                                 Not(HasSubstr("other members"))));
  auto const other = found_in(start() | advance("b", &cell::b, &cell::a) | advance("a", &cell::a, &cell::b) |
                              skel::update("only a", &cell::a) | skel::times(20));
  ASSERT_TRUE(other.has_value());
  EXPECT_THAT(other->what, HasSubstr("'only a' does not send the members that it reads: add"));
}

TEST(UpdateCheck, FindsAPhaseThatReadsWhatItChanges) {
  auto const found =
      found_in(start() | advance("a", &cell::a, &cell::a) | skel::update("a", &cell::a) | skel::times(20));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->step, 0u);
  EXPECT_THAT(
      found->what,
      AllOf(HasSubstr("it changes members that it reads from neighbours: let it write to other members than it reads"),
            Not(HasSubstr("add "))));
}

TEST(UpdateCheck, FindsAReductionThatReadsWhatIsOld) {
  auto const program = start() | skel::phase("b", [](cell& c) { c.b = 2 * c.a; }) |
                       skel::all_reduce(
                           "most", &totals::most, [](element<cell const> e) { return around(e, &cell::b); },
                           [](double a, double b) { return std::max(a, b); }) |
                       skel::update("b", &cell::b) | skel::times(2);
  auto const found = found_in(program);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->during, program_failure::kind::reduce);
  EXPECT_EQ(found->step, 1u);
  EXPECT_EQ(found->iteration, 1u);
  EXPECT_THAT(found->what, AllOf(HasSubstr("all_reduce 'most'"), HasSubstr("an update like 'b' before 'most'")));
}

TEST(UpdateCheck, SaysWhatAPhaseThrowsWhereItReadsWhatIsOld) {
  auto const found = found_in(start() | skel::phase("b", [](cell& c) { c.b = 1; }) |
                              skel::phase("look",
                                          [](element<cell> e) {
                                            for (std::size_t f = 0; f < e.faces(); ++f)
                                              if (auto const* const there = e.neighbour(f); there && there->b != 1)
                                                throw std::runtime_error("b is not 1");
                                          }) |
                              skel::update("b", &cell::b) | skel::times(2));
  ASSERT_TRUE(found.has_value());
  EXPECT_THAT(found->what, AllOf(HasSubstr("phase 'look' throws at element"), HasSubstr("b is not 1"),
                                 HasSubstr("an update like 'b'")));
}

TEST(UpdateCheck, LeavesWhatIsThrownAnywayToTheRun) {
  EXPECT_FALSE(found_in(start() |
                        skel::phase("fail",
                                    [](element<cell> e) {
                                      if (e.number() == 3) throw std::runtime_error("planted");
                                    }) |
                        skel::times(2)));
}

TEST(UpdateCheck, EndsWhereItIsToldToAndCallsNoOutputs) {
  std::size_t shown = 0, calls = 0;
  auto const program = start() | skel::phase("count", [&](element<cell> e) { calls += e.number() == 0 ? 1U : 0U; }) |
                       skel::output("look", 1, [&](auto const&) { ++shown; }) | skel::times(7);
  EXPECT_FALSE(found_in(program, 3));
  EXPECT_EQ(calls, 2 * 3u);  // on all elements, and on the part that has it
  EXPECT_FALSE(found_in(program, 100));
  EXPECT_EQ(calls, 2 * (3u + 7u));
  EXPECT_EQ(shown, 0u);
  std::atomic<bool> const interrupt = true;
  EXPECT_FALSE(found_in(start() | advance("a", &cell::a, &cell::a) | skel::times(2), 10, &interrupt));
}

TEST(UpdateCheck, CellsThatAreNotPlainNeedAnEquality) {
  struct held {
    std::vector<double> all;
    bool operator==(held const& other) const { return all == other.all; }
  };
  struct bare {
    std::vector<double> all;
  };
  auto const of = [](auto make) {
    return skel::iterate("held", some_mesh(), make) |
           skel::phase("grow",
                       []<class Cell>(element<Cell> e) {
                         double sum = 0;
                         for (std::size_t f = 0; f < e.faces(); ++f)
                           if (auto const* const there = e.neighbour(f)) sum += static_cast<double>(there->all.size());
                         if (sum > 0) e->all.push_back(sum);
                       }) |
           skel::times(3);
  };
  EXPECT_TRUE(found_in(of([](mesh_element const&) { return held{{1}}; })).has_value());
  try {
    found_in(of([](mesh_element const&) { return bare{{1}}; }));
    ADD_FAILURE() << "what cannot be compared was compared";
  } catch (skel::error const& refused) {
    EXPECT_THAT(refused.what(), AllOf(HasSubstr("program 'held'"), HasSubstr("operator==")));
  }
}

}  // namespace
