#include <cmath>
#include <string>

#include <gmock/gmock.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/platform/files.hpp>
#include <skel/detail/platform/survey.hpp>

#include "platform/two_sites.hpp"

namespace {

namespace platform = skel::platform;
using platform::description;
using platform::survey;
using skel::testing_platform::host;
using skel::testing_platform::two_sites;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Survey, OfOneHostHasTheBandwidthOfItsMemory) {
  survey all = two_sites();
  for (platform::host_measurement& one : all.hosts) one.copying = 1e10;
  auto const machine = describe(all);
  EXPECT_EQ(machine.clusters()[2].inside.bandwidth, 5e9);
  EXPECT_EQ(machine.clusters()[2].inside.latency, 1e-7);
  EXPECT_EQ(machine.clusters()[0].inside.bandwidth, 1e8) << "that of the messages between its hosts";
}

TEST(Survey, OfOneHostHasThePathBetweenItsRanksWhereItWasMeasured) {
  survey all = two_sites();
  for (platform::host_measurement& one : all.hosts) one.copying = 1e10;
  all.clusters[2].local = {.path = {1e-6, 3e9}, .models = {{"plogp", R"({"L":1e-6,"g":0})"}}, .probes = 5};
  auto const machine = describe(all);
  EXPECT_EQ(machine.clusters()[2].inside, (platform::link{1e-6, 3e9}));
  EXPECT_TRUE(machine.clusters()[2].parameters.contains("plogp"));
}

TEST(Survey, SaysHowSureItIs) {
  survey all = two_sites();
  all.hosts[1].doubt = 0.04;
  all.clusters[0].inside.doubt = 0.3;
  EXPECT_NEAR(doubt_of(all), 0.3 / std::sqrt(7), 1e-12);
  std::string const text = to_json(describe(all));
  EXPECT_THAT(text, HasSubstr("\"doubt\": 0.3"));
  EXPECT_THAT(text, HasSubstr("\"doubt\": 0.04"));
}

TEST(Survey, IsAsUnsureAsTheLeastSureHostOrAllPaths) {
  survey all = two_sites();
  all.hosts[2].doubt = 0.3;
  for (platform::found_link& one : all.links) one.measured.doubt = 0.2;
  EXPECT_EQ(doubt_of(all), 0.3);
  for (platform::found_link& one : all.links) one.measured.doubt = 0.7;
  EXPECT_NEAR(doubt_of(all), 0.7 * std::sqrt(6.0 / 7), 1e-12);
  for (platform::found_link& one : all.links) one.measured.probes = 0;
  EXPECT_EQ(doubt_of(all), 0.3) << "what was not measured is not unsure";
}

TEST(Survey, ClustersHaveTheMedianSpeedAndTheFewestCores) {
  auto const machine = describe(two_sites());
  EXPECT_EQ(machine.host_count(), 4U);
  EXPECT_EQ(machine.clusters()[0].speed, 60);
  EXPECT_EQ(machine.clusters()[0].cores, 2U);
  EXPECT_EQ(machine.clusters()[0].inside.latency, 5e-5);
  EXPECT_EQ(machine.clusters()[0].local_latency, 1e-7);
  EXPECT_EQ(machine.path(3, 0).bandwidth, 3e7) << "each direction is its own";
}

TEST(Survey, HostsOfAClusterDoNotTakeTheNameOfAHostAlone) {
  // The hosts of "lyon" would be lyon-0 and lyon-1, which is there already.
  EXPECT_THAT(describe(two_sites()).host_names(), ElementsAre("lyon-cluster-0", "lyon-cluster-1", "lyon-1", "nancy"));
}

TEST(Survey, SaysHowItWasMeasured) {
  auto const machine = describe(two_sites());
  for (char const* part : {R"("date":"2026-11-20T21:45:00Z")", R"("seconds":1.5)", R"("hosts":4)", R"("probes":300)",
                           R"("rounds":6)", R"("latency_spread":0.07)", R"("tolerance":0.2)"})
    EXPECT_THAT(machine.parameters().at("measured"), HasSubstr(part));
  auto const& lyon = machine.clusters()[0].parameters;
  EXPECT_EQ(lyon.at("x_site"), R"("lyon")");
  EXPECT_EQ(lyon.at("hockney"), R"({"alpha":5e-05,"beta":1e-08})");
  for (char const* part : {R"("between":["lyon-0","lyon-2"])", R"("residuals":{"hockney":0.02})", R"("speed":70)"})
    EXPECT_THAT(lyon.at("measured"), HasSubstr(part));
  EXPECT_FALSE(machine.clusters()[2].parameters.contains("x_site"));
  EXPECT_EQ(platform::parse_description(to_json(machine), "again"), machine);
}

TEST(Survey, ResidualsAreThoseOfPathsThatHostsHave) {
  survey all = two_sites();
  EXPECT_EQ(residual_of(describe(all), "hockney"), 0.02);
  EXPECT_EQ(residual_of(describe(all), "plogp"), 0) << "of a model that was not fitted";
  all.links.front().measured.residuals["hockney"] = 0.5;
  all.links.front().measured.probes = 10;
  EXPECT_DOUBLE_EQ(residual_of(describe(all), "hockney"), (0.02 + 0.5) / 2);
  EXPECT_EQ(residual_of(platform::description(0, {{.name = "one", .hosts = 4}}, {}), "hockney"), 0);
}

/// All that a description keeps.
survey with_everything() {
  survey all = two_sites();
  all.models["sharing"] = R"({"together":1})";
  all.hosts[1].load = all.hosts[1].doubt = 0.25;
  all.hosts[1].copying = 1e10;
  all.hosts[2].rank = 7;
  all.hosts[2].machine = "node";
  all.clusters[0].local = {.path = {2e-6, 4e9}, .between = {3, 3}, .doubt = 0.1, .probes = 5, .date = all.date};
  all.clusters[1].local = {.path = {1e-6, 3e9},
                           .models = {{"plogp", R"({"L":1e-6,"g":0})"}},
                           .between = {1, 1},
                           .probes = 5,
                           .date = all.date};
  return all;
}

TEST(Survey, IsReadBackFromItsDescription) {
  auto const machine = describe(with_everything());
  survey const again = read_survey(platform::parse_description(to_json(machine), "file"));
  EXPECT_EQ(describe(again), machine);
  ASSERT_EQ(again.hosts.size(), 4U);
  EXPECT_EQ(again.hosts[1].name, "lyon-2") << "hosts stand in the order of the clusters";
  EXPECT_EQ(again.hosts[2].load, 0.25);
  EXPECT_EQ(again.hosts[3].machine, "node");
  EXPECT_EQ(again.hosts[3].rank, 7U);
  EXPECT_EQ(again.clusters[0].local.path, (platform::link{2e-6, 4e9}));
  EXPECT_EQ(again.clusters[0].local.between, std::pair(std::size_t{1}, std::size_t{1}));
  EXPECT_EQ(again.clusters[0].inside.between, std::pair(std::size_t{0}, std::size_t{1}));
  EXPECT_EQ(again.clusters[1].local.models.size(), 1U);
  EXPECT_EQ(again.links.size(), 6U);
  EXPECT_EQ(again.models.at("sharing"), R"({"together":1})");
}

TEST(Survey, IsAsUnsureAsWhatWasMeasuredSince) {
  survey all = two_sites();
  all.hosts[2].doubt = 0.3;
  all.hosts[1].doubt = 0.1;
  all.hosts[1].date = "2026-11-21T00:00:00Z";
  EXPECT_EQ(doubt_of(all), 0.3);
  EXPECT_EQ(doubt_of(all, "2026-11-21T00:00:00Z"), 0.1);
  EXPECT_EQ(doubt_of(all, "2026-11-21T00:00:01Z"), 0);
}

TEST(Survey, IsBelievedForLessLongWhereItIsNotSure) {
  EXPECT_EQ(platform::believed_for(100, 0.05), 100);
  EXPECT_DOUBLE_EQ(platform::believed_for(100, 0.5), 1);
  survey all = with_everything();
  all.clusters[0].inside.doubt = all.hosts[2].doubt = 0.5;           // something else had the core for half of the time
  all.clusters[0].inside.models["lopc"] = R"({"L":1,"o":1,"g":1})";  // somebody else's
  auto const at_once = believed(all, 86400, all.date);
  EXPECT_EQ(describe(at_once), describe(all));
  auto const hour_later = believed(all, 86400, "2026-11-20T22:45:00Z");
  EXPECT_EQ(hour_later.hosts[2].repeats, 0U);
  EXPECT_EQ(hour_later.hosts[0].repeats, 9U);
  EXPECT_EQ(hour_later.clusters[0].inside.probes, 0U);
  EXPECT_FALSE(hour_later.clusters[0].inside.models.contains("hockney"));
  EXPECT_TRUE(hour_later.clusters[0].inside.models.contains("lopc"));
  EXPECT_EQ(hour_later.clusters[0].inside.path.latency, 5e-5);
  EXPECT_EQ(hour_later.links[0].measured.probes, 9U);
  auto const day_later = believed(all, 86400, "2026-11-21T21:45:00Z");
  EXPECT_EQ(day_later.hosts[0].repeats, 0U);
  EXPECT_EQ(day_later.links[0].measured.probes, 0U);
}

TEST(Survey, OfWhatSomebodyWroteHasNoHosts) {
  EXPECT_TRUE(platform::read_survey(description(0, {{.name = "a"}}, {})).hosts.empty());
}

TEST(Survey, OfTheVersionBeforeIsRead) {
  // What skel probe wrote then: no date of a host, and no repeats.
  description const older(
      0,
      {{.name = "a",
        .hosts = 2,
        .speed = 6,
        .inside = {.latency = 1},
        .parameters = {{"measured", R"({"hosts": [{"name": "x", "speed": 5, "cores": 2, "memory": 8},
                                                             {"name": "y", "speed": 7, "cores": 4, "memory": 8}],
                                                             "between": ["x", "y"], "doubt": 0.1, "probes": 9})"}}}},
      {}, {{"measured", R"({"date": "2026-11-20T21:45:00Z", "tolerance": 0.2})"}});
  survey const all = read_survey(older);
  ASSERT_EQ(all.hosts.size(), 2U);
  EXPECT_EQ(all.hosts[1].name, "y");
  EXPECT_EQ(all.hosts[1].speed, 7);
  EXPECT_EQ(all.hosts[1].repeats, 0U) << "so that it is measured anew where it is completed";
  EXPECT_EQ(all.clusters[0].inside.probes, 9U);
}

TEST(Survey, RefusesBlocksThatWereDamaged) {
  auto const refused = [](char const* block) {
    description const damaged(
        0, {{.name = "a", .hosts = 2, .inside = {.latency = 1}, .parameters = {{"measured", block}}}}, {});
    try {
      platform::read_survey(damaged);
      ADD_FAILURE() << block;
    } catch (skel::input_error const& problem) {
      EXPECT_THAT(problem.what(), HasSubstr("clusters[0].measured"));
    }
  };
  refused(R"({"hosts": [{}]})");
  refused(R"({"hosts": [{"name": "x"}, {}]})");
  refused(R"({"hosts": [{"name": "x"}, {"name": "y", "speed": "fast"}]})");
  refused(R"({"hosts": [{"name": "x"}, {"name": "y"}], "between": ["x", "z"]})");
  refused(R"([1, 2])");
  for (char const* const host : {R"("cores": -1)", R"("cores": 1e300)", R"("cores": 1000000000)", R"("speed": 0)",
                                 R"("speed": -1)", R"("doubt": -1)", R"("rank": 0.5)", R"("copying": null)"})
    refused((R"({"hosts": [{"name": "x", )" + std::string(host) + R"(}, {"name": "y"}]})").c_str());
}

TEST(Survey, OfAFileThatWasDamagedIsRefusedWithItsNameAndPlaceWhenItIsRead) {
  auto const reason = [](std::string const& measured) -> std::string {
    try {
      platform::parse_description(
          R"({"skel_platform": 1, "clusters": [{"name": "a", "hosts": 2, "speed": 1, "latency": 1, "measured": )" +
              measured + "}]}",
          "m.json");
      return "nothing";
    } catch (skel::input_error const& problem) {
      return problem.what();
    }
  };
  EXPECT_EQ(reason("3"),
            "m.json: clusters[0].measured: is a number; what 'skel probe' has measured is an object {...}");
  EXPECT_EQ(reason(R"({"hosts": []})"), "m.json: clusters[0].measured.hosts: has 0 hosts of 2");
  EXPECT_EQ(reason(R"({"hosts": [{"name": "x"}, {"name": "y", "cores": "all"}]})"),
            "m.json: clusters[0].measured.hosts[1].cores: is a text; a number is wanted");
  EXPECT_EQ(reason(R"({"between": ["x"]})"), "m.json: clusters[0].measured.between: has not two names");
  EXPECT_EQ(reason("{}"), "nothing");
}

TEST(Survey, WithoutHostsIsNoMachine) {
  EXPECT_THROW(describe(survey()), skel::input_error);
}

TEST(HostMeasurement, SurvivesItsText) {
  auto const original = host("small", 60, 2);
  auto const copy = platform::parse_measurement(to_text(original));
  EXPECT_EQ(to_text(copy), to_text(original));
  EXPECT_EQ(copy.name, "small");
  EXPECT_THROW(platform::parse_measurement("{}"), skel::input_error);
}

}  // namespace
