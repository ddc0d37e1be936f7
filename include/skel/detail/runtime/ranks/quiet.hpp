#pragma once

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <skel/detail/runtime/ranks/leaving.hpp>

namespace skel::runtime {

/// Collective operations in which a waiting rank sleeps instead of burning a processor, while other ranks on the same
/// cores work or measure. They take up to a millisecond longer, or a hundredth of a rank's waiting time, for each level
/// of MPI's trees (waiting_pause). All are collective over the communicator.
namespace quiet {

/// Waits until the request is complete, asleep in between.
void wait(MPI_Request request);

/// Leaves when every rank has come.
void barrier(MPI_Comm among);

/// The bytes that each rank gave, in rank order, on every rank.
std::vector<std::string> all_gather(MPI_Comm among, std::string const& mine);

/// The bytes that rank 0 gave, on every rank.
std::string broadcast(MPI_Comm among, std::string bytes);

}  // namespace quiet

/// A communicator of one's own, so that no message of the original is met. Construction and destruction are
/// collective.
class own_communicator {
 public:
  explicit own_communicator(MPI_Comm original) { MPI_Comm_dup(original, &copy_); }
  ~own_communicator() {
    int finalized = 0;  // the process may have exited before
    MPI_Finalized(&finalized);
    if (finalized == 0 && !has_ended()) MPI_Comm_free(&copy_);
  }
  own_communicator(own_communicator const&) = delete;
  own_communicator& operator=(own_communicator const&) = delete;

  MPI_Comm get() const { return copy_; }

 private:
  MPI_Comm copy_ = MPI_COMM_NULL;
};

/// The pauses of a rank that looks now and then if others have come. They begin at 50 us and double up to 1 ms; then
/// they are a hundredth of the time waited, 20 ms at most. So it comes late by that part at most, once for each level
/// of a tree through which the others reach it. A rank that waits for long wakes up fifty times a second.
class waiting_pause {
 public:
  using clock = std::chrono::steady_clock;

  /// The next one. `waited`: since it was made.
  clock::duration next(clock::duration waited) {
    using namespace std::chrono_literals;
    doubled_ = std::min<clock::duration>(2 * doubled_, 1ms);
    return std::clamp<clock::duration>(waited / 100, doubled_, 20ms);
  }
  void sleep() { std::this_thread::sleep_for(next(clock::now() - begun_)); }

 private:
  clock::time_point begun_ = clock::now();
  clock::duration doubled_ = std::chrono::microseconds(25);
};

}  // namespace skel::runtime
