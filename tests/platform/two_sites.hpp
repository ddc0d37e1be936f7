#pragma once

#include <string>
#include <utility>

#include <skel/detail/platform/survey.hpp>

namespace skel::testing_platform {

inline platform::host_measurement host(std::string name, double speed, std::size_t cores) {
  platform::host_measurement result;
  result.name = result.machine = std::move(name);
  result.speed = speed;
  result.speed_spread = 0.01;
  result.repeats = 9;
  result.cores = cores;
  result.memory = 4e9;
  result.hand_over = 1e-7;
  result.date = "2026-11-20T21:45:00Z";
  return result;
}

/// Three hosts of Lyon, of which the second is alone because it is far from the others, and one of Nancy:
///
///     lyon-0 --- lyon-2        lyon-1        nancy
inline platform::survey two_sites() {
  platform::survey all;
  all.date = "2026-11-20T21:45:00Z";
  all.hosts = {host("lyon-0", 50, 4), host("lyon-1", 55, 4), host("nancy", 80, 8), host("lyon-2", 70, 2)};
  all.clusters = {{.name = "lyon",
                   .site = "lyon",
                   .hosts = {0, 3},
                   .inside = {.path = {.latency = 5e-5, .bandwidth = 1e8},
                              .models = {{"hockney", R"({"alpha":5e-5,"beta":1e-8})"}},
                              .residuals = {{"hockney", 0.02}},
                              .between = {0, 3},
                              .latency_spread = 0.1,
                              .probes = 42,
                              .date = all.date}},
                  {.name = "lyon-1", .site = "lyon", .hosts = {1}},
                  {.name = "nancy", .hosts = {2}}};
  for (std::size_t from = 0; from < 3; ++from)
    for (std::size_t to = 0; to < 3; ++to)
      if (from != to)
        all.links.push_back({.from = from,
                             .to = to,
                             .measured = {.path = {.latency = 5e-3, .bandwidth = 1e7 * static_cast<double>(1 + from)},
                                          .between = {all.clusters[from].hosts[0], all.clusters[to].hosts[0]},
                                          .probes = 9,
                                          .date = all.date}});
  all.seconds = 1.5;
  all.probes = 300;
  all.rounds = 6;
  all.latency_spread = 0.07;
  all.tolerance = 0.2;
  return all;
}

}  // namespace skel::testing_platform
