#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/pattern/migration_settings.hpp>
#include <skel/detail/platform/description.hpp>
#include <skel/detail/record/superstep.hpp>
#include <skel/detail/record/workload.hpp>

namespace skel::platform {

/// The input of a simulation: a BSP program, its first hosts, and how its processes may migrate.
struct bsp_scenario {
  description machine;
  record::workload program;
  std::vector<std::size_t> hosts;                     ///< of each process, in the beginning
  std::vector<double> state_bytes;                    ///< of each process
  std::vector<bool> pinned;                           ///< of each process; empty: none
  double migration_fixed = 0;                         ///< of one migration beside its state [s]
  double migration_per_byte = 0;                      ///< of its state, beside the path that it takes [s/B]
  std::vector<double> memory;                         ///< of each host, for its processes [B]; empty: no limit
  std::shared_ptr<record::memory_needs const> needs;  ///< memory that processes need; null: their states
  std::optional<double> beta;                         ///< as cost::bsp::machine::beta
  std::vector<std::int64_t> tasks;    ///< of each process: its number in the files that it is from; empty: it has none
  std::vector<double> external_load;  ///< of each host, as record::superstep; empty: none
  skeletons::migration_settings policy;
};

/// The most loads of a scenario: supersteps times processes and hosts. It takes seconds to simulate them, more with
/// many clusters.
inline constexpr std::size_t most_loads = 50'000'000;

/// A program with measured loads, as data files of other systems describe it.
struct measured_program {
  record::load_trace program;  ///< tasks are processes, seconds work units; those of rank 0 first
  std::size_t rank_count = 0;
  std::vector<std::size_t> ranks;                      ///< of each process: where it was first
  std::vector<std::int64_t> ids;                       ///< of each process, as in the files
  std::vector<bool> pinned;                            ///< of each process: not migratable; empty: none
  std::vector<double> state_bytes;                     ///< of each process: serialized bytes, else its footprint
  std::shared_ptr<record::memory_needs const> memory;  ///< reserved: of each rank; null: the files say nothing of it
};

/// Reads the files of `ranks` ranks, or of all, whose names begin with `prefix`. `subphases`, `most` and errors: as
/// formats::join_lb_data.
using data_reader = measured_program (*)(std::filesystem::path const& prefix, std::optional<std::size_t> ranks,
                                         bool subphases, std::size_t most);

/// Reads a scenario (JSON, "skel_bsp": 1; the format is in docs/formats.md). Reads also the platform and the data files
/// that it names; a relative path is beside `folder`. `read_data`: reads these data files; null: a workload of them is
/// refused. Throws skel::input_error with the file, the path inside it and the reason.
bsp_scenario parse_bsp_scenario(std::string_view text, std::string const& source, std::filesystem::path const& folder,
                                data_reader read_data = nullptr);

/// The scenario as text that parse_bsp_scenario reads back. Precondition: it has no `needs` and no `tasks`, which only
/// data files of other systems have.
std::string to_text(bsp_scenario const& of);

}  // namespace skel::platform
