#include <skel/detail/pattern/pattern_features.hpp>

#include <map>
#include <set>
#include <string_view>

#include <gtest/gtest.h>

namespace {

using skel::feature_list;
using skel::pattern_features;

pattern_features some_features() {
  pattern_features of;
  of.elements = 1000, of.iterations = 2000, of.subscripts = 6000, of.parts = 4;
  of.sparsity = 0.5, of.clusters = 25, of.copies = 1.25, of.load = 1.5, of.crossing = 0.125, of.contended = 0.0625;
  of.privates = 0.75, of.private_subscripts = 0.375, of.turnover = 0.875, of.mixing = 0.03125;
  return of;
}

TEST(FeatureList, HasEachFeatureUnderItsName) {
  std::map<std::string_view, double> const wanted{{"N", 1000},
                                                  {"M", 2000},
                                                  {"P", 4},
                                                  {"subscripts", 6000},
                                                  {"CON", 2},
                                                  {"MOB", 3},
                                                  {"SP", 0.5},
                                                  {"CLUS", 25},
                                                  {"run_length", 20},
                                                  {"rho", 1.25},
                                                  {"load", 1.5},
                                                  {"crossing", 0.125},
                                                  {"contended", 0.0625},
                                                  {"privates", 0.75},
                                                  {"turnover", 0.875},
                                                  {"private_subscripts", 0.375},
                                                  {"mixing", 0.03125}};
  std::set<std::string_view> meanings;
  for (auto const& one : feature_list) {
    ASSERT_TRUE(wanted.contains(one.name)) << one.name;
    EXPECT_DOUBLE_EQ(one.value(some_features()), wanted.at(one.name)) << one.name;
    EXPECT_EQ(one.counts, one.name == "N" || one.name == "M" || one.name == "P" || one.name == "subscripts");
    EXPECT_FALSE(one.meaning.empty()) << one.name;
    meanings.insert(one.meaning);
  }
  EXPECT_EQ(feature_list.size(), wanted.size());
  EXPECT_EQ(meanings.size(), wanted.size());
}

TEST(FeatureList, OfNothingIsNothing) {
  for (auto const& one : feature_list) {
    double const value = one.value({});
    EXPECT_GE(value, 0) << one.name;
    EXPECT_LE(value, 1) << one.name;
  }
}

}  // namespace
