#pragma once

#include <optional>
#include <string>
#include <vector>

#include <skel/detail/plan/run_plan.hpp>
#include <skel/detail/runtime/communicator.hpp>
#include <skel/detail/runtime/program.hpp>

#include "planner.hpp"

/// One instance of a serial stage sees all items, also over several runs of one composition, and so it is for source
/// and sink: where its state is, and where it has to go before it is used.
namespace skel {

/// The rank that stages are measured on.
inline constexpr int measuring_rank = 0;

/// Brings the states that earlier runs have left elsewhere to the rank that measures. Collective. Throws skel::error on
/// every rank for a stage whose state cannot travel, skel::stage_error where a serializer threw.
void bring_states(runtime::program const& line, runtime::communicator const& ranks);

/// Refuses to measure stages that may keep state and are pinned to another rank. Throws skel::error.
void check_pins(runtime::program const& line, processor_map const& where);

/// The rank that each stage has to be on, because its state is there and cannot travel; nothing where it is free.
std::vector<std::optional<int>> ranks_of_states(runtime::program const& line, bool measured);

/// Takes the states to where a plan wants the stages and remembers where they are. `measured`: the first items have
/// passed on the rank that measures. Collective; errors as of bring_states(). The plan fits (runtime::check_plan).
void settle_states(runtime::program const& line, plan::run_plan const& plan, bool measured,
                   runtime::communicator const& ranks);

/// The stream has ended: states are where the last plan had the stages, given as ranks of the workers of each.
void remember_states(runtime::program const& line, std::vector<std::vector<int>> const& ranks);

/// The stream has ended while it was measured: all states are there.
void settle_where_measured(runtime::program const& line);

}  // namespace skel
