#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/platform/clusters.hpp>
#include <skel/detail/platform/files.hpp>

namespace {

namespace platform = skel::platform;
using platform::latency_matrix;
using platform::partition;
using testing::ElementsAre;
using testing::HasSubstr;

platform::description table2() {
  return platform::read_description(SKEL_TEST_DATA "/grid5000_table2.json");
}

std::vector<std::size_t> sizes(partition const& groups) {
  std::vector<std::size_t> result;
  for (auto const& group : groups) result.push_back(group.size());
  return result;
}

std::vector<std::size_t> const six{20, 11, 1, 7, 20, 19};

/// Table 2 as `probes` probes per pair would measure it, each with log-normal noise; the median of them.
latency_matrix noisy(double sigma, std::size_t probes, std::mt19937_64& random) {
  latency_matrix const exact = platform::latencies_of(table2());
  std::size_t const n = exact.size();
  std::lognormal_distribution<> noise(0, sigma);
  std::vector<double> seconds(n * n, 0);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < a; ++b) {
      std::vector<double> measured(probes);
      for (double& value : measured) value = exact(a, b) * noise(random);
      seconds[a * n + b] = seconds[b * n + a] = skel::statistics::median(measured);
    }
  return latency_matrix(exact.hosts(), seconds);
}

TEST(LowekampBeguelin, FindsTheSixClustersOfThePapersTable) {
  latency_matrix const exact = platform::latencies_of(table2());
  EXPECT_EQ(sizes(platform::lowekamp_beguelin(exact)), six);
  EXPECT_EQ(platform::robust_clusters(exact), platform::lowekamp_beguelin(exact));
  EXPECT_EQ(platform::noise_before_groups(exact), 0);
}

TEST(LowekampBeguelin, FallsApartOnNoise) {
  std::mt19937_64 random(1);
  EXPECT_GT(platform::lowekamp_beguelin(noisy(0.1, 1, random)).size(), 6);
}

TEST(RobustClusters, FindsTheSixClustersInNoisyMedians) {
  std::mt19937_64 random(2);
  for (int draw = 0; draw < 20; ++draw)
    EXPECT_EQ(sizes(platform::robust_clusters(noisy(0.15, 5, random))), six) << "draw " << draw;
}

TEST(RobustClusters, FindsTheSixClustersInSingleNoisyProbes) {
  std::mt19937_64 random(3);
  for (double sigma : {0.05, 0.1})
    for (int draw = 0; draw < 5; ++draw)
      EXPECT_EQ(sizes(platform::robust_clusters(noisy(sigma, 1, random))), six) << "sigma " << sigma;
  int found = 0;
  for (int draw = 0; draw < 40; ++draw) found += sizes(platform::robust_clusters(noisy(0.15, 1, random))) == six;
  EXPECT_GE(found, 38);  // 95 %
}

TEST(RobustClusters, IsNotLedAstrayByOutliers) {
  std::mt19937_64 random(4);
  latency_matrix const once = noisy(0.05, 1, random);
  std::size_t const n = once.size();
  std::vector<double> seconds(n * n, 0);
  std::uniform_real_distribution<> chance(0, 1);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < a; ++b)
      seconds[a * n + b] = seconds[b * n + a] = once(a, b) * (chance(random) < 0.01 ? 20 : 1);
  EXPECT_EQ(sizes(platform::robust_clusters(latency_matrix(once.hosts(), seconds))), six);
}

TEST(RobustClusters, MeasuresTheNoise) {
  std::mt19937_64 random(5);
  latency_matrix const measured = noisy(0.1, 1, random);
  EXPECT_NEAR(platform::noise_of(measured, platform::robust_clusters(measured)), 0.1, 0.01);
}

TEST(RobustClusters, FindsLargeAndSmallClustersOfManyHosts) {
  std::vector<std::size_t> const wanted{150, 3, 200, 46, 1};
  std::vector<std::size_t> cluster_of;
  for (std::size_t c = 0; c < wanted.size(); ++c) cluster_of.insert(cluster_of.end(), wanted[c], c);
  std::size_t const n = cluster_of.size();
  std::mt19937_64 random(6);
  for (double const sigma : {0.05, 0.15}) {
    std::lognormal_distribution<> noise(0, sigma);
    std::vector<std::string> names;
    std::vector<double> seconds(n * n, 0);
    for (std::size_t a = 0; a < n; ++a) {
      names.push_back("h" + std::to_string(a));
      for (std::size_t b = 0; b < a; ++b) {
        bool const near = cluster_of[a] == cluster_of[b];
        double const far = 1e-3 * static_cast<double>(1 + cluster_of[a] + cluster_of[b]);
        seconds[a * n + b] = seconds[b * n + a] = (near ? 5e-5 : far) * noise(random);
      }
    }

    EXPECT_EQ(sizes(platform::robust_clusters(latency_matrix(names, seconds))), wanted) << "sigma " << sigma;
  }
}

TEST(Clusters, OfOneHostAndOfTwo) {
  latency_matrix const one({"a"}, {0});
  EXPECT_THAT(platform::robust_clusters(one), ElementsAre(ElementsAre(0)));
  EXPECT_EQ(platform::inside_latency(one, {0}), 0);
  latency_matrix const two({"a", "b"}, {0, 1e-4, 1e-4, 0});
  EXPECT_THAT(platform::robust_clusters(two), ElementsAre(ElementsAre(0, 1)));
  EXPECT_EQ(platform::inside_latency(two, {0, 1}), 1e-4);
}

TEST(Clusters, ToleranceDecides) {
  // a - b near, c 30 % further from both
  latency_matrix const three({"a", "b", "c"}, {0, 1, 1.3, 1, 0, 1.3, 1.3, 1.3, 0});
  EXPECT_EQ(platform::robust_clusters(three, 0.2).size(), 2);
  EXPECT_EQ(platform::robust_clusters(three, 0.4).size(), 1);
}

TEST(Levels, OfThePapersTableAreHostsClustersAndSites) {
  latency_matrix const exact = platform::latencies_of(table2());
  auto const levels = platform::levels_of(exact, platform::robust_clusters(exact));
  ASSERT_EQ(levels.size(), 3);
  EXPECT_EQ(levels[0].groups.size(), 78);
  EXPECT_EQ(levels[1].groups.size(), 6);
  EXPECT_EQ(levels[2].name, "site");
  EXPECT_THAT(sizes(levels[2].groups), ElementsAre(20, 19, 20, 19));
}

TEST(GroupNames, AreWhatTheHostsHaveInCommon) {
  EXPECT_THAT(platform::group_names({"lyon-1", "lyon-2", "n7", "x", "y"}, {{0, 1}, {2}, {3, 4}}),
              ElementsAre("lyon", "n7", "cluster-c1"));
  EXPECT_THAT(platform::group_names({"lyon-1", "lyon-2", "lyon-3", "lyon-4"}, {{0, 1}, {2, 3}}),
              ElementsAre("lyon-c1", "lyon-c2"));
}

struct refused_matrix {
  std::string text, where, reason;
};

class RefusedMatrix : public testing::TestWithParam<refused_matrix> {};

TEST_P(RefusedMatrix, WithPlaceAndReason) {
  try {
    platform::parse_latencies(GetParam().text, "m.csv");
    FAIL() << "accepted " << GetParam().text;
  } catch (skel::input_error const& problem) {
    EXPECT_EQ(problem.source(), "m.csv");
    EXPECT_EQ(problem.where(), GetParam().where);
    EXPECT_THAT(problem.reason(), HasSubstr(GetParam().reason));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Matrix, RefusedMatrix,
    testing::Values(refused_matrix{"", "", "is empty"}, refused_matrix{"# nothing\n\n", "", "is empty"},
                    refused_matrix{"a,b\n0,1\n", "", "1 rows of latencies for 2 hosts"},
                    refused_matrix{"a,b\n0,1\n1\n", "line 3", "has 1 latencies; 2 are wanted"},
                    refused_matrix{"a,b\n0,1\n1,0,3\n", "line 3", "has 3 latencies; 2 are wanted"},
                    refused_matrix{"a,b\n0,x\n1,0\n", "line 2, column 2", "from 'a' to 'b' is 'x'"},
                    refused_matrix{"a,b\n0,\n1,0\n", "line 2, column 2", "is missing"},
                    refused_matrix{"a,\"b\n0,1\n1,0\n", "line 1", "a quote is not closed"},
                    refused_matrix{"\xff\xfe"
                                   "a",
                                   "", "UTF-16"},
                    refused_matrix{"a,b\n0,nan\n1,0\n", "line 2, column 2", "is not a finite number"},
                    refused_matrix{"a,b\n0,inf\n1,0\n", "line 2, column 2", "is not a finite number"},
                    refused_matrix{"a,b\n0,-1\n1,0\n", "line 2, column 2", "is -1"},
                    refused_matrix{"a,b\n0,0\n1,0\n", "line 2, column 2", "is 0"},
                    refused_matrix{"a,a\n0,1\n1,0\n", "host 2", "also the name of host 1"},
                    refused_matrix{"a,\n0,1\n1,0\n", "line 1", "host 2 has no name"},
                    refused_matrix{"a,b\n0,1e-4\n5e-4,0\n", "row 1, column 2", "is symmetric"},
                    refused_matrix{"a,b,c\n0,1,1\n1,0,1\n1,3,0\n", "row 2, column 3",
                                   "from 'b' to 'c' is 1 s, back it is 3 s"},
                    refused_matrix{",a,b\na,0,1\nc,1,0\n", "line 3", "is the row of 'c'; the row of 'b' is wanted"}));

TEST(LatencyMatrix, ReadsNamedRowsCommentsAndNoiseInBothDirections) {
  auto const m = platform::parse_latencies("# measured\n,a,b,c\r\na,,1,2\nb, 1.1 ,,2\nc,2,2,\n", "m.csv");
  EXPECT_DOUBLE_EQ(m(0, 1), std::sqrt(1.1));
  EXPECT_EQ(m(1, 0), m(0, 1));
  EXPECT_EQ(m(2, 0), 2);
  EXPECT_EQ(platform::parse_latencies("a\n0\n", "m.csv").size(), 1);
}

TEST(LatencyMatrix, ReadsTablesOfOtherProgramsAndSystems) {
  for (std::string const text : {"a,b\n0,2\n2,0\n",
                                 "\xef\xbb\xbf"
                                 "a,b\n0,2\n2,0\n",
                                 "a,b\r0,2\r2,0\r", "a;b\r\n0;2\r\n2;0\r\n", "\ta\tb\na\t0\t2\nb\t2\t0\n",
                                 "a\tb\n\t2\n2\t\n", "a b\n 0 2\n 2 0\n", "\"a\",\"b\"\n0,2\n2,0"}) {
    auto const m = platform::parse_latencies(text, "m.csv");
    ASSERT_EQ(m.size(), 2) << text;
    EXPECT_EQ(m.hosts().front(), "a") << text;
    EXPECT_EQ(m(0, 1), 2) << text;
  }
}

TEST(LatencyMatrix, OfADescriptionNeedsEveryLink) {
  auto const apart = platform::parse_description(
      R"({"skel_platform": 1, "clusters": [{"name": "a", "speed": 1}, {"name": "b", "speed": 1}]})", "p.json");
  try {
    platform::latencies_of(apart, "p.json");
    FAIL();
  } catch (skel::input_error const& problem) {
    EXPECT_THAT(problem.what(), HasSubstr("p.json: links: there is no link from cluster 'a' to cluster 'b'"));
  }
}

}  // namespace
