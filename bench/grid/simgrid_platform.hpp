#pragma once

#include <string>

#include <skel/detail/platform/description.hpp>

namespace bench {

/// A platform as SimGrid 3.32 reads it (XML, version 4.1 of its format), so that what skel prices is what is simulated.
/// Host i of the description is called "h<i>", whatever the description calls it. Each host has a full-duplex port of
/// its cluster's bandwidth; a cluster's switch is not a bottleneck; each ordered pair of clusters has a link of its
/// own. The latencies of a path add up to the description's: half of a cluster's latency lies at each port, the rest of
/// a link's between the routers. O(clusters^2). Throws skel::error when two clusters have no link between them, or one
/// whose latency is less than the half of both clusters' (SimGrid cannot have the difference).
std::string simgrid_platform(skel::platform::description const& machine);

/// The hosts of a platform, one in a line: rank i of a simulated run is host i.
std::string simgrid_hosts(skel::platform::description const& machine);

}  // namespace bench
