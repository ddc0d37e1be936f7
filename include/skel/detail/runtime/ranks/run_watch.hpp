#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

/// Explains runs that do not end. While a grid lives, one thread of its process knows which functions of the user run.
/// If a run is to end early, it names those that the run waits for; it also answers `skel why`. It sleeps until there
/// is something to say.
namespace skel::runtime {

/// A function of the user, as messages call it. It must live as long as the watched_run that it belongs to.
struct user_function {
  explicit user_function(std::string words, char const* counts = nullptr) : text(std::move(words)), counted(counts) {}

  std::string text;                     ///< "source 'read' on rank 0"
  char const* counted;                  ///< what `count` counts ("superstep"), a literal; nullptr: nothing
  std::atomic<std::uint64_t> count{0};  ///< the one that is under way
  std::atomic<std::int64_t> seen{0};    ///< when the call that is under way gave its last sign of life [ns]
};

/// While it lives, this thread is in a function of the user. Takes some nanoseconds and no lock.
class user_call {
 public:
  /// `begun`: by record::now_ns().
  user_call(user_function const& of, std::int64_t begun);
  ~user_call();
  user_call(user_call const&) = delete;
  user_call& operator=(user_call const&) = delete;

  /// True if a wait of this thread was interrupted since its innermost call began, because the run ends. An exception
  /// of the function then says nothing of the program.
  static bool was_interrupted();

 private:
  user_function const* before_ = nullptr;
  std::int64_t before_since_ = 0;
  bool noted_ = false;
};

/// While it lives, a run of this process is under way.
class watched_run {
 public:
  /// Its account of itself; each function may be called from any thread.
  struct view {
    std::function<std::vector<std::string>()> state{};  ///< a line for each station, or for what this rank waits for
    std::function<std::string()> waits_for{};  ///< where no function of the user runs here ("rank 2"); empty: nothing
  };

  watched_run() : watched_run(view()) {}
  explicit watched_run(view shows);
  ~watched_run();
  watched_run(watched_run const&) = delete;
  watched_run& operator=(watched_run const&) = delete;

  view const& shows() const { return shows_; }

 private:
  view shows_;
};

/// While it lives, this is what the thread that called run() does. `words` is a literal ("plans").
class run_phase {
 public:
  explicit run_phase(char const* words);
  ~run_phase();
  run_phase(run_phase const&) = delete;
  run_phase& operator=(run_phase const&) = delete;

 private:
  char const* before_;
};

/// The runs that are under way in this process end early: why, as a clause ("stage 'b' threw on item 3 on rank 1:
/// ..."). The first reason stands until they are over. Any thread, without locks of its own.
void run_ends(std::string const& why);
/// The same, asked for by a signal; 0: by the program. For handlers of signals.
void interrupt_runs(int signal) noexcept;
/// The reason; empty: they do not end early.
std::string why_runs_end();
/// A new run begins, which no signal has asked to end.
void forget_interrupt() noexcept;

/// A rank and the process that it is.
struct rank_process {
  std::string host;
  int id = 0;
};

/// The thread that watches, from the first grid of a process to its last one.
class run_watch {
 public:
  /// The one of this process, of this rank. Null if there is no memory or no thread for it: then nothing is said.
  static std::shared_ptr<run_watch> of_process(int rank, std::vector<rank_process> const& ranks);
  ~run_watch();
  run_watch(run_watch const&) = delete;
  run_watch& operator=(run_watch const&) = delete;

 private:
  struct state;
  run_watch(int rank, std::vector<rank_process> const& ranks);

  std::unique_ptr<state> state_;
};

/// The answer of a process about its run, for `skel why`.
struct run_answer {
  int rank = 0;
  std::vector<rank_process> ranks;  ///< of its run
  std::vector<std::string> lines;   ///< what it does
};

/// Asks a process of this user on this host. Throws skel::error if no process answers that may be trusted.
run_answer ask_process(int process);

}  // namespace skel::runtime
