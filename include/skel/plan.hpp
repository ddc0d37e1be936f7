#pragma once

/// Plans of pipelines, and placements.
#include <skel/detail/plan/placement.hpp>
#include <skel/detail/plan/run_plan.hpp>
