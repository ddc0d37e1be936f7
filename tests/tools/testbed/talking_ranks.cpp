// talking_ranks [SECONDS]: what ranks see of a testbed, as one JSON object of rank 0: the hosts that they are on, the
// sum of their numbers, and the shortest of some round trips between rank 0 and each. With SECONDS it goes on until a
// round trip to the last rank takes so long, three times in a row (or for 30 s).
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

/// Between rank 0 and another, on both [s].
double round_trip(int rank, int other) {
  double const begin = MPI_Wtime();
  char byte = 0;
  if (rank == 0) {
    MPI_Send(&byte, 1, MPI_CHAR, other, 0, MPI_COMM_WORLD);
    MPI_Recv(&byte, 1, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (rank == other) {
    MPI_Recv(&byte, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&byte, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  }
  return MPI_Wtime() - begin;
}

/// Whether it came to that.
bool wait_for_slow(int rank, int last, double seconds) {
  double const begin = MPI_Wtime();
  for (int in_a_row = 0;;) {
    double const now = round_trip(rank, last);
    in_a_row = now >= seconds ? in_a_row + 1 : 0;
    int state = in_a_row == 3 ? 1 : MPI_Wtime() - begin > 30 ? 2 : 0;
    MPI_Bcast(&state, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (state != 0) return state == 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0, length = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<char> name(MPI_MAX_PROCESSOR_NAME), names(name.size() * static_cast<std::size_t>(ranks));
  MPI_Get_processor_name(name.data(), &length);
  MPI_Gather(name.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, names.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, 0,
             MPI_COMM_WORLD);
  int sum = rank;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  std::string hosts, trips;
  for (int other = 0; other < ranks; ++other) {
    double least = other == 0 ? 0 : 1e9;
    for (int i = 0; i < 5 && other > 0; ++i) least = std::min(least, round_trip(rank, other));
    hosts += (other == 0 ? "\"" : ",\"") + std::string(&names[name.size() * static_cast<std::size_t>(other)]) + "\"";
    trips += (other == 0 ? "" : ",") + std::to_string(least);
  }
  std::string slow;
  if (argc > 1) slow = wait_for_slow(rank, ranks - 1, std::atof(argv[1])) ? ",\"slow\":true" : ",\"slow\":false";
  if (rank == 0)
    std::printf("{\"hosts\":[%s],\"sum\":%d,\"round_trips\":[%s]%s}\n", hosts.c_str(), sum, trips.c_str(),
                slow.c_str());
  MPI_Finalize();
}
