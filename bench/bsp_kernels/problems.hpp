#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/mapping/migration/policy.hpp>
#include <skel/detail/mapping/migration/simulate.hpp>

namespace bench {

/// What a simulation of the kernels is of.
struct kernel_settings {
  std::size_t tiles = 16;  // of one host
  // Of hosts 1.4 times as fast as one core of the virtual machine on which 10_particles takes 55 ns for a particle and
  // 11_adaptive_mesh 0.16 ns for an operation: the faster, the more communication counts.
  double particle_seconds = 4e-8, operation_seconds = 1.2e-10;
  std::string only{};  // problems whose names begin so
  bool quick = false;

  bool wants(std::string const& name) const { return name.starts_with(only); }
};

/// A program in tiles, and its kernel's own ways: processes, one on each host, that stay there. In simulated seconds.
struct kernel_problem {
  std::string name;
  skel::record::workload tiles;
  skel::mapping::migration::start begin;
  std::vector<std::pair<std::string, skel::record::workload>> own;
};

/// Two clusters of half of the hosts each; the second one's are `ratio` times as slow.
skel::cost::bsp::machine machine_of(std::size_t hosts, double ratio);

/// `pic` with each of its distributions, and `amr`, which both have more to do on more hosts.
std::vector<kernel_problem> kernel_problems(kernel_settings const& with, std::size_t hosts);

/// What one of the own ways takes, and what the tiles take under a policy.
skel::mapping::migration::simulated_run simulated_own(skel::record::workload const& program,
                                                      skel::cost::bsp::machine const& machine);
skel::mapping::migration::simulated_run simulated_tiles(kernel_problem const& of,
                                                        skel::cost::bsp::machine const& machine,
                                                        skel::skeletons::migration_settings const& how);

}  // namespace bench
