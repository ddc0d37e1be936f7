// Calls each of the collectives that skel knows with each number of bytes on the command line and checks what came out.
// Rank 0 prints one line for each: "OPERATION RANKS BYTES ok", or "error" where the library refused the call. Bytes are
// counted as Open MPI's rules count them: those of the vector, or of all parts together.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace {

int rank = 0, ranks = 1;

using bytes = std::vector<unsigned char>;

bytes pattern(std::size_t size, int from, int to = 0) {
  bytes result(size);
  for (std::size_t i = 0; i < size; ++i)
    result[i] = static_cast<unsigned char>(i * 7 + std::size_t(from) * 31 + std::size_t(to) * 17);
  return result;
}

/// The parts of all ranks, one behind the other.
template <class Part>
bytes all_of(Part part) {
  bytes result;
  for (int r = 0; r < ranks; ++r) {
    bytes const one = part(r);
    result.insert(result.end(), one.begin(), one.end());
  }
  return result;
}

enum class result { ok, refused, wrong };

result judge(int status, bool right) {
  return status != MPI_SUCCESS ? result::refused : right ? result::ok : result::wrong;
}

result call(std::string const& operation, std::size_t total) {
  auto const comm = MPI_COMM_WORLD;
  std::size_t const part = total / std::size_t(ranks);
  int const whole_count = int(total), part_count = int(part);
  bytes out(total), expected;
  if (operation == "barrier") return judge(MPI_Barrier(comm), true);
  if (operation == "broadcast") {
    if (rank == 0) out = pattern(total, 5);
    int const status = MPI_Bcast(out.data(), whole_count, MPI_BYTE, 0, comm);
    return judge(status, out == pattern(total, 5));
  }
  if (operation == "reduce" || operation == "allreduce") {
    bytes const mine = pattern(total, rank);
    for (int r = 0; r < ranks; ++r) {
      bytes const other = pattern(total, r);
      expected.resize(total);
      for (std::size_t i = 0; i < total; ++i) expected[i] = static_cast<unsigned char>(expected[i] ^ other[i]);
    }
    int const status = operation == "reduce"
                           ? MPI_Reduce(mine.data(), out.data(), whole_count, MPI_BYTE, MPI_BXOR, 0, comm)
                           : MPI_Allreduce(mine.data(), out.data(), whole_count, MPI_BYTE, MPI_BXOR, comm);
    return judge(status, (operation == "reduce" && rank != 0) || out == expected);
  }
  out.resize(part * std::size_t(ranks));
  if (operation == "allgather" || operation == "gather") {
    bytes const mine = pattern(part, rank);
    int const status = operation == "gather"
                           ? MPI_Gather(mine.data(), part_count, MPI_BYTE, out.data(), part_count, MPI_BYTE, 0, comm)
                           : MPI_Allgather(mine.data(), part_count, MPI_BYTE, out.data(), part_count, MPI_BYTE, comm);
    return judge(status,
                 (operation == "gather" && rank != 0) || out == all_of([&](int r) { return pattern(part, r); }));
  }
  bytes const mine = all_of([&](int r) { return pattern(part, rank, r); });
  if (operation == "alltoall") {
    int const status = MPI_Alltoall(mine.data(), part_count, MPI_BYTE, out.data(), part_count, MPI_BYTE, comm);
    return judge(status, out == all_of([&](int r) { return pattern(part, r, rank); }));
  }
  out.resize(part);
  int const status = MPI_Scatter(mine.data(), part_count, MPI_BYTE, out.data(), part_count, MPI_BYTE, 0, comm);
  return judge(status, out == pattern(part, 0, rank));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int worst = 0;
  for (std::string const operation :
       {"broadcast", "reduce", "allreduce", "scatter", "gather", "allgather", "alltoall", "barrier"})
    for (int i = 1; i < argc; ++i) {
      auto const found = call(operation, std::strtoull(argv[i], nullptr, 10));
      if (found == result::wrong) worst = 1;
      char const* const words[] = {"ok", "error", "wrong"};
      if (rank == 0 || found == result::wrong)
        std::printf("%s %d %s %s\n", operation.c_str(), ranks, argv[i], words[static_cast<int>(found)]);
    }
  MPI_Finalize();
  return worst;
}
