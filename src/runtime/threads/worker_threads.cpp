#include <skel/detail/runtime/threads/worker_threads.hpp>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include <skel/detail/base/number.hpp>
#include <skel/detail/base/threads.hpp>
#include <skel/detail/runtime/ranks/quiet.hpp>

#include "ranks/mpi_state.hpp"
#include "tbb_threads.hpp"

namespace skel::runtime {
namespace {

constexpr auto threads_at_once = tbb::global_control::max_allowed_parallelism;

/// oneTBB may have this many workers in any case, and more only if that was allowed when it made its first one.
/// Source: oneTBB 2021.8, market::global_market: "at least 256 threads might be created", of which one is the caller.
constexpr std::size_t always_allowed = 255;

/// Knowledge of the workers of oneTBB. Never destroyed: oneTBB ends its workers when nobody wants any.
struct workers {
  std::mutex mutex;
  std::size_t known = 0, allowed = always_allowed;
  std::unique_ptr<tbb::task_arena> anchor;  // as long as there is one, workers that are not wanted sleep
  std::string lost;                         // why oneTBB cannot be used any more
};

workers& all() {
  static auto& instance = *new workers;
  return instance;
}

/// Makes oneTBB start one worker after the other, by a call of this thread for each. If it cannot, this call throws. A
/// worker that starts further ones would end the program.
void start(std::size_t count) {
  static auto& ended = *new std::atomic<unsigned>{0};  // workers may look at it when this has returned
  unsigned const now = ended;
  std::vector<std::unique_ptr<tbb::task_arena>> busy;
  auto const end = [&] {
    ++ended;
    ended.notify_all();
  };
  try {
    while (busy.size() < count) {
      // Workers look for work here for a while longer, which lasts on a loaded machine: arenas of lanes call them away.
      busy.push_back(std::make_unique<tbb::task_arena>(1, 0, tbb::task_arena::priority::low));
      handed_over(&ended);
      busy.back()->enqueue([now] {
        taken_over(&ended);
        ended.wait(now);
      });
    }
  } catch (...) {
    end();
    for (auto& one : busy) static_cast<void>(one.release());  // oneTBB waits for ever for those that it could not begin
    throw;
  }
  end();
}

}  // namespace

void name_worker() {
  static std::atomic<unsigned> named{0};
  [[maybe_unused]] static thread_local bool const has_name = [] {
    name_thread("skel-lane-" + std::to_string(named++));
    return true;
  }();
}

void expect_workers(std::size_t count) {
  if (count == 0) return;
  workers& here = all();
  std::lock_guard const guard(here.mutex);
  if (!here.lost.empty()) throw error(here.lost);
  if (count <= here.known) return;
  std::string const whom = "functions of the program";
  if (!std::in_range<int>(count + 1) || count + 1 == 0)
    throw error(too_few_threads(whom, count, 0, std::make_error_code(std::errc::resource_unavailable_try_again)));
  if (count > here.allowed) {  // oneTBB begins anew, with a higher limit, when the last arena has gone
    here.anchor.reset();
    left_arenas::all().drop();
    tbb::task_scheduler_handle own{tbb::attach{}};
    static_cast<void>(tbb::finalize(own, std::nothrow));  // ends the arena that this thread has by having called oneTBB
    here.known = 0, here.allowed = count;
  }
  try_threads(whom, count - here.known);
  tbb::global_control const allowance(threads_at_once,
                                      std::max(tbb::global_control::active_value(threads_at_once), count + 1));
  if (!here.anchor) {
    here.anchor = std::make_unique<tbb::task_arena>(1, 0);
    here.anchor->initialize();
  }
  try {
    start(count);
  } catch (std::exception const& e) {  // others have taken the threads since they were tried
    here.lost = counted(count, "thread") +
                " for functions of the program cannot be started any more: others have taken them meanwhile (" +
                what_of(e) + "); raise the limit of threads (ulimit -u, pids.max), or ask for fewer workers or ranks";
    static_cast<void>(here.anchor.release());
    throw error(here.lost);
  }
  here.known = count;
}

void expect_none(communicator const& ranks, std::string const& problem) {
  if (ranks.size() == 1) {
    if (!problem.empty()) throw error(problem);
    return;
  }
  int first = problem.empty() ? ranks.size() : ranks.rank();
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, ranks.native().all, &request);
  quiet::wait(request);
  if (first == ranks.size()) return;
  throw error("on rank " + std::to_string(first) + ": " + ranks.all_gather(problem)[static_cast<std::size_t>(first)]);
}

}  // namespace skel::runtime
