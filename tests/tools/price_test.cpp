#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "command.hpp"

namespace {

using skel::testing_tools::FolderTest;
using skel::testing_tools::outcome;
using skel::testing_tools::skel;
using testing::HasSubstr;
using testing::StartsWith;

constexpr char const* platform = R"({"skel_platform": 1, "clusters": [
  {"name": "a", "hosts": 20, "speed": 1, "latency": 5e-5, "bandwidth": 1e8,
   "plogp": {"L": 4e-5, "g": [[0, 1e-5], [8192, 1e-4], [524288, 5e-3]]}},
  {"name": "b", "hosts": 4, "speed": 1, "latency": 1e-4, "bandwidth": 1e8}]})";

class PriceTest : public FolderTest {
 protected:
  outcome price(std::vector<std::string> const& more, char const* text = platform) const {
    std::vector<std::string> arguments{"price", file("grid.json", text)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return skel(arguments);
  }
};

TEST_F(PriceTest, IsTheFormulasNumber) {
  auto const answer = price({"--cluster", "a", "--op", "broadcast", "--algorithm", "binomial", "--model", "plogp",
                             "--bytes", "8192", "--json"})
                          .json();
  EXPECT_NEAR(answer["predicted"].get<double>(), 5 * 1e-4 + 4 * 4e-5, 1e-15);
  EXPECT_EQ(answer["parameters_from"], "plogp");
}

TEST_F(PriceTest, FollowsFromLatencyAndBandwidth) {
  auto const answer =
      price({"--cluster", "b", "--algorithm", "flat", "--model", "hockney", "--bytes", "1000000", "--json"}).json();
  EXPECT_NEAR(answer["predicted"].get<double>(), 3 * (1e-4 + 1e-2), 1e-15);
}

TEST_F(PriceTest, TakesTheBestSegmentUnlessOneIsGiven) {
  std::vector<std::string> const pipeline{"--cluster", "a", "--algorithm", "pipeline", "--bytes", "524288", "--json"};
  auto const best = price(pipeline).json();
  double const least = best["predicted"];
  for (std::string const segment : {"1024", "4096", "16384", "524288"}) {
    auto given = pipeline;
    given.insert(given.end(), {"--segment", segment});
    auto const answer = price(given).json();
    EXPECT_EQ(answer["segment"], std::stoi(segment));
    EXPECT_GE(answer["predicted"].get<double>(), least);
  }
}

TEST_F(PriceTest, EveryListedModelPricesEveryListedAlgorithm) {
  auto const list = skel({"price", "--list", "--json"}).json();
  EXPECT_EQ(list["models"].size(), 9U);
  for (auto const& [operation, algorithms] : list["operations"].items())
    for (auto const& algorithm : algorithms)
      for (auto const& model : list["models"]) {
        auto const result = price({"--cluster", "a", "--op", operation, "--algorithm", algorithm["name"], "--model",
                                   model, "--bytes", "4096", "--json"});
        ASSERT_EQ(result.status, 0) << result.err;
        EXPECT_GT(result.json()["predicted"].get<double>(), 0);
      }
}

TEST_F(PriceTest, SaysWhatIsTooLargeToBePriced) {
  auto const many = price({"--cluster", "a", "--algorithm", "flat", "--bytes", "1", "--ranks", "1000000000"});
  EXPECT_EQ(many.status, 1);
  EXPECT_THAT(many.err, HasSubstr("among 1000000000 ranks cannot be priced"));
  auto const slow =
      price({"--cluster", "a", "--op", "reduce", "--algorithm", "flat", "--bytes", "9", "--gamma", "1e308"});
  EXPECT_EQ(slow.status, 1);
  EXPECT_THAT(slow.err, HasSubstr("too long to compute with"));
}

TEST_F(PriceTest, RefusesWhatItCannotPriceWithAReason) {
  struct refusal {
    std::vector<std::string> arguments;
    std::string starts;
  };
  for (refusal const& one : std::vector<refusal>{
           {{"--cluster", "c", "--algorithm", "flat", "--bytes", "1"}, "skel: --cluster: 'c' is no cluster of"},
           {{"--algorithm", "flat", "--bytes", "1"}, "skel: --cluster: is missing; one of a, b"},
           {{"--cluster", "a", "--algorithm", "binomal", "--bytes", "1"},
            "skel: --algorithm: 'binomal' is no algorithm of broadcast; did you mean 'binomial'?"},
           {{"--cluster", "a", "--bytes", "1"}, "skel: --algorithm: is missing; one of flat"},
           {{"--cluster", "a", "--op", "brodcast", "--algorithm", "flat", "--bytes", "1"},
            "skel: --op: 'brodcast' is no collective; did you mean 'broadcast'?"},
           {{"--cluster", "a", "--algorithm", "flat", "--model", "loggpp", "--bytes", "1"},
            "skel: --model: 'loggpp' is no communication model; did you mean 'loggp'?"},
           {{"--cluster", "a", "--algorithm", "flat"}, "skel: --bytes: is missing"},
           {{"--cluster", "a", "--algorithm", "flat", "--bytes", "-1"}, "skel: --bytes: is -1; a whole number"},
           {{"--cluster", "a", "--algorithm", "flat", "--bytes", "1.5"}, "skel: --bytes: is 1.5; a whole number"},
           {{"--cluster", "a", "--algorithm", "flat", "--bytes", "8", "--segment", "4"},
            "skel: --segment: 'flat' does not cut"},
           {{"--cluster", "a", "--algorithm", "pipeline", "--bytes", "8", "--segment", "0"}, "skel: --segment: is 0"},
           {{"--cluster", "a", "--algorithm", "flat", "--bytes", "8", "--gamma", "-1"}, "skel: --gamma: is a time"}}) {
    auto const result = price(one.arguments);
    EXPECT_EQ(result.status, 2) << result.out;
    EXPECT_THAT(result.err, StartsWith(one.starts));
  }
  auto const broken = price({"--cluster", "a", "--algorithm", "flat", "--bytes", "1"},
                            R"({"skel_platform": 1, "clusters": [{"name": "a", "hosts": 2, "speed": 1, "latency": 0,
                                "plogp": {"L": 1, "g": [[5, 1], [4, 1]]}}]})");
  EXPECT_EQ(broken.status, 2);
  EXPECT_THAT(broken.err, HasSubstr("grid.json: clusters[0].plogp.g[1][0]: is less than the size before it"));
}

}  // namespace
