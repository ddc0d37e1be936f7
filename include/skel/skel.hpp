#pragma once

/// Everything that a program needs to compose skeletons and run them on a grid.
#include <skel/grid.hpp>
#include <skel/grid/irregular_reduction.hpp>
#include <skel/pattern/compose.hpp>
#include <skel/pattern/runtime_pipeline.hpp>
