#include <skel/detail/runtime/line/run_line.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/archive.hpp>
#include <skel/detail/runtime/station/flow_control.hpp>
#include <skel/detail/runtime/threads/lanes.hpp>
#include <skel/detail/runtime/threads/worker_threads.hpp>

#include "closing.hpp"
#include "run_here.hpp"
#include "transport/mpi_transport.hpp"

namespace skel::runtime {

/// By what skel's own sources and sinks say of themselves (skel_constants()).
void check_files(program const& line) {
  auto const &from = line.stations.front(), &to = line.stations.back();
  std::string const reads = "reading ", writes = "writing ", devices = writes + "'/dev/";
  if (!to.constants.starts_with(writes) || to.constants.starts_with(devices)) return;
  std::string const file = to.constants.substr(writes.size());
  if (!from.constants.starts_with(reads + file)) return;
  throw error("sink '" + to.notes.name + "' writes the file " + file + ", which source '" + from.notes.name +
              "' reads: what has not been read yet would be lost; write another file, and rename it at the end");
}

void check_plan(program const& line, plan::run_plan const& plan, int ranks) {
  auto const refuse = [](std::string const& why) { throw error("the plan does not fit the program: " + why); };
  if (plan.stations.size() != line.size())
    refuse("it has " + std::to_string(plan.stations.size()) + " stations, the program has " +
           std::to_string(line.size()) + " (source and sink count)");
  if (!(plan.batch_latency > 0) || !std::isfinite(plan.batch_latency) || plan.batch_bytes == 0 ||
      plan.reorder_factor == 0)
    refuse("batch_latency, batch_bytes and reorder_factor must be positive, and batch_latency finite");
  if (!(plan.part_pause > 0)) refuse("part_pause must be positive");
  for (std::size_t s = 0; s < line.size(); ++s) {
    auto const& at = plan.stations[s].ranks;
    std::string const name = "station '" + line.stations[s].notes.name + "' ";
    if (at.empty()) refuse(name + "has no worker");
    if (!line.stations[s].replicable && !line.stations[s].copies && at.size() > 1)
      refuse(name + "is not a farm and has " + std::to_string(at.size()) + " workers");
    if (line.stations[s].copies) try {
        flow_control::copy_tree(plan.stations[s]);
      } catch (error const& e) {
        refuse(name + "cannot be run: " + e.what());
      }
    for (int rank : at)
      if (rank < 0 || rank >= ranks)
        refuse(name + "is on rank " + std::to_string(rank) + " of " + std::to_string(ranks));
    bool const stays = s == 0 || line.stations[s].input != nullptr;
    auto const all_on = [](std::vector<int> const& list, int rank) {
      return std::all_of(list.begin(), list.end(), [rank](int r) { return r == rank; });
    };
    if (!stays && !(all_on(at, at.front()) && all_on(plan.stations[s - 1].ranks, at.front())))
      refuse("items that cannot be sent (no skel::serializer of their type, or of one inside it) would have to reach " +
             name + "from another rank");
  }
  // Sites compare a station's credits times its neighbour's workers.
  std::size_t workers = 0, widest = 0;
  for (auto const& station : plan.stations)
    workers += station.ranks.size(), widest = std::max(widest, station.capacity);
  std::size_t const most = std::numeric_limits<std::size_t>::max() / workers;
  if (flow_control::most_parcels(line, plan) > most)
    refuse("it lets more than " + std::to_string(most) +
           " batches be under way, which cannot be counted: lower its reorder_factor (" +
           std::to_string(plan.reorder_factor) + ") or the capacity of its stations (up to " + std::to_string(widest) +
           ")");
}

void check_next_plan(program const& line, plan::run_plan const& now, plan::run_plan const& next, int ranks,
                     std::map<std::size_t, std::string> const& pinned) {
  check_plan(line, next, ranks);
  for (std::size_t s = 0; s < line.size(); ++s) {
    auto const& station = line.stations[s];
    bool const end = s == 0 || s + 1 == line.size();
    // If its state could not follow, its items would have to go there and back.
    bool const bound = station.state != nullptr && !station.replicable && !end &&
                       (station.input == nullptr || line.stations[s + 1].input == nullptr);
    auto const pin = pinned.find(s);
    if (!end && !station.copies && !station.stays() && !bound && pin == pinned.end()) continue;
    if (now.stations[s].ranks == next.stations[s].ranks && now.stations[s].parents == next.stations[s].parents)
      continue;
    throw error("station '" + station.notes.name + "' cannot be moved while the line runs: " +
                (end                   ? "it is the source or the sink"
                 : station.copies      ? "it is a broadcast stage"
                 : pin != pinned.end() ? pin->second
                 : station.stays()     ? "its state cannot travel (its type has no skel::serializer)"
                                       : "items that it takes or gives cannot travel, and it keeps something"));
  }
}

namespace {

std::vector<closing> exchange(communicator const& ranks, closing const& mine) {
  if (ranks.size() == 1) return {mine};
  std::vector<closing> all;
  for (std::string const& bytes : ranks.all_gather(to_bytes(mine))) all.push_back(from_bytes<closing>(bytes));
  all[static_cast<std::size_t>(ranks.rank())].failed = mine.failed;  // with its exception
  return all;
}

}  // namespace

record::run_record run_line(program const& line, plan::run_plan const& plan, communicator const& ranks,
                            run_options const& options) {
  check_plan(line, plan, ranks.size());
  mpi_transport among(ranks);
  record::process_clock turns;
  turns.read();
  closing mine = run_here<lanes>(line, plan, among, options, [&](auto const& make) { make_together(ranks, make); });
  if (auto const got = turns.read(); got.run > 0)
    mine.share = static_cast<double>(got.run) / static_cast<double>(got.run + got.waited);
  return conclude(line, plan, ranks.hosts(), exchange(ranks, mine), ranks.rank(), options);
}

}  // namespace skel::runtime
