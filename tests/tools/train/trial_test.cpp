#include "train/trial.hpp"

#include <gtest/gtest.h>

#include <skel/detail/pattern/pattern.hpp>

#include "runtime/reduction/random_pattern.hpp"

namespace {

using namespace skel;
using namespace skel::training;

TEST(ReductionTrial, TimesEveryAlgorithmOnThreadsAndOnVirtualOnes) {
  for (bool const virtual_threads : {false, true})
    for (auto const value : {trial_value::number, trial_value::vector}) {
      trial_settings settings;
      settings.parts = virtual_threads ? 16 : 2;
      settings.virtual_threads = virtual_threads;
      settings.value = value;
      settings.rounds = 2;
      auto const trials = time_reductions(tests::random_pattern({5000, 700, 3, true}, 3), settings);
      ASSERT_EQ(trials.size(), plan::reduction_algorithms);
      for (auto const& one : trials) {
        EXPECT_GT(one.run, 0) << plan::name_of(one.algorithm);
        EXPECT_GE(one.setup, 0);
        EXPECT_EQ(one.bytes > 0, one.algorithm != plan::reduction_algorithm::sequential &&
                                     one.algorithm != plan::reduction_algorithm::atomic)
            << plan::name_of(one.algorithm);
      }
    }
}

TEST(ReductionTrial, TimesOneAlgorithmAlone) {
  trial_settings settings;
  settings.only = plan::reduction_algorithm::local_write;
  settings.rounds = 1;
  auto const trials = time_reductions(tests::random_pattern({500, 70, 2}, 3), settings);
  ASSERT_EQ(trials.size(), 1u);
  EXPECT_EQ(trials.front().algorithm, plan::reduction_algorithm::local_write);
}

}  // namespace
