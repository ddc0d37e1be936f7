#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include <skel/detail/plan/collective_plan.hpp>

namespace bench {

/// A plan as it crosses from bench_grid to the simulated program. plan_of(json_of(p)) == p. plan_of throws
/// nlohmann::json::exception or std::runtime_error for what is no plan.
nlohmann::json json_of(skel::plan::collective_plan const& plan);
skel::plan::collective_plan plan_of(nlohmann::json const& in);

/// The collective of this name. Throws std::runtime_error naming all where there is none.
skel::plan::collective operation_of(std::string const& name);

/// "pipeline/8192"; of a route the trees inside the clusters, the segment and the number of stripes:
/// "route chain/8192 x4".
std::string name_of(skel::plan::collective_plan const& plan);

}  // namespace bench
