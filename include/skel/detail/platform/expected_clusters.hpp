#pragma once

#include <skel/detail/platform/description.hpp>
#include <skel/detail/platform/monitor.hpp>
#include <skel/detail/record/mesh_app.hpp>

namespace skel::platform {

/// A machine, and what a mesh program takes on its clusters.
struct clusters_of_program {
  description machine;
  record::mesh_app app;
};

/// The same as a monitor of the machine expects them: what an element takes on a cluster is longer by the share that
/// its hosts have left together (the mean of them, as work is dealt by speed), paths are as they are expected, and
/// hosts that leave are not there; a cluster of none is left out. The monitor's ranks are the hosts of the machine, in
/// their order. Throws skel::error where all hosts leave. O(hosts + links).
clusters_of_program as_expected(clusters_of_program const& stated, monitor const& by);

}  // namespace skel::platform
