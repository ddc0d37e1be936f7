#include "files/link_reader.hpp"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/platform/files.hpp>

namespace skel::platform::detail {
namespace {

std::vector<cluster> const clusters{{.name = "a"}, {.name = "b"}, {.name = "Z\xC3\xBCrich"}};
std::string const source = "file.json";

/// What is read of the text between the brackets of an array, or nothing if it is refused.
std::optional<std::vector<cluster_link>> apart(std::string const& array) {
  link_reader reader(clusters, source);
  try {
    reader.read_all(array);
  } catch (input_error const&) {
    return std::nullopt;
  }
  reader.add_reverses();
  return reader.read_so_far;
}
/// The same by a document of all of it.
std::optional<std::vector<cluster_link>> together(std::string const& array) {
  link_reader links(clusters, source);
  try {
    json const document = parse_json("{\"links\": [" + array + "]}", source);
    links.read_all(reader(document, source).at("links"));
  } catch (input_error const&) {
    return std::nullopt;
  }
  links.add_reverses();
  return links.read_so_far;
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

TEST(LinkReader, TakesOutTheLinksAloneAndOnlyThose) {
  auto const taken = [](std::string const& text) {
    auto const apart = take_links_out(text);
    return apart ? apart->rest + " | " + std::string(apart->links) : "nothing";
  };
  EXPECT_EQ(taken(R"({"x": [1], "links": [{"a": ["]"]}, 2], "y": {}})"),
            R"({"x": [1], "links": [], "y": {}} | {"a": ["]"]}, 2)");
  EXPECT_EQ(taken(R"({"links" :[]})"), R"({"links" :[]} | )");
  EXPECT_EQ(taken(R"({"x": {"links": [1]}, "links": [2]})"), R"({"x": {"links": [1]}, "links": []} | 2)");
  EXPECT_EQ(taken(R"({"comment \"links": [1], "links": [2]})"), R"({"comment \"links": [1], "links": []} | 2)");
  EXPECT_EQ(taken(R"({"comment": "links", "links": [2]})"), R"({"comment": "links", "links": []} | 2)");
  for (auto const* text :
       {"", "{", R"({"links": 1})", R"({"links": {}})", R"({"links": [1)", R"({"links": ["1])", R"(["links", [1]])",
        R"({"clusters": []})", R"({"links)", R"({}, "links": [1])", "]]]", R"("links": [1, 2, 3, 4, 5, 6, 7, 8])"})
    EXPECT_EQ(taken(text), "nothing") << text;
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

}  // namespace
}  // namespace skel::platform::detail
