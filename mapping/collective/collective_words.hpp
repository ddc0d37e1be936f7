#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <skel/detail/cost/grid_models.hpp>
#include <skel/detail/mapping/collective_mapper.hpp>

#include "catalogue_search.hpp"
#include "route_search.hpp"

namespace skel::mapping {

/// Name of a route: the schedule between the clusters, * if it was improved, the trees inside, segment, stripes.
std::string name_of(found_route const& route, used_clusters const& clusters);

/// True if the word at the end of a name may be the name of a tree inside clusters.
bool is_tree(std::string_view name);

/// The decision for a chosen plan, without its alternatives and its reason.
collective_decision explain(collective_request const& request, collective_candidate const& best,
                            std::optional<found_route> const& route, cost::grid_models const& models,
                            used_clusters const& clusters);

/// The reason of a decision, beside the believed model. `corrected`: by measured times; `trial`: the plan was taken to
/// learn its time.
std::string reason(collective_decision const& made, cost::grid_models const& models, bool corrected, bool trial);

}  // namespace skel::mapping
