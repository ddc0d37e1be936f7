#include <skel/detail/base/size_text.hpp>

#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace {

using skel::size_in;

TEST(SizeIn, TakesUnitsAsTheCoreUtilitiesDo) {
  struct size {
    std::string text;
    double bytes;
  };
  for (size const& one : {size{"0", 0},
                          {"8192", 8192},
                          {"1e6", 1e6},
                          {"+7", 7},
                          {"-1", -1},
                          {"1.5", 1.5},
                          {"12B", 12},
                          {"8k", 8192},
                          {"8K", 8192},
                          {"64KiB", 65536},
                          {"64 kib", 65536},
                          {"1.5k", 1536},
                          {"8kB", 8000},
                          {"1M", 1048576},
                          {"1MB", 1e6},
                          {"2GiB", 2147483648.0},
                          {"1g", 1073741824},
                          {"1T", 1099511627776.0}})
    EXPECT_EQ(size_in(one.text), one.bytes) << one.text;
}

TEST(SizeIn, TakesNothingElse) {
  for (std::string const text : {"", "k", "many", "8x", "8kk", "8 Mi", "8KiB ", " 8", "8,5", "8k8", "0x10", "+-1"})
    EXPECT_EQ(size_in(text), std::nullopt) << text;
}

}  // namespace
