#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/pattern/compose.hpp>
#include <skel/detail/runtime/checkpoint.hpp>

namespace {

using skel::runtime::check_checkpoints;
using skel::runtime::difference;
using skel::runtime::identity_of;
using testing::HasSubstr;

/// That can be written, of any kind.
struct written {
  std::uint64_t n = 0;

  std::optional<int> operator()() { return std::nullopt; }
  int operator()(int x) { return x; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(n);
  }
};
struct opaque {
  std::uint64_t n = 0;

  std::optional<int> operator()() { return std::nullopt; }
  int operator()(int x) { return x; }
};
struct taking {
  std::uint64_t n = 0;

  void operator()(int) {}
  template <class Archive>
  void serialize(Archive& archive) {
    archive(n);
  }
};

/// Why a composition cannot have checkpoints; empty: it can.
template <class App>
std::string refusal(App app) try {
  check_checkpoints(skel::runtime::make_program(app));
  return {};
} catch (skel::error const& e) {
  return e.what();
}

TEST(Checkpoint, NeedsASourceAndASinkThatKnowTheirPlace) {
  auto const sink = skel::sink("end", taking{});
  EXPECT_EQ(refusal(skel::source("begin", written{}) | sink), "");
  EXPECT_THAT(refusal(skel::source("begin", opaque{}) | sink),
              HasSubstr("source 'begin' keeps where it is in its stream in what cannot be written"));
  EXPECT_THAT(refusal(skel::source("begin", [] { return std::optional<int>(); }) | sink),
              HasSubstr("source 'begin' keeps nothing"));
  EXPECT_THAT(refusal(skel::source("begin", written{}, skel::stateless) | sink), HasSubstr("says skel::stateless"));
  int sum = 0;
  EXPECT_THAT(refusal(skel::source("begin", written{}) | skel::sink("end", [&](int x) { sum += x; })),
              HasSubstr("sink 'end' may keep state that cannot be written"));
  EXPECT_EQ(refusal(skel::source("begin", written{}) | skel::sink(
                                                           "end", [&](int x) { sum += x; }, skel::stateless)),
            "");
}

TEST(Checkpoint, NamesTheStageWhoseStateCannotBeWritten) {
  auto const from = skel::source("begin", written{});
  auto const to = skel::sink("end", taking{});
  EXPECT_THAT(refusal(from | skel::stage("heavy", opaque{}) | to),
              testing::AllOf(HasSubstr("stage 'heavy' may keep state"), HasSubstr("skel::stateless"),
                             HasSubstr("skel::serializer")));
  EXPECT_EQ(refusal(from | skel::stage("heavy", opaque{}, skel::stateless) | to), "");
  EXPECT_EQ(refusal(from | skel::stage("heavy", written{}) | to), "");
  EXPECT_EQ(refusal(from | skel::farm("many", opaque{}) | to), "");
  EXPECT_EQ(refusal(from | skel::reduce("sum", std::plus<int>()) | to), "");
}

TEST(Checkpoint, IdentitiesDifferByNamesKindsAndTypes) {
  auto const of = [](auto app) { return identity_of(skel::runtime::make_program(app)); };
  auto const from = skel::source("begin", written{});
  auto const to = skel::sink("end", taking{});
  auto const plain = of(from | skel::stage("a", written{}) | to);
  EXPECT_EQ(difference(plain, plain), "");
  EXPECT_THAT(difference(plain, of(from | skel::stage("b", written{}) | to)), HasSubstr("station 1"));
  EXPECT_THAT(difference(plain, of(from | skel::farm("a", written{}) | to)), HasSubstr("farm 'a'"));
  EXPECT_THAT(difference(plain, of(from | skel::stage("a", written{}, skel::stateless) | to)), HasSubstr("with state"));
  EXPECT_THAT(difference(plain, of(from | to)), HasSubstr("3 stations, this program 2"));
}

}  // namespace
