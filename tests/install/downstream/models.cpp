// Prices a model and places a pipeline without any process to run it on.
#include <cmath>
#include <cstdio>
#include <variant>

#include <skel/models/pepa.hpp>
#include <skel/models/placement.hpp>
#include <skel/models/platform.hpp>

int main() {
  // One process that does two things in turn: 1/2 s + 1/3 s per round.
  namespace pepa = skel::cost::pepa;
  auto const model = pepa::parse("P = (think, 2.0).Q; Q = (act, 3.0).P; P", "turns");
  auto const space = pepa::derive(model);
  double const rounds = pepa::solve(space).throughput("act");
  std::printf("rounds per second: %g\n", rounds);

  // One stage, a slow host and a fast one.
  skel::mapping::placement_problem problem;
  problem.platform = skel::platform::parse_description(
      R"({"skel_platform": 1, "local_latency": 1e-6, "clusters": [{"name": "slow", "hosts": 1, "speed": 1},
          {"name": "fast", "hosts": 1, "speed": 2}],
          "links": [{"between": ["slow", "fast"], "latency": 1e-3, "bandwidth": 1e9}]})",
      "two hosts");
  problem.program.stages.push_back({.name = "parse", .work = 1});
  auto const answer = skel::mapping::exhaustive(problem, skel::mapping::line_price(problem));
  auto const* best = std::get_if<skel::mapping::decision>(&answer);
  if (best == nullptr) return 1;
  std::printf("placed on: %s\n", problem.platform.host_name(best->placement.stages[0][0]).c_str());

  bool const right = std::abs(rounds - 1.2) < 1e-9 && best->placement.stages[0][0] == 1;
  return right ? 0 : 1;
}
