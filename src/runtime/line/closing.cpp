#include "closing.hpp"

#include <algorithm>

#include <skel/detail/runtime/station/flow_control.hpp>

namespace skel::runtime {

std::size_t counted_station(program const& line) {
  bool const folds = std::any_of(line.stations.begin(), line.stations.end(), [](station const& s) { return s.folds; });
  return folds ? 0 : line.size() - 1;
}

record::run_record conclude(program const& line, plan::run_plan const& plan, std::vector<std::string> const& hosts,
                            std::vector<closing> const& all, int rank, run_options const& options) {
  // All report the earliest item that failed; only its rank knows the exception itself.
  failure const* first = nullptr;
  bool interrupted = false;
  for (closing const& one : all) {
    interrupted = interrupted || one.interrupted;
    if (one.failed && (first == nullptr || one.failed->item < first->item)) first = &*one.failed;
  }
  if (first != nullptr) throw_failure(first->rank == rank ? *all[static_cast<std::size_t>(rank)].failed : *first);
  if (interrupted)
    throw cancelled("the run was cancelled before its stream had ended; items that a sink had taken by then are done");

  record::run_record result;
  result.final_ranks = all.front().final_ranks;
  for (std::size_t r = 0; r < all.size(); ++r)
    for (std::uint32_t const station : all[r].ended_here)
      if (!line.stations[station].replicable && !line.stations[station].copies)
        result.final_ranks[station] = {static_cast<int>(r)};
  result.checkpoints = all.front().checkpoints;
  result.remaps = all.front().remaps;
  result.moves = all.front().moves;
  result.hosts = hosts;
  for (station const& s : line.stations) result.names.push_back(s.notes.name);
  result.most_batches = all.front().most_batches;
  result.batch_bytes = plan.batch_bytes;
  result.memory_limit = plan.most_bytes;
  result.places = flow_control::most_places(line, plan);
  for (closing const& one : all) {
    result.items += one.items;
    result.most_items += one.most_items;                           // the source's rank says it
    if (!one.forecasts.empty()) result.forecasts = one.forecasts;  // the rank that counts has them
    result.stations.insert(result.stations.end(), one.stations.begin(), one.stations.end());
    result.shares.push_back(one.share);
    if (options.trace) result.spans.push_back(one.spans);
  }
  std::stable_sort(result.stations.begin(), result.stations.end(),
                   [](auto const& a, auto const& b) { return a.station < b.station; });
  // Clocks of one host agree. If the sink is on another, the source's rank says when it heard of the end.
  auto const source = static_cast<std::size_t>(plan.stations.front().ranks.front());
  auto const sink = static_cast<std::size_t>(plan.stations.back().ranks.front());
  bool const one_clock = result.hosts[source] == result.hosts[sink];
  std::int64_t const end = one_clock ? all[sink].last_ns : all[source].over_ns;
  result.seconds = static_cast<double>(end - all[source].first_ns) * 1e-9;
  // Forecasts say when they were made by the clock of the rank that counts, from when it began.
  auto const counts = static_cast<std::size_t>(plan.stations[counted_station(line)].ranks.front());
  if (result.hosts[source] == result.hosts[counts])
    for (auto& f : result.forecasts)
      if (!f.why.empty())
        f.seconds = std::max(0.0, f.seconds - static_cast<double>(all[source].first_ns - all[counts].begin_ns) * 1e-9);
  record::judge(result.forecasts, options.first_item, result.items, result.seconds);
  return result;
}

}  // namespace skel::runtime
