#include "watched_wait.hpp"

#include <chrono>
#include <thread>

#include "ranks/answers.hpp"

namespace skel::runtime {
namespace {

/// Looks at MPI between two calls of `meanwhile`: about 10 us, so that it adds nothing to the time of a message.
constexpr int looks = 64;

template <class Done>
void poll(Done const& done, std::function<void()> const& meanwhile) {
  for (;;) {
    for (int i = 0; i < looks; ++i)
      if (done()) return;
    if (!meanwhile) {
      std::this_thread::yield();
      continue;
    }
    meanwhile();
    expect_answers();
  }
}

/// True if threads of this process may complete each other's requests. MPI_Waitany of Open MPI 4.1 is not safe then. It
/// returns when one request is complete, while another thread that has just completed a second one still has to count
/// that down. By then this is memory of the next wait, which ends without a request, or reads beyond them.
bool threads_meet() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

}  // namespace

void wait_for_all(std::vector<MPI_Request>& requests, std::function<void()> const& meanwhile) {
  auto const count = static_cast<int>(requests.size());
  if (!meanwhile) {
    MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
    return;
  }
  poll(
      [&] {
        int all = 0;
        MPI_Testall(count, requests.data(), &all, MPI_STATUSES_IGNORE);
        return all != 0;
      },
      meanwhile);
}

int wait_for_any(std::vector<MPI_Request>& requests, std::function<void()> const& meanwhile) {
  auto const count = static_cast<int>(requests.size());
  int which = MPI_UNDEFINED;
  if (!meanwhile && !threads_meet()) {
    MPI_Waitany(count, requests.data(), &which, MPI_STATUS_IGNORE);
    return which;
  }
  poll(
      [&] {
        int any = 0;
        MPI_Testany(count, requests.data(), &which, &any, MPI_STATUS_IGNORE);
        return any != 0;
      },
      meanwhile);
  return which;
}

void give_up(std::vector<MPI_Request>& requests) {
  using clock = std::chrono::steady_clock;
  for (MPI_Request& each : requests)
    if (each != MPI_REQUEST_NULL) MPI_Cancel(&each);
  int all = 0;
  for (auto const start = clock::now(); all == 0 && clock::now() - start < std::chrono::milliseconds(100);)
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &all, MPI_STATUSES_IGNORE);
}

}  // namespace skel::runtime
