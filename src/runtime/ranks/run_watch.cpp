#include <skel/detail/runtime/ranks/run_watch.hpp>

#include <poll.h>
#include <pthread.h>
#include <signal.h>

#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

#include <skel/detail/base/descriptor.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/base/split.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/ranks/sole_use.hpp>

#include "question_socket.hpp"

namespace skel::runtime {
namespace {

/// A person takes an answer within a tenth of a second for immediate, and goes on without losing the thread for a
/// second (Miller 1968, Response time in man-computer conversational transactions, AFIPS FJCC, 267-277). So functions
/// that wait are interrupted after the one, and named after the other. Then the time doubles from message to message.
/// mpirun kills its ranks one second after it has asked them to end.
constexpr double immediate = 0.1, noticed = 1;

/// Not used by MPI or the C library, ignored if nobody handles it, and passed on by debuggers. For these reasons Go's
/// runtime interrupts its threads with it, too.
constexpr int interrupting = SIGURG;

constexpr double never = std::numeric_limits<double>::infinity();
constexpr std::size_t longest_line = 4096;

/// The user's function that one thread is in.
struct slot {
  slot();
  ~slot();

  std::atomic<user_function const*> what{nullptr};
  std::atomic<std::int64_t> since{0};  // [ns]
  std::atomic<bool> interrupted{false};
  pid_t const thread = static_cast<pid_t>(::syscall(SYS_gettid));
};

/// The early end of a run.
struct ending {
  std::string why{};
  int signal = 0;  // that asked for it
  std::int64_t since = 0;
  double next_interrupt = immediate, next_words = noticed;  // seconds behind that
};

/// Calls and runs of this process. Never destroyed: threads may live longer than static objects.
struct board {
  std::atomic<bool> watched{false};
  std::atomic<int> wakes{-1};  // descriptor
  std::atomic<int> asked{0};   // signal, or `by_program`; 0: nobody has asked the runs to end
  std::atomic<char const*> phase{nullptr};

  std::mutex mutex;  // while it is held, functions in slots and runs stay what they are
  std::vector<slot*> slots{};
  std::vector<watched_run*> runs{};
  ending ends{};
  struct sigaction signal_before {};
  bool handles_signal = false;
};
constexpr int by_program = -1;

board& here() {
  static board* const one = new board;
  return *one;
}

slot::slot() {
  std::lock_guard guard(here().mutex);
  here().slots.push_back(this);
}
slot::~slot() {
  std::lock_guard guard(here().mutex);
  std::erase(here().slots, this);
}

slot& own_slot() {
  thread_local slot mine;
  return mine;
}

void wake_watch() noexcept {
  int const to = here().wakes.load();
  std::uint64_t const one = 1;
  if (to >= 0) static_cast<void>(!::write(to, &one, sizeof one));
}

std::string duration(double seconds) {
  return fixed(std::max(0.0, seconds), seconds < 10 ? 1 : 0) + " s";
}

/// Calls that are under way, alike ones as one: each with the longest time. The board's mutex is held.
struct open_call {
  double seconds = 0;
  std::size_t calls = 0;
  std::string words{};
};
std::vector<open_call> open_calls() {
  std::int64_t const now = record::now_ns();
  std::map<std::string, open_call> all;
  for (slot const* one : here().slots) {
    auto const* const what = one->what.load(std::memory_order_acquire);
    if (what == nullptr) continue;
    std::string words = what->text;
    if (what->counted != nullptr)
      words += " in " + std::string(what->counted) + " " + std::to_string(what->count.load(std::memory_order_relaxed));
    std::int64_t const since =
        std::max(one->since.load(std::memory_order_relaxed), what->seen.load(std::memory_order_relaxed));
    auto& known = all[words];
    known.words = words;
    known.seconds = std::max(known.seconds, static_cast<double>(now - since) * 1e-9);
    ++known.calls;
  }
  std::vector<open_call> out;
  for (auto& one : all) out.push_back(std::move(one.second));
  std::ranges::sort(out, std::greater<>(), &open_call::seconds);
  return out;
}

std::string words_of_signal(int signal) {
  if (signal == SIGINT) return "SIGINT (Ctrl-C) came";
  if (signal == SIGTERM) return "SIGTERM came";
  return signal == by_program ? "the program asked for it" : "a signal came";
}

/// Interrupts waits of the user's functions in the system. The board's mutex is held.
void interrupt_calls() {
  board& b = here();
  if (!b.handles_signal) {
    if (::sigaction(interrupting, nullptr, &b.signal_before) != 0) return;
    bool const is_free = (b.signal_before.sa_flags & SA_SIGINFO) == 0 &&
                         (b.signal_before.sa_handler == SIG_DFL || b.signal_before.sa_handler == SIG_IGN);
    if (!is_free) return;  // the program's own
    struct sigaction nothing {};
    nothing.sa_handler = [](int) {};  // and no SA_RESTART
    sigemptyset(&nothing.sa_mask);
    b.handles_signal = ::sigaction(interrupting, &nothing, nullptr) == 0;
  }
  if (!b.handles_signal) return;
  for (slot* one : b.slots) {
    if (one->what.load() == nullptr) continue;
    one->interrupted.store(true);
    ::syscall(SYS_tgkill, ::getpid(), one->thread, interrupting);
  }
}

}  // namespace

user_call::user_call(user_function const& of, std::int64_t begun) {
  if (!here().watched.load(std::memory_order_relaxed)) return;
  slot& mine = own_slot();
  noted_ = true;
  before_ = mine.what.load(std::memory_order_relaxed);
  before_since_ = mine.since.load(std::memory_order_relaxed);
  mine.since.store(begun, std::memory_order_relaxed);
  mine.what.store(&of, std::memory_order_release);
}

user_call::~user_call() {
  if (!noted_) return;
  slot& mine = own_slot();
  mine.since.store(before_since_, std::memory_order_relaxed);
  mine.what.store(before_, std::memory_order_release);
  mine.interrupted.store(false, std::memory_order_relaxed);
}

bool user_call::was_interrupted() {
  return here().watched.load(std::memory_order_relaxed) && own_slot().interrupted.load();
}

watched_run::watched_run(view shows) : shows_(std::move(shows)) {
  {
    std::lock_guard guard(here().mutex);
    here().runs.push_back(this);
  }
  if (here().asked.load() != 0) wake_watch();
}

watched_run::~watched_run() {
  board& b = here();
  std::lock_guard guard(b.mutex);
  std::erase(b.runs, this);
  if (!b.runs.empty()) return;
  b.ends = {};
  if (std::exchange(b.handles_signal, false)) ::sigaction(interrupting, &b.signal_before, nullptr);
}

run_phase::run_phase(char const* words) : before_(here().phase.exchange(words)) {}
run_phase::~run_phase() {
  here().phase.store(before_);
}

void run_ends(std::string const& why) {
  board& b = here();
  {
    std::lock_guard guard(b.mutex);
    if (b.runs.empty() || !b.ends.why.empty()) return;
    b.ends = {why, 0, record::now_ns()};
  }
  wake_watch();
}

void interrupt_runs(int signal) noexcept {
  here().asked.store(signal != 0 ? signal : by_program);
  wake_watch();
}

std::string why_runs_end() {
  board& b = here();
  if (int const asked = b.asked.load(); asked != 0) return words_of_signal(asked);
  std::lock_guard guard(b.mutex);
  return b.ends.why;
}

void forget_interrupt() noexcept {
  here().asked.store(0);
}

struct run_watch::state {
  int rank = 0;
  std::vector<rank_process> ranks;
  descriptor wakes, questions;
  std::jthread thread{};

  /// Does everything that is due. Returns the time until the next look [s].
  double look() {
    board& b = here();
    std::string said;
    double next = never;
    {
      std::lock_guard guard(b.mutex);
      if (int const asked = b.asked.load(); asked != 0 && !b.runs.empty() && b.ends.signal == 0)
        b.ends.why.empty() ? void(b.ends = {words_of_signal(asked), asked, record::now_ns()})
                           : void(b.ends.signal = asked);
      if (b.runs.empty() || b.ends.why.empty()) return never;
      double const since = static_cast<double>(record::now_ns() - b.ends.since) * 1e-9;
      if (since >= b.ends.next_interrupt) {
        interrupt_calls();
        b.ends.next_interrupt = since + noticed;
      }
      if (since >= b.ends.next_words) {
        said = what_is_waited_for(since);
        b.ends.next_words = 2 * since;
      }
      next = std::min(b.ends.next_interrupt, b.ends.next_words) - since;
    }
    if (!said.empty()) {
      std::fprintf(stderr, "%s\n", printable(said, longest_line).c_str());
      std::fflush(stderr);
    }
    return next;
  }

  std::string what_is_waited_for(double since) const {
    board const& b = here();
    std::string who;
    auto const calls = open_calls();
    constexpr std::size_t most_named = 4;
    for (std::size_t k = 0; k < std::min(calls.size(), most_named); ++k) {
      auto const& [seconds, count, words] = calls[k];
      who += (k == 0 ? "it waits for " : ", and for ") + words + ", which has not returned for " + duration(seconds);
      if (count > 1) who += " (" + counted(count, "call") + ")";
    }
    if (calls.size() > most_named) who += "; and " + std::to_string(calls.size() - most_named) + " more";
    if (calls.empty())
      for (watched_run const* one : b.runs)
        if (auto const theirs = one->shows().waits_for ? one->shows().waits_for() : ""; !theirs.empty())
          who += (who.empty() ? "rank " + std::to_string(rank) + " waits for " : ", ") + theirs;
    // Other ranks say themselves what they wait for. In the output of all of them this stands once.
    if (who.empty() && rank == 0)
      who = "rank 0 " + (b.phase.load() != nullptr ? std::string(b.phase.load()) : "waits for the other ranks") +
            (ranks.size() > 1 ? "; 'skel why " + std::to_string(::getpid()) + "' says what each rank does" : "");
    if (who.empty()) return {};
    std::string text = "skel: the run ends because " + b.ends.why + "; " + who;
    if (calls.empty()) text += " (for " + duration(since) + ")";
    if (b.ends.signal == SIGINT) text += "; press Ctrl-C again to end at once";
    if (b.ends.signal == SIGTERM) text += "; send SIGTERM again to end at once";
    return text;
  }

  run_answer answer() const {
    board& b = here();
    run_answer out{rank, ranks, {}};
    std::lock_guard guard(b.mutex);
    char const* const call = sole_use::under_way_here();
    std::string first = call == nullptr ? "is in no call of its grid" : "in " + std::string(call);
    if (call != nullptr && b.phase.load() != nullptr) first += ": " + std::string(b.phase.load());
    out.lines.push_back(first);
    if (!b.ends.why.empty())
      out.lines.push_back("the run ends because " + b.ends.why + ", since " +
                          duration(static_cast<double>(record::now_ns() - b.ends.since) * 1e-9));
    for (auto const& [seconds, count, words] : open_calls())
      out.lines.push_back("runs " + words + " for " + duration(seconds) +
                          (count > 1 ? " (" + counted(count, "call") + ", the longest)" : ""));
    for (watched_run const* one : b.runs)
      if (one->shows().state)
        for (auto& line : one->shows().state()) out.lines.push_back(std::move(line));
    for (auto& line : out.lines) line = printable(line, longest_line);
    return out;
  }

  void watch(std::stop_token const& over) {
    double next = never;
    while (!over.stop_requested()) {
      pollfd of[] = {{wakes.number(), POLLIN, 0}, {questions.number(), POLLIN, 0}};
      ::poll(of, 2, next == never ? -1 : static_cast<int>(std::ceil(1e3 * std::max(0.0, next))));
      std::uint64_t count = 0;
      if (of[0].revents != 0) static_cast<void>(!::read(wakes.number(), &count, sizeof count));
      if (over.stop_requested()) return;
      next = look();
      if (of[1].revents == 0) continue;
      if (auto const who = take_question(questions)) answer_question(who, answer());
    }
  }
};

run_watch::run_watch(int rank, std::vector<rank_process> const& ranks) : state_(std::make_unique<state>()) {
  watch_forks();
  state& s = *state_;
  s.rank = rank;
  s.ranks = ranks;
  s.wakes = above_streams(descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)));
  if (!s.wakes) throw std::system_error(errno, std::generic_category(), "eventfd");
  s.questions = listen_for_questions();
  sigset_t all, before;  // signals are for the threads of the program
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    s.thread = std::jthread([&s](std::stop_token const& over) {
      ::pthread_setname_np(::pthread_self(), "skel-watch");
      s.watch(over);
    });
  } catch (...) {
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  here().wakes.store(s.wakes.number());
  here().watched.store(true);
}

run_watch::~run_watch() {
  if (is_fork()) {  // the thread is the parent's
    static_cast<void>(state_.release());
    return;
  }
  here().watched.store(false);
  state_->thread.request_stop();
  wake_watch();
  state_->thread.join();
  here().wakes.store(-1);
}

std::shared_ptr<run_watch> run_watch::of_process(int rank, std::vector<rank_process> const& ranks) {
  static std::mutex mutex;
  static std::weak_ptr<run_watch> known;
  std::lock_guard guard(mutex);
  if (auto there = known.lock()) return there;
  try {
    std::shared_ptr<run_watch> made(new run_watch(rank, ranks));
    known = made;
    return made;
  } catch (std::system_error const&) {
  } catch (std::bad_alloc const&) {
  }
  return nullptr;
}

}  // namespace skel::runtime
