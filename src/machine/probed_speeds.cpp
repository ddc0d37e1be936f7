#include <skel/detail/machine/probed_speeds.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/statistics.hpp>

namespace skel {
namespace {

/// A contradiction by chance is as rare as that of a forecast (record::throughput_watch).
constexpr double rare = 1.0 / 1000;

/// Work of one farm's workers on one host.
struct host_work {
  double busy = 0, items = 0;
  std::size_t rank = 0;  // one of its ranks
};

/// Per host: how many times longer than on cores of their own its threads may have taken, as ln. They computed for that
/// much longer than its cores can.
std::map<std::string, double> stretches(rank_cores const& cores, record::run_record const& run) {
  std::vector<double> busy(cores.cores.size());
  for (auto const& one : run.stations) busy[cores.domain[static_cast<std::size_t>(one.rank)]] += one.busy;
  std::map<std::string, double> of;
  for (std::size_t r = 0; r < run.hosts.size(); ++r) {
    std::size_t const d = cores.domain[r];
    double const longest = static_cast<double>(cores.cores[d]) * run.seconds;
    of[run.hosts[r]] = std::max(of[run.hosts[r]], busy[d] > longest ? std::log(busy[d] / longest) : 0);
  }
  return of;
}

}  // namespace

std::vector<speed_correction> measured_speeds(run_platform const& probed, rank_cores const& cores,
                                              runtime::program const& line,
                                              std::vector<runtime::station_cost> const& costs,
                                              record::run_record const& run, double between) {
  SKEL_EXPECTS(probed.host_of_rank.size() == run.hosts.size() && cores.domain.size() == run.hosts.size());
  SKEL_EXPECTS(costs.empty() || costs.size() == line.size());
  if (costs.empty()) return {};
  auto const stretch = stretches(cores, run);
  std::map<std::uint32_t, std::map<std::string, host_work>> farms;
  for (auto const& one : run.stations) {
    auto const rank = static_cast<std::size_t>(one.rank);
    auto const& station = line.stations[one.station];
    if (!station.replicable || !std::isnan(station.notes.work) || one.items == 0) continue;
    auto& work = farms[one.station][run.hosts[rank]];
    work.busy += one.busy;
    work.items += static_cast<double>(one.items);
    work.rank = rank;
  }
  struct found {
    speed_correction correction;
    double error = 0;
    bool is_believed = false;
  };
  std::map<std::string, found> best;
  auto const host_of = [&](std::size_t rank) { return probed.picture.host(probed.host_of_rank[rank]); };
  double const reach = statistics::normal_reach(1 - rare), half_of_95 = statistics::normal_reach(0.95);
  for (auto const& [station, hosts] : farms) {
    double const waiting = -std::log1p(-costs[station].waiting);  // ln of how many times longer than it computed
    auto const& [reference, most] = *std::max_element(
        hosts.begin(), hosts.end(), [](auto const& a, auto const& b) { return a.second.items < b.second.items; });
    auto const beside = host_of(most.rank);
    for (auto const& [host, work] : hosts) {
      if (host == reference || !(work.busy > 0) || !(most.busy > 0)) continue;
      auto const here = host_of(work.rank);
      double const ratio = most.busy / most.items / (work.busy / work.items) * beside.speed / here.speed;
      double const error = std::hypot(std::hypot(between, waiting, std::sqrt(1 / work.items + 1 / most.items)),
                                      stretch.at(host), stretch.at(reference));
      double const doubt = std::hypot(here.doubt, beside.doubt) / half_of_95;
      auto const known = best.find(host);
      if (known != best.end() && known->second.error <= error) continue;
      double const off = std::abs(std::log(ratio));
      best[host] = {{{here.machine, here.speed * ratio, half_of_95 * error}, ratio},
                    error,
                    (error < doubt && off > error) || off > reach * std::hypot(error, doubt)};
    }
  }
  std::vector<speed_correction> out;
  for (auto const& [host, one] : best)
    if (one.is_believed) out.push_back(one.correction);
  return out;
}

std::string describe(std::vector<speed_correction> const& all) {
  std::string text;
  for (speed_correction const& one : all) {
    text += (text.empty() ? "'" : ", '") + one.now.machine + "' is " + fixed(one.factor, 2) +
            " times as fast as it was probed";
  }
  return text;
}

}  // namespace skel
