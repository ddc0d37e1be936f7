#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace skel::testbed {

/// Groups of processes with a limited part of the machine's processor time: control groups of Linux with a quota of
/// each period, in either version.
class cpu_groups {
 public:
  enum class version { one, two };

  /// Groups below this folder, the mount point of the controller of processors.
  cpu_groups(std::filesystem::path folder, version which) : folder_(std::move(folder)), version_(which) {}

  /// Finds the groups of this machine by a list of mounts (/proc/mounts). Throws skel::error if neither version has the
  /// controller of processors.
  static cpu_groups find(std::filesystem::path const& mounts = "/proc/mounts");

  version which() const { return version_; }

  /// Makes a group. Throws skel::error if the system refuses, as all members do.
  void make(std::string const& name) const;
  /// Lets the group have so many cores' time. The quota is at least a millisecond, the kernel's limit. The period is
  /// the shortest for it, from 10 ms to 1 s: a group that has used its quota stands still for the rest of it.
  void limit(std::string const& name, double cores) const;
  /// The process joins the group, with all that it starts from now on.
  void join(std::string const& name, pid_t process) const;
  std::vector<pid_t> members(std::string const& name) const;
  /// Removes a group without processes. Ignores a missing one.
  void remove(std::string const& name) const;
  /// The names that begin with `prefix`.
  std::vector<std::string> named(std::string const& prefix) const;

  /// Ends the processes of these groups with SIGTERM, and after `grace` seconds with SIGKILL. Returns when there are
  /// none.
  void end_processes(std::vector<std::string> const& names, double grace) const;

 private:
  void write(std::string const& name, char const* file, std::string const& text) const;
  void signal(std::string const& name, int number) const;

  std::filesystem::path folder_;
  version version_;
};

/// The least that a group can be given of a core.
inline constexpr double least_cores = 0.001;

}  // namespace skel::testbed
