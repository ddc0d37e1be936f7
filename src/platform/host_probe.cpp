#include <skel/platform/host_probe.hpp>

#include <hwloc.h>
#include <time.h>
#include <unistd.h>
#include <climits>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <skel/base/statistics.hpp>

namespace skel::platform {
namespace {

constexpr std::size_t steps_per_unit = 1'000'000;
constexpr std::size_t table_size = (std::size_t{1} << 20U) / sizeof(double);

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// One work unit. The table stays between 0 and 2: every value written is half of a sum of two values below 2.
double run_unit(std::vector<double>& table, std::uint64_t& state) {
  std::uint64_t x = state;
  double sum = 1;
  for (std::size_t step = 0; step < steps_per_unit; ++step) {
    x ^= x << 13U;
    x ^= x >> 7U;
    x ^= x << 17U;
    std::size_t const at = x % table_size;
    sum = 0.5 * sum + 0.5 * table[at];
    table[at] = sum;
    x += sum > 1;
  }
  state = x == 0 ? 1 : x;
  return sum;
}

void measure_speed(host_measurement& result, host_probe_options const& options) {
  result.speed = 1;
  if (options.repeats == 0) return;
  std::vector<double> table(table_size);
  for (std::size_t i = 0; i < table_size; ++i) table[i] = 2 * static_cast<double>(i) / static_cast<double>(table_size);
  std::uint64_t state = 88172645463325252U;
  double volatile sink = run_unit(table, state);  // warms up; volatile so that no unit is optimised away
  std::vector<double> speeds;
  double const end = seconds_of(CLOCK_MONOTONIC) + options.time_limit;
  while (speeds.size() < 3 || (speeds.size() < options.repeats && seconds_of(CLOCK_MONOTONIC) < end)) {
    double const start = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    sink = run_unit(table, state);
    double const taken = seconds_of(CLOCK_THREAD_CPUTIME_ID) - start;
    if (taken > 0) speeds.push_back(1 / taken);
  }
  static_cast<void>(sink);
  result.repeats = speeds.size();
  result.speed = statistics::median(speeds);
  result.speed_spread = statistics::deviation(speeds) / result.speed;
}

/// Median over rounds of a thousand items each: allocate, push under a lock, pop under a lock, free.
double measure_hand_over() {
  constexpr std::size_t rounds = 9, items = 1000;
  std::mutex guard;
  std::deque<std::unique_ptr<double>> queue;
  std::vector<double> times;
  for (std::size_t round = 0; round < rounds; ++round) {
    double const start = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    for (std::size_t i = 0; i < items; ++i) {
      auto item = std::make_unique<double>(static_cast<double>(i));
      {
        std::scoped_lock const lock(guard);
        queue.push_back(std::move(item));
      }
      std::scoped_lock const lock(guard);
      queue.pop_front();
    }
    times.push_back((seconds_of(CLOCK_THREAD_CPUTIME_ID) - start) / static_cast<double>(items));
  }
  return statistics::median(times);
}

struct topology_deleter {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};

void read_topology(host_measurement& result) {
  result.cores = std::max(1U, std::thread::hardware_concurrency());
  result.memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return;
  std::unique_ptr<hwloc_topology, topology_deleter> const topology(raw);
  if (hwloc_topology_load(raw) != 0) return;
  std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)> const usable(hwloc_bitmap_alloc(), &hwloc_bitmap_free);
  if (hwloc_get_cpubind(raw, usable.get(), HWLOC_CPUBIND_PROCESS) != 0)
    hwloc_bitmap_copy(usable.get(), hwloc_topology_get_allowed_cpuset(raw));
  hwloc_bitmap_and(usable.get(), usable.get(), hwloc_topology_get_allowed_cpuset(raw));
  std::size_t cores = 0;
  for (hwloc_obj_t core = hwloc_get_next_obj_by_type(raw, HWLOC_OBJ_CORE, nullptr); core != nullptr;
       core = hwloc_get_next_obj_by_type(raw, HWLOC_OBJ_CORE, core))
    if (hwloc_bitmap_intersects(core->cpuset, usable.get()) != 0) ++cores;
  if (cores == 0) cores = static_cast<std::size_t>(std::max(0, hwloc_bitmap_weight(usable.get())));
  if (cores > 0) result.cores = cores;
  if (auto const memory = hwloc_get_root_obj(raw)->total_memory; memory > 0)
    result.memory = static_cast<double>(memory);
}

}  // namespace

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  if (gethostname(name.data(), name.size() - 1) != 0 || name.front() == '\0') return "localhost";
  return name.data();
}

host_measurement probe_host(host_probe_options const& options) {
  host_measurement result;
  result.name = host_name();
  read_topology(result);
  measure_speed(result, options);
  result.hand_over = measure_hand_over();
  group_limits const limits = read_group_limits();
  if (limits.memory) result.memory = std::min(result.memory, *limits.memory);
  if (limits.processors) {
    result.cores = std::min(result.cores, static_cast<std::size_t>(std::ceil(*limits.processors)));
    result.speed *= std::min(1.0, *limits.processors);
  }
  return result;
}

}  // namespace skel::platform
