#include "live_lines.hpp"

#include <algorithm>
#include <map>

#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/record/history_recorder.hpp>

#include "moved_text.hpp"

namespace skel {

namespace {

constexpr std::size_t widest_stage = 20, widest_places = 24;

/// "0*2 3": ranks with how many workers are on each.
std::string ranks_shown(std::vector<int> const& ranks) {
  std::map<int, std::size_t> workers;
  for (int const rank : ranks) ++workers[rank];
  std::string out;
  for (auto const& [rank, count] : workers)
    out += (out.empty() ? "" : " ") + std::to_string(rank) + (count > 1 ? "*" + std::to_string(count) : "");
  return printable(out, widest_places);
}

double last_of(record::time_series const& values) {
  return values.empty() ? 0 : values.back().second;
}

std::string line_of_run(record::run_history const& run) {
  double const rate = run.counted < run.stations.size() ? last_of(rate_of(run, run.counted)) : 0;
  std::string out = print("skel: %.1f s, ", run.seconds) + counted(run.items, "item") + ", " + rated(rate);
  if (run.forecasts.empty() || !(run.forecasts.back().rate > 0)) return out;
  auto const& standing = run.forecasts.back();
  out += " (predicted " + rated(standing.rate);
  if (standing.has_interval()) out += ", " + rated(standing.low, "") + " to " + rated(standing.high, "");
  return out + ")";
}

std::string line_of_decisions(record::run_history const& run) {
  std::string out =
      "  " + counted(run.remap_decisions, "decision") + ", " + std::to_string(run.decisions_to_move) + " to move";
  if (run.decisions.empty()) return out;
  auto const& last = run.decisions.back();
  if (last.chosen >= last.ways.size()) return out;
  out += print("; after %.1f s ", last.seconds);
  if (!last.moved()) return out + "it stayed";
  std::string const stages = moved_text(run.stations, run.hosts, last.stages);
  if (!last.refused.empty()) return out + "a move was refused: " + last.refused + "; it was to move " + stages;
  return out + stages + ", to take " + scaled(last.expected, "s") +
         (last.took > 0 ? ", took " + scaled(last.took, "s") : "");
}

/// Of plans that nothing decided, which somebody gave.
std::string line_of_plans(record::run_history const& run) {
  auto const& last = run.remaps.back();
  std::string const stages = moved_text(run.stations, run.hosts, last.moved);
  std::string const failed = last.refused.empty() ? last.rolled_back : last.refused;
  std::string out = "  " + counted(run.remaps.all(), "other plan") + print("; after %.1f s ", last.announced);
  if (failed.empty()) return out + (stages.empty() ? "nothing moved" : stages);
  return out + (last.refused.empty() ? "a part was rolled back: " : "one was refused: ") + failed +
         (stages.empty() ? "" : "; it was to move " + stages);
}

}  // namespace

std::vector<std::string> live_lines(record::run_history const& run, std::size_t columns, std::size_t most_stages) {
  std::vector<std::string> out{line_of_run(run)};
  for (std::size_t s = 0; s < std::min(run.stations.size(), most_stages); ++s) {
    std::vector<int> const ranks =
        !run.places.empty() && s < run.places.back().ranks.size() ? run.places.back().ranks[s] : std::vector<int>{};
    std::string line =
        print("  %-20s on %-10s %14s  busy %3.0f %%", printable(run.stations[s], widest_stage).c_str(),
              ranks_shown(ranks).c_str(), rated(last_of(rate_of(run, s))).c_str(), 100 * last_of(busy_of(run, s)));
    if (s > 0) line += print("  %6.0f before it", last_of(under_way_before(run, s)));
    out.push_back(std::move(line));
  }
  if (run.stations.size() > most_stages)
    out.push_back("  and " + counted(run.stations.size() - most_stages, "more stage"));
  if (run.remap_decisions > 0)
    out.push_back(line_of_decisions(run));
  else if (!run.remaps.empty())
    out.push_back(line_of_plans(run));
  for (auto& line : out) line = printable(line, std::max<std::size_t>(3, columns));
  return out;
}

}  // namespace skel
