#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/input_file.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/platform/files.hpp>

namespace {

using skel::input_error;
using skel::platform::parse_description;
using skel::platform::parse_pipeline;
using testing::HasSubstr;
using testing::StartsWith;

constexpr char const* two_sites = R"({
  "skel_platform": 1,
  "local_latency": 1e-6,
  "clusters": [
    {"name": "lyon", "hosts": 3, "speed": 2.5, "cores": 4, "latency": 1e-5, "bandwidth": 1.25e8,
     "local_latency": 2e-6, "plogp": {"L": 1e-5, "g": [[0, 1e-6], [1024, 2e-6]]}, "x_rack": 7},
    {"name": "nancy", "speed": 1}
  ],
  "links": [
    {"between": ["lyon", "nancy"], "latency": 0.004, "bandwidth": 1e7, "measured": {"spread": 0.1}}
  ],
  "comment": "two sites",
  "measured": {"date": "2026-11-20T12:00:00Z"}
})";

/// The error of a parser, as "WHERE|REASON".
template <class Parse>
std::string refusal(Parse parse, std::string const& text) {
  try {
    parse(text, "file.json");
  } catch (input_error const& problem) {
    EXPECT_EQ(problem.source(), "file.json");
    return problem.where() + "|" + problem.reason();
  }
  return "accepted";
}

std::string platform_refusal(std::string const& text) {
  return refusal([](auto const& from, char const* name) { return parse_description(from, name); }, text);
}
std::string pipeline_refusal(std::string const& text) {
  return refusal(parse_pipeline, text);
}

/// A platform of two hosts with one part of its text replaced.
std::string changed(std::string const& old, std::string const& now) {
  std::string text =
      R"({"skel_platform": 1, "clusters": [{"name": "ab", "hosts": 2, "speed": 1, "cores": 1, "latency": 1e-5, "bandwidth": 1e9}, {"name": "cd", "speed": 1}], "links": [{"between": ["ab", "cd"], "latency": 0.1, "bandwidth": 1e6}]})";
  std::size_t const at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), now);
}

std::string stage(std::string const& more) {
  return R"({"skel_pipeline": 1, "stages": [{"name": "a", "work": 1)" + more + "}]}";
}

TEST(PlatformFile, ReadsEveryField) {
  auto const platform = parse_description(two_sites, "test");
  EXPECT_EQ(platform.local_latency(), 1e-6);
  ASSERT_EQ(platform.clusters().size(), 2U);
  auto const& lyon = platform.clusters()[0];
  EXPECT_EQ(lyon.name, "lyon");
  EXPECT_EQ(lyon.hosts, 3U);
  EXPECT_EQ(lyon.speed, 2.5);
  EXPECT_EQ(lyon.cores, 4U);
  EXPECT_EQ(lyon.inside.latency, 1e-5);
  EXPECT_EQ(lyon.inside.bandwidth, 1.25e8);
  EXPECT_EQ(lyon.local_latency, 2e-6);
  EXPECT_EQ(platform.path(3, 0).latency, 0.004);
  EXPECT_EQ(platform.path(0, 3).bandwidth, 1e7);
}

TEST(PlatformFile, AbsentFieldsHaveTheDocumentedDefaults) {
  auto const platform = parse_description(R"({"skel_platform": 1, "clusters": [{"name": "a", "speed": 3}]})", "test");
  EXPECT_EQ(platform.local_latency(), 0);
  EXPECT_EQ(platform.host_count(), 1U);
  EXPECT_EQ(platform.host_name(0), "a");
  EXPECT_EQ(platform.cores(0), 1U);
  EXPECT_EQ(platform.path(0, 0).latency, 0);
}

TEST(PlatformFile, KeepsBlocksThatItDoesNotRead) {
  auto const platform = parse_description(two_sites, "test");
  EXPECT_EQ(platform.clusters()[0].parameters.at("plogp"), R"({"L":1e-05,"g":[[0,1e-06],[1024,2e-06]]})");
  EXPECT_EQ(platform.clusters()[0].parameters.at("x_rack"), "7");
  EXPECT_EQ(platform.links()[0].parameters.at("measured"), R"({"spread":0.1})");
  EXPECT_EQ(platform.parameters().at("comment"), R"("two sites")");
}

TEST(PlatformFile, WritesWhatItReads) {
  auto const platform = parse_description(two_sites, "test");
  std::string const text = to_json(platform);
  EXPECT_EQ(parse_description(text, "again"), platform);
  EXPECT_EQ(to_json(parse_description(text, "again")), text);
  EXPECT_THAT(text, HasSubstr("\"between\""));
}

TEST(PlatformFile, KeepsUplinksAndMemory) {
  auto const platform = parse_description(changed("\"cores\": 1,", R"("uplink": 5e8, "memory": 8e9,)"), "test");
  EXPECT_EQ(platform.clusters()[0].uplink, 5e8);
  EXPECT_EQ(platform.clusters()[0].memory, 8e9);
  EXPECT_EQ(platform.clusters()[1].uplink, std::nullopt);
  EXPECT_EQ(parse_description(to_json(platform), "again"), platform);
  EXPECT_EQ(platform_refusal(changed("\"cores\": 1,", R"("uplink": 0,)")),
            "clusters[0].uplink|is zero; a bandwidth is in bytes per second, more than 0 (no link: leave it out)");
  EXPECT_EQ(platform_refusal(changed("\"cores\": 1,", R"("memory": -1,)")),
            "clusters[0].memory|is not more than 0; the bytes that a host has are wanted");
}

TEST(PlatformFile, WritesLinksOfOneDirectionAsSuch) {
  using skel::platform::cluster;
  skel::platform::description const platform(
      0, {cluster{.name = "a"}, cluster{.name = "b"}},
      {{.from = 0, .to = 1, .path = {.latency = 1, .bandwidth = 5}}, {.from = 1, .to = 0, .path = {.latency = 2}}});
  std::string const text = to_json(platform);
  EXPECT_EQ(parse_description(text, "again"), platform);
  EXPECT_THAT(text, Not(HasSubstr("between")));
}

TEST(PlatformFile, NumbersSurviveTheRoundTripExactly) {
  skel::platform::description const platform(1e-6 / 3, {{.name = "a", .speed = 0.1 + 0.2}}, {});
  EXPECT_EQ(parse_description(to_json(platform), "again"), platform);
}

TEST(PlatformFile, SyntaxErrorsGiveLineAndColumn) {
  EXPECT_THAT(platform_refusal("{\n  \"skel_platform\": 1,\n  oops\n}"), StartsWith("line 3, column 3|syntax error"));
  EXPECT_THAT(platform_refusal(""), StartsWith("line 1, column 1|syntax error"));
  EXPECT_THAT(platform_refusal(changed("1e-5", "NaN")), StartsWith("line 1, column "));
  EXPECT_THAT(platform_refusal(changed("1e-5", "1e999")), HasSubstr("number overflow"));
  EXPECT_THAT(platform_refusal(changed("\"ab\"", "\"a\xff\"")), HasSubstr("UTF-8"));
}

TEST(PlatformFile, EveryCutFileIsRefused) {
  std::string const whole = two_sites;
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_THAT(platform_refusal(whole.substr(0, length)), StartsWith("line ")) << length;
}

TEST(PlatformFile, RefusesKeysThatStandTwice) {
  EXPECT_THAT(platform_refusal(changed("\"speed\": 1,", "\"speed\": 1,\n \"speed\": 2,")),
              StartsWith("line 2, column 8|the key \"speed\" stands twice"));
}

TEST(PlatformFile, RefusesDeepNesting) {
  EXPECT_THAT(platform_refusal(std::string(100'000, '[')), HasSubstr("nested deeper than 32 levels"));
}

TEST(PlatformFile, RefusesOtherVersionsAndKinds) {
  EXPECT_THAT(platform_refusal("{}"),
              StartsWith("skel_platform|is missing; the file must start with {\"skel_platform\": 1"));
  EXPECT_THAT(platform_refusal(stage("")), HasSubstr("this one is a pipeline description"));
  EXPECT_THAT(platform_refusal(changed(": 1,", ": 2,")), StartsWith("skel_platform|is 2; the only version"));
  EXPECT_THAT(platform_refusal("[]"), StartsWith("|is an array; a platform description is an object"));
}

TEST(PlatformFile, SuggestsTheNearKey) {
  EXPECT_EQ(platform_refusal(changed("\"hosts\"", "\"host\"")), "clusters[0].host|unknown key; did you mean 'hosts'?");
  EXPECT_EQ(platform_refusal(changed("\"links\"", "\"lnks\"")), "lnks|unknown key; did you mean 'links'?");
  EXPECT_THAT(platform_refusal(changed("\"hosts\"", "\"colour\"")),
              HasSubstr("clusters[0].colour|unknown key; known here: name, hosts"));
}

TEST(PlatformFile, SaysWhereAnUnknownClusterIsNamed) {
  EXPECT_EQ(platform_refusal(changed("\"cd\"]", "\"cdd\"]")),
            "links[0].between[1]|there is no cluster 'cdd'; did you mean 'cd'?");
  EXPECT_THAT(
      platform_refusal(changed("[\"ab\"", "[\"ab-0\"")),
      StartsWith("links[0].between[0]|there is no cluster 'ab-0'; links join whole clusters; did you mean 'ab'?"));
}

TEST(PlatformFile, SaysWhichLinkIsGivenTwice) {
  EXPECT_EQ(platform_refusal(changed("}]}", R"(}, {"from": "cd", "to": "ab", "latency": 1}]})")),
            "links[1]|the link from 'cd' to 'ab' is already given by links[0]");
}

TEST(PlatformFile, RefusesLinksWithoutClearEnds) {
  EXPECT_THAT(platform_refusal(changed("\"between\": [\"ab\", \"cd\"], ", "")),
              StartsWith("links[0]|names no clusters"));
  EXPECT_THAT(platform_refusal(changed("[\"ab\", \"cd\"]", "[\"ab\"]")), StartsWith("links[0].between|has 1 names"));
  EXPECT_THAT(platform_refusal(changed("[\"ab\", \"cd\"]", "\"ab\"")), StartsWith("links[0].between|is a text"));
  EXPECT_THAT(platform_refusal(changed("[\"ab\", \"cd\"]", "[\"ab\", \"ab\"]")),
              StartsWith("links[0]|joins 'ab' to itself"));
  EXPECT_THAT(platform_refusal(changed("\"between\"", "\"from\": \"ab\", \"between\"")),
              StartsWith("links[0]|has \"between\""));
  EXPECT_THAT(platform_refusal(changed("\"between\": [\"ab\", \"cd\"]", "\"from\": \"ab\"")),
              StartsWith("links[0].to|is missing"));
}

TEST(PlatformFile, RefusesWrongTypesAndValuesByTheirPlace) {
  EXPECT_THAT(platform_refusal(changed("\"hosts\": 2", "\"hosts\": \"2\"")),
              StartsWith("clusters[0].hosts|is a text; a number is wanted"));
  EXPECT_THAT(platform_refusal(changed("\"hosts\": 2", "\"hosts\": 2.5")),
              StartsWith("clusters[0].hosts|is 2.5; a whole number"));
  EXPECT_THAT(platform_refusal(changed("\"hosts\": 2", "\"hosts\": -2")), StartsWith("clusters[0].hosts|is negative"));
  EXPECT_THAT(platform_refusal(changed("\"hosts\": 2", "\"hosts\": 0")), StartsWith("clusters[0].hosts|is zero"));
  EXPECT_THAT(platform_refusal(changed("\"hosts\": 2", "\"hosts\": 1e12")),
              StartsWith("clusters[0].hosts|makes more than 1000000 hosts"));
  EXPECT_THAT(platform_refusal(changed("\"hosts\": 2", "\"hosts\": 1e300")),
              StartsWith("clusters[0].hosts|is 1e+300, too large"));
  EXPECT_THAT(platform_refusal(changed("\"hosts\": 2", "\"hosts\": null")), StartsWith("clusters[0].hosts|is null"));
  EXPECT_THAT(platform_refusal(changed("1e-5", "-1e-5")), StartsWith("clusters[0].latency|is negative"));
  EXPECT_THAT(platform_refusal(changed("1e9", "0")), StartsWith("clusters[0].bandwidth|is zero"));
  EXPECT_THAT(platform_refusal(changed("0.1", "-0.1")), StartsWith("links[0].latency|is negative"));
  EXPECT_THAT(platform_refusal(changed("\"latency\": 1e-5, ", "")), StartsWith("clusters[0].latency|is missing"));
  EXPECT_THAT(platform_refusal(changed("\"speed\": 1, ", "")), StartsWith("clusters[0].speed|is missing"));
  EXPECT_THAT(platform_refusal(R"({"skel_platform": 1})"), StartsWith("clusters|is missing"));
  EXPECT_THAT(platform_refusal(R"({"skel_platform": 1, "clusters": []})"), StartsWith("clusters|is empty"));
  EXPECT_THAT(platform_refusal(R"({"skel_platform": 1, "clusters": {}})"), StartsWith("clusters|is an object"));
  EXPECT_THAT(platform_refusal(R"({"skel_platform": 1, "clusters": [3]})"),
              StartsWith("clusters[0]|is a number; a cluster is an object"));
}

TEST(PipelineFile, ReadsEveryField) {
  auto const program = parse_pipeline(R"({"skel_pipeline": 1, "stages": [
      {"name": "read", "work": 0.5, "output_bytes": 1024},
      {"name": "pack", "work": 2, "replicable": true, "ordered": false, "width": 2, "at": ["a", "b"]}],
      "input": {"at": "disk", "bytes": 4096}, "output": {"at": "tape", "bytes": 512}})",
                                      "test");
  ASSERT_EQ(program.stages.size(), 2U);
  EXPECT_EQ(program.stages[0].name, "read");
  EXPECT_EQ(program.stages[0].work, 0.5);
  EXPECT_EQ(program.stages[0].output_bytes, 1024);
  EXPECT_FALSE(program.stages[0].replicable);
  EXPECT_TRUE(program.stages[0].ordered);
  EXPECT_EQ(program.stages[0].width, 0U);
  EXPECT_TRUE(program.stages[1].replicable);
  EXPECT_FALSE(program.stages[1].ordered);
  EXPECT_EQ(program.stages[1].width, 2U);
  EXPECT_THAT(program.stages[1].at, testing::ElementsAre("a", "b"));
  ASSERT_TRUE(program.input && program.output);
  EXPECT_EQ(program.input->at, "disk");
  EXPECT_EQ(program.input->bytes, 4096);
  EXPECT_EQ(program.output->at, "tape");
  EXPECT_EQ(program.output->bytes, 512);
}

TEST(PipelineFile, EndsAreOptional) {
  auto const program = parse_pipeline(stage(""), "test");
  EXPECT_FALSE(program.input);
  EXPECT_FALSE(program.output);
}

TEST(PipelineFile, ReadsTenThousandStages) {
  std::string text = R"({"skel_pipeline": 1, "stages": [)";
  for (int i = 0; i < 10'000; ++i)
    text += std::string(i > 0 ? "," : "") + R"({"work": 1, "name": "s)" + std::to_string(i) + "\"}";
  EXPECT_EQ(parse_pipeline(text + "]}", "test").stages.size(), 10'000U);
}

TEST(PipelineFile, RefusesWhatMakesNoSense) {
  EXPECT_THAT(pipeline_refusal(R"({"skel_pipeline": 1, "stages": []})"), StartsWith("stages|is empty"));
  EXPECT_THAT(pipeline_refusal(R"({"skel_pipeline": 1})"), StartsWith("stages|is missing"));
  EXPECT_THAT(pipeline_refusal(R"({"skel_pipeline": 1, "stages": [{"name": "", "work": 1}]})"),
              StartsWith("stages[0].name|is empty"));
  EXPECT_THAT(pipeline_refusal(R"({"skel_pipeline": 1, "stages": [{"name": "a"}]})"),
              StartsWith("stages[0].work|is missing"));
  EXPECT_THAT(pipeline_refusal(R"({"skel_pipeline": 1, "stages": [{"name": "a", "work": -1}]})"),
              StartsWith("stages[0].work|is negative"));
  EXPECT_EQ(pipeline_refusal(R"({"skel_pipeline": 1, "stages": [{"name": "a", "work": 1}, {"name": "a", "work": 2}]})"),
            "stages[1].name|'a' is also the name of stages[0]");
  EXPECT_THAT(pipeline_refusal(stage(R"(, "output_bytes": -1)")), StartsWith("stages[0].output_bytes|is negative"));
  EXPECT_THAT(pipeline_refusal(stage(R"(, "replicable": 1)")),
              StartsWith("stages[0].replicable|is a number; true or false"));
  EXPECT_THAT(pipeline_refusal(stage(R"(, "replicabel": true)")),
              StartsWith("stages[0].replicabel|unknown key; did you mean 'replicable'"));
  EXPECT_THAT(pipeline_refusal(stage(R"(, "width": 2)")),
              StartsWith("stages[0].width|is more than 1 for a stage that is not"));
  EXPECT_THAT(pipeline_refusal(stage(R"(, "replicable": true, "width": 0)")), StartsWith("stages[0].width|is zero"));
  EXPECT_THAT(pipeline_refusal(stage(R"(, "at": [])")), StartsWith("stages[0].at|names no host"));
  EXPECT_THAT(pipeline_refusal(stage(R"(, "at": ["a", "b"])")), StartsWith("stages[0].at|names several hosts"));
  EXPECT_THAT(pipeline_refusal(stage(R"(, "at": ["a", "b"], "replicable": true, "width": 3)")),
              StartsWith("stages[0].at|names 2 hosts for a \"width\" of 3"));
  std::string const ends = R"({"skel_pipeline": 1, "stages": [{"name": "a", "work": 1}], "input": )";
  EXPECT_THAT(pipeline_refusal(ends + R"({"bytes": 1}})"), StartsWith("input.at|is missing"));
  EXPECT_THAT(pipeline_refusal(ends + R"({"at": "a", "bytes": -1}})"), StartsWith("input.bytes|is negative"));
  EXPECT_THAT(pipeline_refusal(ends + "3}"), StartsWith("input|is a number"));
}

TEST(Files, WhatCannotBeReadIsNamedWithTheReason) {
  try {
    skel::platform::read_description("/nowhere/at/all.json");
    FAIL();
  } catch (input_error const& problem) {
    EXPECT_STREQ(problem.what(), "/nowhere/at/all.json: cannot be opened: No such file or directory");
  }
  std::string const folder = std::filesystem::temp_directory_path().string();
  try {
    skel::platform::read_pipeline(folder);
    FAIL();
  } catch (input_error const& problem) {
    EXPECT_EQ(problem.what(), folder + ": cannot be read: Is a directory");
  }
  EXPECT_THROW(skel::read_text("/dev/zero"), input_error);
}

TEST(Files, MoreTextThanMayBecomeADocumentIsRefused) {
  std::string const text(skel::platform::most_json_bytes + 1, ' ');
  EXPECT_THAT(
      [&] { skel::platform::parse_description(text, "long"); },
      testing::ThrowsMessage<skel::input_error>(HasSubstr("is larger than 32 MiB, the most that is read of JSON")));
}

TEST(Files, MoreTextThatSkelItselfWroteIsReadBack) {
  std::vector<skel::platform::cluster> clusters;
  std::vector<skel::platform::cluster_link> links;
  std::string const measured = R"({"note": ")" + std::string(2000, 'x') + "\"}";
  for (std::size_t r = 0; r < 200; ++r) {
    clusters.push_back({.name = "host-r" + std::to_string(r), .speed = 1 + static_cast<double>(r)});
    for (std::size_t other = 0; other < r; ++other)
      links.push_back({.from = r, .to = other, .path = {1e-6, 1e9}, .parameters = {{"measured", measured}}});
  }
  std::string const text = skel::platform::to_json(skel::platform::description(0, clusters, links));
  EXPECT_GT(text.size(), skel::platform::most_json_bytes);
  EXPECT_EQ(text.find("\n  "), std::string::npos) << "long text is not indented";
  EXPECT_EQ(parse_description(text, "cache", skel::file_of::this_user).host_count(), 200U);
  EXPECT_THROW(parse_description(text, "cache"), input_error);
}

TEST(Files, BytesThatAreNotUtf8AreRefusedWithTheirPlace) {
  EXPECT_EQ(platform_refusal("{\"skel_platform\": 1,\n \"clusters\": [{\"name\": \"Z\xFCrich\", \"speed\": 1}]}"),
            "line 2, column 26|the byte '\\xfc' is not UTF-8; save the file as UTF-8");
  EXPECT_EQ(pipeline_refusal("\xFF"), "line 1, column 1|the byte '\\xff' is not UTF-8; save the file as UTF-8");
}

TEST(Files, NamesThatCannotBeShownAreRefused) {
  auto const host = [](std::string const& name) {
    return platform_refusal(R"({"skel_platform": 1, "clusters": [{"name": ")" + name + R"(", "speed": 1}]})");
  };
  auto const stage = [](std::string const& name) {
    return pipeline_refusal(R"({"skel_pipeline": 1, "stages": [{"name": ")" + name + R"(", "work": 1}]})");
  };
  EXPECT_THAT(host(std::string(256, 'x')), StartsWith("clusters[0].name|has 256 bytes; a name has at most 255"));
  EXPECT_THAT(host("a\\u009b2J"), StartsWith("clusters[0].name|has a control character"));
  EXPECT_THAT(stage("a\\u001b[2J"), StartsWith("stages[0].name|has a control character"));
  EXPECT_THAT(stage(std::string(3'000'000, 'x')), StartsWith("stages[0].name|has 3000000 bytes"));
  EXPECT_EQ(skel::platform::parse_description(
                "{\"skel_platform\": 1, \"clusters\": [{\"name\": \"Z\xC3\xBCrich\", \"speed\": 1}]}", "file")
                .host_name(0),
            "Z\xC3\xBCrich");
}

TEST(Files, ErrorsShowTheirInputWithoutControlsAndCut) {
  std::string const bad = "\\u001b[2J" + std::string(3'000'000, 'x');
  std::string const head = R"({"skel_platform": 1, )", open = R"("clusters": [{"name": "a", "speed": 1)";
  for (std::string const& text :
       {head + "\"" + bad + "\": 1}", head + "\"a\": 1, \"" + bad, head + "\"" + bad + "\": 1, \"" + bad + "\": 2}",
        head + open + "}], \"links\": [{\"between\": [\"" + bad + "\", \"a\"], \"latency\": 1}]}",
        head + open + ", \"" + bad + "\": 1}]}", head + open + ", \"cores\": 1" + std::string(3'000'000, '0') + "}]}",
        std::string("{\"skel_platform\": \"") + bad + "\"}", std::string(3'000'000, 'x'), "\"" + bad,
        std::string("{\"skel_platform\": 1\x1b[2J}")}) {
    std::string const said = platform_refusal(text);
    EXPECT_NE(said, "") << text.substr(0, 40);
    EXPECT_LT(said.size(), 1000U) << text.substr(0, 40);
    EXPECT_EQ(skel::printable(said, 4000), said) << text.substr(0, 40);
  }
}

}  // namespace
