#include <skel/runtime/leaving.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>

namespace skel::runtime {
namespace {

[[noreturn]] void end_run(MPI_Comm all, bool by_exception, std::string const& what) {
  int rank = 0;
  MPI_Comm_rank(all, &rank);
  std::fprintf(stderr,
               "skel: rank %d leaves the grid%s, and %s. Every rank must call the same collectives%s. The run ends "
               "here.\n",
               rank, by_exception ? " because of an exception" : "", what.c_str(),
               by_exception ? ": handle the exception on this rank, or let all ranks agree on it" : "");
  std::fflush(stderr);
  MPI_Abort(all, 1);
  std::terminate();
}

}  // namespace

void leave_together(MPI_Comm all, std::optional<MPI_Comm> collectives, bool by_exception, double patience) {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0) return;
  using clock = std::chrono::steady_clock;
  auto const start = clock::now();
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(all, &request);
  auto pause = std::chrono::microseconds(50);
  for (int done = 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE), done == 0;) {
    int waits = 0;
    MPI_Status status;
    if (collectives) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, *collectives, &waits, &status);
    if (waits != 0)
      end_run(all, by_exception, "rank " + std::to_string(status.MPI_SOURCE) + " is in a collective that needs it");
    if (by_exception && std::chrono::duration<double>(clock::now() - start).count() > patience)
      end_run(all, true, "others have not come within " + std::to_string(patience) + " s (--skel-patience)");
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::microseconds(1000));
  }
}

}  // namespace skel::runtime
