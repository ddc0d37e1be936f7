#pragma once

/// Prices of irregular reductions, and the choice of algorithm.
#include <skel/detail/cost/reduction/predictor.hpp>
#include <skel/detail/mapping/reduction_choice.hpp>
#include <skel/detail/plan/reduction.hpp>
#include <skel/detail/platform/reduction_model.hpp>
