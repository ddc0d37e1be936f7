#include <gtest/gtest.h>

#include <runtime/station/end_of_stream.hpp>

namespace {

using skel::runtime::end_of_stream;

TEST(EndOfStream, IsReachedWhenAsManyHaveComeAsEachProducerSays) {
  end_of_stream input({2, 5});
  input.came(2);
  input.announced(2, 1);
  EXPECT_FALSE(input.reached());
  input.announced(5, 2);
  input.came(5);
  EXPECT_FALSE(input.reached());
  input.came(5);
  EXPECT_TRUE(input.reached());
}

TEST(EndOfStream, IsNotReachedBeforeTheLastParcelThatWasOvertaken) {
  end_of_stream input({0});
  input.announced(0, 2);
  input.came(0);
  EXPECT_FALSE(input.reached());
  input.came(0);
  EXPECT_TRUE(input.reached());
}

TEST(EndOfStream, OfAnEmptyStreamHasToBeSaidToo) {
  end_of_stream input({1});
  EXPECT_FALSE(input.reached());
  input.announced(1, 0);
  EXPECT_TRUE(input.reached());
}

TEST(EndOfStream, DoesNotCountParcelsOfOthers) {
  end_of_stream input({1});
  input.came(2);
  input.announced(2, 7);
  input.announced(1, 0);
  EXPECT_TRUE(input.reached());
}

TEST(EndOfStream, MayBeTheEndOfAnEpoch) {
  end_of_stream input({0, 1});
  input.announced(0, 0, true);
  input.announced(1, 0, true);
  EXPECT_TRUE(input.reached());
  EXPECT_TRUE(input.goes_on());
  end_of_stream last({0});
  last.announced(0, 0);
  EXPECT_FALSE(last.goes_on());
}

}  // namespace
