#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/pattern/compose.hpp>
#include <skel/detail/pattern/runtime_pipeline.hpp>
#include <skel/detail/pattern/user_function.hpp>
#include <skel/detail/runtime/line/sequential.hpp>
#include <skel/detail/runtime/station/station_state.hpp>

#include "support/count_to.hpp"

namespace {

using skel::emitter;
using skel::skeletons::emits_items;
using skel::skeletons::emitted;
using skel::skeletons::flow_through;
using skel::test::count_to;
using testing::ElementsAre;

/// What reaches a sink of T behind `stages`.
template <class T, class Stages>
std::vector<T> results_of(int items, Stages stages) {
  std::vector<T> out;
  auto app = count_to(items) | std::move(stages) | skel::sink([&](T x) { out.push_back(std::move(x)); });
  skel::runtime::run_sequential(app);
  return out;
}

void copies(int x, emitter<int>& out) {
  for (int i = 0; i < x; ++i) out(x);
}
void quiet_copies(int x, emitter<int>& out) noexcept {
  copies(x, out);
}

struct keeps_count {
  int count = 0;
  int* finished = nullptr;

  void operator()(int x, emitter<std::string>& out) {
    if (++count % 2 == 0) out(std::to_string(x));
  }
  void finish() { ++*finished; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(count);
  }
};

struct two_operators {
  void operator()(int x, emitter<long>& out) const { out(x); }
  void operator()(std::string const& x, emitter<long>& out) const { out(static_cast<long>(x.size())); }
};

TEST(Emitter, GivesNoneOneOrManyItemsInTheirOrder) {
  EXPECT_THAT(results_of<int>(4, skel::stage(&copies)), ElementsAre(1, 2, 2, 3, 3, 3));
  EXPECT_THAT(results_of<int>(3, skel::stage("quiet", &quiet_copies)), ElementsAre(1, 2, 2));
  EXPECT_THAT(results_of<int>(4, skel::stage([](int, emitter<int>&) {})), ElementsAre());
}

TEST(Emitter, IsFoundInTheParametersOfAFunction) {
  auto const plain = [](int x) { return x; };
  auto const emits = [](int x, emitter<std::string>& out) { out(std::to_string(x)); };
  auto const keeps = [n = 0](int x, emitter<double>& out) mutable noexcept { out(x + n++); };
  static_assert(std::is_void_v<emitted<decltype(plain), int>>);
  static_assert(std::is_same_v<emitted<decltype(emits), int>, std::string>);
  static_assert(std::is_same_v<emitted<decltype(keeps), int>, double>);
  static_assert(std::is_same_v<emitted<decltype(&copies), int>, int>);
  static_assert(std::is_same_v<emitted<std::function<void(int, emitter<char>&)>, int>, char>);
  auto app = count_to(3) | emits |
             skel::stage<"length">([](std::string const& s, emitter<std::size_t>& out) { out(s.size()); });
  static_assert(std::is_same_v<flow_through<decltype(app), void>::type, std::size_t>);
}

TEST(Emitter, OfGenericFunctionsIsSaid) {
  auto const doubled = skel::emits<long>([](auto const& x, auto& out) {
    out(x);
    out(2 * x);
  });
  EXPECT_THAT(results_of<long>(3, skel::stage(doubled)), ElementsAre(0, 0, 1, 2, 2, 4));
  EXPECT_THAT(results_of<long>(2, skel::farm(skel::emits<long>(two_operators{}))), ElementsAre(0, 1));
}

TEST(Emitter, StandsAnywhereInsideFarmsAndPipelines) {
  auto inner =
      skel::pipeline(skel::stage(&copies), skel::filter([](int x) { return x != 2; }), [](int x) { return -x; });
  EXPECT_THAT(results_of<int>(4, skel::farm(std::move(inner))), ElementsAre(-1, -3, -3, -3));
}

TEST(Emitter, StandsInPipelinesMadeAtRunTime) {
  skel::runtime_pipeline<int> line;
  line.stage("copies", &copies).stage("next", [](int x) { return x + 1; }).farm("copies of copies", &copies);
  EXPECT_THAT(results_of<int>(3, std::move(line)), ElementsAre(2, 2, 3, 3, 3, 3, 3, 3));
}

TEST(Emitter, CarriesItemsThatOnlyMove) {
  auto const boxes = [](int x, emitter<std::unique_ptr<int>>& out) {
    for (int i = 0; i < x; ++i) out(std::make_unique<int>(i));
  };
  auto const unbox = [](std::unique_ptr<int> p) { return *p; };
  EXPECT_THAT(results_of<int>(4, skel::stage(boxes) | skel::stage(unbox)), ElementsAre(0, 0, 1, 0, 1, 2));
}

TEST(Filter, TakesANameAndOptionsAsAStageDoes) {
  auto const odd = [](int x) { return x % 2 == 1; };
  auto const twice = [](int x) { return std::vector<int>{x, x}; };
  auto const filter = skel::filter("odd", odd, skel::at("there"), skel::work(2));
  EXPECT_EQ(filter.notes.name, "odd");
  EXPECT_THAT(filter.notes.at, ElementsAre("there"));
  EXPECT_EQ(filter.notes.work, 2);
  EXPECT_EQ(skel::flatten("twice", twice).notes.name, "twice");
  EXPECT_THAT(results_of<int>(4, skel::filter("odd", odd) | skel::flatten("twice", twice)), ElementsAre(1, 1, 3, 3));
  EXPECT_THAT(results_of<int>(4, skel::farm("outer", skel::filter("odd", odd))), ElementsAre(1, 3));
}

TEST(Filter, GivesOnTheItemsForWhichItHolds) {
  EXPECT_THAT(results_of<int>(6, skel::stage(skel::filter([](int x) { return x % 2 == 1; }))), ElementsAre(1, 3, 5));
  EXPECT_THAT(results_of<int>(3, skel::stage<"named">(skel::filter([](auto const& x) { return x > 0; }))),
              ElementsAre(1, 2));
  auto const box = [](int x) { return std::make_unique<int>(x); };
  auto const odd = skel::filter([](std::unique_ptr<int> const& p) { return *p % 2 == 1; });
  EXPECT_THAT(results_of<int>(
                  4, skel::stage(box) | skel::stage(odd) | [](std::unique_ptr<int> p) { return *p; }),
              ElementsAre(1, 3));
}

TEST(Flatten, GivesTheElementsOfWhatAFunctionReturns) {
  EXPECT_THAT(
      results_of<int>(3, skel::stage(skel::flatten([](int x) { return std::vector(static_cast<std::size_t>(x), x); }))),
      ElementsAre(1, 2, 2));
  EXPECT_THAT(results_of<bool>(
                  3, skel::stage(skel::flatten([](int x) { return std::vector(static_cast<std::size_t>(x), true); }))),
              ElementsAre(true, true, true));
  EXPECT_THAT(results_of<int>(
                  4, skel::stage(skel::flatten([](int x) { return x % 2 == 0 ? std::optional(x) : std::nullopt; }))),
              ElementsAre(0, 2));
  auto const boxes = [](int x) {
    std::vector<std::unique_ptr<int>> out;
    for (int i = 0; i < x; ++i) out.push_back(std::make_unique<int>(x));
    return out;
  };
  EXPECT_THAT(results_of<int>(
                  3, skel::stage(skel::flatten(boxes)) | [](std::unique_ptr<int> p) { return *p; }),
              ElementsAre(1, 2, 2));
}

TEST(Flatten, LeavesWhatItDoesNotOwnAsItIs) {
  std::vector<std::string> const words{"one word of many letters", "another word of many letters"};
  std::vector<std::string> kept = words;
  auto const by_reference = [&](int) -> std::vector<std::string>& { return kept; };
  auto const by_view = [&](int) { return std::span(kept); };
  struct pair_of_iterators {
    std::vector<std::string>::iterator first, last;
    auto begin() const { return first; }
    auto end() const { return last; }
  };
  auto const by_iterators = [&](int) { return pair_of_iterators{kept.begin(), kept.end()}; };
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(results_of<std::string>(1, skel::stage(skel::flatten(by_reference))), words);
    EXPECT_EQ(results_of<std::string>(1, skel::stage(skel::flatten(by_view))), words);
    EXPECT_EQ(results_of<std::string>(1, skel::stage(skel::flatten(by_iterators))), words);
  }
}

TEST(Emitter, ReturnedOptionalsAndRangesAreItems) {
  auto const half = [](int x) { return x % 2 == 0 ? std::optional(x / 2) : std::nullopt; };
  EXPECT_THAT(results_of<std::optional<int>>(3, skel::stage(half)),
              ElementsAre(std::optional(0), std::nullopt, std::optional(1)));
}

TEST(Wrapper, IsAsStatelessAsWhatItWraps) {
  using skel::skeletons::is_stateless;
  auto const empty = [](int x) { return x > 0; };
  auto const captures = [limit = 3](int x) { return x > limit; };
  static_assert(is_stateless<decltype(skel::filter(empty))> && !is_stateless<decltype(skel::filter(captures))>);
  static_assert(is_stateless<decltype(skel::flatten(empty))> && !is_stateless<decltype(skel::emits<int>(captures))>);
}

TEST(Wrapper, StateAndFinishAreThoseOfWhatItWraps) {
  int finished = 0;
  keeps_count counts{0, &finished};
  auto wrapped =
      skel::skeletons::named<"pairs", decltype(skel::emits<std::string>(counts))>{skel::emits<std::string>(counts)};
  wrapped.function.function.count = 5;
  auto const state = skel::runtime::state_of(wrapped);
  ASSERT_NE(state, nullptr);
  auto const bytes = state->take();
  wrapped.function.function.count = 0;
  state->restore(bytes);
  EXPECT_EQ(wrapped.function.function.count, 5);
  EXPECT_THAT(results_of<std::string>(4, skel::stage<"pairs">(counts)), ElementsAre("1", "3"));
  EXPECT_EQ(finished, 1);
}

}  // namespace
