#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "kernels/mesh_trace.hpp"

namespace bench {

/// How the MPI program of the kernel `amr` spreads its grids over hosts, one process each. fine_grain: all of each grid
/// over all hosts. no_talk: a refinement lies on the hosts of the background below it. high_water: the background and
/// refinements have hosts of their own.
inline constexpr std::array<std::string_view, 3> own_balancers{"FINE_GRAIN", "NO_TALK", "HIGH_WATER"};

/// Work and messages of its processes, one superstep for an iteration: what it does between two points where all wait.
/// It has none such, and nothing is charged for the neighbours that wait for each other in updates of a refinement, so
/// that it is taken for faster than it is. Precondition: two hosts or more.
std::vector<kernels::load> own_trace_of(kernels::mesh const& of, std::string_view balancer, std::size_t hosts);

/// Hosts of the background when refinements have some of their own: by points, then so that both groups can be cut into
/// near squares, as the kernel does.
std::size_t background_hosts(kernels::mesh const& of, std::size_t hosts);

}  // namespace bench
