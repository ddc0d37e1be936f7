#pragma once

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace skel::tools {

/// What became of a command.
struct ending {
  int status = 0;           ///< as waitpid() gives it
  bool asked_for = false;   ///< after SIGINT, SIGTERM, SIGHUP or SIGQUIT
  pid_t process = 0;        ///< that it was
  std::vector<int> told{};  ///< other signals that were passed on to it, each once
  std::string said{};       ///< the end of what it wrote to standard error, where that was listened to
};

/// Holds back, as long as it lives, the signals that would end this process, so that none of them leaves a job behind.
/// What has not been read then is delivered. Left as they are: SIGKILL, what stops processes, what this process ignores
/// (nohup), and what it gets for faults of its own. SIGCHLD is as usual meanwhile, also for what is started, where it
/// was ignored.
class held_signals {
 public:
  /// Throws skel::error when signals cannot be read.
  held_signals();
  ~held_signals();
  held_signals(held_signals const&) = delete;
  held_signals& operator=(held_signals const&) = delete;

  /// A descriptor that can be read when there is one.
  int number() const { return number_; }
  /// Those that were held back already.
  sigset_t const& before() const { return before_; }
  /// Also SIGCHLD; nothing: there is none.
  std::optional<signalfd_siginfo> next() const;

 private:
  sigset_t before_{};
  struct sigaction children_before_ {};
  int number_ = -1;
};

/// Waits so long [s], or until a SIGINT, SIGTERM, SIGHUP or SIGQUIT, which it returns. Other signals that are held are
/// dropped: there is no command for which they could be meant.
std::optional<int> pause_for(double seconds, held_signals const& signals);

/// Runs a command and waits for it. Signals that are held are passed on to it, but for those that a terminal has sent
/// to both, and what this process has caused itself. With `listens`, its standard error comes through a pipe, and goes
/// on at once to that of this process. Processes that it leaves behind become children of this one. Throws skel::error
/// when it cannot be started.
ending run_job(std::vector<std::string> const& words, bool listens, held_signals const& signals);

/// Processes that a job has left behind on this host, which were to be ended.
struct orphans {
  std::size_t ended = 0;
  std::size_t left = 0;          ///< that have not ended within 2 s
  std::vector<pid_t> mpiruns{};  ///< that are no more: those that have started them, or that they may have been
};
/// Ends all that a job has left behind. `gently`: with SIGTERM first, upon which mpirun ends its ranks on other hosts,
/// and after 2 s as otherwise.
orphans end_orphans(bool gently);

/// Removes what a job of Open MPI has left in the folder for temporary files and in shared memory when its mpirun, a
/// process of this host that is no more, was killed. Returns what was removed.
std::vector<std::string> remove_leftovers(pid_t mpirun);

}  // namespace skel::tools
