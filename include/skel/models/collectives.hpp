#pragma once

/// Prices of collectives by such models, as schedules and as routes over clusters, and the choice among them.
#include <skel/detail/cost/collective_price.hpp>
#include <skel/detail/cost/grid_models.hpp>
#include <skel/detail/cost/route_price.hpp>
#include <skel/detail/mapping/collective_mapper.hpp>
#include <skel/detail/plan/collective.hpp>
#include <skel/detail/plan/collective_plan.hpp>
