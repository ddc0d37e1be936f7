#include <limits>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/pattern/compose.hpp>
#include <skel/detail/pattern/runtime_pipeline.hpp>
#include <skel/detail/runtime/line/sequential.hpp>

#include "support/count_to.hpp"

namespace {

using skel::runtime::run_sequential;
using skel::skeletons::flow_through;
using skel::test::count_to;

struct not_default_constructible {
  explicit not_default_constructible(int v) : value(v) {}
  int value;
};

TEST(Compose, DeducesTypesFromStageToStage) {
  auto app = count_to(3) | [](int i) { return i + 0.5; } | skel::farm([](double x) { return std::to_string(x); });
  static_assert(std::is_same_v<typename flow_through<decltype(app), void>::type, std::string>);
  static_assert(!skel::skeletons::program<decltype(app)>);
}

TEST(Compose, BareCallablesAndGenericLambdasAreStages) {
  std::vector<long> out;
  auto app = count_to(4) | [](auto x) { return x * 2L; } | skel::sink([&](auto x) { out.push_back(x); });
  EXPECT_EQ(run_sequential(app), 4u);
  EXPECT_THAT(out, testing::ElementsAre(0, 2, 4, 6));
}

TEST(Compose, CarriesMoveOnlyAndNotDefaultConstructibleItems) {
  std::vector<int> out;
  auto app = count_to(3) | skel::stage("box", [](int i) { return std::make_unique<int>(i); }) |
             skel::farm("unbox", [](std::unique_ptr<int> p) { return not_default_constructible(*p * 10); }) |
             skel::sink("keep", [&](not_default_constructible&& x) { out.push_back(x.value); });
  run_sequential(app);
  EXPECT_THAT(out, testing::ElementsAre(0, 10, 20));
}

TEST(Compose, NestsFarmsInPipelinesAndPipelinesInFarms) {
  std::vector<int> out;
  auto inner = skel::pipeline([](int i) { return i + 1; }, skel::farm("times", [](int i) { return i * 3; }));
  auto app = count_to(3) |
             skel::farm(
                 "outer", inner | [](int i) { return i - 1; }) |
             skel::sink([&](int i) { out.push_back(i); });
  run_sequential(app);
  EXPECT_THAT(out, testing::ElementsAre(2, 5, 8));
}

TEST(Compose, KeepsEveryStageOfAPipelineBuiltAtRunTime) {
  skel::runtime_pipeline<int> steps;
  for (int k = 1; k <= 5; ++k) steps.stage("add" + std::to_string(k), [k](int x) { return x * 10 + k; });
  std::vector<int> out;
  auto app = count_to(2) | steps | skel::sink([&](int x) { out.push_back(x); });
  run_sequential(app);
  EXPECT_THAT(out, testing::ElementsAre(12345, 112345));
}

TEST(Compose, NamesCanBePartOfTheType) {
  auto named = skel::stage<"deflate">([](int i) { return i; });
  EXPECT_EQ(named.notes.name, "deflate");
}

int times_three(int x) {
  return 3 * x;
}
TEST(Compose, FunctionsAreStages) {
  std::vector<int> out;
  auto app = count_to(3) | times_three | skel::sink([&](int x) { out.push_back(x); });
  run_sequential(app);
  EXPECT_THAT(out, testing::ElementsAre(0, 3, 6));
}

TEST(Compose, OptionsSayWhatTheyMean) {
  auto work = [](int i) { return i; };
  EXPECT_EQ(skel::farm("f", work, skel::width(3), skel::unordered).notes.width, 3u);
  EXPECT_FALSE(skel::farm<"f">(work, skel::unordered).notes.ordered);
  auto placed = skel::stage("s", work, skel::at("a", "b"), skel::work{2});
  EXPECT_THAT(placed.notes.at, testing::ElementsAre("a", "b"));
  EXPECT_EQ(placed.notes.work, 2);
  EXPECT_THROW(skel::width(0), skel::error);
  EXPECT_THROW(skel::work(-1e-9), skel::error);
  EXPECT_THROW(skel::work{std::numeric_limits<double>::infinity()}, skel::error);
  EXPECT_THROW(skel::work{std::numeric_limits<double>::quiet_NaN()}, skel::error);
}

#if !defined(__clang__) || __clang_major__ > 15  // those cannot use the ranges of GCC's library
TEST(Compose, LeavesOtherUsesOfTheBarAlone) {
  auto even = [](int i) { return i % 2 == 0; };
  auto both = std::views::filter(even) | std::views::transform(times_three);
  std::vector<int> out;
  for (int x : std::views::iota(0, 5) | both) out.push_back(x);
  EXPECT_THAT(out, testing::ElementsAre(0, 6, 12));
  static_assert(!std::is_same_v<decltype(skel::farm(even) | even), skel::skeletons::refused>);
}
#endif

enum class colour : unsigned { red = 1, blue = 2 };
constexpr unsigned operator|(colour a, colour b) {
  return static_cast<unsigned>(a) | static_cast<unsigned>(b);
}
constexpr unsigned operator~(colour a) {
  return ~static_cast<unsigned>(a);
}
enum access { reads = 1, writes = 2 };
/// A function object that stands for a value, as std::integral_constant does.
template <auto Value>
struct constant {
  constexpr operator decltype(Value)() const { return Value; }
  constexpr decltype(Value) operator()() const { return Value; }
};

TEST(Compose, LeavesBitsAlone) {
  static_assert((std::integral_constant<int, 1>{} | std::integral_constant<int, 2>{}) == 3);
  static_assert((std::true_type{} | std::false_type{}) == 1);
  static_assert((constant<reads>{} | constant<writes>{}) == 3);
  static_assert((constant<colour::red>{} | constant<colour::blue>{}) == 3);
  static_assert((constant<1>{} | 2) == 3);
}

TEST(Compose, CallsFinishOnceAfterTheLastItem) {
  struct counting_sink {
    int* items;
    int* finishes;
    void operator()(int) { ++*items; }
    void finish() { ++*finishes; }
  };
  int items = 0, finishes = 0;
  auto app = count_to(7) | skel::sink(counting_sink{&items, &finishes});
  run_sequential(app);
  EXPECT_EQ(items, 7);
  EXPECT_EQ(finishes, 1);
}

}  // namespace
