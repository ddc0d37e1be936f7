#include <gtest/gtest.h>

#include <skel/detail/base/student.hpp>

namespace {

namespace statistics = skel::statistics;

TEST(Student, HasTheTabulatedQuantiles) {
  // Abramowitz and Stegun 1964, table 26.10, to the digits that are printed there.
  EXPECT_NEAR(statistics::student_reach(0.9, 1), 6.314, 5e-4);
  EXPECT_NEAR(statistics::student_reach(0.9, 2), 2.920, 5e-4);
  EXPECT_NEAR(statistics::student_reach(0.9, 7), 1.895, 5e-4);
  EXPECT_NEAR(statistics::student_reach(0.95, 10), 2.228, 5e-4);
  EXPECT_NEAR(statistics::student_reach(0.99, 30), 2.750, 5e-4);
  EXPECT_NEAR(statistics::student_reach(0.999, 6), 5.959, 5e-4);
}

TEST(Student, NormalNumbersLieWhereTablesSay) {
  // Abramowitz and Stegun 1964, table 26.6, to the digits that are printed there; ever more degrees of freedom lead
  // there.
  EXPECT_NEAR(statistics::normal_reach(0.95), 1.95996, 5e-6);
  EXPECT_NEAR(statistics::normal_reach(0.999), 3.29053, 5e-6);
  EXPECT_NEAR(statistics::student_reach(0.9, 100000), statistics::normal_reach(0.9), 1e-4);
}

TEST(Student, IsTheInverseOfTheProbability) {
  for (int freedom : {1, 2, 3, 8, 15, 63})
    for (double probability : {0.01, 0.5, 0.9, 0.999})
      EXPECT_NEAR(statistics::student_within(statistics::student_reach(probability, freedom), freedom), probability,
                  1e-12)
          << freedom;
}

}  // namespace
