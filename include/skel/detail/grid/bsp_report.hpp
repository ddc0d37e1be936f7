#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/record/bsp_record.hpp>

namespace skel {

/// Ranks of one cluster that are equally fast.
struct bsp_set {
  std::string name{};
  std::vector<int> ranks{};
  double speed = 1;    ///< of each rank, with all its threads [work units / s]
  double gap = 0;      ///< g between two of its ranks [s/B]; 0: there is one
  double latency = 0;  ///< between two of its ranks [s]
};

/// From one set to another one.
struct bsp_path {
  std::size_t from = 0, to = 0;  ///< sets
  double gap = 0;                ///< g [s/B]
  double latency = 0;            ///< [s]
};

/// How a BSP program would begin, and the price of its supersteps: w + g h + l. Here w is the work of the processes of
/// a rank over its speed, h the bytes that a process sends or gets [B], and l the barrier. Printing it says so.
struct bsp_plan {
  std::string name;
  std::string policy;                     ///< of migration
  std::vector<std::string> hosts;         ///< of each rank
  std::vector<std::size_t> processes_of;  ///< each rank, when it begins
  std::vector<std::size_t> threads;       ///< of each rank
  std::vector<bsp_set> sets;
  std::vector<bsp_path> paths;    ///< between each two sets, in both directions
  double barrier = 0;             ///< l of all ranks [s]
  double migration = 0;           ///< expected time of one beside its state, until some are measured [s]
  double migration_per_byte = 0;  ///< of these, for each byte of its state [s/B]
};

std::ostream& operator<<(std::ostream& out, bsp_plan const& plan);

/// The report of a run of a BSP program. Printing it shows its time, the work of each rank, and the migrations.
struct bsp_report {
  record::bsp_record run;
  std::optional<std::uint64_t> resumed{};  ///< after so many supersteps, from a checkpoint; nothing: it began
  std::string without_checkpoints{};       ///< why it keeps none although a folder is named; empty: it does

  /// Without those before the checkpoint from which it went on.
  std::uint64_t supersteps_made() const { return run.supersteps - std::min(run.supersteps, resumed.value_or(0)); }
};

std::ostream& operator<<(std::ostream& out, bsp_report const& report);

/// The same, with the value of a function for each process, in their order.
template <class Value>
struct bsp_results {
  bsp_report report;
  std::vector<Value> values;
};

}  // namespace skel
