#pragma once

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace skel::tools {

/// The end of a command.
struct ending {
  int status = 0;           ///< as waitpid() gives it
  bool asked_for = false;   ///< by SIGINT, SIGTERM, SIGHUP or SIGQUIT
  pid_t process = 0;        ///< of the command
  std::vector<int> told{};  ///< other signals that were passed on to it, each once
  std::string said{};       ///< with `listens`: the end of its output to standard error
};

/// Holds back, as long as it lives, the signals that would end this process, so that none of them leaves a job behind.
/// Its destructor delivers those that nobody has read. It leaves alone SIGKILL, signals that stop processes, ignored
/// ones (nohup), and those for faults of this process. An ignored SIGCHLD is as usual meanwhile, also for started
/// programs.
class held_signals {
 public:
  /// Throws skel::error if signals cannot be read.
  held_signals();
  ~held_signals();
  held_signals(held_signals const&) = delete;
  held_signals& operator=(held_signals const&) = delete;

  /// A descriptor that is readable if there is a signal.
  int number() const { return number_; }
  /// Signals that were held back already.
  sigset_t const& before() const { return before_; }
  /// The next held signal, also SIGCHLD; nothing: there is none.
  std::optional<signalfd_siginfo> next() const;

 private:
  sigset_t before_{};
  struct sigaction children_before_ {};
  int number_ = -1;
};

/// Waits this long [s], or until a SIGINT, SIGTERM, SIGHUP or SIGQUIT, and returns that signal. It drops other held
/// signals: there is no command for which they could be meant.
std::optional<int> pause_for(double seconds, held_signals const& signals);

/// Runs a command and waits for it. Passes held signals on to it, except those that a terminal has sent to both, and
/// those that this process has caused itself. With `listens`, its standard error comes through a pipe, and goes on at
/// once to that of this process. Processes that it leaves behind become children of this one. Throws skel::error if it
/// cannot be started.
ending run_job(std::vector<std::string> const& words, bool listens, held_signals const& signals);

/// Processes that a job had left behind on this host, after an attempt to end them.
struct orphans {
  std::size_t ended = 0;
  std::size_t left = 0;          ///< that have not ended within 2 s
  std::vector<pid_t> mpiruns{};  ///< that have ended: the processes left behind, and those that started them
};
/// Ends all that a job has left behind, with SIGKILL. `gently`: sends SIGTERM first, upon which mpirun ends its ranks
/// on other hosts, and SIGKILL after 2 s.
orphans end_orphans(bool gently);

/// Removes the files of a job of Open MPI from the folder for temporary files and from shared memory, after its mpirun
/// was killed. `mpirun`: the ended process of this host. Returns the removed files.
std::vector<std::string> remove_leftovers(pid_t mpirun);

}  // namespace skel::tools
