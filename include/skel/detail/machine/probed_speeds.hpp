#pragma once

#include <string>
#include <vector>

#include <skel/detail/machine/rank_cores.hpp>
#include <skel/detail/machine/run_platform.hpp>
#include <skel/detail/record/run_record.hpp>
#include <skel/detail/runtime/line/calibration.hpp>
#include <skel/detail/runtime/line/program.hpp>

namespace skel {

/// A host whose speed a run has measured better than the probe.
struct speed_correction {
  platform::host_speed now;
  double factor = 1;  ///< its speed / the probed one, beside the host with most items
};

/// The hosts whose speeds a run knows better than the probe. The items that the workers of one farm took on two hosts
/// are alike, because a free worker takes the next one. So their times per item are inverse to the speeds of the hosts.
/// The host with most of a farm's items is the reference: only ratios are known. For each host the farm with the least
/// error counts. It is believed if it is surer than the probe was and differs from it by more than its own standard
/// error, or if it contradicts it at 1/1000. That error contains the one of a mean of so many exponential times, and
/// the usual variation of rates (`between`, a standard deviation of ln(rate)). It contains waiting for cores if the
/// threads of a host computed for longer than its cores can. Waiting for anything else (sleep, input and output) is as
/// long on every host; it counts by its length in first items. Farms with stated work (skel::work) tell nothing,
/// because their waiting was not measured.
///
/// `costs`: of the stations, in first items; none if none was measured. O(stations of the record).
std::vector<speed_correction> measured_speeds(run_platform const& probed, rank_cores const& cores,
                                              runtime::program const& line,
                                              std::vector<runtime::station_cost> const& costs,
                                              record::run_record const& run, double between);

/// The corrections as a sentence; empty for none.
std::string describe(std::vector<speed_correction> const& all);

}  // namespace skel
