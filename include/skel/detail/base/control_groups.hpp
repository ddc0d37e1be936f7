#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <skel/detail/base/split.hpp>

namespace skel {

/// Whether a list of names with commas between them has this name.
inline bool lists(std::string_view names, std::string_view wanted) {
  auto const all = split(names, ',');
  return std::ranges::find(all, wanted) != all.end();
}

/// Calls visit(controllers, folder) for each control group of a process, and for the groups around it, from inside out.
/// `controllers` is empty for version 2. Version 1 may mount a group under several names: `visit` is called for each,
/// and folders need not exist.
///
/// `membership` is /proc/PID/cgroup, or a file like it, and `root` is where control groups are mounted.
template <class Visit>
void each_control_group(std::filesystem::path const& membership, std::filesystem::path const& root, Visit visit) {
  namespace fs = std::filesystem;
  auto const inside_out = [&](std::string const& controllers, fs::path const& top, std::string const& group) {
    for (fs::path below = fs::path(group).relative_path();; below = below.parent_path()) {
      visit(controllers, below.empty() ? top : top / below);
      if (below.empty()) return;
    }
  };
  std::ifstream stream(membership);
  for (std::string line; std::getline(stream, line);) {  // "ID:CONTROLLERS:PATH"; no controllers: version 2
    std::size_t const first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    std::string const controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    inside_out(controllers, controllers.empty() ? root : root / controllers, group);
    if (controllers.empty()) inside_out(controllers, root / "unified", group);
    if (controllers.find(',') != std::string::npos)
      for (auto const name : split(controllers, ',')) inside_out(controllers, root / name, group);
  }
}

}  // namespace skel
