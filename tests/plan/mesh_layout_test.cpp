#include <skel/detail/plan/mesh_layout.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/random_meshes.hpp"

namespace {

using skel::face_neighbours;
using skel::plan::layout_of;
using skel::plan::mesh_layout;
using testing::ElementsAre;
using testing::IsEmpty;

//   0 - 1 - 2 - 3 - 4      a row of squares, by their faces: 2 and 3 are on rank 1
face_neighbours row() {
  std::vector<skel::subscript> corners;
  for (skel::subscript x = 0; x < 5; ++x) corners.insert(corners.end(), {x, x + 1, x + 7, x + 6});
  return skel::neighbours_by_faces({12, skel::cell_kind::quad, corners});
}

TEST(MeshLayout, HasInnerElementsThenOuterOnesThenGhosts) {
  std::vector<std::uint32_t> const rank_of{0, 0, 1, 1, 0};
  auto const zero = layout_of(row(), rank_of, 0), one = layout_of(row(), rank_of, 1);
  EXPECT_THAT(zero.elements.numbers, ElementsAre(0, 1, 4, 2, 3));
  EXPECT_EQ(zero.inner, 1u);
  EXPECT_EQ(zero.computed, 3u);
  EXPECT_EQ(zero.elements.computed(), 3u);
  ASSERT_EQ(zero.neighbours.size(), 1u);
  EXPECT_EQ(zero.neighbours[0].rank, 1);
  EXPECT_THAT(zero.neighbours[0].sends, ElementsAre(1, 2));
  EXPECT_EQ(zero.neighbours[0].first_ghost, 3u);
  EXPECT_EQ(zero.neighbours[0].ghosts, 2u);
  EXPECT_THAT(zero.ranks, ElementsAre(0, 1));
  EXPECT_THAT(one.elements.numbers, ElementsAre(2, 3, 1, 4));
  EXPECT_EQ(one.inner, 0u);
}

TEST(MeshLayout, OfARankWithoutElementsIsEmpty) {
  auto const none = layout_of(row(), std::vector<std::uint32_t>(5, 2), 1);
  EXPECT_EQ(none.places(), 0u);
  EXPECT_EQ(none.computed, 0u);
  EXPECT_THAT(none.neighbours, IsEmpty());
  EXPECT_THAT(none.ranks, ElementsAre(2));
  EXPECT_THAT(layout_of({}, {}, 0).ranks, ElementsAre(0));
}

/// What every rank sends is what the other one has ghosts of, in the same order, and places behind faces are those of
/// the elements behind them.
TEST(MeshLayout, LayoutsOfAllRanksFitTogether) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    bench::dice roll(seed);
    auto const faces = skel::neighbours_by_faces(skel::test::random_triangles(roll));
    int const ranks = static_cast<int>(roll.between(1, 9));
    auto const rank_of = skel::test::random_ranks(roll, faces.cells(), ranks);
    std::vector<mesh_layout> all;
    for (int r = 0; r < ranks; ++r) all.push_back(layout_of(faces, rank_of, static_cast<std::uint32_t>(r)));
    std::size_t computed = 0;
    for (int r = 0; r < ranks; ++r) {
      auto const& here = all[static_cast<std::size_t>(r)];
      auto const& numbers = here.elements.numbers;
      computed += here.computed;
      EXPECT_EQ(std::set(numbers.begin(), numbers.end()).size(), numbers.size()) << "seed " << seed;
      std::size_t next = here.computed;
      for (auto const& there : here.neighbours) {
        EXPECT_EQ(there.first_ghost, next) << "seed " << seed;
        next += there.ghosts;
        auto const& other = all[static_cast<std::size_t>(there.rank)];
        auto const back = std::ranges::find(other.neighbours, r, &mesh_layout::neighbour::rank);
        ASSERT_NE(back, other.neighbours.end());
        ASSERT_EQ(back->sends.size(), there.ghosts) << "seed " << seed;
        for (std::size_t k = 0; k < there.ghosts; ++k)
          EXPECT_EQ(other.elements.numbers[back->sends[k]], numbers[there.first_ghost + k]) << "seed " << seed;
      }
      EXPECT_EQ(next, here.places());
      for (std::size_t place = 0; place < here.computed; ++place) {
        EXPECT_EQ(rank_of[numbers[place]], static_cast<std::uint32_t>(r));
        auto const behind = faces.of(numbers[place]);
        bool touches = false;
        for (std::size_t f = 0; f < behind.size(); ++f) {
          auto const found = here.elements.neighbours[here.elements.offsets[place] + f];
          if (behind[f] == face_neighbours::none) {
            EXPECT_EQ(found, face_neighbours::none);
            continue;
          }
          EXPECT_EQ(numbers[found], behind[f]) << "seed " << seed;
          touches = touches || found >= here.computed;
        }
        EXPECT_EQ(touches, place >= here.inner) << "seed " << seed;
      }
    }
    EXPECT_EQ(computed, faces.cells());
  }
}

}  // namespace
