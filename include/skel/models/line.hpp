#pragma once

/// Pipelines as lines of stations with farms and buffers: solved exactly, bounded, closed and simulated.
#include <skel/detail/cost/line.hpp>
#include <skel/detail/cost/line_bounds.hpp>
#include <skel/detail/cost/line_closure.hpp>
#include <skel/detail/cost/line_simulation.hpp>
#include <skel/detail/cost/line_solver.hpp>
