#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

namespace skel::tools {

/// What became of a command.
struct ending {
  int status = 0;           ///< as waitpid() gives it
  bool asked_for = false;   ///< after SIGINT, SIGTERM or SIGHUP, which was passed on to it
  pid_t process = 0;        ///< that it was
  std::vector<int> told{};  ///< other signals that were passed on to it, each once
  std::string said{};       ///< the end of what it wrote to standard error, where that was listened to
};

/// Runs a command and waits for it. SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 are passed on to it, but for those
/// that the terminal has sent to both. With `listens`, its standard error comes through a pipe, and goes on at once to
/// that of this process. Processes that it leaves behind become children of this one. Throws skel::error when it cannot
/// be started.
ending run_job(std::vector<std::string> const& words, bool listens);

/// Processes that a job has left behind on this host, which were to be ended.
struct orphans {
  std::size_t ended = 0;
  std::size_t left = 0;  ///< that have not ended within 2 s
};
/// Ends all that a job which died has left behind.
orphans end_orphans();

/// Removes what a job of Open MPI has left in the folder for temporary files and in shared memory when its mpirun, a
/// process of this host that is no more, was killed. Returns what was removed.
std::vector<std::string> remove_leftovers(pid_t mpirun);

}  // namespace skel::tools
