#pragma once

/// What a program does where: plans of pipelines, and placements.
#include <skel/detail/plan/placement.hpp>
#include <skel/detail/plan/run_plan.hpp>
