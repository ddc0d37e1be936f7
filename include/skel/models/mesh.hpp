#pragma once

/// Time of an iteration over a mesh on some clusters, choice of the best clusters, and partition of the mesh among
/// their hosts.
#include <skel/detail/cost/mesh/iteration_time.hpp>
#include <skel/detail/cost/mesh/partition_time.hpp>
#include <skel/detail/mapping/cluster_selection.hpp>
#include <skel/detail/mapping/partition_choice.hpp>
#include <skel/detail/plan/partition.hpp>
#include <skel/detail/platform/mesh_app_file.hpp>
#include <skel/detail/record/mesh_app.hpp>
