#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "command.hpp"

namespace {

using nlohmann::json;
using skel::testing_tools::FolderTest;
using skel::testing_tools::skel;
using testing::HasSubstr;
using testing::StartsWith;

using rows = std::vector<std::vector<std::size_t>>;

/// The number of the block, of `parts` blocks of n things whose sizes differ by one at most, that thing i is in.
std::size_t block(std::size_t n, std::size_t parts, std::size_t i) {
  for (std::size_t b = 0;; ++b)
    if (i < n * (b + 1) / parts) return b;
}

/// The features of the issue by their definitions, with sets.
std::map<std::string, double> by_definition(rows const& of, std::size_t n, std::size_t parts) {
  std::vector<std::set<std::size_t>> touched(parts);
  double subscripts = 0, copies = 0, sum = 0, runs = 0, contended = 0;
  for (std::size_t i = 0; i < of.size(); ++i) {
    std::set<std::size_t> owners;
    for (std::size_t const e : of[i]) {
      touched[block(of.size(), parts, i)].insert(e);
      owners.insert(block(n, parts, e));
    }
    subscripts += double(of[i].size());
    copies += double(std::max<std::size_t>(1, owners.size()));
  }
  for (auto const& one : touched) {
    sum += double(one.size());
    for (std::size_t const e : one) runs += e == 0 || !one.contains(e - 1);
  }
  for (std::size_t e = 0; e < n; ++e)
    contended += std::count_if(touched.begin(), touched.end(), [&](auto const& one) { return one.contains(e); }) > 1;
  double const elements = double(n), iterations = double(of.size()), threads = double(parts);
  return {{"N", elements},
          {"M", iterations},
          {"P", threads},
          {"subscripts", subscripts},
          {"CON", iterations / elements},
          {"MOB", subscripts / iterations},
          {"SP", sum / threads / elements},
          {"CLUS", runs / threads},
          {"rho", copies / iterations},
          {"contended", contended / elements}};
}

class PatternTest : public FolderTest {
 protected:
  /// Cells with the given numbers of nodes, drawn from n of them without order.
  static rows cells(std::size_t count, std::size_t n, std::vector<std::size_t> const& widths, unsigned seed) {
    rows all;
    unsigned state = seed;
    auto const below = [&](std::size_t limit) { return (state = state * 1664525U + 1013904223U) / 65536U % limit; };
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<std::size_t> cell;
      while (cell.size() < widths[i % widths.size()])
        if (std::size_t const e = below(n); std::find(cell.begin(), cell.end(), e) == cell.end()) cell.push_back(e);
      all.push_back(cell);
    }
    return all;
  }

  static void expect_features(json const& answer, rows const& of, std::size_t n, std::size_t parts) {
    for (auto const& [name, value] : by_definition(of, n, parts))
      EXPECT_NEAR(answer["features"].at(name).get<double>(), value, 1e-12) << name << ", " << parts << " threads";
    EXPECT_GE(answer["seconds"].get<double>(), 0);
  }
};

TEST_F(PatternTest, OfEdgesIsWhatTheDefinitionsSay) {
  rows edges;
  std::set<std::set<std::size_t>> known;
  std::string text = "# an edge twice counts once\n";
  for (auto const& edge : cells(400, 97, {2}, 1)) {
    if (known.insert({edge.begin(), edge.end()}).second) edges.push_back(edge);
    text += std::to_string(edge[0]) + " " + std::to_string(edge[1]) + "\n";
  }
  std::size_t n = 0;
  for (auto const& edge : edges) n = std::max({n, edge[0] + 1, edge[1] + 1});
  std::string const links = file("links.txt", text);
  for (std::size_t const parts : {1u, 2u, 3u, 16u, 1000u})
    expect_features(skel({"pattern", links, "--format", "edges", "--threads", std::to_string(parts), "--json"}).json(),
                    edges, n, parts);
}

TEST_F(PatternTest, OfFacesOfUnequalWidthIsWhatTheDefinitionsSay) {
  rows const faces = cells(150, 60, {3, 4, 5}, 7);
  std::string text;
  for (int v = 0; v < 60; ++v)
    text.append("v ").append(std::to_string(v)).append(" ").append(std::to_string(v * v % 11)).append(" 0\n");
  for (auto const& face : faces) {
    text += "f";
    for (std::size_t const v : face) text.append(" ").append(std::to_string(v + 1));
    text += "\n";
  }
  std::string const surface = file("surface.obj", text);
  for (std::size_t const parts : {2u, 7u})
    expect_features(skel({"pattern", surface, "--threads", std::to_string(parts), "--json"}).json(), faces, 60, parts);
}

TEST_F(PatternTest, SaysInWordsWhatANumberMeans) {
  auto const answer = skel({"pattern", file("path.edges", "0 1\n1 2\n2 3\n"), "--threads", "2"});
  ASSERT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("N                             4  elements of the array\n"));
  EXPECT_THAT(answer.out,
              HasSubstr("contended                  0.25  share of the N elements that several threads touch\n"));
  EXPECT_THAT(answer.out, HasSubstr("counted in "));
}

TEST_F(PatternTest, TakesTheMachinesCoresForThreads) {
  auto const answer = skel({"pattern", file("path.edges", "0 1\n1 2\n2 3\n"), "--json"}).json();
  EXPECT_GE(answer["features"]["P"].get<int>(), 1);
}

TEST_F(PatternTest, RefusesWhatItCannotRead) {
  auto const refused = [](std::vector<std::string> const& arguments, std::string const& reason) {
    auto const answer = skel(arguments);
    EXPECT_EQ(answer.status, 2);
    EXPECT_EQ(answer.out, "");
    EXPECT_THAT(answer.err, HasSubstr(reason));
  };
  std::string const path = file("path.edges", "0 1\n1 2\n");
  refused({"pattern"}, "skel: FILE: is missing");
  refused({"pattern", (folder_ / "none.mtx").string()}, "none.mtx: cannot be opened: No such file");
  refused({"pattern", path, "--format", "obk"}, "--format: 'obk' is no format; did you mean 'obj'?");
  refused({"pattern", path, "--threads", "0"}, "--threads: is 0; 1 or more");
  refused({"pattern", path, "--threads", "1.5"}, "--threads: ");
  refused({"pattern", path, "--threads", "1000000000000"}, "--threads: is 1000000000000; counting for so many takes");
  refused({"pattern", file("cut.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 1.0\n")},
          "cut.mtx: line 3");
  refused({"pattern", file("mesh.txt", "")}, "name the format");
}

}  // namespace
