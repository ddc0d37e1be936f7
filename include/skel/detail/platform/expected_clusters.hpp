#pragma once

#include <skel/detail/platform/description.hpp>
#include <skel/detail/platform/monitor.hpp>
#include <skel/detail/record/mesh_app.hpp>

namespace skel::platform {

/// A machine, and the times of a mesh program on its clusters.
struct clusters_of_program {
  description machine;
  record::mesh_app app;
};

/// The same as a monitor of the machine expects them. The time of an element on a cluster is divided by the mean share
/// of its hosts, because work is dealt by speed. Paths are as expected. Hosts that leave are missing, and so is a
/// cluster without hosts. The monitor's ranks are the hosts of the machine in their order. Throws skel::error if all
/// hosts leave. O(hosts + links).
clusters_of_program as_expected(clusters_of_program const& stated, monitor const& by);

}  // namespace skel::platform
