#pragma once

/// PEPA: models, their state spaces and steady states.
#include <skel/detail/cost/pepa/chain.hpp>
#include <skel/detail/cost/pepa/generate.hpp>
#include <skel/detail/cost/pepa/model.hpp>
#include <skel/detail/cost/pepa/space.hpp>
#include <skel/detail/cost/pepa/steady.hpp>
