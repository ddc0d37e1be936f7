#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <skel/detail/cost/line.hpp>

namespace skel::cost {

/// Times of services and moves around their means.
enum class times {
  constant,     ///< always the mean
  exponential,  ///< the steady state is then that of solve_line()
};

struct simulation_options {
  times services = times::constant;
  times moves = times::constant;
  /// On demand, an item goes to a worker with fewest items, in turn among equals, as in skel's engine. Otherwise it
  /// goes to any with room, as in the exact model.
  bool fewest_first = false;
  std::size_t items = 20'000;  ///< that leave the line, the first tenth of which is not measured; at least 100
  std::uint64_t seed = 1;      ///< of exponential times and of choices among workers
  /// Per host that shares dynamically, by its number: workers that progress at their full rate at once. Hosts beyond
  /// the end have one core.
  std::vector<std::size_t> cores{};
  /// Per host, likewise: threads of other programs that always want to run there, and so leave workers less of its
  /// cores (cost/shared_cores.hpp). Hosts beyond the end have none.
  std::vector<double> others{};
  /// Per station: the part of its service time in which it waits for something other than a core, and leaves its own to
  /// others [0..1]. Stations beyond the end always compute.
  std::vector<double> waiting{};
  /// Most ends of services and of moves that are followed: the result is measured until then.
  std::size_t most_events = std::numeric_limits<std::size_t>::max();
};

struct simulation_result {
  double throughput = 0;      ///< items per second; 0 after too few events
  double standard_error = 0;  ///< of the throughput, by means of batches [1/s]; 0 if the line moves in a cycle
};

/// Follows items through a line, event by event: the price of a line whose times are not exponential. The line is that
/// of solve_line(). A station holds its item while it moves out. One move at a time passes between neighbours. On
/// demand, any worker with room gets an item and any that has finished gives one. Workers that share a host dynamically
/// progress at their rate times the cores of the host, divided by the number of contenders if these are more than the
/// cores. Contenders are the workers that process and do not wait, and threads of others.
/// Pure: equal options give equal results. O(events * (hosts + workers of a station)). Each item has two events in each
/// station; items that fill large buffers before a slow station come on top. Throws skel::input_error as check() does,
/// and for fewer than 100 items. Source: Law 2015, Simulation Modeling and Analysis, 5th ed., 1.3 (event by event) and
/// 9.5.3 (means of batches).
simulation_result simulate_line(line const& model, simulation_options const& options = {});

}  // namespace skel::cost
