#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/pattern/shape.hpp>
#include <skel/detail/plan/placement.hpp>
#include <skel/detail/platform/description.hpp>

namespace skel::tools {

/// A placement from text: hosts of the stages separated by commas, workers of a farm joined by plus signs. Parentheses
/// around the whole may be left out: "(p1, a-0+a-1, p2)". "a-0*2" is two workers on a-0 (plan::read_workers). Throws
/// skel::input_error(source, where, ...) for a wrong number of stages, an unknown host (with the near name), or several
/// workers of a stage that is not replicable.
plan::placement parse_placement(std::string_view text, skeletons::shape const& program,
                                platform::description const& machine, std::string const& source,
                                std::string const& where);

/// Placements from a file: one per line, or a JSON array of arrays of host names. Empty lines and lines that start with
/// # are skipped. Errors carry the line or the element.
std::vector<plan::placement> read_candidates(std::string const& file, skeletons::shape const& program,
                                             platform::description const& machine);

/// One text per stage: "a-0+a-1" for a farm of two.
std::vector<std::string> stage_texts(plan::placement const& where, platform::description const& machine);

}  // namespace skel::tools
