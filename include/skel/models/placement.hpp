#pragma once

/// Where stages run, and how wide farms are: searches over placements.
#include <skel/detail/mapping/decision.hpp>
#include <skel/detail/mapping/placement_search.hpp>
#include <skel/detail/pattern/shape.hpp>
#include <skel/detail/plan/placement.hpp>
