#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/grid/report.hpp>
#include <skel/detail/grid/settings.hpp>
#include <skel/detail/runtime/line/calibration.hpp>
#include <skel/detail/runtime/line/program.hpp>

#include "processor_map.hpp"
#include "program_history.hpp"

namespace skel {

/// Items whose type cannot leave a rank keep the stations at both ends where the source is.
std::vector<bool> tied_to_source(runtime::program const& line);

/// The ranks of each station of a line, each as often as it has workers there.
using station_ranks = std::vector<std::vector<int>>;

/// Adds a sentence to the notes of a plan.
void add_note(planned_program& plan, std::string const& note);

/// Places a line and says what to expect of it. Costs are those that `placed` believes, measured on a processor of
/// speed `reference` [work units/s], or 0 if nothing was measured. If the user has said the work of a station, that
/// counts instead. `state_on`: per station, the rank of its state, where it has to be (ranks_of_states()). `history`
/// decides between the placements of the search, or says which one is forced. `placed` is told the decision, and refers
/// to `line`. Throws skel::error if nothing can be placed, or not as it is forced.
planned_program make_plan(runtime::program const& line, double reference, processor_map const& processors,
                          std::vector<std::optional<int>> const& state_on, run_settings const& settings,
                          program_history& history, placed_run& placed);

}  // namespace skel
