#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/plan/collective_plan.hpp>

namespace bench {

/// One collective over all ranks: from the moment all of them start until the last one is done.
struct collective_measurement {
  skel::plan::collective operation = skel::plan::collective::broadcast;
  std::uint64_t bytes = 0;  ///< as plan::collective_problem counts them [B]
  std::size_t root = 0;
  std::optional<skel::plan::collective_plan> plan{};  ///< nothing: the simulator's own collective, by its selector

  friend bool operator==(collective_measurement const&, collective_measurement const&) = default;
};

/// Messages of one size between two ranks that do nothing else.
struct message_measurement {
  std::size_t from = 0, to = 1;
  std::uint64_t bytes = 0;

  friend bool operator==(message_measurement const&, message_measurement const&) = default;
};

/// What one run of the simulator is to measure: starting it costs as much as many measurements.
struct work_list {
  std::vector<collective_measurement> collectives{};
  std::vector<message_measurement> messages{};

  friend bool operator==(work_list const&, work_list const&) = default;
};

/// As it crosses from bench_grid to the simulated program. parse_work_list(to_json(w)) == w. Throws std::runtime_error
/// for text that is no work list.
std::string to_json(work_list const&);
work_list parse_work_list(std::string_view text);

/// Virtual times of messages [s].
struct message_times {
  double transfer = 0;  ///< of one message: from the start of its send until the receiver has it
  double gap = 0;       ///< between messages that follow each other at once
  double together = 0;  ///< platform::sharing_parameters, of eight messages
  double seconds = 0;   ///< that measuring took

  friend bool operator==(message_times const&, message_times const&) = default;
};

/// What was measured, in the order of the work list [s].
struct measured_times {
  std::vector<double> collectives{};  ///< not a number: the simulator's algorithm refuses the ranks
  std::vector<message_times> messages{};

  friend bool operator==(measured_times const&, measured_times const&) = default;
};

}  // namespace bench
