#include "support/random_programs/programs.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include <cereal/types/map.hpp>

#include <skel/detail/runtime/archive.hpp>

#include "chaos/outcome.hpp"

namespace bench {

namespace {

/// How the runs of a case are made. The same on all ranks.
struct circumstances {
  shape const* what;
  std::size_t items, length, rounds;
  std::uint64_t program_seed;
  bool said_work;
};

circumstances draw_circumstances(dice& roll, std::optional<long_stream> const& moved) {
  constexpr std::size_t items_of_the_cheapest = 20000;
  circumstances c;
  c.what = &all_shapes()[roll.below(all_shapes().size())];
  static constexpr std::size_t most[] = {3, 200, 200, 200, 3000, 3000, 3000, 20000};
  c.items = roll.below(std::min(c.what->most_items, most[roll.below(std::size(most))]) + 1);
  c.length = roll.below(c.items <= 100 ? 30000 : c.items <= 1000 ? 300 : 24);
  c.rounds = roll.one_in(4) ? 2 : 1;
  c.program_seed = roll.bits();
  c.said_work = roll.one_in(4);
  if (moved) {
    c.items = std::max<std::size_t>(1, moved->items * c.what->most_items / items_of_the_cheapest);
    c.length = roll.below(24);
    c.rounds = 1;
  }
  return c;
}

/// What a user may say in the composition, said of its line.
void annotate(skel::runtime::program& line, circumstances const& c, skel::run_settings const& settings, int ranks,
              dice& roll) {
  for (std::size_t s = 1; s + 1 < line.size(); ++s) {
    auto& station = line.stations[s];
    if (c.said_work) station.notes.work = 1e-6 * static_cast<double>(roll.between(1, 100));
    if ((station.replicable || station.copies) && roll.one_in(3)) station.notes.width = roll.between(1, 4);
    bool const pinnable = station.input != nullptr && line.stations[s + 1].input != nullptr && !station.stays();
    if (pinnable && roll.one_in(6)) {
      station.notes.at.clear();
      std::size_t const workers =
          station.replicable || station.copies ? std::max<std::size_t>(1, station.notes.width) : 1;
      for (std::size_t w = 0; w < workers; ++w)
        station.notes.at.push_back(settings.platform->host_name(roll.below(static_cast<std::size_t>(ranks))));
    }
  }
}

/// Whether an earlier run by hand has left something on another rank that stays there.
bool cannot_be_measured(skel::runtime::program const& line) {
  return std::any_of(line.stations.begin(), line.stations.end(), [](skel::runtime::station const& s) {
    return s.stays() && s.home != nullptr && s.home->value_or(0) != 0;
  });
}

std::string words_of(circumstances const& c) {
  return c.what->name + ", " + std::to_string(c.items) + " items of up to " + std::to_string(c.length) + ", " +
         std::to_string(c.rounds) + " run(s)";
}

}  // namespace

outcome run_composition(skel::grid& grid, std::uint64_t seed, std::optional<long_stream> const& moved) {
  dice roll(seed);
  circumstances const c = draw_circumstances(roll, moved);
  item_length = c.length;
  outcome result{.text = words_of(c)};

  std::uint64_t round = 0;
  account expected;
  bool free_order = false;
  if (grid.rank() == 0) {
    auto reference = c.what->make(parts(c.program_seed, c.items, round, expected.digests));
    free_order = reference.free_order;
    for (; round < c.rounds; ++round) reference.run_alone();
  }
  expected.sums = said.take();

  std::vector<account> mine(c.rounds);  // the sink may be elsewhere in each run
  std::vector<std::uint64_t> digests;
  std::string error;
  auto app = c.what->make(parts(c.program_seed, c.items, round, digests));
  auto& settings = grid.settings();
  try {
    for (round = 0; round < c.rounds; ++round) {
      auto line = app.line();
      settings.capacity = roll.between(1, 4);
      settings.memory = !moved && roll.one_in(3) ? some_limit(c.items, roll) : 0;
      settings.batch_latency = 1e-5 * static_cast<double>(roll.between(1, 300));
      settings.calibration_time = roll.one_in(2) ? 0 : 1e-4 * static_cast<double>(roll.below(50));
      settings.planning_time = 0.02;
      if (moved || roll.one_in(2) || cannot_be_measured(line)) {
        settings.plan = random_plan(line, c.items, grid.size(), roll);
        result.text += ", by hand";
      } else {
        settings.plan.reset();
        annotate(line, c, settings, grid.size(), roll);
        result.text += c.said_work ? ", planned" : ", measured and planned";
      }
      if (moved || roll.one_in(2)) {
        settings.plan_period = moved ? moved->every : 1e-3 * static_cast<double>(roll.below(6));
        settings.next_plan = [&line, &c, &grid, moves = dice(roll.bits())](auto const& now, double) mutable {
          return std::optional(random_next_plan(line, now, c.items, grid.size(), moves));
        };
        result.text += ", moved";
      }
      auto const report = grid.run(line);
      settings.next_plan = nullptr;
      result.items += report.run.items;
      result.moves += report.run.moves;
      if (report.run.moves > 0) result.text += " " + std::to_string(report.run.moves) + " times";
      std::set<int> used;
      for (auto const& station : report.plan.run.stations) used.insert(station.ranks.begin(), station.ranks.end());
      result.text += used.empty() ? " (ended before)" : " (" + std::to_string(used.size()) + " ranks)";
      mine[round].digests = std::exchange(digests, {});
    }
  } catch (std::exception const& e) {
    error = e.what();
  }
  settings.plan.reset();
  settings.next_plan = nullptr;
  mine.front().sums = said.take();

  account got;
  for (account const& of_round : mine)
    for (std::string const& text : grid.ranks().all_gather(skel::runtime::to_bytes(of_round)))
      got.add(skel::runtime::from_bytes<account>(text));
  if (error.empty()) {
    if (free_order) {
      std::sort(got.digests.begin(), got.digests.end());
      std::sort(expected.digests.begin(), expected.digests.end());
    }
    error = difference(got, expected);
  }
  if (!error.empty()) {
    result.what = outcome::kind::failed;
    result.text += ": " + error;
  }
  return result;
}

}  // namespace bench
