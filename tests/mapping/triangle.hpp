#pragma once

#include <array>
#include <string>

#include <skel/detail/mapping/placement_space.hpp>

namespace skel::mapping {

//   p1 --l12-- p2     three hosts, three equal stages; a stage alone takes times[p] on host p;
//     .         |     0.1 ms for a move that stays on its host
//      l13     l23
//         .     |
//           -- p3
inline placement_problem triangle(std::array<double, 3> const& latencies, std::array<double, 3> const& times) {
  std::vector<platform::cluster> hosts;
  for (std::size_t p = 0; p < 3; ++p)
    hosts.push_back({std::string(1, 'p').append(std::to_string(p + 1)), 1, 1 / times[p], 1, {}, {}, {}});
  std::vector<platform::cluster_link> links;
  auto const both = [&](std::size_t a, std::size_t b, double latency) {
    links.push_back({a, b, {latency}, {}});
    links.push_back({b, a, {latency}, {}});
  };
  both(0, 1, latencies[0]);
  both(1, 2, latencies[1]);
  both(0, 2, latencies[2]);
  placement_problem problem;
  problem.platform = platform::description(1e-4, hosts, links);
  for (int i = 1; i <= 3; ++i) {
    skeletons::stage_shape stage;
    stage.name = std::to_string(i);
    stage.work = 1;
    problem.program.stages.push_back(stage);
  }
  return problem;
}

}  // namespace skel::mapping
