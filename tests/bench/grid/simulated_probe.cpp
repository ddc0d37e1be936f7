// Runs inside the simulator, one rank per host: what runtime's probes find there, a line for each measurement. Started
// by simulated_probe_test.cpp.

#include <cstdio>
#include <numeric>
#include <utility>
#include <vector>

#include <mpi.h>
#include <simgrid/s4u.hpp>

#include <skel/detail/runtime/ranks/grid_probe.hpp>

namespace {

namespace record = skel::record;
namespace runtime = skel::runtime;

void until(MPI_Request request) {
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void pause(double seconds) {
  simgrid::s4u::this_actor::sleep_for(seconds);
}

void print(std::vector<runtime::probed_direction> const& found) {
  for (auto const& [from, to, probe] : found)
    for (record::probe_sample const& sample : probe.samples)
      std::printf("sample %d %d %d %.0f %.12g\n", from, to, static_cast<int>(sample.kind), sample.bytes,
                  sample.seconds);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<int> rank_of(static_cast<std::size_t>(ranks));
  std::iota(rank_of.begin(), rank_of.end(), 0);
  runtime::message_probe_options const options{.time_limit = 1e9, .wait = {.until = until, .pause = pause}};
  auto const rounds = skel::plan::tournament(rank_of.size());
  auto const latencies = probe_latencies(MPI_COMM_WORLD, rounds, rank_of, options);

  using enum record::probe_sizes;
  auto const far = probe_pairs(MPI_COMM_WORLD, {{{0, ranks - 1, false}}}, {.transfers = two, .gaps = two}, options);
  auto const near =
      probe_pairs(MPI_COMM_WORLD, {{{0, 1, false}}},
                  {.transfers = two, .gaps = two, .send_overheads = shortest, .receive_overheads = shortest}, options);
  if (rank == 0) {
    std::printf("rounds %zu\n", rounds.size());
    for (auto const& [first, second, found] : latencies)
      std::printf("latency %zu %zu %.12g\n", first, second, found.latency);
    print(far);
    print(near);
  }
  MPI_Finalize();
}
