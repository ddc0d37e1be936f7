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
#include <skel/detail/runtime/program.hpp>
#include <skel/detail/runtime/run_line.hpp>

/// How a run ends.
namespace skel::record {

template <class Archive>
void serialize(Archive& archive, station_record& r) {
  archive(r.station, r.name, r.rank, r.workers, r.items, r.items_out, r.source_items, r.batches, r.bytes_out,
          r.largest_batch, r.item_bytes, r.busy, r.blocked);
}

template <class Archive>
void serialize(Archive& archive, span& s) {
  archive(s.station, s.worker, s.begin, s.end, s.first_item, s.items);
}

template <class Archive>
void serialize(Archive& archive, remap_record& r) {
  archive(r.epoch, r.announced, r.begun, r.done, r.refused, r.rolled_back, r.stay, r.in_parts, r.repairs, r.moved);
}

template <class Archive>
void serialize(Archive& archive, checkpoint_record& c) {
  archive(c.written, c.skipped, c.failed, c.bytes, c.seconds, c.item, c.problem);
}

template <class Archive>
void serialize(Archive& archive, throughput_forecast& f) {
  archive(f.item, f.seconds, f.rate, f.low, f.high, f.drifts, f.why, f.items, f.lasted);
}

}  // namespace skel::record

namespace skel::runtime {

/// What one rank tells the others when it has come to rest.
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

  template <class Archive>
  void serialize(Archive& archive) {
    archive(stations, spans, forecasts, remaps, moves, checkpoints, final_ranks, ended_here, most_batches, items,
            most_items, begin_ns, first_ns, last_ns, over_ns, share, interrupted, failed);
  }
};

/// The station whose items are counted. A reduce gives fewer than it takes: what the source gave counts then.
std::size_t counted_station(program const& line);

/// What a run was, from what all ranks say, in their order, of which `rank` is this one. Throws skel::stage_error with
/// the earliest item that failed, and skel::cancelled, as run_line() does: the same on every rank.
record::run_record conclude(program const& line, plan::run_plan const& plan, std::vector<std::string> const& hosts,
                            std::vector<closing> const& all, int rank, run_options const& options);

}  // namespace skel::runtime
