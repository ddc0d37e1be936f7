#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/base/input_file.hpp>
#include <skel/detail/platform/files.hpp>

#include "command.hpp"
#include "support/html.hpp"

namespace {

using nlohmann::json;
using skel::testing_tools::FolderTest;
using skel::testing_tools::skel;
using testing::HasSubstr;
using testing::Not;

class SelectTest : public FolderTest {
 protected:
  /// near-a and near-b are 1 ms from each other and 50 ms from far; lone has no link.
  std::string platform(double memory = 1e9) const {
    json clusters = json::array();
    for (auto const* const name : {"near-a", "near-b", "far", "lone"})
      clusters.push_back(
          {{"name", name}, {"hosts", 10}, {"speed", 1}, {"latency", 1e-4}, {"bandwidth", 1.25e8}, {"memory", memory}});
    json links = json::array();
    for (auto const& [a, b, latency] :
         {std::tuple("near-a", "near-b", 1e-3), std::tuple("near-a", "far", 0.05), std::tuple("near-b", "far", 0.05)})
      links.push_back({{"between", {a, b}}, {"latency", latency}});
    return file("grid.json", json{{"skel_platform", 1}, {"clusters", clusters}, {"links", links}}.dump());
  }
  /// An element takes 2e-6 s in phase one and 8e-6 s in phase two: 0.1 s an iteration on a cluster alone.
  std::string app(std::string const& rest = "{}") const {
    json one{{"skel_mesh_app", 1}, {"elements", 1e5}, {"face_bytes", 0}, {"phases", json::array()}};
    for (double const seconds : {2e-6, 8e-6})
      one["phases"].push_back(
          {{"name", seconds < 5e-6 ? "one" : "two"},
           {"seconds_per_element", {{"near-a", seconds}, {"near-b", seconds}, {"far", seconds}, {"lone", seconds}}}});
    one.update(json::parse(rest));
    return file("app.json", one.dump());
  }
};

TEST_F(SelectTest, SaysWhichClustersAndWhatAnIterationTakes) {
  auto const answer = skel({"select", platform(), app(), "--json"}).json();
  EXPECT_EQ(answer["clusters"], json({"near-a", "near-b"}));
  EXPECT_NEAR(answer["iteration"].get<double>(), 0.05 + 6 * 1e-3, 1e-12);
  ASSERT_EQ(answer["phases"].size(), 2U);
  EXPECT_NEAR(answer["phases"][0].get<double>(), 0.01, 1e-12);
  EXPECT_NEAR(answer["phases"][1].get<double>(), 0.04, 1e-12);
  EXPECT_NEAR(answer["communication"].get<double>(), 6e-3, 1e-12);
  EXPECT_EQ(answer["optimal"], true);
  EXPECT_EQ(answer["bound"], answer["iteration"]);
  EXPECT_GT(answer["evaluated"].get<int>(), 0);
  EXPECT_GE(answer["seconds"].get<double>(), 0);
  EXPECT_THAT(skel({"select", platform(), app()}).out,
              testing::AllOf(HasSubstr("near-a, near-b"), HasSubstr("proven best")));
}

TEST_F(SelectTest, KeepsToABudget) {
  std::string const prices = R"({"price_per_hour": {"near-a": 1, "near-b": 2, "far": 1, "lone": 0.5}})";
  auto const all = skel({"select", platform(), app(prices), "--json"}).json();
  EXPECT_EQ(all["hosts"], json({10, 10}));
  EXPECT_EQ(all["price_per_hour"], 30);
  auto const some = skel({"select", platform(), app(prices), "--budget", "20", "--json"}).json();
  EXPECT_EQ(some["clusters"], json({"near-a", "near-b"}));
  EXPECT_EQ(some["hosts"], json({10, 5}));
  EXPECT_EQ(some["price_per_hour"], 20);
  EXPECT_EQ(some["optimal"], true);
  EXPECT_NEAR(some["iteration"].get<double>(), 1.0 / 15 + 6 * 1e-3, 1e-12);
  EXPECT_THAT(skel({"select", platform(), app(prices), "--budget", "20"}).out,
              HasSubstr("20 an hour: 10 hosts of near-a, 5 hosts of near-b"));
  EXPECT_FALSE(skel({"select", platform(), app(), "--json"}).json().contains("hosts"));
  auto const within =
      skel({"select", platform(), app(prices), "--budget", "4", "--subset", "near-b,far", "--json"}).json();
  EXPECT_EQ(within["clusters"], json({"far"})) << "which is cheaper, and too far from the other one";
  EXPECT_EQ(within["hosts"], json({4}));
  EXPECT_EQ(within["optimal"], false) << "eight hosts of 'lone' can be paid";
  auto const same =
      skel({"select", platform(), app(prices), "--budget", "20", "--subset", "near-a,near-b", "--json"}).json();
  EXPECT_EQ(same["hosts"], json({10, 5}));
  EXPECT_EQ(same["optimal"], true);
}

TEST_F(SelectTest, SaysWhyNothingCanBePaid) {
  std::string const prices = R"({"price_per_hour": {"near-a": 1, "near-b": 2, "far": 1, "lone": 0.5}})";
  auto const refusal = [&](std::vector<std::string> rest, std::string const& more = "") {
    std::vector<std::string> words{"select", platform(1e3), app(prices.substr(0, prices.size() - 1) + more + "}")};
    words.insert(words.end(), rest.begin(), rest.end());
    return skel(words).err;
  };
  EXPECT_THAT(refusal({"--budget", "0.4"}),
              HasSubstr("budget: a host of cluster 'lone' is the cheapest, at 0.5 an hour; --budget is 0.4"));
  EXPECT_THAT(refusal({"--budget", "2"}, R"(, "bytes_per_element": 0.15)"),
              HasSubstr("budget: no hosts that together have room for the mesh cost 2 an hour or less"));
  EXPECT_THAT(refusal({"--budget", "0.9", "--subset", "near-a"}),
              HasSubstr("budget: no hosts of these clusters that together have room for the mesh cost 0.9 an hour"));
  EXPECT_THAT(refusal({"--budget", "0"}), HasSubstr("--budget: is money per hour, more than 0"));
  EXPECT_THAT(refusal({"--budget", "5", "--algorithm", "greedy"}),
              HasSubstr("--budget: goes with --algorithm exact or exhaustive"));
}

TEST_F(SelectTest, HearsWhatIsAnnounced) {
  auto const announced =
      file("said.jsonl", R"({"skel_announcement": 1, "host": "near-a", "speed": 0.5})"
                         "\n"
                         R"({"skel_announcement": 1, "leaves": "near-b-3"})"
                         "\n"
                         R"({"skel_announcement": 1, "link": ["near-b", "near-a"], "latency": 0.002})"
                         "\n");
  auto const answer = skel({"select", platform(), app(), "--announcements", announced, "--json"}).json();
  EXPECT_EQ(answer["clusters"], json({"near-a", "near-b"}));
  EXPECT_NEAR(answer["iteration"].get<double>(), 1.0 / (5 + 9) + 6 * 2e-3, 1e-12);
  auto const of_windows = file("w.jsonl",
                               "\xef\xbb\xbf"
                               R"({"skel_announcement": 1, "host": "near-a", "speed": 0.5})"
                               "\r \r"
                               R"({"skel_announcement": 1, "leaves": "near-b-3"})"
                               "\r\n"
                               R"({"skel_announcement": 1, "link": ["near-b", "near-a"], "latency": 0.002})"
                               "\r\n");
  auto const same = skel({"select", platform(), app(), "--announcements", of_windows, "--json"});
  EXPECT_EQ(same.json()["iteration"], answer["iteration"]);
  EXPECT_THAT(same.err, Not(HasSubstr("left out")));
  std::string more;
  for (int k = 0; k < 10; ++k)
    more += R"({"skel_announcement": 1, "leaves": "near-c"})"
            "\n";
  auto const unknown = file("unknown.jsonl", more + R"({"skel_announcement": 1, "host": "near-a", "speed": 0.5})"
                                                    "\n");
  auto const heard = skel({"select", platform(), app(), "--announcements", unknown, "--json"});
  EXPECT_THAT(heard.err, testing::AllOf(HasSubstr("unknown.jsonl: line 1"), HasSubstr("near-c"), HasSubstr("line 8"),
                                        Not(HasSubstr("line 9")), HasSubstr("2 more announcements are left out")));
  EXPECT_EQ(heard.status, 0);
  EXPECT_NEAR(heard.json()["iteration"].get<double>(), 1.0 / 15 + 6 * 1e-3, 1e-12);
}

TEST_F(SelectTest, HasEveryAlgorithm) {
  for (auto const* const name :
       {"exact", "exhaustive", "greedy", "grouping", "rnd", "rnd1k", "sa", "sa.greedy", "sa.grouping"}) {
    auto const answer = skel({"select", platform(), app(), "--algorithm", name, "--json", "--time-limit", "5"});
    if (std::string(name) == "rnd") {
      EXPECT_THAT(answer.status, testing::AnyOf(0, 1)) << "near-a and lone cannot be together";
      continue;
    }
    EXPECT_EQ(answer.json()["clusters"], json({"near-a", "near-b"})) << name;
  }
}

TEST_F(SelectTest, PricesASubset) {
  auto const answer = skel({"select", platform(), app(), "--subset", "far,near-a", "--json"}).json();
  EXPECT_EQ(answer["clusters"], json({"near-a", "far"}));
  EXPECT_NEAR(answer["iteration"].get<double>(), 0.05 + 6 * 0.05, 1e-12);
  EXPECT_EQ(answer["optimal"], false);
  EXPECT_NEAR(answer["bound"].get<double>(), 0.05 + 6 * 1e-3, 1e-12);
}

TEST_F(SelectTest, DrawsTheGridAndTheTimeOfEverySize) {
  auto const plot = folder_ / "clusters.svg";
  auto const answer = skel({"select", platform(), app(), "--plot", plot.string(), "--json"}).json();
  EXPECT_EQ(answer["clusters"], json({"near-a", "near-b"}));
  auto const drawn = skel::read_text(plot.string());
  skel::test::expect_balanced(drawn);
  EXPECT_EQ(skel::test::count(drawn, "class=\"cluster chosen\""), 2U);
  EXPECT_EQ(skel::test::count(drawn, "class=\"cluster\""), 2U);
  EXPECT_EQ(skel::test::count(drawn, "class=\"bar\""), 20U) << "hosts that have elements";
  EXPECT_EQ(skel::test::count(drawn, "class=\"idle\""), 20U);
  EXPECT_EQ(skel::test::count(drawn, "class=\"link chosen\""), 1U);
  EXPECT_THAT(drawn, testing::AllOf(HasSubstr("50000 elements, 50 %"), HasSubstr(">50 ms<"), HasSubstr("near-a - far"),
                                    HasSubstr("10 hosts, 10 us/element")));
  EXPECT_EQ(skel::test::count(drawn, "r=\"3\""), 3U + 1U) << "three sizes, as lone has no link, and what was chosen";
  EXPECT_THAT(drawn, testing::Not(HasSubstr("heuristic")));
}

TEST_F(SelectTest, SaysWhatItCannotDo) {
  auto const refused = [](std::vector<std::string> arguments, int status) {
    arguments.insert(arguments.begin(), "select");
    auto const result = skel(arguments);
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_THAT(refused({platform(), app(), "--algorithm", "exakt"}, 2), HasSubstr("did you mean 'exact'?"));
  EXPECT_THAT(refused({platform(), app(), "--subset", "near-a,nowhere"}, 2), HasSubstr("'nowhere' is no cluster of"));
  EXPECT_THAT(refused({platform(), app(), "--subset", "far,far"}, 2), HasSubstr("'far' twice"));
  EXPECT_THAT(refused({platform(), app(), "--subset", ""}, 2), HasSubstr("--subset"));
  EXPECT_THAT(refused({platform(), app(), "--plot", platform()}, 2), HasSubstr("is the file that is read"));
  EXPECT_THAT(refused({platform(), app(), "--budget", "5"}, 1), HasSubstr("--budget wants prices"));
  auto const news = file("news.jsonl", "");
  EXPECT_THAT(refused({platform(), app(), "--announcements", news, "--plot", news}, 2),
              HasSubstr("is the file that is read"));
  EXPECT_THAT(refused({platform(), app(), "--plot", "/nowhere/plot.svg"}, 1), HasSubstr("/nowhere/plot.svg"));
  EXPECT_THAT(refused({platform(), app(), "--time-limit", "0"}, 2), HasSubstr("--time-limit: is a number of seconds"));
  EXPECT_THAT(refused({platform(), app(), "--subset", "lone,far"}, 1),
              HasSubstr("clusters 'far' and 'lone' have no link to each other"));
  EXPECT_THAT(refused({platform(1000), app(R"({"bytes_per_element": 600})")}, 1),
              testing::AllOf(HasSubstr("memory: the mesh takes 6e+07 B"), HasSubstr("has 1000 B")));
  EXPECT_THAT(refused({platform(), app(R"({"phases": [{"name": "p", "seconds_per_element": {"near-a": 1}}]})")}, 2),
              HasSubstr("phase 'p' has no seconds per element for cluster 'near-b'"));
}

}  // namespace
