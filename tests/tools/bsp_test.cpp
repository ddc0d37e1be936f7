#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "command.hpp"

namespace {

using nlohmann::json;
using skel::testing_tools::FolderTest;
using skel::testing_tools::skel;
using testing::HasSubstr;

class BspTest : public FolderTest {
 protected:
  std::string const platform_ = file("grid.json", R"({"skel_platform": 1, "clusters": [
      {"name": "L", "hosts": 20, "speed": 0.75e9, "latency": 1e-4, "bandwidth": 1.25e7},
      {"name": "A", "hosts": 20, "speed": 1e9, "latency": 1e-4, "bandwidth": 1.25e8}],
      "links": [{"between": ["L", "A"], "latency": 2e-4, "bandwidth": 1.25e7}]})");

  /// Order 10 of the paper; `rest` in the object.
  std::string scenario(std::string const& rest = "") const {
    json one{{"skel_bsp", 1},
             {"platform", "grid.json"},
             {"mapping", json::array()},
             {"workload", {{"kind", "wavefront"}, {"order", 10}, {"first", 1e6}, {"last", 1e9}}},
             {"message_bytes", 5e5},
             {"state_bytes", 1.2e6},
             {"migration", {{"fixed", 0.05}}}};
    for (int p = 0; p < 10; ++p) one["mapping"].push_back("L-" + std::to_string(p));
    if (!rest.empty()) one.update(json::parse(rest));
    return file("s.json", one.dump());
  }
};

TEST_F(BspTest, PricesAProgramThatStays) {
  auto const answer = skel({"bsp", scenario(), "--policy", "never", "--json"}).json();
  EXPECT_NEAR(answer["time"].get<double>(), 13.34, 0.02 * 13.34);
  EXPECT_EQ(answer["supersteps"], 19);
  EXPECT_EQ(answer["calls"], json::array());
  EXPECT_EQ(answer["migrations"], json::array());
  EXPECT_GT(answer["imbalance"].get<double>(), 0);
}

TEST_F(BspTest, OneGiantSuperstepNearTheEndIsAnswered) {
  json one{{"skel_bsp", 1},
           {"platform",
            {{"skel_platform", 1},
             {"clusters",
              {{{"name", "a"}, {"hosts", 2}, {"speed", 2e7}, {"latency", 2e-5}, {"bandwidth", 1e9}},
               {{"name", "b"}, {"hosts", 2}, {"speed", 5e6}, {"latency", 2e-5}, {"bandwidth", 1e9}}}},
             {"links", {{{"between", {"a", "b"}}, {"latency", 2e-5}, {"bandwidth", 1e9}}}}}},
           {"mapping", {"a-0", "a-1", "b-0", "b-1"}},
           {"state_bytes", {1e6, 1e6, 1e6, 1e6}},
           {"migration", {{"fixed", 0.001}}},
           {"workload", {{"kind", "trace"}, {"supersteps", json::array()}}}};
  for (int s = 0; s < 21; ++s)
    one["workload"]["supersteps"].push_back(
        {{"work", {50, 50, s == 14 ? 4.7e201 : 50, 50}}, {"messages", json::array()}});
  auto const answer = skel({"bsp", file("giant.json", one.dump()), "--policy", "skel", "--json"});
  ASSERT_EQ(answer.status, 0) << answer.err;
  EXPECT_GT(answer.json()["time"].get<double>(), 1e190);
}

TEST_F(BspTest, TellsCallsAndMigrations) {
  auto const answer = skel({"bsp", scenario(), "--policy", "migbsp", "--alpha", "4", "--json"}).json();
  EXPECT_EQ(answer["calls"], json({4, 12}));
  ASSERT_EQ(answer["migrations"].size(), 8U);
  auto const& first = answer["migrations"][0];
  EXPECT_EQ(first["superstep"], 12);
  EXPECT_EQ(first["process"], 2);
  EXPECT_EQ(first["from"], "L-2");
  EXPECT_EQ(first["to"], "A-0");
  EXPECT_GT(first["t1"].get<double>(), first["t2"].get<double>());
  EXPECT_EQ(answer["reschedulings"].size(), 2U);
  auto const text = skel({"bsp", scenario(), "--policy", "migbsp", "--alpha", "4"}).out;
  EXPECT_THAT(text, HasSubstr("19 supersteps under policy migbsp"));
  EXPECT_THAT(text, HasSubstr("L-2 -> A-0 moves"));
}

TEST_F(BspTest, PricesBytesOfStatesThatMigrate) {
  auto const rotating = [&](char const* price) {
    auto const more =
        std::string(R"({"policy": {"name": "rotate", "alpha": 10}, "migration": {"fixed": 0.05)") + price + "}}";
    return skel({"bsp", scenario(more), "--json"}).json()["migrating"].get<double>();
  };
  // There is one call, at whose barrier each host sends a state and gets one.
  EXPECT_NEAR(rotating(R"(, "per_byte": 1e-6)") - rotating(""), 1.2e6 * 1e-6, 1e-9);
}

TEST_F(BspTest, IsFasterByDefault) {
  auto const never = skel({"bsp", scenario(), "--policy", "never", "--json"}).json(),
             by_default = skel({"bsp", scenario(), "--json"}).json();
  EXPECT_EQ(by_default["policy"], "skel");
  EXPECT_LT(by_default["time"].get<double>(), 0.895 * never["time"].get<double>());
}

TEST_F(BspTest, ReadsPlatformsBesideTheScenarioAndInIt) {
  auto const beside = skel({"bsp", scenario(), "--json"});
  auto const inside = skel({"bsp", scenario(R"({"platform": )" + std::string(R"({"skel_platform": 1, "clusters": [
      {"name": "L", "hosts": 20, "speed": 0.75e9, "latency": 1e-4, "bandwidth": 1.25e7},
      {"name": "A", "hosts": 20, "speed": 1e9, "latency": 1e-4, "bandwidth": 1.25e8}],
      "links": [{"between": ["L", "A"], "latency": 2e-4, "bandwidth": 1.25e7}]}})")),
                            "--json"});
  EXPECT_EQ(beside.out, inside.out);
}

TEST_F(BspTest, RefusesWhatItCannotDo) {
  auto const refused = [&](std::vector<std::string> const& arguments, int status, std::string const& why) {
    auto const result = skel(arguments);
    EXPECT_EQ(result.status, status) << why;
    EXPECT_THAT(result.err, HasSubstr(why));
  };
  refused({"bsp"}, 2, "SCENARIO: is missing");
  refused({"bsp", scenario(), "--policy", "migbps"}, 2, "--policy: 'migbps' is no policy; did you mean 'migbsp'?");
  refused({"bsp", scenario(), "--alpha", "0"}, 2, "--alpha: is a number of supersteps, 1 to 1000000");
  refused({"bsp", scenario(), "--alpha", "1000001"}, 2, "--alpha: is a number of supersteps, 1 to 1000000");
  refused({"bsp", scenario(R"({"policy": {"alpha": 1000001}})")}, 2, "policy.alpha: is 1000001");
  refused({"bsp", scenario(R"({"platform": "nowhere.json"})")}, 2, "nowhere.json");
  refused({"bsp", platform_}, 2, "skel_bsp: is missing");
  refused(
      {"bsp",
       scenario(
           R"({"workload": {"kind": "wavefront", "order": 10, "first": 1e300, "last": 1e308}, "policy": {"name": "rotate", "alpha": 1}, "migration": {"fixed": 1e308}})")},
      1, "takes longer than can be computed with");
  refused(
      {"bsp",
       scenario(
           R"({"platform": {"skel_platform": 1, "clusters": [{"name": "L", "hosts": 20, "speed": 1e-5, "latency": 0}]}, "workload": {"kind": "wavefront", "order": 10, "first": 1e308, "last": 1e308}, "policy": {"name": "skel"}})")},
      1, "takes longer than can be computed with");
  refused(
      {"bsp",
       scenario(
           R"({"platform": {"skel_platform": 1, "clusters": [{"name": "L", "hosts": 20, "speed": 1, "latency": 0}]}, "workload": {"kind": "trace", "supersteps": [{"work": [1e308, 0, 1, 1, 1, 1, 1, 1, 1, 1]}, {"work": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]}]}, "policy": {"name": "rotate", "alpha": 1}})"),
       "--json"},
      1, "takes longer than can be computed with");
  refused(
      {"bsp",
       scenario(
           R"({"platform": {"skel_platform": 1, "clusters": [{"name": "L", "hosts": 20, "speed": 1, "latency": 0}, {"name": "A", "speed": 1}]}})")},
      2, "platform: there is no link from cluster 'L' to cluster 'A'");
}

TEST_F(BspTest, TakesWorkOfAnySize) {
  json steps = json::array();
  for (double const work : {1e300, 1e-300, 1e-300, 1e-300, 1e-300})
    steps.push_back({{"work", std::vector<double>{work, 0, 0, 0, 0, 0, 0, 0, 0, 0}}});
  json const rest{
      {"platform",
       {{"skel_platform", 1}, {"clusters", {{{"name", "L"}, {"hosts", 20}, {"speed", 1}, {"latency", 0}}}}}},
      {"workload", {{"kind", "trace"}, {"supersteps", steps}}}};
  EXPECT_EQ(skel({"bsp", scenario(rest.dump()), "--json"}).json()["time"], 1e300);
}

}  // namespace
