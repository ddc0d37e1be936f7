#pragma once

/// Irregular reductions: loops that add to the elements of an index (skel::irregular_reduction), their subscripts
/// (skel::pattern), and their settings.
#include <skel/detail/grid/irregular_reduction.hpp>
#include <skel/detail/grid/reduction_controller.hpp>
#include <skel/detail/pattern/monoid.hpp>
#include <skel/detail/pattern/pattern.hpp>
