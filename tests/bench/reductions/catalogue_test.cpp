#include <reductions/programs/catalogue.hpp>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace bench::reductions;

options small() {
  options how;
  how.scale = 0.01;
  return how;
}

/// Each iteration by how often its elements come in all: what a renumbering keeps.
std::vector<std::vector<std::size_t>> shape(skel::pattern const& of) {
  std::vector<std::size_t> degree(of.elements(), 0);
  for (auto const one : of.index()) ++degree[one];
  std::vector<std::vector<std::size_t>> rows(of.iterations());
  for (std::size_t i = 0; i < of.iterations(); ++i) {
    for (auto const one : of.row(i)) rows[i].push_back(degree[one]);
    std::sort(rows[i].begin(), rows[i].end());
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

class Catalogue : public testing::TestWithParam<std::size_t> {
 protected:
  catalogue_entry const& entry() const { return catalogue()[GetParam()]; }
};

TEST_P(Catalogue, HasAsManyPhasesAsItSays) {
  auto run = entry().make(small());
  EXPECT_EQ(run.name, entry().program);
  EXPECT_EQ(run.input, entry().input);
  EXPECT_EQ(run.phases > 1, entry().dynamic);
  EXPECT_GE(run.other_work, 0);
  std::size_t phases = 0;
  std::set<std::uint64_t> versions;
  while (auto const now = run.next()) {
    ++phases;
    EXPECT_GT(now->steps, 0u);
    EXPECT_GT(now->pattern.iterations(), 0u);
    versions.insert(now->pattern.version());
  }
  EXPECT_EQ(phases, run.phases);
  EXPECT_EQ(versions.size(), phases);
  EXPECT_FALSE(run.next().has_value());
}

TEST_P(Catalogue, IsTheSameForTheSameSeed) {
  auto one = entry().make(small()), two = entry().make(small());
  for (std::size_t p = 0; p < std::min<std::size_t>(one.phases, 3); ++p) {
    auto const a = one.next(), b = two.next();
    ASSERT_TRUE(a && b);
    EXPECT_EQ(a->steps, b->steps);
    EXPECT_TRUE(std::equal(a->pattern.index().begin(), a->pattern.index().end(), b->pattern.index().begin(),
                           b->pattern.index().end()));
  }
}

TEST_P(Catalogue, KeepsItsLoopUnderOtherNumbers) {
  auto const native = entry().make(small()).next();
  for (auto const nodes : {skel::numbering::rcm, skel::numbering::random}) {
    options how = small();
    how.nodes = how.cells = nodes;
    auto const other = entry().make(how).next();
    ASSERT_TRUE(native && other);
    EXPECT_EQ(other->pattern.elements(), native->pattern.elements());
    EXPECT_EQ(shape(other->pattern), shape(native->pattern));
  }
}

std::string name_of(testing::TestParamInfo<std::size_t> const& one) {
  std::string name = catalogue()[one.param].program + "_" + catalogue()[one.param].input;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == '.'; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(EveryProgram, Catalogue, testing::Range(std::size_t{0}, catalogue().size()), name_of);

}  // namespace
