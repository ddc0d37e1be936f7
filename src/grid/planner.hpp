#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <skel/grid/report.hpp>
#include <skel/grid/settings.hpp>
#include <skel/platform/description.hpp>
#include <skel/runtime/calibration.hpp>
#include <skel/runtime/program.hpp>

namespace skel {

/// The cores of a run's ranks as hosts of their own: what stages are placed on. Cores of one rank are a cluster.
struct processor_map {
  platform::description platform;
  std::vector<int> rank_of;  ///< per processor
};

/// Host i of the platform is rank i; speeds are divided by `unit`, the speed that counts as 1.
/// Throws skel::error when the platform has another number of hosts than there are ranks.
processor_map processors_of(platform::description const& ranks, std::size_t rank_count, double unit = 1);

/// Places a line and says what to expect of it. `costs` are seconds per item, one per station, measured on a processor
/// of speed `reference` [work units/s]; stations whose work the user has said take that instead.
/// Throws skel::error when nothing can be placed.
planned_program make_plan(runtime::program const& line, std::vector<runtime::station_cost> const& costs,
                          double reference, processor_map const& processors, run_settings const& settings);

}  // namespace skel
