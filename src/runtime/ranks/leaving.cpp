#include <skel/detail/runtime/ranks/leaving.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <unistd.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/runtime/ranks/quiet.hpp>

#include "answers.hpp"

namespace skel::runtime {
namespace {

using clock = std::chrono::steady_clock;

bool ended = false;  // by end_run_soon()

int own_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

void tell_of_rank(std::string const& what) {
  tell_user("rank " + std::to_string(own_rank()) + ": " + what);
  std::fflush(stderr);
}

/// Asks `done` now and then, asleep in between. False: it was not within `seconds`.
template <class Done>
bool wait(Done const& done, bool limited, double seconds) {
  auto const start = clock::now();
  waiting_pause pause;
  while (!done()) {
    if (limited && std::chrono::duration<double>(clock::now() - start).count() > seconds) return false;
    pause.sleep();
    expect_answers();
  }
  return true;
}

/// MPI_Abort asks mpirun, or its daemon on this host, to end all: perhaps these cannot be reached.
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
  tell_of_rank(why + ". The run ends here.");
  end_soon();
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::terminate();
}

void end_run_soon(std::string const& why) {
  tell_of_rank(why + ". The run ends here.");
  end_soon();
  ended = true;
}

void leave_without_grid() {
  double const patience = rendezvous::usual_patience;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  auto const all_leave = [&] {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  };
  if (!wait(all_leave, true, patience))
    end_run_soon("it has failed before it had a grid, and others have not ended within " + shown(patience) + " s");
}

bool has_ended() {
  return ended;
}

void leave_together(rendezvous& meeting, std::uint64_t number, std::string const& words, bool by_exception) {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0 || ended) return;
  auto const end = by_exception ? end_run_soon : end_run;
  double const patience = meeting.patience;
  bool const told = meeting.mistake().has_value();
  if (!told) try {
      meeting.begin(number, {named_call{words, 0, true}});
      if (wait([&] { return meeting.all_have_come(); }, by_exception, patience)) return;
      return end(
          "it leaves the grid because of an exception, or of a failure that std::exit() tells, and others have not "
          "come " +
          within(patience) + ": handle it on this rank, or let all ranks agree on it");
    } catch (error const& mistake) {
      tell_of_rank(mistake.what());
    }
  MPI_Request request = meeting.last_barrier();
  auto const all_leave = [&] {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  };
  if (!wait(all_leave, true, patience))
    return end("after a mistake, others have not left the grid " + within(patience));
  if (!told && meeting.found_as_all_left()) end("the mistake was found when all ranks left");
}

}  // namespace skel::runtime
