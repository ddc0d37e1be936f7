#include "cpu_groups.hpp"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>

#include <skel/detail/base/number.hpp>
#include <skel/detail/base/split.hpp>

#include "descriptor.hpp"

namespace skel::testbed {
namespace {

namespace fs = std::filesystem;

bool lists(std::string const& text, char separator, std::string const& wanted) {
  std::istringstream list(text);
  for (std::string one; std::getline(list, one, separator);)
    if (one == wanted) return true;
  return false;
}

std::string first_line(fs::path const& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

/// Sends a signal to a process if it is of the group, even if another process has got its number in between.
void signal_member(pid_t process, std::string const& group, int number) {
  descriptor const held(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
  if (!held) return;  // it has ended
  std::ifstream membership("/proc/" + std::to_string(process) + "/cgroup");
  for (std::string line; std::getline(membership, line);)
    if (line.ends_with("/" + group)) {
      syscall(SYS_pidfd_send_signal, held.get(), number, nullptr, 0);
      return;
    }
}

}  // namespace

cpu_groups cpu_groups::find(fs::path const& mounts) {
  std::ifstream in(mounts);
  fs::path unified;
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string device, folder, type, options;
    fields >> device >> folder >> type >> options;
    if (type == "cgroup" && lists(options, ',', "cpu")) return {folder, version::one};
    if (type == "cgroup2" && lists(first_line(fs::path(folder) / "cgroup.controllers"), ' ', "cpu")) unified = folder;
  }
  if (!unified.empty()) return {unified, version::two};
  throw error("control groups: none has the controller of processors (cpu), in " + mounts.string() +
              "; mount one (mount -t cgroup -o cpu cgroup FOLDER), containers need it passed in");
}

void cpu_groups::write(std::string const& name, char const* file, std::string const& text) const {
  fs::path const path = name.empty() ? folder_ / file : folder_ / name / file;
  std::FILE* const out = std::fopen(path.c_str(), "we");
  if (out == nullptr) fail_by_errno(path);
  bool const written = std::fputs(text.c_str(), out) >= 0;
  if (std::fclose(out) != 0 || !written) fail_by_errno(path.string() + ": '" + text + "' is refused");
}

void cpu_groups::make(std::string const& name) const {
  if (version_ == version::two && !lists(first_line(folder_ / "cgroup.subtree_control"), ' ', "cpu"))
    write("", "cgroup.subtree_control", "+cpu");
  if (mkdir((folder_ / name).c_str(), 0755) != 0) fail_by_errno(folder_ / name);
}

void cpu_groups::limit(std::string const& name, double cores) const {
  constexpr double least_quota = 1000, shortest = 10'000, longest = 1'000'000;  // [us]; first and last are the kernel's
  double const period = std::ceil(std::clamp(least_quota / cores, shortest, longest));
  auto const quota = std::max(least_quota, std::round(cores * period));
  std::string const text[] = {std::to_string(std::llround(quota)), std::to_string(std::llround(period))};
  if (version_ == version::two) {
    write(name, "cpu.max", text[0] + " " + text[1]);
  } else {
    write(name, "cpu.cfs_period_us", text[1]);
    write(name, "cpu.cfs_quota_us", text[0]);
  }
}

void cpu_groups::join(std::string const& name, pid_t process) const {
  write(name, "cgroup.procs", std::to_string(process));
}

std::vector<pid_t> cpu_groups::members(std::string const& name) const {
  std::ifstream in(folder_ / name / "cgroup.procs");
  std::vector<pid_t> found;
  for (std::string line; std::getline(in, line);)
    if (auto const process = number_in<pid_t>(line)) found.push_back(*process);
  return found;
}

void cpu_groups::remove(std::string const& name) const {
  if (rmdir((folder_ / name).c_str()) != 0 && errno != ENOENT) fail_by_errno(folder_ / name);
}

std::vector<std::string> cpu_groups::named(std::string const& prefix) const {
  std::vector<std::string> found;
  std::error_code none;
  for (fs::directory_entry const& entry : fs::directory_iterator(folder_, none))
    if (std::string const name = entry.path().filename(); entry.is_directory(none) && name.starts_with(prefix))
      found.push_back(name);
  return found;
}

void cpu_groups::signal(std::string const& name, int number) const {
  for (pid_t const process : members(name)) signal_member(process, name, number);
}

void cpu_groups::end_processes(std::vector<std::string> const& names, double grace) const {
  using clock = std::chrono::steady_clock;
  constexpr double patience = 10;  // [s] for a process that the kernel cannot end yet, because a device has it
  auto const none_left = [&] {
    return std::ranges::all_of(names, [&](auto const& one) { return members(one).empty(); });
  };
  auto const asked = clock::now();
  for (std::string const& one : names) signal(one, SIGTERM);
  while (!none_left()) {
    double const waited = std::chrono::duration<double>(clock::now() - asked).count();
    if (waited > grace + patience)
      throw error("processes of " + joined(names) + " do not end; look at " + (folder_ / "NAME/cgroup.procs").string());
    if (waited > grace)
      for (std::string const& one : names) signal(one, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace skel::testbed
