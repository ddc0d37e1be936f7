#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/record/throughput_watch.hpp>

namespace skel::record {
namespace {

using testing::HasSubstr;

constexpr double look = 0.01;  // [s]

/// Rates of looks about 1000 items/s, correlated with weight `phi` from one to the next, of this relative deviation.
class noisy_rate {
 public:
  noisy_rate(std::uint64_t seed, double phi, double deviation) : random_(seed), phi_(phi), deviation_(deviation) {
    state_ = normal_(random_);
  }
  double operator()() {
    state_ = phi_ * state_ + std::sqrt(1 - phi_ * phi_) * normal_(random_);
    return 1000 * std::max(0.05, 1 + deviation_ * state_);
  }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<> normal_;
  double phi_, deviation_, state_;
};

/// A run that a watch looks at: its items pass at a rate that is said look by look.
struct watched_run {
  throughput_watch watch;
  double seconds = 0, items = 0, last = 0;

  explicit watched_run(double expected, std::uint64_t first = 0) : watch(forecast(first, expected), look / 2) {}

  static throughput_forecast forecast(std::uint64_t first, double rate) {
    throughput_forecast before;
    before.item = first;
    before.rate = rate;
    return before;
  }

  void pass(double rate) {
    seconds += look;
    items += rate * look;
    double const whole = std::floor(items);
    last = std::max(last, seconds - (items - whole) / rate);  // when the last of them ended
    watch.look(last, static_cast<std::uint64_t>(whole));
  }
  auto end(std::uint64_t first = 0) const {
    auto const noted = watch.forecasts();
    auto all = noted;
    judge(all, first, static_cast<std::uint64_t>(items), seconds);
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {  // those that have fallen know it themselves
      EXPECT_EQ(noted[i].items, all[i].items);
      EXPECT_EQ(noted[i].lasted, all[i].lasted);
    }
    return all;
  }
};

TEST(Judge, LeavesOneWhoseNextIsLeftOutAsItIs) {
  skel::record::first_and_last<throughput_forecast> all;
  constexpr std::uint64_t made = 3000;
  for (std::uint64_t k = 0; k < made; ++k)
    all.add({.item = 10 * k, .seconds = static_cast<double>(k), .why = "", .items = 10, .lasted = 1});
  judge(all, 0, 10 * made, static_cast<double>(made));
  for (auto const& one : all) {
    EXPECT_EQ(one.items, 10U) << one.item;
    EXPECT_EQ(one.lasted, 1) << one.item;
  }
}

TEST(EstimateRate, CoversTheMeanOfAsLongAgainAsOftenAsItSays) {
  struct {
    double phi;
    std::size_t length;
    int least, most;  // of 1000 series: the share that is stated beside estimate_rate, and three standard errors of it
  } const cases[] = {{0, 16, 871, 929},   {0, 64, 871, 929},   {0.5, 16, 772, 929},
                     {0.5, 64, 849, 929}, {0.8, 16, 666, 929}, {0.8, 64, 805, 929}};
  for (auto const& each : cases) {
    int covered = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
      noisy_rate rate(seed, each.phi, 0.1);
      std::vector<passage> series;
      for (std::size_t i = 0; i < each.length; ++i) series.push_back({rate() * look, look});
      auto const found = estimate_rate(series);
      ASSERT_TRUE(found);
      auto const again = static_cast<int>(std::lround(found->rests_on.seconds / look));
      double next = 0;
      for (int i = 0; i < again; ++i) next += rate() / again;
      covered += found->low <= next && next <= found->high;
    }
    EXPECT_GE(covered, each.least) << "correlation " << each.phi << ", " << each.length << " passages";
    EXPECT_LE(covered, each.most) << "correlation " << each.phi << ", " << each.length << " passages";
  }
}

TEST(EstimateRate, LeavesTheFillingOfThePipelineOut) {
  noisy_rate rate(1, 0, 0.05);
  std::vector<passage> series;
  for (int i = 0; i < 10; ++i) series.push_back({rate() * look * i / 20, look});
  series.front().items = 1;
  for (int i = 0; i < 30; ++i) series.push_back({rate() * look, look});
  auto const found = estimate_rate(series);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->rate, 1000, 30);
  EXPECT_LE(found->rests_on.seconds, 31 * look);
  EXPECT_LT(found->low, 1000);
  EXPECT_GT(found->high, 1000);
}

TEST(EstimateRate, TakesNoPipelineThatFillsForADrift) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    noisy_rate noise(seed, 0, 0.05);
    std::vector<passage> series;
    for (int i = 0; i < 8; ++i) series.push_back({noise() * std::min(1.0, std::exp(0.6 * (i - 6))) * look, look});
    auto const found = estimate_rate(series);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->drift, 0) << seed;
    EXPECT_LT(found->rate, 1200) << seed;
  }
}

TEST(EstimateRate, AddsWhatMovesTheRateFromOneSeriesToTheNext) {
  std::vector<passage> const even(64, passage{10, look});
  auto const alone = estimate_rate(even), doubted = estimate_rate(even, 0.1);
  ASSERT_TRUE(alone && doubted);
  EXPECT_NEAR(std::log(alone->high / alone->low), 0, 1e-6);
  EXPECT_NEAR(std::log(doubted->high / 1000), 0.1 * 1.67, 0.005);  // t of Student's distribution: 95 %, 63
  EXPECT_NEAR(std::log(1000 / doubted->low), 0.1 * 1.67, 0.005);

  // The rate of each series is another: the interval holds the next one's as often as it says.
  std::mt19937_64 random(5);
  std::normal_distribution<> normal;
  int covered = 0;
  for (int k = 0; k < 1000; ++k) {
    double const step = std::exp(0.1 * normal(random));
    covered += doubted->low <= 1000 * step && 1000 * step <= doubted->high;
  }
  EXPECT_NEAR(covered, 900, 3 * std::sqrt(1000 * 0.9 * 0.1));
}

TEST(EstimateRate, SaysNothingOfTwoPassages) {
  EXPECT_FALSE(estimate_rate(std::vector<passage>{{1, 1}, {1, 1}}));
  EXPECT_FALSE(estimate_rate({}));
}

TEST(EstimateRate, FollowsADriftAndWidensTheInterval) {
  // Costs rise by the same amount with each item: rates fall with the square root of the time that is left to them.
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    noisy_rate noise(seed, 0, 0.03);
    auto const cost = [](double item) { return (1 + item / 100) / 1000; };
    std::vector<passage> series;
    double item = 0;
    auto const next = [&] {
      passage const one{noise() / 1000 * look / cost(item), look};
      item += one.items;
      return one;
    };
    for (int i = 0; i < 32; ++i) series.push_back(next());
    auto const found = estimate_rate(series);
    ASSERT_TRUE(found);
    passage rest;
    while (rest.seconds < found->rests_on.seconds) {
      auto const one = next();
      rest = {rest.items + one.items, rest.seconds + one.seconds};
    }
    EXPECT_LT(found->drift, 0) << seed;
    EXPECT_GT(found->high / found->low, 1.1) << seed;
    EXPECT_LT(found->rate, found->rests_on.items / found->rests_on.seconds) << seed;
    EXPECT_LE(found->low, rest.items / rest.seconds) << seed;
    EXPECT_GE(found->high, rest.items / rest.seconds) << seed;
  }
}

TEST(ThroughputWatch, LeavesAForecastAloneThatIsOffByWhatRatesUsuallyMove) {
  for (double between : {0.0, 0.05}) {
    throughput_watch watch(watched_run::forecast(0, 1030), look / 2, between);
    for (int i = 1; i <= 200; ++i) watch.look(i * look, static_cast<std::uint64_t>(i) * 10);
    EXPECT_EQ(watch.forecasts().size(), between > 0 ? 1u : 2u);
  }
}

TEST(ThroughputWatch, LeavesAForecastThatHoldsAlone) {
  int made = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    noisy_rate rate(seed, 0.3, 0.1);
    watched_run run(1000);
    for (int i = 0; i < 200; ++i) run.pass(rate());
    made += static_cast<int>(run.end().size()) - 1;
  }
  EXPECT_LE(made, 100)
      << "in 200 runs, each with four questions that 10 % may answer wrongly and an answer of which the "
         "next question may again say otherwise";
}

/// Of a run of some 1000 items/s, before which that one was made.
skel::record::first_and_last<throughput_forecast> forecasts_after(throughput_forecast before) {
  noisy_rate rate(2, 0, 0.05);
  throughput_watch watch(std::move(before), look / 2, 0.03);
  double items = 0;
  for (int i = 1; i <= 200; ++i) {
    items += rate() * look;
    watch.look(i * look, static_cast<std::uint64_t>(items));
  }
  return watch.forecasts();
}

TEST(ThroughputWatch, ReplacesAForecastByOneThatIsSurer) {
  auto const all = forecasts_after({.rate = 1050, .low = 525, .high = 2100, .why = ""});
  ASSERT_EQ(all.size(), 2);
  EXPECT_THAT(all[1].why, testing::ContainsRegex("^it is surer: items [0-9]+ to [0-9]+ took 1.0[0-9]* times"));
  EXPECT_NEAR(all[1].rate, 1000, 30);
  EXPECT_LT(4 * std::log(all[1].high / all[1].low), std::log(2100 / 525.));
}

TEST(ThroughputWatch, KeepsAForecastThatIsSurerThanTheRun) {
  EXPECT_EQ(forecasts_after({.rate = 1001, .low = 1000, .high = 1002, .why = ""}).size(), 1);
}

TEST(ThroughputWatch, MakesAWrongForecastAgainAndSaysWhy) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    noisy_rate rate(seed, 0.3, 0.1);
    watched_run run(3100, 500);
    for (int i = 0; i < 200; ++i) run.pass(rate());
    auto const all = run.end(500);
    ASSERT_GE(all.size(), 2u);
    EXPECT_TRUE(all.front().why.empty());
    EXPECT_LE(all[1].seconds, 16 * look);
    EXPECT_THAT(all[1].why,
                testing::ContainsRegex("^items [0-9]+ to [0-9]+ took [23][.0-9]* times as long as expected"));
    EXPECT_NEAR(all.back().rate, all.back().measured(), 0.15 * all.back().measured()) << seed;
  }
}

TEST(ThroughputWatch, StandingIntervalsCoverWhatIsMeasured) {
  double covered = 0, lasted = 0;  // of all forecasts in runs that nobody told how long they would be
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    noisy_rate rate(seed, 0.5, 0.15);
    watched_run run(1300);
    for (int i = 0; i < 200; ++i) run.pass(rate());
    for (auto const& one : run.end()) {
      if (!one.has_interval()) continue;
      lasted += one.lasted;
      if (one.covers(one.measured())) covered += one.lasted;
    }
  }
  EXPECT_GT(covered, 0.85 * lasted);
  EXPECT_LT(covered, 0.95 * lasted);
}

TEST(ThroughputWatch, NoticesAStepLateInTheRun) {
  for (double const factor : {0.5, 1.5})
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      noisy_rate rate(seed, 0.3, 0.1);
      watched_run run(1000);
      for (int i = 0; i < 2000; ++i) run.pass(rate());
      double const step = run.seconds;
      for (int i = 0; i < 2000; ++i) run.pass(rate() * factor);
      auto const all = run.end();
      auto const after = std::find_if(all.begin(), all.end(), [&](auto const& f) { return f.seconds > step; });
      ASSERT_NE(after, all.end());
      EXPECT_LT(after->seconds - step, 0.2 * step) << seed;
      EXPECT_NEAR(all.back().rate, 1000 * factor, 0.1 * 1000 * factor) << seed;
    }
}

TEST(ThroughputWatch, SaysThatADriftingProgramDriftsAndClaimsLittle) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    noisy_rate noise(seed, 0, 0.05);
    watched_run run(2000);
    for (int i = 0; i < 200; ++i) run.pass(noise() * std::exp(-i * look));  // to a seventh in two seconds
    auto const all = run.end();
    bool says_so = false;
    for (auto const& one : all) {
      if (!one.drifts) continue;
      says_so = true;
      EXPECT_GT(one.high / one.low, 1.1);
      EXPECT_THAT(one.why, HasSubstr("their rate fell by"));
    }
    EXPECT_TRUE(says_so) << seed;
  }
}

TEST(ThroughputWatch, DoesNotExpectARateThatRisesToPassWhatStagesCanDo) {
  double most = 0, most_unbounded = 0;
  for (double const can_do : {3000.0, std::numeric_limits<double>::infinity()}) {
    throughput_watch watch(watched_run::forecast(0, 1000), look / 2, 0, can_do);
    noisy_rate noise(7, 0, 0.02);
    double items = 0;
    for (int i = 1; i <= 100; ++i) {
      items += noise() * std::exp(i * look) * look;
      watch.look(i * look, static_cast<std::uint64_t>(items));
      double& highest = can_do < 1e9 ? most : most_unbounded;
      if (watch.standing().drifts) highest = std::max(highest, watch.standing().high);
    }
  }
  EXPECT_GT(most, 0);
  EXPECT_LE(most, 3000);
  EXPECT_GT(most_unbounded, 3000);
}

TEST(ThroughputWatch, PartsOfTheRunAddUp) {
  noisy_rate rate(3, 0.3, 0.1);
  watched_run run(100, 77);
  for (int i = 0; i < 500; ++i) run.pass(rate() * (i < 250 ? 1 : 0.4));
  auto const all = run.end(77);
  ASSERT_GE(all.size(), 3u);
  std::uint64_t items = 0;
  double lasted = 0;
  for (auto const& one : all) items += one.items, lasted += one.lasted;
  EXPECT_EQ(items, static_cast<std::uint64_t>(run.items));
  EXPECT_NEAR(lasted, run.seconds, 1e-9);
}

TEST(ThroughputWatch, NothingExpectedIsNoForecast) {
  watched_run run(0);
  EXPECT_TRUE(run.end().empty());
  for (int i = 0; i < 20; ++i) run.pass(1000);
  auto const all = run.end();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_NEAR(all.front().rate, 1000, 1e-6);
}

TEST(ThroughputWatch, ItemsThatTakeLongerThanALookAreWaitedFor) {
  watched_run run(10);
  for (int i = 0; i < 1000; ++i) run.pass(20);  // one in five looks
  auto const all = run.end();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_NEAR(all.back().rate, 20, 0.5);
}

TEST(ThroughputWatch, MakesNoMoreForecastsThanTheLogarithmOfALongRun) {
  std::mt19937_64 random(1);
  watched_run run(1000);
  double rate = 1000;
  for (int i = 0; i < 1'000'000; ++i) {  // never steady
    if (random() % 50 == 0) rate = 500 + static_cast<double>(random() % 1000);
    run.pass(rate * (0.95 + 1e-3 * static_cast<double>(random() % 100)));
  }
  auto const made = run.end().size();
  EXPECT_LT(made, 64 * std::log2(1e6));
}

}  // namespace
}  // namespace skel::record
