#pragma once

/// Everything that a program needs to compose skeletons and run them on a grid.
#include <skel/grid.hpp>
#include <skel/pipeline.hpp>
#include <skel/reduction.hpp>
