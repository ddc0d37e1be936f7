#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace skel::tools {

/// What became of a command.
struct ending {
  int status = 0;          ///< as waitpid() gives it
  bool asked_for = false;  ///< after a signal that was passed on to it
  pid_t process = 0;       ///< that it was
  std::string said{};      ///< the end of what it wrote to standard error, where that was listened to
};

/// Runs a command and waits for it. SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 are passed on to it, but for those
/// that the terminal has sent to both. With `listens`, its standard error comes through a pipe, and goes on at once to
/// that of this process. Processes that it leaves behind become children of this one. Throws skel::error when it cannot
/// be started.
ending run_job(std::vector<std::string> const& words, bool listens);

/// Ends all processes that a job which died has left behind on this host. Returns how many there were.
std::size_t end_orphans();

/// Removes what a job of Open MPI has left in the folder for temporary files and in shared memory when its mpirun, a
/// process of this host that is no more, was killed. Returns what was removed.
std::vector<std::string> remove_leftovers(pid_t mpirun);

}  // namespace skel::tools
