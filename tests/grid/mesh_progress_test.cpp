#include "mesh_progress.hpp"

#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace {

TEST(MeshProgress, IsALineASecond) {
  skel::mesh_progress progress(1000);
  progress.expect(0.11);
  std::string said;
  for (std::uint64_t k = 1; k <= 26; ++k)
    if (auto const line = progress.pass(k, 5 + 0.125 * static_cast<double>(k))) said += *line + "\n";
  EXPECT_EQ(said,
            "9 iterations, 1 s, 125 ms each, 110 ms expected, 124 s to go\n"
            "17 iterations, 2 s, 125 ms each, 110 ms expected, 123 s to go\n"
            "25 iterations, 3 s, 125 ms each, 110 ms expected, 122 s to go\n");
}

TEST(MeshProgress, SaysNoEndWhereTheProgramHasNone) {
  skel::mesh_progress progress(std::nullopt);
  EXPECT_EQ(progress.pass(1, 5), std::nullopt);
  EXPECT_EQ(progress.pass(1, 7), std::nullopt) << "no iteration was made";
  EXPECT_EQ(progress.pass(3, 8), "3 iterations, 3 s, 1.5 s each");
}

}  // namespace
