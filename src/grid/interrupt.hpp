#pragma once

#include <atomic>
#include <csignal>

namespace skel {

/// While it lives, the first SIGINT or SIGTERM sets a flag instead of ending the process; the second one ends it, which
/// is the way out when a user's function does not return. One at a time per process.
class interrupt_watch {
 public:
  interrupt_watch() {
    flag().store(false);
    struct sigaction action {};
    action.sa_handler = [](int) { flag().store(true); };
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
  struct sigaction old_int_ {
  }, old_term_{};
};

}  // namespace skel
