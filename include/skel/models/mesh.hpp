#pragma once

/// What an iteration over a mesh takes on some clusters, and which of them are the best.
#include <skel/detail/cost/mesh/iteration_time.hpp>
#include <skel/detail/mapping/cluster_selection.hpp>
#include <skel/detail/platform/mesh_app_file.hpp>
#include <skel/detail/record/mesh_app.hpp>
