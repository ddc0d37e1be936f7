#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <skel/detail/cost/grid_models.hpp>
#include <skel/detail/mapping/collective_mapper.hpp>

#include "catalogue_search.hpp"
#include "route_search.hpp"

namespace skel::mapping {

/// What a route is called: the schedule between the clusters, * if it was improved, the trees inside, segment, stripes.
std::string name_of(found_route const& route, used_clusters const& clusters);

/// Whether the word at the end of a name may be what a tree inside clusters is called.
bool is_tree(std::string_view name);

/// The decision for a plan that was chosen, without its alternatives and its reason.
collective_decision explain(collective_request const& request, collective_candidate const& best,
                            std::optional<found_route> const& route, cost::grid_models const& models,
                            used_clusters const& clusters);

/// Why a decision is what it is, beside the model that was believed. `corrected`: by what was measured; `trial`: the
/// plan was taken to learn its time.
std::string reason(collective_decision const& made, cost::grid_models const& models, bool corrected, bool trial);

}  // namespace skel::mapping
