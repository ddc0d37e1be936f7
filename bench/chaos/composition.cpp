#include "chaos/composition.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include <cereal/types/map.hpp>

#include <skel/runtime/archive.hpp>

#include "chaos/outcome.hpp"

namespace bench {

habit parts::draw() {
  habit out;
  out.key = dice_.bits();
  out.order_matters = !free_order_;
  out.gives_on = dice_.one_in(3);
  std::size_t const what = dice_.below(4);
  if (what == 0 && items_ <= 3000) out.work = static_cast<std::uint32_t>(dice_.some(12));
  if (what == 1) {  // at most some 50 sleeps for all items
    out.sleep_every = static_cast<std::uint32_t>(std::max<std::size_t>(1, items_ / 50));
    out.sleep_us = static_cast<std::uint32_t>(20 + dice_.below(480));
  }
  return out;
}

std::vector<shape> const& all_shapes() {
  static std::vector<shape> const all = [] {
    std::vector<shape> out;
    for (auto part : {shapes_of_lines(), shapes_of_farms(), shapes_of_reductions()})
      std::move(part.begin(), part.end(), std::back_inserter(out));
    return out;
  }();
  return all;
}

namespace {

/// A limit of bytes, which makes long streams pass a few items at a time where it is low.
std::size_t some_limit(std::size_t items, dice& roll) {
  return (items > 300 ? std::size_t{1} << 16 : 1) + roll.some(20);
}

}  // namespace

skel::plan::run_plan random_plan(skel::runtime::program const& line, std::size_t items, int ranks, dice& roll) {
  auto const any_rank = [&] { return static_cast<int>(roll.below(static_cast<std::size_t>(ranks))); };
  skel::plan::run_plan plan;
  plan.stations.resize(line.size());
  for (std::size_t first = 0, end; first < line.size(); first = end) {
    // Stations between which items cannot travel stand on one rank, where what stays is since an earlier run.
    for (end = first + 1; end < line.size() && line.stations[end].input == nullptr;) ++end;
    std::optional<int> home;
    for (std::size_t s = first; s < end; ++s)
      if (auto const& station = line.stations[s]; station.stays() && station.home != nullptr && *station.home)
        home = *station.home;
    bool const together = end > first + 1;
    int const here = home.value_or(any_rank());
    for (std::size_t s = first; s < end; ++s) {
      auto const& station = line.stations[s];
      std::size_t const workers = station.replicable || station.copies ? roll.between(1, 5) : 1;
      auto& to = plan.stations[s];
      for (std::size_t w = 0; w < workers; ++w)
        to.ranks.push_back(together || (home && station.stays()) ? here : any_rank());
      to.capacity = roll.between(1, 4);
      if (station.copies && roll.one_in(2)) {
        std::vector<int> seen;
        for (int rank : to.ranks)
          if (std::find(seen.begin(), seen.end(), rank) == seen.end()) seen.push_back(rank);
        to.parents.assign(seen.size(), 0);
        for (std::uint32_t v = 1; v < to.parents.size(); ++v) {  // on the vertex before, or on one above that
          std::uint32_t above = v - 1;
          while (above != 0 && roll.one_in(2)) above = to.parents[above];
          to.parents[v] = above;
        }
      }
    }
  }
  plan.batch_latency = 1e-5 * static_cast<double>(roll.between(1, 500));
  plan.batch_bytes = (items > 3000 ? 1024 : 1) + roll.some(17);
  plan.direct_bytes = std::max<std::size_t>(1, roll.some(20));
  plan.reorder_factor = roll.between(1, 4);
  if (roll.one_in(3)) plan.most_bytes = some_limit(items, roll);
  return plan;
}

namespace {

/// What a program gave and what its functions said, of all its runs.
struct account {
  std::vector<std::uint64_t> digests;
  std::map<std::uint64_t, std::uint64_t> sums;

  void add(account const& other) {
    digests.insert(digests.end(), other.digests.begin(), other.digests.end());
    for (auto const& [key, sum] : other.sums) sums[key] += sum;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(digests, sums);
  }
};

/// What is wrong; empty: nothing.
std::string difference(account const& got, account const& expected) {
  if (got.digests.size() != expected.digests.size())
    return std::to_string(got.digests.size()) + " results instead of " + std::to_string(expected.digests.size());
  auto const [at, other] = std::mismatch(got.digests.begin(), got.digests.end(), expected.digests.begin());
  if (at != got.digests.end())
    return "result " + std::to_string(at - got.digests.begin()) + " of " + std::to_string(got.digests.size()) +
           " is another one";
  if (got.sums != expected.sums) {
    for (auto const& [key, sum] : expected.sums)
      if (auto const mine = got.sums.find(key); mine == got.sums.end() || mine->second != sum)
        return "function " + std::to_string(key) + " kept something else at its end";
    return "functions finished that the sequential engine has not";
  }
  return "";
}

/// How the runs of a case are made. The same on all ranks.
struct circumstances {
  shape const* what;
  std::size_t items, length, rounds;
  std::uint64_t program_seed;
  bool said_work;
};

circumstances draw_circumstances(dice& roll) {
  circumstances c;
  c.what = &all_shapes()[roll.below(all_shapes().size())];
  static constexpr std::size_t most[] = {3, 200, 200, 200, 3000, 3000, 3000, 20000};
  c.items = roll.below(std::min(c.what->most_items, most[roll.below(std::size(most))]) + 1);
  c.length = roll.below(c.items <= 100 ? 30000 : c.items <= 1000 ? 300 : 24);
  c.rounds = roll.one_in(4) ? 2 : 1;
  c.program_seed = roll.bits();
  c.said_work = roll.one_in(4);
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

outcome run_composition(skel::grid& grid, std::uint64_t seed) {
  dice roll(seed);
  circumstances const c = draw_circumstances(roll);
  item_length = c.length;
  outcome result{outcome::kind::fine, words_of(c)};

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
      settings.memory = roll.one_in(3) ? some_limit(c.items, roll) : 0;
      settings.batch_latency = 1e-5 * static_cast<double>(roll.between(1, 300));
      settings.calibration_time = roll.one_in(2) ? 0 : 1e-4 * static_cast<double>(roll.below(50));
      settings.planning_time = 0.02;
      if (roll.one_in(2) || cannot_be_measured(line)) {
        settings.plan = random_plan(line, c.items, grid.size(), roll);
        result.text += ", by hand";
      } else {
        settings.plan.reset();
        annotate(line, c, settings, grid.size(), roll);
        result.text += c.said_work ? ", planned" : ", measured and planned";
      }
      auto const report = grid.run(line);
      std::set<int> used;
      for (auto const& station : report.plan.run.stations) used.insert(station.ranks.begin(), station.ranks.end());
      result.text += used.empty() ? " (ended before)" : " (" + std::to_string(used.size()) + " ranks)";
      mine[round].digests = std::exchange(digests, {});
    }
  } catch (std::exception const& e) {
    error = e.what();
  }
  settings.plan.reset();
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
