#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/plan/run_plan.hpp>
#include <skel/detail/record/run_record.hpp>
#include <skel/detail/runtime/archive.hpp>
#include <skel/detail/runtime/errors.hpp>
#include <skel/detail/runtime/line/program.hpp>
#include <skel/detail/runtime/line/run_line.hpp>

/// The end of a run.
namespace skel::runtime {

/// Report of one rank to the others when it has come to rest.
struct closing {
  std::vector<record::station_record> stations;
  std::vector<record::span> spans;
  record::first_and_last<record::throughput_forecast> forecasts;
  record::first_and_last<record::remap_record> remaps;  // of rank 0
  std::uint64_t moves = 0;                              // of rank 0
  record::checkpoint_record checkpoints;                // of rank 0
  std::vector<std::vector<int>> final_ranks;            // ranks of the workers of each station; of rank 0
  std::vector<std::uint32_t> ended_here;                // serial stations, with their state
  std::size_t most_batches = 0;                         // of rank 0
  std::uint64_t items = 0, most_items = 0;
  std::int64_t begin_ns = 0, first_ns = 0, last_ns = 0, over_ns = 0;
  double share = 1;  // of the time that this rank's threads wanted to run, in which they did
  bool interrupted = false;
  std::optional<failure> failed;
  SKEL_FIELDS(stations, spans, forecasts, remaps, moves, checkpoints, final_ranks, ended_here, most_batches, items,
              most_items, begin_ns, first_ns, last_ns, over_ns, share, interrupted, failed);
};

/// The station whose items are counted. A reduce gives fewer than it takes: then the items of the source count.
std::size_t counted_station(program const& line);

/// The record of a run from what all ranks say, in their order; `rank` is this one. Throws skel::stage_error with the
/// earliest item that failed, and skel::cancelled, as run_line() does: the same on every rank.
record::run_record conclude(program const& line, plan::run_plan const& plan, std::vector<std::string> const& hosts,
                            std::vector<closing> const& all, int rank, run_options const& options);

}  // namespace skel::runtime
