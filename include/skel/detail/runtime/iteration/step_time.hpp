#pragma once

#include <vector>

#include <skel/detail/runtime/ranks/communicator.hpp>

namespace skel::runtime::iteration {

/// What an update or an all-reduce takes on some ranks where there is nothing to compute and hardly anything to send,
/// as the engine makes them [s]: the mean of both, in the median of iterations and on the rank that is the slowest.
/// Each rank updates a few elements with the one before it and the one behind it. Stalls that are rarer than every
/// other iteration do not count. Collective over all ranks of `among`, of which those that are not members sleep; the
/// same on all. Precondition: two members at least. Throws as run_mesh() does. Takes 17 iterations, and the beginning
/// and the end of a run.
double time_steps(communicator const& among, std::vector<int> const& members);

}  // namespace skel::runtime::iteration
