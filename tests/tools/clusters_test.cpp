#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/base/number.hpp>

#include "command.hpp"

namespace {

using nlohmann::json;
using skel::testing_tools::data;
using skel::testing_tools::FolderTest;
using skel::testing_tools::skel;
using testing::HasSubstr;
using testing::StartsWith;

class ClustersTest : public FolderTest {};

TEST_F(ClustersTest, OfThePapersTable) {
  auto const answer = skel({"clusters", data("grid5000_table2.json"), "--json"}).json();
  std::vector<std::size_t> sizes;
  for (auto const& cluster : answer["clusters"]) sizes.push_back(cluster["hosts"].size());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{20, 11, 1, 7, 20, 19}));
  EXPECT_EQ(answer["clusters"][0]["name"], "orsay");
  EXPECT_NEAR(answer["clusters"][0]["latency"].get<double>(), 48.39e-6, 1e-12);
  EXPECT_EQ(answer["clusters"][2]["latency"], 0);
  EXPECT_EQ(answer["levels"][2]["name"], "site");
  EXPECT_EQ(answer["levels"][2]["groups"].size(), 4U);
  EXPECT_THAT(skel({"clusters", data("grid5000_table2.json")}).out, HasSubstr("78 hosts, 6 clusters"));
}

TEST_F(ClustersTest, OfAMatrix) {
  std::string const matrix = file("m.csv", "a,b,c\n0,1e-5,9e-3\n1e-5,0,9e-3\n9e-3,9e-3,0\n");
  auto const answer = skel({"clusters", "--latencies", matrix, "--json"}).json();
  ASSERT_EQ(answer["clusters"].size(), 2U);
  EXPECT_EQ(answer["clusters"][0]["hosts"], json({"a", "b"}));
  auto const loose = skel({"clusters", "--latencies", matrix, "--tolerance", "1000", "--json"}).json();
  EXPECT_EQ(loose["clusters"].size(), 1U);
}

TEST_F(ClustersTest, OfMoreHostsWithNoiseThanAreGroupedAtOnce) {
  constexpr std::size_t hosts = 401;
  std::string text;
  for (std::size_t h = 0; h < hosts; ++h) text += (h > 0 ? ",h" : "h") + std::to_string(h);
  for (std::size_t a = 0; a < hosts; ++a) {
    text += '\n';
    for (std::size_t b = 0; b < hosts; ++b)
      text += (b > 0 ? "," : "") +
              ::skel::fixed(a == b ? 0 : (a % 2 == b % 2 ? 1e-2 : 5e-2) * (1 + 1e-2 * double((a * b) % 17)), 6);
  }
  auto const answer = skel({"clusters", "--json", "--latencies", file("m.csv", text)}).json();
  ASSERT_EQ(answer["clusters"].size(), 2U);
  EXPECT_EQ(answer["clusters"][0]["hosts"].size(), 201U);
  EXPECT_EQ(answer["clusters"][1]["hosts"].size(), 200U);
}

TEST_F(ClustersTest, RefusesLatenciesThatItCannotWrite) {
  auto const result = skel({"clusters", file("p.json", R"({"skel_platform": 1, "clusters": [{"name": "c", "hosts": 3,
      "speed": 1, "latency": 1e308}]})")});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("too long to compute with"));
}

TEST_F(ClustersTest, RefusesWhatItCannotRead) {
  auto const asymmetric = skel({"clusters", "--latencies", file("m.csv", "a,b\n0,1\n9,0\n")});
  EXPECT_EQ(asymmetric.status, 2);
  EXPECT_THAT(asymmetric.err, HasSubstr("m.csv: row 1, column 2: the latency from 'a' to 'b' is 1 s, back it is 9 s"));
  auto const nothing = skel({"clusters"});
  EXPECT_EQ(nothing.status, 2);
  EXPECT_THAT(nothing.err, StartsWith("skel: PLATFORM: is missing"));
  auto const both = skel({"clusters", data("grid5000_table2.json"), "--latencies", "m.csv"});
  EXPECT_EQ(both.status, 2);
  auto const tolerance = skel({"clusters", data("grid5000_table2.json"), "--tolerance", "-1"});
  EXPECT_EQ(tolerance.status, 2);
  EXPECT_THAT(tolerance.err, StartsWith("skel: --tolerance: is a part"));
  EXPECT_EQ(skel({"clusters", "--latencies", "/nowhere/m.csv"}).status, 2);
}

}  // namespace
