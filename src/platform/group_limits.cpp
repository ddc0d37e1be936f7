#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include <skel/detail/platform/host_probe.hpp>

namespace skel::platform {
namespace {

using std::filesystem::path;

std::optional<double> read_number(path const& file) {
  std::ifstream stream(file);
  double value = 0;
  if (stream >> value && value > 0) return value;  // -1 and "max" mean no limit
  return std::nullopt;
}

void tighten(std::optional<double>& limit, std::optional<double> value) {
  if (value && (!limit || *value < *limit)) limit = value;
}

/// Version 2: "QUOTA PERIOD" or "max PERIOD" in one file.
std::optional<double> read_cpu_max(path const& file) {
  std::ifstream stream(file);
  double quota = 0, period = 0;
  if (stream >> quota >> period && quota > 0 && period > 0) return quota / period;
  return std::nullopt;
}

std::optional<double> read_cfs_quota(path const& group) {
  auto const quota = read_number(group / "cpu.cfs_quota_us"), period = read_number(group / "cpu.cfs_period_us");
  if (quota && period) return *quota / *period;
  return std::nullopt;
}

bool lists(std::string_view controllers, std::string_view wanted) {
  std::istringstream list{std::string(controllers)};
  for (std::string name; std::getline(list, name, ',');)
    if (name == wanted) return true;
  return false;
}

/// Calls `visit` with the group's folder below `top` and every folder above it, `top` included.
template <class Visit>
void each_group(path const& top, std::string const& group, Visit visit) {
  for (path below = path(group).relative_path();; below = below.parent_path()) {
    visit(below.empty() ? top : top / below);
    if (below.empty()) return;
  }
}

}  // namespace

group_limits read_group_limits(path const& membership, path const& root) {
  group_limits result;
  std::ifstream stream(membership);
  for (std::string line; std::getline(stream, line);) {  // "ID:CONTROLLERS:PATH"; no controllers: version 2
    std::size_t const first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    std::string const controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    if (controllers.empty()) {
      for (path const& top : {root, root / "unified"})
        each_group(top, group, [&](path const& folder) {
          tighten(result.processors, read_cpu_max(folder / "cpu.max"));
          tighten(result.memory, read_number(folder / "memory.max"));
        });
      continue;
    }
    if (lists(controllers, "cpu"))
      for (path const& top : {root / controllers, root / "cpu"})
        each_group(top, group, [&](path const& folder) { tighten(result.processors, read_cfs_quota(folder)); });
    if (lists(controllers, "memory"))
      each_group(root / controllers, group,
                 [&](path const& folder) { tighten(result.memory, read_number(folder / "memory.limit_in_bytes")); });
  }
  return result;
}

}  // namespace skel::platform
