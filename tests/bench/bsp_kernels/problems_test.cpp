// What policy "skel" promises of the kernels, in simulated time: of the first problems that bench_bsp_kernels prints.
#include "bsp_kernels/problems.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace bench {
namespace {

using namespace skel;

/// The problem of a name as bench_bsp_kernels has it by default, on 16 hosts.
kernel_problem problem_of(std::string const& name) {
  kernel_settings with;
  with.only = name;
  return kernel_problems(with, 16).front();
}

/// Time of the tiles under "skel" / time of the fastest own way, on hosts of equal speed.
double times_own(kernel_problem const& of, bool told) {
  auto const machine = machine_of(16, 1);
  double own = std::numeric_limits<double>::infinity();
  for (auto const& [name, program] : of.own) own = std::min(own, simulated_own(program, machine).seconds);
  skeletons::migration_settings const how{.supersteps = told ? record::supersteps_of(of.tiles) : 0};
  return simulated_tiles(of, machine, how).seconds / own;
}

TEST(KernelProblems, AreNotSlowerInTilesWhereNothingIsImbalanced) {
  for (auto const* name : {"pic, the same", "amr"})
    for (bool const told : {false, true}) EXPECT_LT(times_own(problem_of(name), told), 1.02) << name << told;
}

}  // namespace
}  // namespace bench
