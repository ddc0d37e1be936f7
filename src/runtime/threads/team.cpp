#include <skel/detail/runtime/threads/team.hpp>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <vector>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/runtime/threads/worker_threads.hpp>

#include "tbb_threads.hpp"

namespace skel::runtime {

struct thread_team::arena {
  explicit arena(std::size_t count) : threads(static_cast<int>(count)), failures(count) {
    // Of several allowances the least holds: none where it is not needed.
    constexpr auto threads_at_once = tbb::global_control::max_allowed_parallelism;
    if (count > tbb::global_control::active_value(threads_at_once)) allowance.emplace(threads_at_once, count);
  }

  std::optional<tbb::global_control> allowance;
  tbb::task_arena threads;
  std::vector<std::exception_ptr> failures;
};

thread_team::thread_team(std::size_t threads) : team(threads) {
  SKEL_EXPECTS(threads >= 1);
  expect_workers(threads - 1);  // the calling thread is one
  arena_ = std::make_unique<arena>(threads);
}

thread_team::~thread_team() = default;

void thread_team::run_parts(phase const&, std::size_t count, part_function part) {
  if (count == 1) return part(0);
  arena& here = *arena_;
  handed_over(&here);
  auto const guarded = [&](std::size_t number) {
    taken_over(&here);
    if (tbb::this_task_arena::current_thread_index() > 0) name_worker();  // the calling thread has the first place
    try {
      part(number);
    } catch (...) {
      here.failures[number] = std::current_exception();
    }
    handed_over(&here.failures);
  };
  here.threads.execute([&] { tbb::parallel_for(std::size_t{0}, count, guarded, tbb::static_partitioner{}); });
  taken_over(&here.failures);
  std::exception_ptr first;
  for (auto& failure : here.failures) {
    if (failure && !first) first = failure;
    failure = nullptr;
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace skel::runtime
