#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/split.hpp>
#include <skel/detail/cost/collective_price.hpp>
#include <skel/detail/mapping/collective_mapper.hpp>
#include <skel/detail/mapping/tuned.hpp>

#include "support/refusal.hpp"

namespace skel::mapping {
namespace {

using plan::collective;
using testing::HasSubstr;

platform::description one_cluster(std::size_t hosts) {
  return platform::description(1e-6, {{"a", hosts, 1, 1, {5e-5, 1e8}, {}, {}}}, {});
}

/// Two clusters, 10 ms apart.
platform::description two_clusters(bool linked = true) {
  std::vector<platform::cluster_link> links;
  if (linked) links = {{0, 1, {1e-2, 1e8}, {}}, {1, 0, {1e-2, 1e8}, {}}};
  return platform::description(1e-6, {{"a", 4, 1, 1, {5e-5, 1e8}, {}, {}}, {"b", 4, 1, 1, {5e-5, 1e8}, {}, {}}}, links);
}

tuned_collective const& of(std::vector<tuned_collective> const& rules, collective operation) {
  return *std::ranges::find(rules, operation, &tuned_collective::operation);
}

TEST(TunedRules, EveryCounterpartIsInTheCatalogue) {
  for (auto const& one : tuned_algorithms())
    EXPECT_NE(plan::find_algorithm(one.operation, one.name), nullptr) << one.name;
}

TEST(TunedRules, BeginAtZeroBytesAndNeverRepeatThemselves) {
  for (auto const& machine : {one_cluster(20), two_clusters()}) {
    auto const rules = make_tuned_rules(machine);
    EXPECT_EQ(rules.size(), 8);
    for (auto const& collective : rules)
      for (auto const& size : collective.sizes) {
        ASSERT_FALSE(size.rules.empty());
        EXPECT_EQ(size.rules.front().bytes, 0);
        for (std::size_t i = 1; i < size.rules.size(); ++i) {
          auto const &last = size.rules[i - 1], &next = size.rules[i];
          EXPECT_LT(last.bytes, next.bytes);
          EXPECT_FALSE(last.algorithm == next.algorithm && last.segment == next.segment) << next.name;
        }
      }
  }
}

TEST(TunedRules, NameTheAlgorithmWithTheLeastPrice) {
  auto const machine = one_cluster(16);
  auto const model = cost::make_model(cost::model_kind::plogp, machine, 0).model;
  std::vector<std::uint64_t> const sizes{0, 1024, 65536, 1 << 20};
  auto const rules = make_tuned_rules(machine, {.ranks = {4, 16}, .bytes = sizes});
  int compared = 0;
  for (auto const& found : rules)
    for (auto const& [ranks, choices] : found.sizes)
      for (std::uint64_t const bytes : sizes) {
        bool const parts = found.operation == collective::scatter || found.operation == collective::gather ||
                           found.operation == collective::allgather || found.operation == collective::alltoall;
        plan::collective_problem problem{.ranks = ranks, .bytes = parts ? bytes / ranks : bytes};
        double least = std::numeric_limits<double>::infinity();
        for (auto const& one : tuned_algorithms()) {
          if (one.operation != found.operation) continue;
          auto const& algorithm = *plan::find_algorithm(one.operation, one.name);
          for (problem.segment = 0; problem.segment < std::max<std::uint64_t>(problem.bytes, 1);
               problem.segment = std::max<std::uint64_t>(1024, 2 * problem.segment))
            least = std::min(least, cost::collective_price(algorithm, problem, model));
        }
        auto const rule = std::ranges::find_if(choices.rbegin(), choices.rend(),
                                               [&](tuned_rule const& one) { return one.bytes <= bytes; });
        ASSERT_NE(rule, choices.rend());
        problem.segment = rule->segment;
        double const price = cost::collective_price(*plan::find_algorithm(found.operation, rule->name), problem, model);
        EXPECT_LE(price, least * (1 + 1e-12)) << rule->name << ' ' << ranks << ' ' << bytes;
        ++compared;
      }
  EXPECT_EQ(compared, 8 * 2 * 4);
}

TEST(TunedRules, AreWhatTheCollectivesOfAGridTakeOfTheSameAlgorithms) {
  platform::description const machine = two_clusters();
  collective_options only{.only = {}, .tolerance = 0};
  for (auto const& one : tuned_algorithms()) only.only.push_back(plan::find_algorithm(one.operation, one.name));
  collective_mapper mapper(machine, {0, 1, 2, 3, 4, 5, 6, 7}, only);
  auto const rules = make_tuned_rules(machine, {.ranks = {8}, .bytes = {65536}});
  for (auto const& found : rules) {
    bool const parts = plan::in_parts(found.operation);
    auto const& made = mapper.decide({.operation = found.operation, .bytes = parts ? 65536u / 8 : 65536u});
    auto const& rule = found.sizes.front().rules.back();
    if (rule.bytes != 65536) continue;  // as for fewer bytes
    EXPECT_EQ(made.plan.algorithm, rule.name);
    EXPECT_EQ(made.plan.segment, rule.segment) << rule.name;
    EXPECT_EQ(made.predicted, rule.predicted) << rule.name;
  }
}

TEST(TunedRules, KnowTheLinksBetweenClusters) {
  auto const near = make_tuned_rules(one_cluster(8), {.ranks = {8}, .bytes = {}});
  auto const far = make_tuned_rules(two_clusters(), {.ranks = {4, 8}, .bytes = {}});
  auto const time = [](tuned_ranks const& size) { return size.rules.front().predicted; };
  EXPECT_LT(time(of(far, collective::broadcast).sizes[0]), 1e-3);  // all four in one cluster
  EXPECT_GT(time(of(far, collective::broadcast).sizes[1]), 1e-2);
  EXPECT_LT(time(of(near, collective::broadcast).sizes[0]), 1e-3);
}

TEST(TunedRules, LeaveOutWhatIsWrongForOperatorsThatAreNotCommutative) {
  auto const rules = make_tuned_rules(one_cluster(64), {.ranks = {}, .bytes = {}, .gamma = 0, .every_operator = true});
  for (auto const& size : of(rules, collective::reduce).sizes)
    for (auto const& rule : size.rules) EXPECT_EQ(rule.name, "flat");
  for (auto const& size : of(rules, collective::allreduce).sizes)
    for (auto const& rule : size.rules) EXPECT_EQ(rule.name, "recursive_doubling");
}

TEST(TunedRules, AreWrittenAsTheyAre) {
  auto const rules = make_tuned_rules(two_clusters(), {.ranks = {2, 8}, .bytes = {4096, 1 << 20}});
  std::istringstream text(to_text(rules, "grid.json"));
  std::vector<std::uint64_t> written, expected{rules.size()};
  for (std::string line; std::getline(text, line);) {
    for (auto const number : skel::words_in(std::string_view(line).substr(0, line.find('#'))))
      written.push_back(skel::number_in<std::uint64_t>(number).value());
  }
  auto const put = [&](auto... numbers) { (expected.push_back(static_cast<std::uint64_t>(numbers)), ...); };
  for (auto const& collective : rules) {
    put(collective.number, collective.sizes.size());
    for (auto const& [ranks, choices] : collective.sizes) {
      put(ranks, choices.size());
      for (auto const& rule : choices) put(rule.bytes, rule.algorithm, rule.fanout, rule.segment);
    }
  }
  EXPECT_EQ(written, expected);
}

TEST(TunedRules, SayWhatCannotBeMeant) {
  EXPECT_THAT(test::refusal_of<error>([] { make_tuned_rules(one_cluster(1)); }),
              HasSubstr("has 1 host; rules are for 2"));
  EXPECT_THAT(
      test::refusal_of<error>([] { make_tuned_rules(one_cluster(4), {.ranks = {5}, .bytes = {}}, "grid.json"); }),
      HasSubstr("rules for 5 ranks are wanted, and grid.json has 4 hosts"));
  EXPECT_THAT(test::refusal_of<error>([] {
                make_tuned_rules(one_cluster(4), {.ranks = {1, 2}, .bytes = {}});
              }),
              HasSubstr("fewer than 2 ranks"));
  EXPECT_THAT(test::refusal_of<error>([] { make_tuned_rules(two_clusters(false)); }),
              HasSubstr("no way from cluster 'a' to cluster 'b'"));
  EXPECT_EQ(make_tuned_rules(two_clusters(false), {.ranks = {2, 4}, .bytes = {}}).size(), 8);
}

}  // namespace
}  // namespace skel::mapping
