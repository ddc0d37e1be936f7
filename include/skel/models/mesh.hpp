#pragma once

/// What an iteration over a mesh takes on some clusters, which of them are the best, and how the mesh is cut among
/// their hosts.
#include <skel/detail/cost/mesh/iteration_time.hpp>
#include <skel/detail/cost/mesh/partition_time.hpp>
#include <skel/detail/mapping/cluster_selection.hpp>
#include <skel/detail/mapping/clusters_by_size.hpp>
#include <skel/detail/mapping/partition_choice.hpp>
#include <skel/detail/plan/cell_graph.hpp>
#include <skel/detail/plan/partition_figures.hpp>
#include <skel/detail/platform/mesh_app_file.hpp>
#include <skel/detail/record/mesh_app.hpp>
