#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/platform/last_words.hpp>
#include <skel/detail/platform/monitor.hpp>

#include "platform/two_sites.hpp"

namespace {

using namespace skel::platform;
using testing::ElementsAre;
using testing::SizeIs;
using kind = announcement::kind;

announcement const leaves{.says = kind::leaves, .host = "nancy"}, joins{.says = kind::joins, .host = "nancy"};

announcement speed(double factor) {
  return {.says = kind::speed, .host = "nancy", .factor = factor};
}

announcement link(std::optional<double> latency, std::optional<double> bandwidth, std::string from = "lyon") {
  return {.says = kind::link, .host = std::move(from), .to = "nancy", .latency = latency, .bandwidth = bandwidth};
}

std::vector<announcement> last(std::vector<announcement> const& all) {
  last_words words;
  words.add(all);
  return words.all();
}

TEST(LastWords, KeepOneOfEachSubjectInTheOrderOfTheLastOnes) {
  EXPECT_THAT(last({speed(0.5), leaves, speed(0.25), joins}), ElementsAre(speed(0.25), joins));
  EXPECT_THAT(last({leaves, speed(0.5), leaves}), ElementsAre(speed(0.5), leaves));
}

TEST(LastWords, KeepThatAHostJoinedWhichTakesBackItsSpeed) {
  EXPECT_THAT(last({speed(0.5), joins, leaves}), ElementsAre(speed(0.5), joins, leaves));
}

TEST(LastWords, KeepBothFiguresOfAPath) {
  EXPECT_THAT(last({link(0.5, {}), link({}, 1e6)}), ElementsAre(link(0.5, 1e6)));
  EXPECT_THAT(last({link(0.5, 1e6), link(0.25, {}, "lyon-0"), link({}, 2e6)}),
              ElementsAre(link(0.5, {}), link(0.25, {}, "lyon-0"), link({}, 2e6)));
}

TEST(LastWords, KeepTheLatestPathsOnly) {
  last_words words;
  words.add(leaves);
  for (std::size_t k = 0; k <= last_words::most_paths; ++k) words.add(link(1, 1, std::to_string(k)));
  auto const all = words.all();
  ASSERT_THAT(all, SizeIs(1 + last_words::most_paths));
  EXPECT_EQ(all[0], leaves);
  EXPECT_EQ(all[1].host, "1");
  EXPECT_EQ(all.back(), link(1, 1, std::to_string(last_words::most_paths)));
}

TEST(LastWords, MayBeMovedAndCleared) {
  last_words first;
  first.add({leaves, link(1, 1)});
  last_words words = std::move(first);
  words.add({joins, link(2, {})});
  EXPECT_THAT(words.all(), ElementsAre(link({}, 1), joins, link(2, {})));
  words.clear();
  EXPECT_TRUE(words.empty());
  words.add(joins);
  EXPECT_THAT(words.all(), ElementsAre(joins));
}

/// What a monitor says of all hosts and paths.
std::string known_to(monitor const& of) {
  std::string text;
  for (std::size_t from = 0; from < 4; ++from) {
    auto const host = of.host(from);
    text += std::to_string(host.share) + (host.state == presence::present ? " present; " : " leaves; ");
    for (std::size_t to = 0; to < 4; ++to) {
      auto const path = of.link_between(from, to);
      text += std::to_string(path.latency.value) + ' ' + std::to_string(path.bandwidth.value) + ", ";
    }
  }
  return text;
}

TEST(LastWords, TellAMonitorAsMuchAsAllThatWasSaid) {
  snapshot const machine{skel::testing_platform::two_sites()};
  std::vector<std::string> const names = {"lyon", "lyon-0", "lyon-1", "lyon-cluster", "nancy"};
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    monitor all(machine, {0, 1, 2, 3}), last(machine, {0, 1, 2, 3});
    last_words words;
    for (auto count = random() % 12; count > 0; --count) {
      announcement one{.says = static_cast<kind>(random() % 4), .host = names[random() % names.size()]};
      auto const value = static_cast<double>(1 + random() % 9);
      if (one.says == kind::speed) one.factor = value;
      if (one.says == kind::link) {
        one.to = names[random() % names.size()];
        auto const figures = random() % 3;
        if (figures != 1) one.latency = 1e-3 * value;
        if (figures != 0) one.bandwidth = 1e6 * value;
      }
      all.add(one, 1);
      words.add(one);
    }
    for (auto const& one : words.all()) last.add(one, 1);
    all.advance(1), last.advance(1);
    ASSERT_EQ(known_to(all), known_to(last)) << "round " << round;
  }
}

}  // namespace
