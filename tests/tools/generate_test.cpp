#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <gmock/gmock.h>

#include "command.hpp"

namespace {

using nlohmann::json;
using skel::testing_tools::FolderTest;
using skel::testing_tools::run;
using skel::testing_tools::skel;
using testing::HasSubstr;

class GenerateTest : public FolderTest {
 protected:
  std::string folder(std::string const& name) const { return (folder_ / name).string(); }
  static std::string text(std::string const& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST_F(GenerateTest, WritesPlatformsAndProgramsThatSelectReads) {
  for (auto const* const family : {"heterogeneous", "very-heterogeneous", "near-homogeneous"}) {
    std::string const all = folder(family);
    auto const written =
        skel({"generate", "platforms", "--family", family, "--seed", "3", "--count", "2", "-o", all, "--json"}).json();
    ASSERT_EQ(written["platforms"].size(), 2U);
    for (auto const& one : written["platforms"]) {
      std::string const name = one;
      auto const answer = skel({"select", all + "/" + name, all + "/apps/" + name, "--json"}).json();
      EXPECT_EQ(answer["optimal"], true) << name;
    }
  }
}

TEST_F(GenerateTest, HasTheFamiliesOfThePaper) {
  skel({"generate", "platforms", "--family", "heterogeneous", "--count", "20", "-o", folder("h")});
  auto const one = json::parse(text(folder("h") + "/heterogeneous-1-0007.json"));
  EXPECT_EQ(one["clusters"].size(), 12U);
  for (auto const& cluster : one["clusters"]) {
    EXPECT_GE(cluster["hosts"].get<int>(), 16);
    EXPECT_LE(cluster["hosts"].get<int>(), 64);
  }
  for (auto const& link : one["links"]) {
    EXPECT_GE(link["latency"].get<double>(), 0.001);
    EXPECT_LE(link["latency"].get<double>(), 0.1);
  }
  skel({"generate", "platforms", "--family", "near-homogeneous", "-o", folder("n")});
  auto const near = json::parse(text(folder("n") + "/near-homogeneous-1-0000.json"));
  ASSERT_EQ(near["clusters"].size(), 8U);
  std::set<json> hosts, speeds;
  for (auto const& cluster : near["clusters"]) hosts.insert(cluster["hosts"]), speeds.insert(cluster["speed"]);
  EXPECT_EQ(hosts.size() + speeds.size(), 2U) << "all are equal";
}

TEST_F(GenerateTest, IsTheSameForTheSameSeedHoweverManyAreMade) {
  for (auto const* const count : {"1", "3"})
    skel({"generate", "platforms", "--family", "very-heterogeneous", "--count", count, "-o", folder(count)});
  std::string const name = "/very-heterogeneous-1-0000.json";
  EXPECT_EQ(text(folder("1") + name), text(folder("3") + name));
  EXPECT_NE(text(folder("3") + name), text(folder("3") + "/very-heterogeneous-1-0001.json"));
}

TEST_F(GenerateTest, SaysWhatItCannotDo) {
  auto const refused = [&](std::string const& option, std::string const& value) {
    auto const result = skel({"generate", "platforms", "--family", option == "--family" ? value : "heterogeneous",
                              "--count", option == "--count" ? value : "1", "-o", folder("x")});
    EXPECT_EQ(result.status, 2);
    return result.err;
  };
  EXPECT_THAT(refused("--family", "homogeneous"), HasSubstr("'homogeneous' is no family"));
  EXPECT_THAT(refused("--count", "0"), HasSubstr("--count: is a number of platforms"));
}

TEST_F(GenerateTest, LeavesNoPartOfAFileThatCannotBeWritten) {
  auto const result = run({"/bin/sh", "-c", "ulimit -f 1; exec \"$0\" \"$@\"", SKEL_COMMAND, "generate", "platforms",
                           "--family", "heterogeneous", "-o", folder("x")},
                          {.ignored = SIGXFSZ});
  EXPECT_NE(result.status, 0);
  EXPECT_THAT(result.err, HasSubstr("heterogeneous-1-0000.json: cannot be written: File too large"));
  for (auto const& left : std::filesystem::directory_iterator(folder("x"))) EXPECT_EQ(left.path().filename(), "apps");
}

}  // namespace
