#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/plan/run_plan.hpp>
#include <skel/detail/runtime/line/program.hpp>
#include <skel/detail/runtime/ranks/communicator.hpp>

#include "planner.hpp"

/// One instance of a serial stage sees all items, also over several runs of one composition. The same holds for source
/// and sink. This file tells where its state is, and where it has to go before it is used.
namespace skel {

/// The rank that stages are measured on.
inline constexpr int measuring_rank = 0;

/// Brings the states that earlier runs have left elsewhere to the rank that measures. Collective. Throws skel::error on
/// every rank for a stage whose state cannot travel, and skel::stage_error if a serializer threw. Each state is where
/// it was then, or has come.
void bring_states(runtime::program const& line, runtime::communicator const& ranks);

/// Refuses to measure stages that may keep state and are pinned to another rank. Throws skel::error.
void check_pins(runtime::program const& line, processor_map const& where);

/// The rank that each stage has to be on, because its state is there and cannot travel; nothing where it is free.
std::vector<std::optional<int>> ranks_of_states(runtime::program const& line, bool measured);

/// Takes the states to where a plan wants the stages and remembers where they are. `measured`: the first items have
/// passed on the rank that measures. If a serializer throws, or there is no memory, the state is where it was and its
/// stage stays there. The plan says so then, and the result says why, by station. Collective. Throws skel::error on
/// every rank for a stage whose state cannot travel. Throws skel::stage_error for one that is pinned to a host and
/// would have to stay on another. The plan fits (runtime::check_plan), before and after.
std::map<std::size_t, std::string> settle_states(runtime::program const& line, plan::run_plan& plan, bool measured,
                                                 runtime::communicator const& ranks);

/// The stream has ended: states are where the last plan had the stages, given as ranks of the workers of each.
void remember_states(runtime::program const& line, std::vector<std::vector<int>> const& ranks);

/// The stream has ended while it was measured: all states are there.
void settle_where_measured(runtime::program const& line);

}  // namespace skel
