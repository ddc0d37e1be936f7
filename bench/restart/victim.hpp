#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "restart/program.hpp"

namespace bench {

/// How a victim is started.
struct victim_options {
  std::size_t ranks = 1;  ///< under mpirun, or alone where it is 1 and `alone`
  bool alone = false;
  std::size_t restarts = 50;
  double period = 0.02;  ///< of checkpoints [s]
  std::string shell{};   ///< words of a shell before the command: "ulimit -f 100;"
};

/// A program under `skel run` in a folder of its own, which is removed with it. Its output goes to a file.
class victim {
 public:
  victim(std::filesystem::path folder, restart_program what);
  ~victim();
  victim(victim const&) = delete;
  victim& operator=(victim const&) = delete;

  std::filesystem::path checkpoints() const { return folder_ / "checkpoints"; }
  std::filesystem::path out() const { return what_.out; }
  /// The newest file of a checkpoint; empty: there is none.
  std::filesystem::path newest() const;

  void start(victim_options const& how);
  /// Waits for its end, at most so long [s]. Its status, or minus the signal; nothing: it goes on.
  std::optional<int> wait(double seconds);
  /// Waits for another checkpoint than those that there are now. False: it has ended, or 20 s are over.
  bool wait_for_checkpoint();
  /// Processes that run the program, and mpirun's; not skel run.
  std::vector<pid_t> ranks() const;
  std::optional<pid_t> mpirun() const;
  /// Ends all of it.
  void end();

  /// What it and skel run have written on standard error so far.
  std::string said() const;
  /// Empty: the file is right.
  std::string difference() const { return difference_from_expected(what_); }

 private:
  std::vector<pid_t> processes(bool of_mpirun) const;

  std::filesystem::path folder_;
  restart_program what_;
  pid_t process_ = 0;
};

}  // namespace bench
