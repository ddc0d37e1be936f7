#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "command.hpp"

namespace {

using nlohmann::json;
using skel::testing_tools::data;
using skel::testing_tools::FolderTest;
using skel::testing_tools::outcome;
using skel::testing_tools::skel;
using testing::HasSubstr;
using testing::StartsWith;

outcome collective(std::vector<std::string> const& more, std::string const& platform = data("grid5000_plogp.json")) {
  std::vector<std::string> arguments{"collective", platform};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return skel(arguments);
}

using CollectiveTest = FolderTest;

/// What acceptance reads, by key and type.
void expect_form(json const& answer, std::size_t clusters) {
  EXPECT_TRUE(answer["predicted"].is_number_float());
  EXPECT_TRUE(answer["inter"]["schedule"].is_string());
  EXPECT_TRUE(answer["inter"]["predicted"].is_number());
  ASSERT_TRUE(answer["inter"]["edges"].is_array());
  for (json const& edge : answer["inter"]["edges"]) {
    ASSERT_EQ(edge.size(), 2U);
    EXPECT_TRUE(edge[0].is_string() && edge[1].is_string());
  }
  ASSERT_EQ(answer["intra"].size(), clusters);
  for (json const& inside : answer["intra"]) {
    EXPECT_TRUE(inside["cluster"].is_string());
    EXPECT_TRUE(inside["algorithm"].is_string());
    EXPECT_TRUE(inside["segment"].is_number_unsigned());
    EXPECT_TRUE(inside["model"].is_string());
    EXPECT_TRUE(inside["predicted"].is_number());
  }
  ASSERT_TRUE(answer["alternatives"].is_array());
  for (json const& other : answer["alternatives"]) {
    EXPECT_TRUE(other["name"].is_string());
    EXPECT_TRUE(other["predicted"].is_number());
  }
}

TEST_F(CollectiveTest, RefusesTimesThatOverflow) {
  auto const result = collective({"--op", "reduce", "--bytes", "1048576"}, file("p.json", R"({"skel_platform": 1,
      "clusters": [{"name": "p0", "speed": 1}, {"name": "p1", "speed": 1, "loggp": {"L": 1, "o": 1, "g": 1, "G": 1e304}},
      {"name": "p2", "speed": 1}],
      "links": [{"between": ["p1", "p0"], "latency": 1}, {"between": ["p2", "p0"], "latency": 1}]})"));
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("inside cluster 'p1' would take inf s"));
}

TEST_F(CollectiveTest, AnswersInOneFormForEveryOperation) {
  for (char const* const operation :
       {"broadcast", "reduce", "allreduce", "scatter", "gather", "allgather", "alltoall", "barrier"}) {
    auto const result = collective({"--op", operation, "--bytes", "4096", "--json"});
    ASSERT_EQ(result.status, 0) << result.err;
    expect_form(result.json(), 6);
    EXPECT_GT(result.json()["predicted"].get<double>(), 0) << operation;
  }
}

TEST_F(CollectiveTest, ReachesEveryClusterOnceFromTheRoots) {
  auto const answer = collective({"--op", "broadcast", "--bytes", "8192", "--root", "toulouse-3", "--json"}).json();
  std::vector<std::string> reached{"toulouse"};
  for (json const& edge : answer["inter"]["edges"]) {
    EXPECT_THAT(reached, testing::Contains(edge[0].get<std::string>()));
    EXPECT_THAT(reached, testing::Not(testing::Contains(edge[1].get<std::string>())));
    reached.push_back(edge[1]);
  }
  EXPECT_EQ(reached.size(), 6U);
}

TEST_F(CollectiveTest, TakesThePapersAlgorithmsInsideTheClusters) {
  for (auto const& [bytes, algorithm] : {std::pair{"8192", "binomial"}, std::pair{"524288", "pipeline"}}) {
    json const answer = collective({"--op", "broadcast", "--bytes", bytes, "--stripes", "1", "--json"}).json();
    for (json const& inside : answer["intra"])
      EXPECT_TRUE(inside["cluster"] == "grenoble-b" || inside["algorithm"] == algorithm) << bytes << inside;
  }
}

TEST_F(CollectiveTest, BelievesTheModelThatThePlatformHasParametersOf) {
  std::string const with_loggp = R"({"skel_platform": 1, "clusters": [
    {"name": "a", "hosts": 4, "speed": 1, "latency": 5e-5, "bandwidth": 1e8,
     "loggp": {"L": 4e-5, "o": 5e-6, "g": 1e-5, "G": 1e-8}}]})";
  auto const answer = collective({"--bytes", "1000", "--json"}, file("grid.json", with_loggp)).json();
  EXPECT_EQ(answer["intra"][0]["model"], "loggp");
  EXPECT_THAT(answer["why"].get<std::string>(), HasSubstr("loggp"));
}

// Trees over clusters change the order of operands; what keeps it is an algorithm of the catalogue, and takes longer.
TEST_F(CollectiveTest, KeepsOperandsInOrderWhereItIsAsked) {
  auto const any = collective({"--op", "reduce", "--bytes", "8192", "--json"}).json();
  auto const ordered = collective({"--op", "reduce", "--bytes", "8192", "--ordered", "--json"}).json();
  EXPECT_EQ(any["inter"]["edges"].size(), 5U);
  EXPECT_EQ(ordered["inter"]["edges"].size(), 0U);
  EXPECT_GT(ordered["predicted"].get<double>(), any["predicted"].get<double>());
  for (json const& inside : ordered["intra"]) EXPECT_EQ(inside["algorithm"], ordered["name"]);
}

TEST_F(CollectiveTest, SaysTheSameAsText) {
  std::vector<std::string> const what{"--op", "broadcast", "--bytes", "8192"};
  auto with_json = what;
  with_json.push_back("--json");
  auto const answer = collective(with_json).json();
  auto const text = collective(what);
  EXPECT_EQ(text.status, 0);
  EXPECT_THAT(text.out, StartsWith("broadcast of 8192 bytes among 78 hosts: "));
  EXPECT_THAT(text.out, HasSubstr(answer["why"].get<std::string>()));
  EXPECT_THAT(text.out, HasSubstr("between clusters: " + answer["inter"]["schedule"].get<std::string>()));
  for (json const& edge : answer["inter"]["edges"])
    EXPECT_THAT(text.out, HasSubstr("  " + edge[0].get<std::string>() + " -> " + edge[1].get<std::string>() + "\n"));
  for (json const& other : answer["alternatives"]) EXPECT_THAT(text.out, HasSubstr(other["name"].get<std::string>()));
}

TEST_F(CollectiveTest, PricesVectorsOfNothingAndOfMoreThanTwoGiga) {
  EXPECT_GT(collective({"--bytes", "0", "--json"}).json()["predicted"].get<double>(), 0);
  auto const large = collective({"--bytes", "8589934592", "--json"});
  ASSERT_EQ(large.status, 0) << large.err;
  EXPECT_GT(large.json()["predicted"].get<double>(), 8589934592 / 1.25e8);
}

TEST_F(CollectiveTest, RefusesWhatItCannotAnswerWithAReason) {
  struct refusal {
    std::vector<std::string> arguments;
    std::string says;
  };
  for (refusal const& one : std::vector<refusal>{
           {{"--op", "brodcast", "--bytes", "1"}, "skel: --op: 'brodcast' is no collective; did you mean 'broadcast'"},
           {{"--op", "telepathy", "--bytes", "1"}, "'telepathy' is no collective; one of broadcast, reduce"},
           {{"--bytes", "1", "--root", "orsay"},
            "skel: --root: 'orsay' is not a host of the platform; of this cluster"},
           {{"--bytes", "1", "--root", "nowhere-0"}, "skel: --root: 'nowhere-0' is not a host of the platform"},
           {{"--op", "reduce"}, "skel: --bytes: is missing"},
           {{"--bytes", "-1"}, "skel: --bytes: is -1; a whole number"},
           {{"--bytes", "1.5"}, "skel: --bytes: is 1.5; a whole number"},
           {{"--bytes", "8x"}, "skel: --bytes: '8x' is no size; bytes are wanted, such as 8192, 8k, 64KiB or 1M"},
           {{"--bytes", "18014398509481984"}, "; at most 2^53 bytes can be counted exactly"},
           {{"--bytes", "1", "--stripes", "0"}, "skel: --stripes: is 0"},
           {{"--bytes", "1", "--stripes", "-1"}, "skel: --stripes: is -1"},
           {{"--op", "reduce", "--bytes", "1", "--gamma", "-1"}, "skel: --gamma: is a time"}}) {
    auto const result = collective(one.arguments);
    EXPECT_EQ(result.status, 2) << result.out;
    EXPECT_THAT(result.err, HasSubstr(one.says));
    EXPECT_EQ(result.out, "");
  }
  auto const missing = collective({"--bytes", "1"}, "no_such_file.json");
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.err, HasSubstr("no_such_file.json"));
}

TEST_F(CollectiveTest, ComparesTimesThatAreFarApart) {
  auto const result = collective({"--op", "broadcast", "--bytes", "1k"}, file("p.json", R"({"skel_platform": 1,
      "clusters": [{"name": "p0", "hosts": 4, "speed": 1, "latency": 5e-05, "bandwidth": 1e8, "plogp": {"L": 4e-05,
      "g": [[0, 1e-05], [1024, 2e-05]], "os": [3e-06, 3e-06], "or": 9007199254740992}},
      {"name": "p1", "hosts": 2, "speed": 1, "latency": 1e-05}],
      "links": [{"between": ["p0", "p1"], "latency": 0.005, "bandwidth": 12000000.0}]})"));
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(", much more\n"));
}

TEST_F(CollectiveTest, TakesSizesWithUnits) {
  auto const plain = collective({"--bytes", "65536", "--json"});
  ASSERT_EQ(plain.status, 0) << plain.err;
  for (char const* size : {"64k", "64K", "64KiB", "65536B", "0.0625M"})
    EXPECT_EQ(collective({"--bytes", size, "--json"}).out, plain.out) << size;
  EXPECT_NE(collective({"--bytes", "64kB", "--json"}).out, plain.out) << "64000 bytes";
}

/// What the answer calls an algorithm, `skel price --algorithm` takes: of an allreduce over trees, for the broadcast
/// that is its second half.
TEST_F(CollectiveTest, NamesAlgorithmsThatCanBeAskedFor) {
  auto const listed = skel::testing_tools::skel({"price", "--list", "--json"}).json()["operations"];
  for (auto const& [operation, algorithms] : listed.items()) {
    std::set<std::string> names;
    for (auto const& one : algorithms) names.insert(one["name"]);
    if (operation == "allreduce" || operation == "barrier")  // on routes, of trees that broadcasts have
      for (auto const& one : listed["broadcast"]) names.insert(one["name"]);
    for (char const* bytes : {"8", "64k", "4M"}) {
      auto const answer = collective({"--op", operation, "--bytes", bytes, "--json"}).json();
      for (auto const& inside : answer["intra"])
        EXPECT_TRUE(names.contains(inside["algorithm"])) << operation << ' ' << bytes << ' ' << inside;
    }
  }
}

TEST_F(CollectiveTest, NamesClustersWithoutAWayBetweenThem) {
  auto const result = collective({"--bytes", "1"}, file("apart.json", R"({"skel_platform": 1, "clusters": [
    {"name": "here", "hosts": 2, "speed": 1, "latency": 1e-4},
    {"name": "there", "hosts": 2, "speed": 1, "latency": 1e-4}]})"));
  EXPECT_NE(result.status, 0);
  EXPECT_THAT(result.err, HasSubstr("'here'"));
  EXPECT_THAT(result.err, HasSubstr("'there'"));
}

}  // namespace
