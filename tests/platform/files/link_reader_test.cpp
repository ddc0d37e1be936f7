#include "files/link_reader.hpp"

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/platform/files.hpp>

namespace skel::platform::detail {
namespace {

std::vector<cluster> const clusters{{.name = "a"}, {.name = "b"}, {.name = "Z\xC3\xBCrich"}};
std::string const source = "file.json";

std::pair<std::size_t, std::size_t> ends(cluster_link const& one) {
  return {one.from, one.to};
}
/// The links of a reader with their reverses, in the order of their ends.
std::vector<cluster_link> finished(link_reader links) {
  links.finish(clusters);
  std::ranges::stable_sort(links.read_so_far, {}, ends);
  return std::move(links.read_so_far);
}
/// Those of the text between the brackets of an array, or nothing if it is refused.
std::optional<std::vector<cluster_link>> apart(std::string const& array) try {
  link_reader links(source);
  EXPECT_EQ(links.read_all(array + R"(], "x": []})"), R"(, "x": []})") << array;
  return finished(std::move(links));
} catch (input_error const&) {
  return std::nullopt;
}
/// The same by a document of all of it.
std::optional<std::vector<cluster_link>> together(std::string const& array) try {
  link_reader links(source);
  json const document = parse_json("{\"links\": [" + array + "]}", source);
  links.read_all(reader(document, source).at("links"), clusters);
  return finished(std::move(links));
} catch (input_error const&) {
  return std::nullopt;
}

TEST(LinkReader, ReadsLinksOneByOneAsADocumentOfThemAll) {
  std::vector<std::string> const entries{
      R"({"between": ["a", "b"], "latency": 0.1, "bandwidth": 1e6})",
      R"({"from":"a","to":"b","latency":1})",
      R"({ "to" : "b" , "latency" : -1.5e-3,)"
      "\n\t\r"
      R"( "from" : "a" })",
      R"({"latency": 12345678901234567890, "between": ["b", "a"]})",
      R"({"latency": 1e-400, "between": ["b", "a"]})",
      R"({"latency": 1e400, "between": ["b", "a"]})",
      R"({"latency": -0.0, "between": ["b", "a"]})",
      R"({"latency": 01, "between": ["b", "a"]})",
      R"({"latency": 1., "between": ["b", "a"]})",
      R"({"latency": "1", "between": ["b", "a"]})",
      R"({"latency": 1, "latency": 1, "between": ["b", "a"]})",
      R"({"latency": 1, "between": ["b", "a"], "from": "a"})",
      R"({"latency": 1, "between": ["b", "a", "a"]})",
      R"({"latency": 1, "between": ["b"]})",
      R"({"latency": 1, "between": ["a", "c"]})",
      R"({"latency": 1, "between": ["a", "a"]})",
      R"({"latency": 1, "between": ["\u0061", "b"]})",
      "{\"latency\": 1, \"between\": [\"a\", \"Z\xC3\xBCrich\"]}",
      "{\"latency\": 1, \"between\": [\"a\", \"Z\xFCrich\"]}",
      R"({"between": ["a", "b"]})",
      R"({"latency": 1, "from": "a"})",
      R"({"latency": 1})",
      R"({})",
      R"({"latency": 1, "between": ["a", "b"], "x_note": "]}\"", "plogp": {"g": [[0, 1], [2, 3]]}})",
      R"({"latency": 1, "between": ["a", "b"], "unknown": 1})",
      R"({"latency": 1, "between": ["a", "b"],})",
      R"(7)",
      R"("text")",
      R"(null)",
      R"([])",
      R"({"latency": 1, "between": ["a", "b"], "x_deep": )" + std::string(29, '[') + std::string(29, ']') + "}",
      R"({"latency": 1, "between": ["a", "b"], "x_deep": )" + std::string(30, '[') + std::string(30, ']') + "}",
      R"({"latency": 1, "between": ["a", "b")",
      R"({"latency": 1, "between": ["a", "b"]}})",
      ""};
  std::size_t read = 0;
  for (auto const& one : entries) {
    EXPECT_EQ(apart(one), together(one)) << one;
    for (auto const& other : entries)
      for (char const* between : {",", " ,\n", "", ",,"}) {
        auto const text = one + between + other;
        EXPECT_EQ(apart(text), together(text)) << text;
        read += apart(text).has_value() ? 1U : 0U;
      }
  }
  EXPECT_GT(read, 50U);
}

TEST(LinkReader, AnArrayWithoutEndIsRefused) {
  for (auto const* text :
       {"", "1", R"({"between": ["a", "b"], "latency": 1})", R"({"between": ["a", "b"], "latency": 1},)",
        R"({"between": ["a", "b"], "latency": 1}})", R"(["a")", R"("])"})
    EXPECT_THROW(link_reader(source).read_all(text), input_error) << text;
}

TEST(LinkReader, LinksOfSortedEntriesAreSorted) {
  std::vector<cluster> many;
  for (int c = 0; c < 12; ++c) many.push_back({.name = "c" + std::to_string(c)});
  struct entry {
    cluster_link forward;
    bool both = false;
  };
  auto const read = [&](std::vector<entry> const& entries) {
    std::string array;
    for (auto const& [one, both] : entries)
      array.append(array.empty() ? "" : ",")
          .append(both ? R"({"between": [")" : R"({"from": ")")
          .append(many[one.from].name + (both ? R"(", ")" : R"(", "to": ")") + many[one.to].name)
          .append((both ? R"("], "latency": )" : R"(", "latency": )") +
                  std::to_string(static_cast<int>(one.path.latency)) + "}");
    link_reader links(source);
    EXPECT_EQ(links.read_all(array + "]"), "");
    links.finish(many);
    return std::move(links.read_so_far);
  };
  std::mt19937 random(5);
  for (int round = 0; round < 50; ++round) {
    std::vector<entry> entries;
    std::vector<cluster_link> expected;
    for (std::size_t a = 0; a < many.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        auto const kind = random() % 4;
        link const path{.latency = static_cast<double>(random() % 100)};
        if (kind < 3) expected.push_back({.from = kind == 0 ? a : b, .to = kind == 0 ? b : a, .path = path});
        if (kind < 3) entries.push_back({expected.back(), kind == 2});
        if (kind == 2) expected.push_back({.from = a, .to = b, .path = path});
      }
    std::ranges::sort(expected, {}, ends);
    std::ranges::sort(entries, {}, [](entry const& one) { return ends(one.forward); });
    EXPECT_EQ(read(entries), expected);
    for (auto& one : entries)
      if (one.both && random() % 2 == 0) std::swap(one.forward.from, one.forward.to);
    std::shuffle(entries.begin(), entries.end(), random);
    auto found = read(entries);
    std::ranges::sort(found, {}, ends);
    EXPECT_EQ(found, expected);
  }
}

TEST(LinkReader, FindsTheLinksAloneAndOnlyThose) {
  auto const found = [](std::string const& text) {
    auto const first = find_links(text);
    return first == std::string::npos ? "nothing" : text.substr(first);
  };
  EXPECT_EQ(found(R"({"x": [1], "links": [{"a": ["]"]}, 2], "y": {}})"), R"({"a": ["]"]}, 2], "y": {}})");
  EXPECT_EQ(found(R"({"links" :[]})"), "]}");
  EXPECT_EQ(found(R"({"x": {"links": [1]}, "links": [2]})"), "2]}");
  EXPECT_EQ(found(R"({"comment \"links": [1], "links": [2]})"), "2]}");
  EXPECT_EQ(found(R"({"comment": "links", "links": [2]})"), "2]}");
  for (auto const* text :
       {"", "{", R"({"links": 1})", R"({"links": {}})", R"(["links", [1]])", R"({"clusters": []})", R"({"links)",
        R"({"links")", R"({}, "links": [1])", "]]]", R"("links": [1, 2, 3, 4, 5, 6, 7, 8])"})
    EXPECT_EQ(found(text), "nothing") << text;
}

TEST(LinkReader, ErrorsNameThePlaceInTheWholeFile) {
  std::string const begin =
                        "{\"skel_platform\": 1, \"clusters\": [{\"name\": \"a\", \"speed\": 1}, {\"name\": \"b\", "
                        "\"speed\": 1}],\n \"links\": [\n",
                    good = R"({"between": ["a", "b"], "latency": 1})";
  auto const where = [&](std::string const& links) -> std::string {
    try {
      parse_description(begin + links + "]}", source);
    } catch (input_error const& problem) {
      return problem.where();
    }
    return "accepted";
  };
  EXPECT_EQ(where(good), "accepted");
  EXPECT_EQ(where(good + ",\n" + good), "links[1]");
  EXPECT_EQ(where(R"({"from": "a", "to": "b", "latency": 1},)" + good), "links[1]");
  EXPECT_EQ(where(good + R"(, {"between": ["a", "c"], "latency": 1})"), "links[1].between[1]");
  EXPECT_EQ(where(R"({"between": ["a", "b"], "latency": -1})"), "links[0].latency");
  EXPECT_EQ(where(good + ",\n  nothing"), "line 4, column 4");
  EXPECT_EQ(where(R"({"between": ["a", "b"], "latency": 1, "hockney": {"alpha": -1, "beta": 1}})").substr(0, 16),
            "links[0].hockney");
}

TEST(LinkReader, LinksMayStandBeforeClustersOrBehindThem) {
  std::string const version = R"({"skel_platform": 1, )", open = R"("clusters": [{"speed": 1, "name": "a"},)",
                    named = open + R"({"speed": 1, "name": "b"}, {"speed": 1, "name": "c"}])",
                    both = R"("links": [{"between": ["c", "a"], "latency": 1},)",
                    links = both + R"({"from": "b", "to": "c", "latency": 2}])";
  auto const behind = parse_description(version + named + ", " + links + "}", source);
  EXPECT_EQ(parse_description(version + links + ", " + named + "}", source), behind);
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (auto const& one : behind.links()) found.push_back(ends(one));
  EXPECT_EQ(found, (std::vector<std::pair<std::size_t, std::size_t>>{{0, 2}, {1, 2}, {2, 0}}));
}

}  // namespace
}  // namespace skel::platform::detail
