#pragma once

#include <string>
#include <vector>

#include <skel/detail/machine/find_hosts.hpp>
#include <skel/detail/machine/rank_cores.hpp>
#include <skel/detail/record/run_record.hpp>
#include <skel/detail/runtime/line/calibration.hpp>
#include <skel/detail/runtime/line/program.hpp>

namespace skel {

/// A host whose speed a run has measured better than the probe.
struct speed_correction {
  platform::host_speed now;
  double factor = 1;  ///< its speed is this many times what was probed, beside the host with most items
};

/// The hosts whose speeds a run tells better than the probe. The items that the workers of one farm took on two hosts
/// are alike, because a free worker takes the next one; so their times per item are to each other as the speeds of the
/// hosts are the other way round. The host that took most of a farm's items is what the others are compared with: a
/// ratio is all that is known. The farm that tells most of a host is believed where it is surer than the probe was and
/// differs from it by more than its own standard error, or contradicts it at 1/1000. That error is of the mean of so
/// many exponential times, of what rates usually move by (`between`, a standard deviation of ln(rate)), of waiting for
/// cores, where the threads of a host computed for longer than its cores can, and of waiting for anything else (sleep,
/// input and output), which is as long on every host, by as much as it was in first items. Farms whose work was said
/// (skel::work) tell nothing, because how long they wait was not measured.
///
/// `costs`: of the stations, in first items; none where none was measured. O(stations of the record).
std::vector<speed_correction> measured_speeds(run_platform const& probed, rank_cores const& cores,
                                              runtime::program const& line,
                                              std::vector<runtime::station_cost> const& costs,
                                              record::run_record const& run, double between);

/// What was corrected, as a sentence; empty for none.
std::string describe(std::vector<speed_correction> const& all);

}  // namespace skel
