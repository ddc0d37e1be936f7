#pragma once

#include <skel/detail/platform/description.hpp>

namespace skel::platform::detail {

/// Blocks of a cluster or link whose path has `latency` times the latency and `bandwidth` times the bandwidth since
/// their measurement. Parameters that are latencies or times per byte change likewise. Times of processors (overheads,
/// gaps between short messages) stay, and so do blocks of unknown models. Precondition: factors are > 0.
parameter_blocks scaled(parameter_blocks blocks, double latency, double bandwidth);

/// Blocks without those of models, which describe a path as it was.
parameter_blocks without_models(parameter_blocks blocks);

}  // namespace skel::platform::detail
