#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/base/number.hpp>
#include <skel/detail/base/split.hpp>
#include <skel/detail/base/threads.hpp>
#include <skel/detail/platform/host_probe.hpp>

namespace skel::platform {
namespace {

using detail::tighten;
using std::filesystem::path;

/// The numbers of a file that begins with nothing else.
std::vector<double> read_numbers(path const& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  std::vector<double> numbers;
  for (auto const word : words_in(line)) {
    auto const number = number_in<double>(word);
    if (!number) break;
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<double> read_number(path const& file) {
  auto const numbers = read_numbers(file);
  if (!numbers.empty() && numbers[0] > 0) return numbers[0];  // -1 and "max" mean no limit
  return std::nullopt;
}

constexpr double micro = 1e-6, nano = 1e-9;

struct cpu_quota {
  double processors, period;  // the latter [s]
};

/// Version 2: "QUOTA PERIOD" or "max PERIOD" in one file [us].
std::optional<cpu_quota> read_cpu_max(path const& file) {
  auto const numbers = read_numbers(file);
  if (numbers.size() < 2 || !(numbers[0] > 0 && numbers[1] > 0)) return std::nullopt;
  return cpu_quota{numbers[0] / numbers[1], numbers[1] * micro};
}

std::optional<cpu_quota> read_cfs_quota(path const& group) {
  auto const quota = read_number(group / "cpu.cfs_quota_us"), period = read_number(group / "cpu.cfs_period_us");
  if (quota && period) return cpu_quota{*quota / *period, *period * micro};
  return std::nullopt;
}

/// The number that the file system of control groups gives one: paths may be other ones in other containers.
std::optional<std::uint64_t> number_of(path const& folder) {
  struct stat found {};
  if (::stat(folder.c_str(), &found) != 0) return std::nullopt;
  return found.st_ino;
}

/// Of equal quotas that of the outermost group counts, which has more processes.
void tighten_to(group_limits& limits, std::optional<cpu_quota> quota, path const& folder) {
  if (!quota || (limits.processors && *limits.processors < quota->processors)) return;
  limits.processors = quota->processors;
  limits.period = quota->period;
  limits.group = number_of(folder);
}

/// The number behind a key, in a file of lines "KEY NUMBER".
std::optional<double> read_entry(path const& file, std::string_view wanted) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);)
    if (auto const words = words_in(line); words.size() == 2 && words[0] == wanted) return number_in<double>(words[1]);
  return std::nullopt;
}

std::optional<double> scaled(std::optional<double> value, double unit) {
  if (value) *value *= unit;
  return value;
}

void raise(std::optional<double>& most, std::optional<double> value) {
  if (value && *value >= 0 && (!most || *value > *most)) most = value;
}

/// Names of the files of memory in a version of control groups.
struct memory_files {
  char const *limit, *used, *from_files;
};
constexpr memory_files version_1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
    version_2{"memory.max", "memory.current", "inactive_file"};

/// `with_use`: also the used part.
void read_memory(path const& folder, memory_files const& files, bool with_use, group_state& state) {
  auto const limit = read_number(folder / files.limit);
  tighten(state.limits.memory, limit);
  if (!with_use || !limit) return;
  auto const used = read_number(folder / files.used);
  if (!used) return;
  double const from_files = read_entry(folder / "memory.stat", files.from_files).value_or(0);
  tighten(state.memory_left, std::clamp(*limit - *used + from_files, 0.0, *limit));
}

group_state read_groups(path const& membership, path const& root, bool with_use) {
  group_state result;
  each_control_group(membership, root, [&](std::string const& controllers, path const& folder) {
    bool const unified = controllers.empty();
    if (unified || lists(controllers, "cpu")) {
      auto const quota = unified ? read_cpu_max(folder / "cpu.max") : read_cfs_quota(folder);
      tighten_to(result.limits, quota, folder);
      if (with_use && quota)
        raise(result.throttled, unified ? scaled(read_entry(folder / "cpu.stat", "throttled_usec"), micro)
                                        : scaled(read_entry(folder / "cpu.stat", "throttled_time"), nano));
    }
    if (unified || lists(controllers, "memory")) read_memory(folder, unified ? version_2 : version_1, with_use, result);
  });
  return result;
}

}  // namespace

double sustained_time(double computing, group_limits const& limits) {
  double const quota = limits.processors.value_or(1);
  return quota >= 1 ? computing : std::max(computing, std::min(computing / quota, limits.period));
}

group_limits read_group_limits(path const& membership, path const& root) {
  return read_groups(membership, root, false).limits;
}

group_state read_group_state(path const& membership, path const& root) {
  return read_groups(membership, root, true);
}

}  // namespace skel::platform
