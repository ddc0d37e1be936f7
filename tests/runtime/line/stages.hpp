#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/runtime/line/sequential.hpp>

#include <runtime/line/lines.hpp>

namespace skel::test {

/// Runs what `compose(out)` makes on both engines: `out` must be the same.
template <class Result, class Compose>
void gives_what_the_sequential_engine_gives(Compose const& compose, std::size_t width, std::size_t capacity = 1,
                                            int shift = 1) {
  std::vector<Result> expected, got;
  auto reference = compose(expected);
  runtime::run_sequential(reference);
  auto app = compose(got);
  program const line = make_program(app);
  run_plan plan = spread(line, width, capacity, shift);
  plan.batch_latency = 1e-4;
  run_line(line, plan, ranks());
  if (at_sink())
    EXPECT_EQ(got, expected);
  else
    EXPECT_TRUE(got.empty());
}

/// 2x2 matrices modulo 2^64: their product is associative and does not commute.
struct matrix {
  std::uint64_t a, b, c, d;
  friend bool operator==(matrix const&, matrix const&) = default;
};

struct times {
  matrix operator()(matrix const& x, matrix const& y) const {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
  }
  matrix identity() const { return {1, 0, 0, 1}; }
};

inline matrix matrix_of(std::uint64_t x) {
  return {x + 1, x % 7, x % 5, x + 3};
}

inline std::uint64_t stumbling(std::uint64_t x) {
  stumble(x);
  return x;
}

}  // namespace skel::test
