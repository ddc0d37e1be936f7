#pragma once

#include <string>
#include <vector>

#include <skel/detail/record/bsp_record.hpp>
#include <skel/detail/record/run_record.hpp>

/// Traces in Chrome's trace event format (chrome://tracing, ui.perfetto.dev), in which a rank is a process. Both
/// functions throw skel::error if the file cannot be written.
namespace skel {

/// Of a pipeline: a thread for each worker, and a named slice for each batch. Batches that were measured before the run
/// are slices "calibration: STATION" of rank 0. O(spans).
void write_trace(record::run_record const& run, std::string const& file);

/// Of a BSP program: slices for migrations, computing and waiting, in this order in each group of supersteps.
/// Migrations that were made are marks at the rank that the process went to. O(cells + migrations).
void write_trace(record::bsp_timeline const& run, std::vector<record::bsp_migration> const& migrations,
                 std::string const& file);

}  // namespace skel
