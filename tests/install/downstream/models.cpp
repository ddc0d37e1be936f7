// Uses the models alone: prices nothing yet that would need a process to run.
#include <skel/pattern/shape.hpp>
#include <skel/plan/placement.hpp>

int main() {
  skel::pattern::shape program;
  program.stages.push_back({.name = "parse", .work = 1});
  auto const placement = skel::plan::place_each({0});
  return placement.stages.size() == program.stages.size() ? 0 : 1;
}
