#pragma once

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

#include <skel/detail/base/statistics.hpp>

namespace bench {

/// Memory that collectives send from and receive into.
struct message_buffers {
  std::vector<char> sent, got;
};

/// A collective on n doubles (of each rank), by the library in front of MPI and by MPI alone.
struct collective_call {
  char const* name;
  bool has_size;
  std::function<void(int n, MPI_Comm comm)> ours, plain;
};

/// Broadcast, reduce, allreduce and barrier. The buffers must outlive them, and be as large as what is sent.
inline std::vector<collective_call> usual_collectives(message_buffers& b) {
  using comm = MPI_Comm;
  return {
      {"bcast", true, [&](int n, comm c) { MPI_Bcast(b.sent.data(), n, MPI_DOUBLE, 0, c); },
       [&](int n, comm c) { PMPI_Bcast(b.sent.data(), n, MPI_DOUBLE, 0, c); }},
      {"reduce", true, [&](int n, comm c) { MPI_Reduce(b.sent.data(), b.got.data(), n, MPI_DOUBLE, MPI_SUM, 0, c); },
       [&](int n, comm c) { PMPI_Reduce(b.sent.data(), b.got.data(), n, MPI_DOUBLE, MPI_SUM, 0, c); }},
      {"allreduce", true, [&](int n, comm c) { MPI_Allreduce(b.sent.data(), b.got.data(), n, MPI_DOUBLE, MPI_SUM, c); },
       [&](int n, comm c) { PMPI_Allreduce(b.sent.data(), b.got.data(), n, MPI_DOUBLE, MPI_SUM, c); }},
      {"barrier", false, [](int, comm c) { MPI_Barrier(c); }, [](int, comm c) { PMPI_Barrier(c); }},
  };
}

/// Allgather of n doubles of each rank; `got` must be as large as all of them.
inline collective_call allgather_call(message_buffers& b) {
  return {"allgather", true,
          [&](int n, MPI_Comm c) { MPI_Allgather(b.sent.data(), n, MPI_DOUBLE, b.got.data(), n, MPI_DOUBLE, c); },
          [&](int n, MPI_Comm c) { PMPI_Allgather(b.sent.data(), n, MPI_DOUBLE, b.got.data(), n, MPI_DOUBLE, c); }};
}

/// The slower rank's time of one run of `what`, begun together [s]. Collective.
inline double slowest(std::function<void()> const& what) {
  PMPI_Barrier(MPI_COMM_WORLD);
  double const start = MPI_Wtime();
  what();
  double seconds = MPI_Wtime() - start;
  PMPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

/// The same where all hosts have one clock, as on one machine: from a moment that all wait for until the last rank is
/// done [s]. Without it ranks that are far from each other leave a barrier at different times. Collective.
inline double until_the_last(std::function<void()> const& what) {
  using clock = std::chrono::steady_clock;
  using seconds = std::chrono::duration<double>;
  auto const now = [] { return seconds(clock::now().time_since_epoch()).count(); };
  double const before = now();
  double start = 0;
  PMPI_Allreduce(&before, &start, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  // Twice what that took is enough for it to come to all, and some of the system's slices of time for all to run.
  double const took = now() - before;
  double longest = 0;
  PMPI_Allreduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  double const slices = 0.02;
  start += 3 * longest + slices;
  std::this_thread::sleep_until(clock::time_point(std::chrono::duration_cast<clock::duration>(seconds(start))));
  what();
  double end = now();
  PMPI_Allreduce(MPI_IN_PLACE, &end, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return end - start;
}

struct both_ways {
  double ours = 0, plain = 0;  ///< medians [s] of one call
  double ratio = 0;  ///< ours / plain: the median of what pairs of neighbours say, so that other load is in both
  skel::statistics::interval sure;  ///< holds the ratio in 95 % of the cases
  std::size_t pairs = 0;
};

/// Batches of `calls` in turn, for about so many seconds, at least eleven pairs; who is first changes. `timed`: how the
/// time of a batch is taken; `goes_on`: asked before each pair, the same on all ranks. Collective.
inline both_ways in_turn(
    double seconds, std::size_t calls, std::function<void(std::size_t)> const& ours,
    std::function<void(std::size_t)> const& plain, double (*timed)(std::function<void()> const&) = slowest,
    std::function<bool()> const& goes_on = [] { return true; }) {
  constexpr std::size_t least = 11, most = 2001;
  std::vector<double> mine, theirs, ratios;
  auto const batch = [&](auto const& call) {
    return timed([&] {
             for (std::size_t i = 0; i < calls; ++i) call(i);
           }) /
           static_cast<double>(calls);
  };
  batch(plain), batch(ours);  // warm up
  for (double spent = 0; mine.size() < least || (spent < seconds && mine.size() < most);) {
    if (!goes_on()) break;
    bool const first = mine.size() % 2 == 0;
    double const a = batch(first ? ours : plain), b = batch(first ? plain : ours);
    mine.push_back(first ? a : b), theirs.push_back(first ? b : a);
    ratios.push_back(mine.back() / theirs.back());
    spent += (a + b) * static_cast<double>(calls);
  }
  if (ratios.empty()) return {};
  using namespace skel::statistics;
  return {median(mine), median(theirs), median(ratios), median_interval(ratios), ratios.size()};
}

}  // namespace bench
