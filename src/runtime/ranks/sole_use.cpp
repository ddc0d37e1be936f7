#include <skel/detail/runtime/ranks/sole_use.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

#include <pthread.h>
#include <unistd.h>

#include <skel/detail/base/error.hpp>

namespace skel::runtime {
namespace {

std::atomic<char const*> under_way{nullptr};
std::atomic<std::thread::id> user{};
std::atomic<bool> forked{false};

void end_here(int status, void*) {
  char const* const call = under_way.load();
  if (call == nullptr) return;
  if (is_fork()) ::_exit(status);
  std::fprintf(
      stderr,
      "skel: std::exit(%d) was called while %s was under way: the process ends here, without destroying static "
      "objects. Throw an exception instead, which reaches every rank.\n",
      status, call);
  std::fflush(nullptr);
  ::_exit(status);
}

/// Handlers are called in the opposite order: those of libraries, which were loaded before, are not reached.
void watch_exit() {
  [[maybe_unused]] static bool const watched = ::on_exit(end_here, nullptr) == 0;
}

void end_fork(int status, void*) {
  if (!is_fork()) return;
  std::cout.flush();
  std::clog.flush();
  std::fflush(nullptr);
  ::_exit(status);
}

/// Registered before the program's own objects are made, so called after they are destroyed. So a fork does not come to
/// the end of oneTBB. That waits for ever for things that a thread of the parent held when the process was copied.
[[gnu::constructor(101)]] void watch_end_of_forks() {
  ::on_exit(end_fork, nullptr);
}

}  // namespace

void watch_forks() {
  [[maybe_unused]] static bool const watched = ::pthread_atfork(nullptr, nullptr, [] { forked.store(true); }) == 0;
}

bool is_fork() {
  return forked.load(std::memory_order_relaxed);
}

sole_use::sole_use(char const* call) {
  watch_exit();
  watch_forks();
  if (is_fork())
    throw error(
        std::string("the grid's ") + call +
        " was called in a fork of the process that has used it, which has neither its threads nor its MPI: make "
        "forks before grids, and grids in them");
  char const* other = nullptr;
  if (under_way.compare_exchange_strong(other, call)) {
    user.store(std::this_thread::get_id());
    return;
  }
  std::string const name = call, first = other;
  if (user.load() == std::this_thread::get_id())
    throw error("the grid's " + name + " was called by a function that its " + first +
                " has called: a grid does one thing at a time; do it before or after, on every rank");
  throw error(
      "the grid's " + name + " was called by one thread while its " + first +
      " was under way on another: a grid does one thing at a time, and stages cannot use it; call one after the "
      "other, in the same order on every rank");
}

sole_use::~sole_use() {
  user.store({});
  under_way.store(nullptr);
}

void sole_use::expect_none(char const* what) {
  if (char const* const call = under_way.load())
    throw error(std::string(what) + " while a grid's " + call +
                " was under way: all ranks do this together, and other ranks cannot come to it; do it before or after, "
                "on every rank");
}

char const* sole_use::under_way_here() {
  return under_way.load();
}

}  // namespace skel::runtime
