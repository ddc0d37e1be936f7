#include <skel/detail/runtime/leaving.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>

#include <unistd.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/shown.hpp>

#include "answers.hpp"

namespace skel::runtime {
namespace {

using clock = std::chrono::steady_clock;

int own_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

void say(std::string const& what) {
  std::fprintf(stderr, "skel: rank %d: %s\n", own_rank(), what.c_str());
  std::fflush(stderr);
}

/// Asks `done` now and then, asleep in between. False: it was not within `seconds`.
template <class Done>
bool wait(Done const& done, bool limited, double seconds) {
  auto const start = clock::now();
  auto pause = std::chrono::microseconds(50);
  while (!done()) {
    if (limited && std::chrono::duration<double>(clock::now() - start).count() > seconds) return false;
    std::this_thread::sleep_for(pause);
    expect_answers();
    pause = std::min(2 * pause, std::chrono::microseconds(1000));
  }
  return true;
}

/// MPI_Abort asks mpirun, or its daemon on this host, to end all: those may be what cannot be reached.
void end_soon() {
  constexpr unsigned seconds = 2;
  std::signal(SIGALRM, [](int) { ::_exit(EXIT_FAILURE); });
  sigset_t alarm;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  ::pthread_sigmask(SIG_UNBLOCK, &alarm, nullptr);
  ::alarm(seconds);
}

std::string within(double seconds) {
  return "within " + shown(seconds) + " s (--skel-patience)";
}

}  // namespace

void end_run(std::string const& why) {
  say(why + ". The run ends here.");
  end_soon();
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::terminate();
}

void leave_together(rendezvous& meeting, std::uint64_t number, std::string const& words, bool by_exception) {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0) return;
  double const patience = meeting.patience;
  bool const told = meeting.mistake().has_value();
  if (!told) try {
      meeting.begin(number, named_call{words});
      if (wait([&] { return meeting.all_have_come(); }, by_exception, patience)) return;
      end_run(
          "it leaves the grid because of an exception, or of a failure that std::exit() tells, and others have not "
          "come " +
          within(patience) + ": handle it on this rank, or let all ranks agree on it");
    } catch (error const& mistake) {
      say(mistake.what());
    }
  MPI_Request request = meeting.last_barrier();
  auto const all_leave = [&] {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  };
  if (!wait(all_leave, true, patience)) end_run("after a mistake, others have not left the grid " + within(patience));
  if (!told && meeting.found_by_all_in_one()) end_run("the mistake was found when all ranks left");
}

}  // namespace skel::runtime
