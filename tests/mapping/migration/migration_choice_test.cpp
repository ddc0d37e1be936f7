#include "mapping/migration/migration_choice.hpp"

#include <gtest/gtest.h>

#include "support/decision_laws.hpp"

namespace {

using namespace skel::mapping;

TEST(MigrationChoice, KeepsTheLawsOfAProblem) {
  expect_decision_laws<migration_choice>(
      [] { return migration_choice(); },
      {.program = 0, .seconds = 7, .ways = {{"stay", 0, 1.0, 0, 0}, {"assignment 1", 1, 0.5, 0.1, 2}}, .items = 2000});
}

}  // namespace
