#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/pattern/compose.hpp>
#include <skel/detail/pattern/runtime_pipeline.hpp>
#include <skel/detail/runtime/line/sequential.hpp>

namespace {

using skel::skeletons::callable_with;
using skel::skeletons::takes_stop;

int twice(int x, std::stop_token) {
  return 2 * x;
}
/// Two call operators: one that is asked for no token is called without.
struct either {
  int operator()(int x) const { return x; }
  int operator()(int, std::stop_token const&) const { return -1; }
};

TEST(StopArgument, IsSeenInTheSignature) {
  auto const plain = [](int x) { return x; };
  auto const last = [](int x, std::stop_token const&) { return x; };
  auto const by_default = [](int x, std::stop_token = {}) { return x; };
  auto const other = [](int x, std::string const&) { return x; };
  auto const generic = [](auto... all) { return sizeof...(all); };
  static_assert(!takes_stop<decltype(plain), int> && callable_with<decltype(plain), int>);
  static_assert(takes_stop<decltype(last), int>);
  static_assert(takes_stop<decltype(by_default), int>);
  static_assert(takes_stop<decltype(&twice), int>);
  static_assert(takes_stop<std::function<int(int, std::stop_token)>, int>);
  static_assert(takes_stop<skel::skeletons::named<"last", decltype(last)>, int>);
  static_assert(!takes_stop<either, int>);
  static_assert(!callable_with<decltype(other), int>);
  static_assert(!takes_stop<decltype(generic), int> && callable_with<decltype(generic), int>);
  static_assert(takes_stop<decltype([](std::stop_token) { return std::optional<int>(); })>);
}

TEST(StopArgument, StandsBehindItemsAndEmitters) {
  std::vector<int> out;
  skel::runtime_pipeline<int> later;
  later.stage("later", [](int x, std::stop_token const&) { return x + 1; })
      .stage("even", [](int x, skel::emitter<int>& to, std::stop_token const&) {
        if (x % 2 == 0) to(x);
      });
  auto app = skel::source([i = 0](std::stop_token const& stop) mutable {
               return !stop.stop_requested() && i < 5 ? std::optional(i++) : std::nullopt;
             }) |
             twice | skel::stage<"named">([](int x, std::stop_token) { return x; }) |
             skel::farm([](int x, skel::emitter<int>& to, std::stop_token) { to(x), to(x + 1); }) |
             skel::emits<int>([](auto x, auto& to, std::stop_token) { to(x); }) | later |
             skel::sink([&](int x, std::stop_token const&) { out.push_back(x); });
  EXPECT_EQ(skel::runtime::run_sequential(app), 5U);
  EXPECT_THAT(out, testing::ElementsAre(2, 4, 6, 8, 10));
}

}  // namespace
