#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace skel::testbed {

/// Groups of processes that have a limited part of the machine's processor time: control groups of Linux with a quota
/// of each period, in either version.
class cpu_groups {
 public:
  enum class version { one, two };

  /// Groups below this folder, where the controller of processors is mounted.
  cpu_groups(std::filesystem::path folder, version which) : folder_(std::move(folder)), version_(which) {}

  /// Where this machine has them, by a list of mounts (/proc/mounts). Throws skel::error where the controller of
  /// processors is in neither version.
  static cpu_groups find(std::filesystem::path const& mounts = "/proc/mounts");

  version which() const { return version_; }

  /// Makes a group. Throws skel::error where the system refuses, as all members do.
  void make(std::string const& name) const;
  /// Lets the group have so many cores' time. The period is the shortest in which that is a millisecond, the least that
  /// the kernel takes, but not below 10 ms: processes that have used theirs stand still for the rest of the period.
  void limit(std::string const& name, double cores) const;
  /// The process joins the group, with all that it starts from now on.
  void join(std::string const& name, pid_t process) const;
  std::vector<pid_t> members(std::string const& name) const;
  /// Removes a group without processes. What is not there is left alone.
  void remove(std::string const& name) const;
  /// The names that begin with `prefix`.
  std::vector<std::string> named(std::string const& prefix) const;

  /// Ends the processes of these groups: asks them to (SIGTERM), and after `grace` seconds no more (SIGKILL). Returns
  /// when there are none.
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
