#pragma once

/// Irregular reductions: loops that add to elements which an index names (skel::irregular_reduction), what they run
/// over (skel::pattern), and how they may run.
#include <skel/detail/grid/irregular_reduction.hpp>
#include <skel/detail/grid/reduction_controller.hpp>
#include <skel/detail/pattern/monoid.hpp>
#include <skel/detail/pattern/pattern.hpp>
