#pragma once

/// Searches over placements: hosts of stages, and widths of farms.
#include <skel/detail/mapping/decision.hpp>
#include <skel/detail/mapping/placement_search.hpp>
#include <skel/detail/pattern/shape.hpp>
#include <skel/detail/plan/placement.hpp>
