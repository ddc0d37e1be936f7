#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <skel/detail/pattern/face_neighbours.hpp>
#include <skel/detail/plan/partition.hpp>
#include <skel/detail/platform/description.hpp>
#include <skel/detail/platform/mesh_platforms.hpp>
#include <skel/detail/record/mesh_app.hpp>

namespace bench {

/// A mesh to run over, as engines and as partitions see it.
struct grid_mesh {
  std::string name;
  skel::face_neighbours faces;
  skel::plan::cell_graph graph;
  std::vector<double> centres;
};

/// A cube of Kuhn tetrahedra, width^3 x 6 of them.
grid_mesh cube_mesh(std::size_t width);
/// Throws skel::input_error as read_mesh() and neighbours_by_faces() do.
grid_mesh mesh_of_file(std::string const& file);

/// A grid and a program over a mesh on it.
struct grid_case {
  std::string name;
  skel::platform::description machine;  ///< that is simulated
  skel::platform::description figures;  ///< as it is known to who chooses
  skel::record::mesh_app app;
};

/// The program over a mesh that has another number of cells, so that an iteration takes as long: a cell stands for
/// k elements, with k times the computation and memory and k^(2/3) times the bytes of a face, rounded to whole bytes.
skel::record::mesh_app scaled_to(skel::record::mesh_app app, std::size_t cells);

/// A grid with a part of the hosts, of the uplinks and of the elements: one in `by`. Two hosts of a cluster at least.
skel::platform::mesh_platform shrunk(skel::platform::mesh_platform const& of, std::size_t by);

/// Some of the clusters, with the links between them. Precondition: rising, one at least.
skel::platform::description part_of(skel::platform::description const& machine, std::span<std::size_t const> clusters);

/// The description with messages as they are in the simulator, inside each cluster and between each two: the latency of
/// one byte, and pLogP's figures of many sizes; what a grid that is discovered is described with. Paths with equal
/// figures are probed once, in one run of the simulator.
skel::platform::description with_probed_messages(skel::platform::description const& machine);

/// A platform as simgrid_platform() writes it, with what clusters share to others: an uplink in each direction where
/// the description has one. Throws as that does.
std::string platform_with_uplinks(skel::platform::description const& machine);

}  // namespace bench
