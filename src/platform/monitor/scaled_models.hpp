#pragma once

#include <skel/detail/platform/description.hpp>

namespace skel::platform::detail {

/// Blocks of a cluster or link whose path has `latency` times the latency and `bandwidth` times the bandwidth that it
/// had when they were measured: parameters that are latencies, and times per byte, are changed alike. What a message
/// takes of processors (overheads, gaps between short messages) stays. Blocks of models that are not understood here
/// stay too. Precondition: factors are > 0.
parameter_blocks scaled(parameter_blocks blocks, double latency, double bandwidth);

/// Blocks without those of models, which say of a path what it was.
parameter_blocks without_models(parameter_blocks blocks);

}  // namespace skel::platform::detail
