#include "prediction/emulated_processor.hpp"

#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace bench {
namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// How late a thread wakes is the machine's affair; that it never wakes early is the processor's.

TEST(EmulatedProcessor, TakesAsLongAsTheWorkAtItsSpeed) {
  emulated_processor processor(2);
  double late = 0;
  auto const begin = std::chrono::steady_clock::now();
  processor.serve(10e-3, late);
  double const took = seconds_since(begin);
  EXPECT_GE(took, 5e-3);
  EXPECT_GE(late, 0);
  EXPECT_LE(late, took - 5e-3);
}

TEST(EmulatedProcessor, AccountsForLatenessWithTheNextWork) {
  emulated_processor processor(1);
  double late = 0;
  auto const begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) processor.serve(1e-3, late);
  EXPECT_GE(seconds_since(begin) - late, 20e-3 - 1e-6);
}

TEST(EmulatedProcessor, NeverDoesMoreWorkThanItsSpeedAllows) {
  constexpr int callers = 4, services = 15;
  constexpr double work = 1e-3;
  emulated_processor processor(1);
  auto const begin = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> threads;
    for (int c = 0; c < callers; ++c)
      threads.emplace_back([&] {
        double late = 0;
        for (int i = 0; i < services; ++i) processor.serve(work, late);
      });
  }
  EXPECT_GE(seconds_since(begin), callers * services * work - 1e-6);
}

}  // namespace
}  // namespace bench
