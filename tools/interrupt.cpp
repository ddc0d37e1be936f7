#include "verbs.hpp"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>

#include <skel/detail/base/threads.hpp>

namespace skel::tools {
namespace {

/// Signals that this scope takes out of their usual way, in this thread and those that it starts.
class held_signals {
 public:
  held_signals() {
    sigemptyset(&held_);
    for (int number : {SIGINT, SIGTERM}) sigaddset(&held_, number);
    pthread_sigmask(SIG_BLOCK, &held_, &before_);
  }
  ~held_signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  held_signals(held_signals const&) = delete;
  held_signals& operator=(held_signals const&) = delete;

  /// Waits a tenth of a second. True when a signal came.
  bool arrived() const {
    timespec const tenth{.tv_sec = 0, .tv_nsec = 100'000'000};
    return sigtimedwait(&held_, nullptr, &tenth) > 0;
  }

 private:
  sigset_t held_{}, before_{};
};

void watch(std::stop_token const& ended, held_signals const& signals, std::stop_source& work, std::string const& doing,
           bool progress) {
  bool shown = false;
  for (int tenths = 1; !ended.stop_requested(); ++tenths) {
    if (signals.arrived()) {
      if (work.stop_requested()) _exit(130);
      work.request_stop();
    }
    if (progress && tenths % 10 == 0) {
      std::fprintf(stderr, "\r%s, %d s (Ctrl-C ends it with the best so far) ", doing.c_str(), tenths / 10);
      shown = true;
    }
  }
  if (shown) std::fprintf(stderr, "\r\033[K");
}

}  // namespace

void run_interruptible(std::string const& doing, bool progress, std::function<void(std::stop_token)> const& work) {
  held_signals const signals;
  std::stop_source stop;
  auto const watcher = start_thread(
      "skel-interrupt", [&](std::stop_token const& ended) { watch(ended, signals, stop, doing, progress); });
  work(stop.get_token());
}

}  // namespace skel::tools
