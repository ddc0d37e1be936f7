#pragma once

#include <cstddef>
#include <vector>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace bench {

/// Processes that compute for as long as this lives, and no longer than the process that made them. The calling thread
/// must live as long.
class busy_processes {
 public:
  explicit busy_processes(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      pid_t const child = ::fork();
      if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (unsigned volatile turns = 0;;) turns = turns + 1;
      }
      if (child > 0) all_.push_back(child);
    }
  }
  ~busy_processes() {
    for (pid_t const one : all_) ::kill(one, SIGKILL), ::waitpid(one, nullptr, 0);
  }
  busy_processes(busy_processes const&) = delete;
  busy_processes& operator=(busy_processes const&) = delete;

  /// As many as could be started.
  std::size_t count() const { return all_.size(); }

 private:
  std::vector<pid_t> all_;
};

}  // namespace bench
