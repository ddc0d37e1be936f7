#include "reductions/competitors/competitor.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>

#include "reductions/stacks.hpp"
#include "runtime/reduction/random_pattern.hpp"

namespace {

using namespace bench::reductions;
using skel::training::trial_value;

/// A loop with all that it looks at.
struct held_loop {
  held_loop(skel::pattern pattern, trial_value value, std::size_t threads)
      : of(std::move(pattern)),
        stream(skel::training::make_stream(of.iterations())),
        values(of.elements() * (value == trial_value::number ? 1 : 3), 0),
        loop{of, stream, value, 3, threads, values} {}

  skel::pattern of;
  std::vector<double> stream, values;
  common_loop loop;
};

TEST(Competitors, GiveTheSumsOfAPlainLoop) {
  unsigned seed = 0;
  for (auto const& shape : skel::tests::odd_shapes()) {
    ++seed;
    for (auto const value : {trial_value::number, trial_value::vector})
      for (std::size_t const threads : {1u, 2u, 3u}) {
        held_loop held(skel::tests::random_pattern(shape, seed), value, threads);
        for (auto const& one : competitors(held.loop)) {
          if (!one.run) continue;
          std::fill(held.values.begin(), held.values.end(), 0.0);
          one.run();
          EXPECT_NO_THROW(check_sums(one, held.loop)) << one.name << ", shape " << seed << ", " << threads;
        }
      }
  }
}

TEST(Competitors, AccumulateOntoWhatIsThere) {
  held_loop held(skel::tests::random_pattern({1000, 300, 3, true}, 5), trial_value::vector, 2);
  for (auto const& one : competitors(held.loop)) {
    if (!one.run) continue;
    std::fill(held.values.begin(), held.values.end(), 0.0);
    one.run();
    std::vector<double> const once = held.values;
    one.run();
    for (std::size_t k = 0; k < once.size(); ++k)
      ASSERT_NEAR(held.values[k], 2 * once[k], 1e-9) << one.name << " " << k;
  }
}

TEST(Competitors, AreCaughtWhenTheirSumsAreWrong) {
  held_loop held(skel::tests::random_pattern({1000, 300, 3}, 5), trial_value::number, 2);
  auto const one = openmp_atomic(held.loop);
  one.run();
  held.values[17] += 1;
  EXPECT_THROW(check_sums(one, held.loop), skel::error);
  held.values[17] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(check_sums(one, held.loop), skel::error);
}

TEST(Competitors, SayWhyTheyCannotRun) {
  std::size_t const elements = least_stack() / sizeof(double) + 1;
  held_loop held(skel::pattern(1, elements, std::vector<std::uint32_t>{0}), trial_value::number, 2);
  auto const one = openmp_array(held.loop);
  EXPECT_FALSE(one.run);
  EXPECT_NE(one.note.find("do not fit on the stacks"), std::string::npos);
}

TEST(Stacks, PassExceptionsOn) {
  EXPECT_THROW(run_with_stacks([] { throw skel::error("so"); }), skel::error);
  bool ran = false;
  run_with_stacks([&] { ran = least_stack() > 0; });
  EXPECT_TRUE(ran);
}

}  // namespace
