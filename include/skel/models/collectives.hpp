#pragma once

/// What collectives take by such models, as schedules and as routes over clusters, and which is chosen.
#include <skel/detail/cost/collective_price.hpp>
#include <skel/detail/cost/grid_models.hpp>
#include <skel/detail/cost/route_price.hpp>
#include <skel/detail/mapping/collective_mapper.hpp>
#include <skel/detail/plan/collective.hpp>
#include <skel/detail/plan/collective_plan.hpp>
