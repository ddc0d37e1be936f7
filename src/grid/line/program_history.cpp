#include "program_history.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <string>
#include <utility>

#include <skel/detail/base/forced_uses.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/split.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/machine/first_load.hpp>

#include "forecast_doubt_text.hpp"

namespace skel {

forecast_doubt const& usual_forecast_doubt() {
  static forecast_doubt const known = [] {
    forecast_doubt doubt;
    for (auto const line : split(forecast_doubt_text(), '\n')) {
      auto const words = words_in(line);
      if (words.size() != 2) continue;
      for (auto const& [name, figure] :
           {std::pair("before", &doubt.before), std::pair("beside_others", &doubt.beside_others),
            std::pair("runs", &doubt.runs), std::pair("between", &doubt.between)})
        if (words[0] == name) *figure = number_in<double>(words[1]).value();
    }
    return doubt;
  }();
  return known;
}

namespace {

/// True if a station's time per item means the same in a run as in first items: its work is not stated, and it has no
/// copies. It also takes no results that a farm folds, of which there is one for each batch.
bool is_timed(runtime::program const& line, std::size_t s) {
  auto const& station = line.stations[s];
  return std::isnan(station.notes.work) && station.copies == nullptr &&
         (s == 0 || !line.stations[s - 1].folds_in_farm());
}

}  // namespace

program_history::program_history(std::shared_ptr<decision_store> store)
    : store_(std::move(store)),
      times_(store_->setup().known, {usual_forecast_doubt().before, usual_forecast_doubt().runs}),
      placements_(mapping::placement_choice(usual_forecast_doubt().before)),
      trees_(mapping::copy_tree_problem(usual_forecast_doubt().before)) {
  mapping::set_up(placements_, store_->setup());
  mapping::set_up(trees_, store_->setup());
}

program_history::~program_history() {
  store_->learnt(times_.entries());
  store_->learnt(mapping::to_entries(placements_.knowledge()));
  store_->learnt(mapping::to_entries(trees_.knowledge()));
}

std::uint64_t program_history::id_of(runtime::program const& line) {
  std::string all = std::string(program_invocation_short_name) + '\n' + line.types;
  for (auto const& station : line.stations)
    all += '\n' + station.notes.name + '\n' + std::to_string(station.notes.width);
  return mapping::id_of(all);
}

placed_run program_history::believe(runtime::program const& line, std::vector<runtime::station_cost> first,
                                    std::uint64_t first_items) const {
  placed_run run;
  run.believed = first;
  run.first = std::move(first);
  run.first_items = first_items;
  std::uint64_t const program = id_of(line);
  for (std::size_t s = 0; s < run.first.size(); ++s) {
    if (!is_timed(line, s) || !(run.first[s].seconds > 0)) continue;
    auto const time = times_.believe({program, s}, {run.first[s].seconds, run.first[s].doubt, 0});
    run.believed[s].seconds = time.seconds;
    run.believed[s].doubt = time.doubt;
    run.earlier_runs = std::max(run.earlier_runs, time.runs);
  }
  return run;
}

std::optional<std::string> program_history::forced() const {
  auto said = store_->forced(mapping::placement_choice::name);
  if (said) note_forced_use(mapping::placement_choice::name);
  return said;
}

std::vector<double> times_alone(runtime::program const& line, placed_run const& placed, record::run_record const& run,
                                std::function<double(std::size_t rank)> const& speed) {
  std::vector<double> alone(line.size(), 0), items(line.size(), 0);
  if (placed.first.empty()) return alone;
  for (auto const& one : run.stations) {
    if (!is_timed(line, one.station) || !(placed.first[one.station].seconds > 0)) continue;
    auto const rank = static_cast<std::size_t>(one.rank);
    double const share = rank < run.shares.size() ? run.shares[rank] : 1, waits = placed.first[one.station].waiting;
    alone[one.station] += one.busy / ((1 - waits) / share + waits) * speed(rank);
    items[one.station] += static_cast<double>(one.source_items);
  }
  for (std::size_t s = 0; s < alone.size(); ++s) alone[s] = items[s] > 0 ? alone[s] / items[s] : 0;
  return alone;
}

bool is_disturbed(record::run_record const& run) {
  double const least = run.shares.empty() ? 1 : *std::ranges::min_element(run.shares);
  return !(usual_forecast_doubt().beside_others * -std::log(least) <= usual_forecast_doubt().before);
}

std::string unlike_first_items(runtime::program const& line, placed_run const& placed,
                               std::vector<double> const& times) {
  static constexpr double rare = 1e-3, negligible = 0.01;
  double slowest = 0;
  for (std::size_t s = 0; s < placed.first.size(); ++s)
    slowest = std::max({slowest, times[s], times[s] > 0 ? placed.first[s].seconds : 0});
  std::string out;
  for (std::size_t s = 0; s < placed.first.size(); ++s) {
    double const first = placed.first[s].seconds;
    if (!(times[s] > 0) || !(first > 0) || std::max(first, times[s]) < negligible * slowest) continue;
    double const off = std::abs(std::log(times[s] / first)),
                 usual = std::hypot(usual_forecast_doubt().before, placed.first[s].doubt);
    if (off <= statistics::normal_reach(1 - rare) * usual) continue;
    out += (out.empty() ? "the first items were not like the others: '" : ", '") + line.stations[s].notes.name +
           "' took " + scaled(first, "s") + " for each of the first " + std::to_string(placed.first_items) + " and " +
           scaled(times[s], "s") + " for each of the others";
  }
  return out;
}

std::string program_history::observe(runtime::program const& line, placed_run const& placed,
                                     record::run_record const& run,
                                     std::function<double(std::size_t rank)> const& speed) {
  if (run.items == 0 || !(run.seconds > 0)) return {};
  double const seconds = run.seconds / static_cast<double>(run.items);
  bool const stood = placed.asked && run.moves == 0;
  if (others_count() && is_disturbed(run)) {
    if (stood) placements_.tell_measured(*placed.asked, {1, seconds});
    return store_->keeps() ? "other programs took so much of the cores that later runs learn nothing from this one"
                           : "";
  }
  auto const times = times_alone(line, placed, run, speed);
  std::vector<double> items(line.size(), 0), factors(line.size(), 1);
  for (auto const& one : run.stations) items[one.station] += static_cast<double>(one.source_items);
  std::uint64_t const program = id_of(line);
  for (std::size_t s = 0; s < placed.first.size(); ++s) {
    if (!(times[s] > 0)) continue;
    factors[s] = times[s] / placed.believed[s].seconds;
    if (items[s] > static_cast<double>(placed.first_items))
      times_.observe({program, s}, placed.first[s].seconds, times[s]);
  }
  if (!stood) return {};
  if (placed.filling > usual_forecast_doubt().between * run.seconds) {
    placements_.tell_measured(*placed.asked, {1, seconds});
    return {};
  }
  double const throughput = placed.repriced(factors);
  placements_.observe(*placed.asked, seconds, placed.throughput / throughput);
  for (auto const& [asked, period, items_of_batch] : placed.trees)
    trees_.observe(asked, seconds * items_of_batch,
                   std::max(items_of_batch / throughput, period) / std::max(asked.others, period));
  return {};
}

}  // namespace skel
