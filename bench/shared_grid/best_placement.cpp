#include "shared_grid/best_placement.hpp"

#include <algorithm>
#include <array>

namespace bench {
namespace {

constexpr int hosts = 4;
constexpr std::size_t stages = 4;
/// What a rate may differ by because a run has an end.
constexpr double alike = 1e-3;

/// All placements, of which those count once that are the same but for hosts that nothing tells apart.
std::vector<station_ranks> all_placements(std::string const& scenario, int disturbed) {
  std::vector<station_ranks> out;
  std::array<int, stages> at{};
  for (int code = 0; code < hosts * hosts * hosts * hosts; ++code) {
    int rest = code;
    for (auto& one : at) one = rest % hosts, rest /= hosts;
    if (scenario == "leave" && std::ranges::count(at, disturbed) > 0) continue;
    if (scenario == "needed" && std::ranges::any_of(at, [&](int one) { return one != 0 && one != disturbed; }))
      continue;
    // Hosts that are like each other are used in their order.
    std::vector<int> met;
    for (int const one : at)
      if (one != 0 && one != disturbed && std::ranges::count(met, one) == 0) met.push_back(one);
    std::vector<int> like;
    for (int h = 1; h < hosts; ++h)
      if (h != disturbed) like.push_back(h);
    if (!std::ranges::equal(met, std::vector<int>(like.begin(), like.begin() + static_cast<int>(met.size())))) continue;
    station_ranks where{{0}};
    for (int const one : at) where.push_back({one});
    where.push_back({0});
    out.push_back(std::move(where));
  }
  return out;
}

}  // namespace

fixed_placement best_placement(std::string const& scenario, std::size_t host, std::size_t frames,
                               std::function<void(std::size_t, std::size_t)> const& told) {
  auto const all = all_placements(scenario, static_cast<int>(host));
  fixed_placement best;
  std::size_t done = 0;
  for (auto const& where : all) {
    auto const run =
        simulate({.scenario = scenario, .frames = frames, .disturbed_after = 0, .host = host, .placement = where});
    // Filling the line is not for good.
    auto const half = frames / 2;
    double const rate = static_cast<double>(frames - 1 - half) / (run.times.back() - run.times[half]);
    if (rate > best.rate * (1 + alike)) best = {where, rate};
    told(++done, all.size());
  }
  return best;
}

}  // namespace bench
