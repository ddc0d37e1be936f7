#undef NDEBUG  // assertions of the header are what is tested
#include <skel/detail/pattern/mesh_element.hpp>

#include <gtest/gtest.h>

namespace {

struct cell {
  int value = 0;
};

/// Two elements with a face between them; the second one has another face, where the mesh ends.
class MeshElement : public testing::Test {
 protected:
  skel::element<cell const> at(std::size_t place) const { return {cells_, where_, place}; }

  cell const cells_[2] = {{1}, {2}};
  skel::local_elements const where_{{7, 8}, {0, 1, 3}, {1, 0, skel::face_neighbours::none}};
};

TEST_F(MeshElement, HasTheNeighboursBehindItsFaces) {
  EXPECT_EQ(at(0).neighbour(0)->value, 2);
  EXPECT_EQ(at(0).neighbour_number(0), 8U);
  EXPECT_EQ(at(1).neighbour_number(0), 7U);
  EXPECT_EQ(at(1).neighbour(1), nullptr);
  EXPECT_EQ(at(1).neighbour_number(1), skel::face_neighbours::none);
}

TEST_F(MeshElement, AFaceThatThereIsNotBreaksThePrecondition) {
  EXPECT_DEATH(static_cast<void>(at(0).neighbour(1)), "face < faces");
  EXPECT_DEATH(static_cast<void>(at(1).neighbour_number(2)), "face < faces");
}

}  // namespace
