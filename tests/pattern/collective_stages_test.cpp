#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/pattern/collective_stages.hpp>
#include <skel/detail/runtime/line/sequential.hpp>

#include "support/count_to.hpp"

namespace {

using skel::runtime::run_sequential;
using skel::test::count_to;
using testing::ElementsAre;

auto keep(std::vector<std::string>& out) {
  return skel::sink([&out](std::string s) { out.push_back(std::move(s)); });
}

auto const text = [](int x) { return std::to_string(x); };

TEST(Reduce, FoldsTheWholeStreamInItsOrder) {
  std::vector<std::string> out;
  auto app = count_to(5) | skel::farm(text) | skel::reduce(std::plus<>{}) | keep(out);
  EXPECT_EQ(run_sequential(app), 5u);
  EXPECT_THAT(out, ElementsAre("01234"));
}

TEST(Reduce, GivesOneResultPerWindowAndTheShorterLastOne) {
  std::vector<std::string> out;
  auto app = count_to(7) | text | skel::reduce("threes", std::plus<>{}, skel::every(3)) | keep(out);
  run_sequential(app);
  EXPECT_THAT(out, ElementsAre("012", "345", "6"));
}

TEST(Reduce, OfAnEmptyStreamGivesTheIdentityOrNothing) {
  std::vector<std::string> out;
  auto sum = count_to(0) | skel::reduce(std::plus<>{}) | text | keep(out);
  auto joined = count_to(0) | text | skel::reduce(std::plus<>{}) | keep(out);
  auto windows = count_to(0) | skel::reduce(std::plus<>{}, skel::every(2)) | text | keep(out);
  run_sequential(sum);
  run_sequential(joined);
  run_sequential(windows);
  EXPECT_THAT(out, ElementsAre("0"));
}

TEST(Reduce, GivesTheLastResultBeforeTheStagesBehindItFinish) {
  std::vector<std::string> events;
  struct closing {
    std::vector<std::string>& events;
    void operator()(int x) { events.push_back(std::to_string(x)); }
    void finish() { events.push_back("finish"); }
  };
  auto app = count_to(3) | skel::reduce(std::plus<>{}) | skel::sink(closing{events});
  run_sequential(app);
  EXPECT_THAT(events, ElementsAre("3", "finish"));
}

TEST(Broadcast, JoinsWhatAllCopiesMakeOfAnItemInTheirOrder) {
  std::vector<std::string> out;
  auto const mark = [](int const& x, skel::portion mine) {
    return std::to_string(x) + static_cast<char>('a' + mine.index);
  };
  auto app = count_to(3) | skel::broadcast("mark", mark, skel::width{3}) | skel::reduce(std::plus<>{}) | keep(out);
  run_sequential(app);
  EXPECT_THAT(out, ElementsAre("0a0b0c", "1a1b1c", "2a2b2c"));
}

TEST(Broadcast, HasOneCopyUnlessTheWidthIsSaid) {
  std::vector<std::string> out;
  auto app = count_to(2) | skel::broadcast([](int const& x) { return x > 0; }) | skel::reduce(std::logical_or<>{}) |
             [](bool x) { return std::string(x ? "yes" : "no"); } | keep(out);
  run_sequential(app);
  EXPECT_THAT(out, ElementsAre("no", "yes"));
}

TEST(Portion, SharesOutEverythingOnceAndEvenly) {
  for (std::size_t n : {0u, 1u, 7u, 100u})
    for (std::size_t copies : {1u, 2u, 3u, 7u, 13u}) {
      std::size_t next = 0;
      for (std::size_t i = 0; i < copies; ++i) {
        skel::portion const mine{i, copies};
        EXPECT_EQ(mine.begin(n), next);
        next = mine.end(n);
        EXPECT_GE(next - mine.begin(n), n / copies);
        EXPECT_LE(next - mine.begin(n), n / copies + 1);
      }
      EXPECT_EQ(next, n);
    }
}

TEST(IdentityOf, IsKnownForNumbersAndForOperatorsThatSayIt) {
  struct longest {
    std::string operator()(std::string const& a, std::string const& b) const { return a.size() < b.size() ? b : a; }
    std::string identity() const { return ""; }
  };
  EXPECT_EQ(skel::identity_of<int>(std::plus<>{}), 0);
  EXPECT_EQ(skel::identity_of<double>(std::multiplies<double>{}), 1.0);
  EXPECT_EQ(skel::identity_of<unsigned>(std::bit_and<>{}), ~0u);
  EXPECT_EQ(skel::identity_of<bool>(std::logical_and<>{}), true);
  EXPECT_EQ(skel::identity_of<bool>(std::logical_or<>{}), false);
  EXPECT_EQ(skel::identity_of<std::string>(longest{}), "");
  EXPECT_EQ(skel::identity_of<std::string>(skel::commutative(longest{})), "");
  EXPECT_EQ(skel::identity_of<int>(skel::minimum{}), std::nullopt);
  EXPECT_EQ(skel::identity_of<std::string>(std::plus<>{}), std::nullopt);
}

}  // namespace
