#include "support/random_programs/programs.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

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
    for (auto part :
         {shapes_of_lines(), shapes_of_farms(), shapes_of_reductions(), shapes_of_emitters(), shapes_of_parts()})
      std::move(part.begin(), part.end(), std::back_inserter(out));
    return out;
  }();
  return all;
}

std::size_t some_limit(std::size_t items, dice& roll) {
  return (items > 300 ? std::size_t{1} << 16 : 1) + roll.some(20);
}

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

skel::plan::run_plan random_next_plan(skel::runtime::program const& line, skel::plan::run_plan const& now,
                                      std::size_t items, int ranks, dice& roll) {
  skel::plan::run_plan next = now;
  auto const other = random_plan(line, items, ranks, roll);
  for (std::size_t first = 0, end; first < line.size(); first = end) {
    for (end = first + 1; end < line.size() && line.stations[end].input == nullptr;) ++end;
    bool moves = first > 0 && end < line.size() && roll.one_in(2);
    for (std::size_t s = first; s < end; ++s) {
      auto const& station = line.stations[s];
      bool const held = station.state != nullptr && !station.replicable && end > first + 1;
      moves = moves && !station.copies && !station.stays() && !held;
    }
    for (std::size_t s = first; s < end && moves; ++s) next.stations[s] = other.stations[s];
  }
  return next;
}

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

}  // namespace bench
