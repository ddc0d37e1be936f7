#include <skel/detail/mapping/selection_picture.hpp>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/html.hpp"

namespace {

using namespace skel;
using namespace skel::mapping;
using skel::test::count;
using testing::AllOf;
using testing::HasSubstr;

/// Clusters of one host in a row, 1 ms from each to the next, of which the last two were chosen.
selection_picture row(std::size_t clusters) {
  std::vector<platform::cluster> all;
  std::vector<platform::cluster_link> links;
  for (std::size_t c = 0; c < clusters; ++c) {
    all.push_back({.name = "<" + std::to_string(c) + ">", .hosts = c == 0 ? 40U : 1U});
    for (std::size_t other = 0; other < clusters; ++other)
      if (c != other)
        links.push_back({c, other, {1e-3 * std::abs(static_cast<double>(c) - static_cast<double>(other)), 1e9}, {}});
  }
  selection_picture out{.machine = {1e-6, std::move(all), std::move(links)}};
  out.elements.assign(out.machine.host_count(), 0);
  out.elements.end()[-1] = 30, out.elements.end()[-2] = 70;
  out.seconds_per_element.assign(clusters, 1e-6);
  out.chosen = {clusters - 2, clusters - 1};
  out.models.push_back({"by <the> model", std::vector<sized_clusters>(clusters), 0.5});
  out.models.back().best[1] = {out.chosen, 0.5, true};
  out.models.back().best[2] = {{0, 1, 2}, 0.6, false};
  return out;
}

TEST(SelectionPicture, DrawsChosenClustersFirstAndSaysHowManyMoreThereAre) {
  auto const drawn = to_svg(grid_drawing(row(20)));
  test::expect_balanced(drawn);
  EXPECT_EQ(count(drawn, "class=\"cluster chosen\""), 2U);
  EXPECT_EQ(count(drawn, "class=\"cluster\""), most_drawn_clusters - 2);
  EXPECT_THAT(drawn, AllOf(HasSubstr("and 4 more clusters"), HasSubstr("30 elements, 30 %"), HasSubstr("&lt;19&gt;")));
  EXPECT_EQ(count(drawn, "class=\"label\""), most_drawn_clusters - 1) << "links by which groups join";
}

TEST(SelectionPicture, AllLinksOfAFewClustersHaveTheirLatency) {
  auto const drawn = to_svg(grid_drawing(row(4)));
  EXPECT_EQ(count(drawn, "class=\"label\""), 6U);
  EXPECT_THAT(drawn, HasSubstr(">...</text>")) << "more hosts than squares";
}

TEST(SelectionPicture, TheTimesOfSizesTellWhatIsAHeuristics) {
  auto const shapes = drawn(sizes_chart(row(4))).shapes;
  EXPECT_EQ(count(shapes, "r=\"3\""), 4U) << "two sizes, the one that is not proven, and the chosen one";
  EXPECT_THAT(shapes, AllOf(HasSubstr("of a heuristic"), HasSubstr("by &lt;the")));
}

}  // namespace
