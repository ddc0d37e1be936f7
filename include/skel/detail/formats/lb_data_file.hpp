#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <skel/detail/platform/bsp_scenario.hpp>

namespace skel::formats {

/// An entity of a data file: tasks and ends of messages carry it. Numbers of tasks that are migratable, and those of
/// tasks that stay on a rank, are apart.
struct lb_entity {
  std::int64_t id = 0;
  bool sequential = false;                ///< a "seq_id"; otherwise an "id" of vt, whose bits say more
  std::optional<std::size_t> fixed_on{};  ///< the rank of a task that is not migratable; nothing: it is

  friend auto operator<=>(lb_entity const&, lb_entity const&) = default;
};

/// A task in a phase.
struct lb_task {
  lb_entity entity;
  double seconds = 0;
  std::vector<double> subphases{};         ///< seconds of each, where the file has them
  double footprint = 0, working = 0;       ///< memory all the time, and more while it computes [B]
  std::optional<double> serialized{};      ///< what moves with it [B]
  std::optional<std::size_t> block{};      ///< data that it shares with other tasks
  double block_bytes = 0, rank_bytes = 0;  ///< of these data, and of its rank beside all tasks [B]
};

/// Bytes from one task to another.
struct lb_message {
  lb_entity from, to;
  double bytes = 0;
};

struct lb_phase {
  std::size_t id = 0;
  std::vector<lb_task> tasks;
  std::vector<lb_message> messages;  ///< those of type SendRecv between objects
};

/// One rank's file of measured loads and messages.
struct lb_data_file {
  std::vector<lb_phase> phases;  ///< by id, each once
  std::vector<std::pair<std::size_t, std::size_t>>
      same{};  ///< first and last of those that are not there, because they are like the one before; apart, in order
};

/// Reads a data file of the load-balancing framework of DARMA/vt ("LBDatafile": what vt writes with --vt_lb_data, not
/// compressed; the format is in docs/formats.md). `rank`: whose file it is. Throws skel::input_error with the file, the
/// path inside it ("phases[0].tasks[3].time") and the reason. Source: docs/md/node-lb-data.md and
/// scripts/LBDatafile_schema.py of github.com/DARMA-tasking/vt.
lb_data_file parse_lb_data_file(std::string_view text, std::string const& source, std::size_t rank);

/// Phases become supersteps; with `subphases`, each subphase does, and a phase's messages go in its last one. Sources
/// name the files in errors. Throws skel::input_error where files do not fit together, or would be more than `most`
/// supersteps times processes.
platform::measured_program join_lb_data(std::vector<lb_data_file> const& of_ranks,
                                        std::vector<std::string> const& sources, bool subphases, std::size_t most);

/// A platform::data_reader of PREFIX.0.json, PREFIX.1.json, ...
platform::measured_program read_lb_data(std::filesystem::path const& prefix, std::optional<std::size_t> ranks,
                                        bool subphases, std::size_t most);

}  // namespace skel::formats
