#include <skel/detail/platform/host_probe.hpp>

#include <hwloc.h>
#include <time.h>
#include <unistd.h>
#include <climits>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <skel/detail/base/shown.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/platform/kept_files.hpp>

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
  if (options.repeats == 0) return;
  std::vector<double> table(table_size);
  for (std::size_t i = 0; i < table_size; ++i) table[i] = 2 * static_cast<double>(i) / static_cast<double>(table_size);
  std::uint64_t state = 88172645463325252U;
  double volatile sink = run_unit(table, state);  // warms up; volatile so that no unit is optimised away
  std::vector<double> speeds;
  speeds.reserve(4 * std::max<std::size_t>(3, options.repeats));
  double const begin = seconds_of(CLOCK_MONOTONIC), end = begin + options.time_limit;
  double const used = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  auto const is_to_go_on = [&] {
    if (speeds.size() < 3) return true;
    bool const scatters = statistics::median_error(speeds) > sure_enough;
    return speeds.size() < options.repeats * (scatters ? 4 : 1) && seconds_of(CLOCK_MONOTONIC) < end;
  };
  while (is_to_go_on()) {
    double const start = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    sink = run_unit(table, state);
    double const taken = seconds_of(CLOCK_THREAD_CPUTIME_ID) - start;
    if (taken > 0) speeds.push_back(1 / taken);
  }
  static_cast<void>(sink);
  result.repeats = speeds.size();
  result.speed = statistics::median(speeds);
  result.speed_spread = statistics::deviation(speeds) / result.speed;
  double const passed = seconds_of(CLOCK_MONOTONIC) - begin, ran = seconds_of(CLOCK_THREAD_CPUTIME_ID) - used;
  result.load = passed > 0 ? std::clamp(1 - ran / passed, 0.0, 1.0) : 0;
  result.doubt = std::max(statistics::median_error(speeds), result.load);
}

/// Median over rounds that each copy more than caches hold.
double measure_copying() {
  constexpr std::size_t rounds = 5, bytes = std::size_t{16} << 20U;
  std::vector<char> from(bytes, 1), to(bytes, 2);
  std::vector<double> times(rounds);
  for (std::size_t round = 0; round < rounds; ++round) {
    double const start = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    std::memcpy(to.data(), from.data(), bytes);
    times[round] = seconds_of(CLOCK_THREAD_CPUTIME_ID) - start;
    from[round] = to[bytes - 1 - round];  // so that no copy is left out
  }
  return static_cast<double>(bytes) / std::max(statistics::median(std::move(times)), 1e-9);
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
using topology_pointer = std::unique_ptr<hwloc_topology, topology_deleter>;

/// Cores and nothing else: caches and devices take longer to find. Null where it cannot be read.
topology_pointer read_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  topology_pointer topology(raw);
  hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_load(raw) != 0) return nullptr;
  return topology;
}

/// The same for all callers: hwloc reads it in 2 to 3 ms. The process's part of it is asked for anew each time.
hwloc_topology_t shared_topology() {
  static auto* const all = new topology_pointer(read_topology());  // also for static objects that end later
  return all->get();
}

usable_cores cores_of(hwloc_topology_t topology) {
  using bitmap = std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)>;
  bitmap const usable(hwloc_bitmap_alloc(), &hwloc_bitmap_free);
  auto const allowed = hwloc_topology_get_allowed_cpuset(topology);
  if (hwloc_get_cpubind(topology, usable.get(), HWLOC_CPUBIND_PROCESS) != 0) hwloc_bitmap_copy(usable.get(), allowed);
  usable_cores result{0, {}};
  // If the system says nothing of cores, each processing unit counts as one.
  auto const type = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  for (hwloc_obj_t core = hwloc_get_next_obj_by_type(topology, type, nullptr); core != nullptr;
       core = hwloc_get_next_obj_by_type(topology, type, core)) {
    if (hwloc_bitmap_intersects(core->cpuset, allowed) != 0) ++result.host;
    if (hwloc_bitmap_intersects(core->cpuset, usable.get()) != 0) result.mine.push_back(core->logical_index);
  }
  result.host = std::max<std::size_t>(1, result.host);
  if (result.mine.empty()) result.mine = {0};
  return result;
}

void read_cores(host_measurement& result) {
  result.cores = std::max(1U, std::thread::hardware_concurrency());
  result.memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  auto* const topology = shared_topology();
  if (topology == nullptr) return;
  result.cores = cores_of(topology).mine.size();
  if (auto const memory = hwloc_get_root_obj(topology)->total_memory; memory > 0)
    result.memory = static_cast<double>(memory);
}

}  // namespace

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  if (gethostname(name.data(), name.size() - 1) != 0 || name.front() == '\0') return "localhost";
  return printable(name.data());
}

usable_cores find_usable_cores() {
  if (auto* const topology = shared_topology()) return cores_of(topology);
  usable_cores result{std::max<std::size_t>(1, std::thread::hardware_concurrency()), {}};
  for (std::size_t core = 0; core < result.host; ++core) result.mine.push_back(core);
  return result;
}

std::size_t granted_cores() {
  std::size_t const cores = find_usable_cores().mine.size();
  double const granted = read_group_limits().processors.value_or(static_cast<double>(cores));
  return std::max<std::size_t>(1, std::min(cores, static_cast<std::size_t>(std::ceil(granted))));
}

host_measurement probe_host(host_probe_options const& options) {
  host_measurement result;
  result.name = result.machine = host_name();
  result.date = utc_now();
  read_cores(result);
  measure_speed(result, options);
  result.hand_over = measure_hand_over();
  if (options.repeats > 0) result.copying = measure_copying();
  group_limits const limits = read_group_limits();
  if (limits.memory) result.memory = std::min(result.memory, *limits.memory);
  if (limits.processors) {
    result.cores = std::min(result.cores, static_cast<std::size_t>(std::ceil(*limits.processors)));
    result.speed *= std::min(1.0, *limits.processors);
  }
  return result;
}

}  // namespace skel::platform
