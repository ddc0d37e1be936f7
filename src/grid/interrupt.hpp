#pragma once

#include <atomic>
#include <csignal>
#include <stop_token>

#include <skel/detail/runtime/ranks/run_watch.hpp>

namespace skel {

/// A run of this process. While it lives, the first SIGINT or SIGTERM asks the run to end, as `stop` does, instead of
/// ending the process. Then the run is watched: skel says which function of the user does not return. The second signal
/// ends the process at once. One at a time per process.
class interrupt_watch {
 public:
  explicit interrupt_watch(std::stop_token const& stop) : cancel_(stop, [] { ask(0); }) {
    struct sigaction action {};
    action.sa_handler = ask;
    sigemptyset(&action.sa_mask);
    action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
    ::sigaction(SIGINT, &action, &old_int_);
    ::sigaction(SIGTERM, &action, &old_term_);
  }
  ~interrupt_watch() {
    ::sigaction(SIGINT, &old_int_, nullptr);
    ::sigaction(SIGTERM, &old_term_, nullptr);
  }
  interrupt_watch(interrupt_watch const&) = delete;
  interrupt_watch& operator=(interrupt_watch const&) = delete;

  static std::atomic<bool>& flag() {
    static std::atomic<bool> instance{false};
    return instance;
  }

 private:
  static void ask(int signal) {
    flag().store(true);
    runtime::interrupt_runs(signal);
  }

  struct clean_slate {
    clean_slate() {
      runtime::forget_interrupt();
      flag().store(false);
    }
  };

  clean_slate const nobody_has_asked_;  // before all others
  runtime::watched_run const run_;
  std::stop_callback<void (*)()> const cancel_;
  struct sigaction old_int_ {
  }, old_term_{};
};

}  // namespace skel
