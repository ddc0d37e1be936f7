// Files of sizes that users have, or that are easily written: an answer or a refusal in bounded time and memory.
#include <string>

#include <gtest/gtest.h>

#include "command.hpp"
#include "manners.hpp"

namespace {

using skel::testing_tools::command;
using skel::testing_tools::data;
using skel::testing_tools::expect_manners;
using skel::testing_tools::FolderTest;

class Large : public FolderTest {
 protected:
  /// Clusters c0, c1, ... of so many hosts each, all connected.
  std::string clusters_of(int hosts, int clusters = 1) const {
    std::string entries, links;
    for (int c = 0; c < clusters; ++c) {
      entries += (c > 0 ? ", " : "") + (R"({"name": "c)" + std::to_string(c) + R"(", "speed": )") +
                 std::to_string(1 + c) + R"(, "hosts": )" + std::to_string(hosts) +
                 R"(, "latency": 5e-5, "bandwidth": 1e8})";
      for (int other = 0; other < c; ++other)
        links += (links.empty() ? "" : ", ") + (R"({"between": ["c)" + std::to_string(c) + R"(", "c)") +
                 std::to_string(other) + R"("], "latency": 1e-2, "bandwidth": 1e8})";
    }
    return file("platform.json", R"({"skel_platform": 1, "clusters": [)" + entries + R"(], "links": [)" + links + "]}");
  }
};

/// An answer in 20 s of processor time, which a loaded machine cannot take from it, and 1 GB.
void expect_answer(command const& arguments) {
  command limited{"prlimit", "--cpu=20", SKEL_COMMAND};
  limited.insert(limited.end(), arguments.begin(), arguments.end());
  auto const result = skel::testing_tools::run(limited);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_LT(result.most_bytes, 1'000'000'000U);
}

TEST_F(Large, CollectivesOfThousandsOfHosts) {
  auto const twenty_thousand = clusters_of(20'000);
  expect_manners({"collective", twenty_thousand, "--op", "alltoall", "--bytes", "1k"}, "alltoall of 20,000 hosts");
  auto const grid = clusters_of(1000, 5);
  for (char const* operation : {"allgather", "broadcast", "alltoall"})
    expect_manners({"collective", grid, "--op", operation, "--bytes", "1k"}, operation);
  expect_manners({"price", twenty_thousand, "--cluster", "c0", "--op", "alltoall", "--algorithm", "pairwise", "--bytes",
                  "1k", "--ranks", "1000000000"},
                 "a price of 1e9 ranks");
}

TEST_F(Large, RulesForThousandsOfHosts) {
  expect_answer({"export-rules", clusters_of(1000, 5)});
}

TEST_F(Large, ClustersOfThousandsOfHosts) {
  expect_answer({"clusters", clusters_of(1000, 5)});
}

TEST_F(Large, EdgeListsWithOneLargeNumber) {
  expect_manners({"pattern", file("edges.txt", "0 1\n1 2\n2 2147483647\n")}, "an edge to 2147483647");
}

TEST_F(Large, PlacementsInALimitOfTime) {
  auto const many = clusters_of(1000, 2);
  auto const farm = file("farm.json", R"({"skel_pipeline": 1, "stages": [
      {"name": "a", "work": 1}, {"name": "b", "work": 9, "replicable": true, "width": 1000}, {"name": "c", "work": 1}]})");
  expect_manners({"place", many, farm, "--time-limit", "2"}, "a farm of 1000 on 2000 hosts");
  expect_manners({"place", many, farm, "--time-limit", "2", "--buffer", "1000000000"}, "buffers of 1e9");
  expect_manners({"place", data("grid5000_table2.json"), farm, "--time-limit", "2", "--buffer", "1000000000"},
                 "buffers of 1e9 on 78 hosts");
}

}  // namespace
