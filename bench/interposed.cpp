// bench_interposed [--ranks "2 4"] [--platform FILE [--hosts "a b c"]] [--seconds S]: libskel_mpi.so beside plain Open
// MPI.
//
// Starts itself under mpirun with the library in front of MPI. Both ways are taken in turn in one process: MPI_Bcast is
// the library's, PMPI_Bcast is Open MPI's. A time is the slower rank's of a batch of calls, per call; a figure is the
// median over the batches. All of it is printed as tables; the exit status says only whether everything ran.
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/base/statistics.hpp>

#include "support/both_ways.hpp"

namespace {

namespace statistics = skel::statistics;

struct choice {
  std::string ranks = "2 4", platform{}, hosts{};
  double seconds = 0.2;  ///< for each figure
};

constexpr int most_bytes = 4 << 20;

int rank = 0, ranks = 1;

bench::message_buffers buffers;
std::vector<char>&sent = buffers.sent, &got = buffers.got;

using bench::in_turn, bench::slowest;

void steady_table(double seconds) {
  if (rank == 0) std::printf("\n%-10s %9s %12s %12s %8s\n", "operation", "bytes", "skel [us]", "plain [us]", "ratio");
  double logarithms = 0, worst = 0;
  int rows = 0;
  for (bench::collective_call const& one : bench::usual_collectives(buffers)) {
    for (int bytes = 8; bytes <= most_bytes; bytes = bytes < most_bytes ? std::min(4 * bytes, most_bytes) : 2 * bytes) {
      int const count = bytes / 8;
      // A batch of some 200 us, so that neither the barrier before it nor the clock counts.
      double const once = slowest([&] {
                            for (int i = 0; i < 10; ++i) one.plain(count, MPI_COMM_WORLD);
                          }) /
                          10;
      auto const calls = static_cast<std::size_t>(std::clamp(200e-6 / once, 1.0, 1000.0));
      auto const found = in_turn(
          seconds, calls, [&](std::size_t) { one.ours(count, MPI_COMM_WORLD); },
          [&](std::size_t) { one.plain(count, MPI_COMM_WORLD); });
      logarithms += std::log(found.ratio), worst = std::max(worst, found.ratio), ++rows;
      if (rank == 0)
        std::printf("%-10s %9d %12.2f %12.2f %8.3f\n", one.name, one.has_size ? bytes : 0, 1e6 * found.ours,
                    1e6 * found.plain, found.ratio);
      if (!one.has_size) break;
    }
  }
  if (rank == 0) std::printf("geometric mean %.3f, worst %.3f of %d\n", std::exp(logarithms / rows), worst, rows);
}

long resident_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return std::atol(line.c_str() + 6);
  return 0;
}

void new_sizes() {
  // The median of differences of neighbours: a size that the library has not seen, with it and without.
  std::vector<double> ours, plain;
  for (int i = 0; i < 400; ++i) {
    int const count = 3 + 5 * i;
    ours.push_back(
        slowest([&] { MPI_Allreduce(sent.data(), got.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }));
    plain.push_back(
        slowest([&] { PMPI_Allreduce(sent.data(), got.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }));
  }
  std::vector<double> more;
  for (std::size_t i = 0; i < ours.size(); ++i) more.push_back(ours[i] - plain[i]);
  if (rank == 0)
    std::printf("first use of a size: %.2f us more than plain (median of 400; 95 %% are below %.2f us)\n",
                1e6 * statistics::median(more), 1e6 * statistics::quantile(more, 0.95));
}

void new_communicators(double seconds) {
  auto const with = [](auto const& collective) {
    return [collective](std::size_t) {
      MPI_Comm copy = MPI_COMM_NULL;
      PMPI_Comm_dup(MPI_COMM_WORLD, &copy);
      collective(copy);
      PMPI_Comm_free(&copy);
    };
  };
  auto const found =
      in_turn(seconds, 10, with([](MPI_Comm c) { MPI_Allreduce(sent.data(), got.data(), 16, MPI_DOUBLE, MPI_SUM, c); }),
              with([](MPI_Comm c) { PMPI_Allreduce(sent.data(), got.data(), 16, MPI_DOUBLE, MPI_SUM, c); }));
  if (rank == 0)
    std::printf("a communicator made, used and freed: %.2f us, plain %.2f us, ratio %.3f\n", 1e6 * found.ours,
                1e6 * found.plain, found.ratio);
}

void many_sizes(double seconds) {
  auto const count = [](std::size_t i) { return static_cast<int>(100 + 13 * i); };
  auto const found = in_turn(
      seconds, 100,
      [&](std::size_t i) { MPI_Allreduce(sent.data(), got.data(), count(i), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); },
      [&](std::size_t i) { PMPI_Allreduce(sent.data(), got.data(), count(i), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); });
  if (rank == 0)
    std::printf("100 sizes in turn: %.2f us, plain %.2f us, ratio %.3f\n", 1e6 * found.ours, 1e6 * found.plain,
                found.ratio);
}

void memory() {
  // Open MPI's own has grown before.
  for (int i = 1; i <= 20'000; ++i) PMPI_Bcast(sent.data(), i, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  long const before = resident_kilobytes();
  for (int i = 1; i <= 20'000; ++i) MPI_Bcast(sent.data(), i, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  long more = resident_kilobytes() - before;
  PMPI_Allreduce(MPI_IN_PLACE, &more, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) std::printf("after 20,000 sizes: %.1f MiB more on a rank\n", static_cast<double>(more) / 1024);
}

int measure(double seconds) {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  sent.resize(most_bytes), got.resize(most_bytes);
  if (rank == 0) std::printf("\n== %d ranks\n", ranks);
  new_sizes();  // while all sizes are new
  steady_table(seconds);
  many_sizes(seconds);
  new_communicators(seconds);
  memory();
  MPI_Finalize();
  return 0;
}

/// Runs a command and waits for it.
int run(std::vector<std::string> const& words) {
  pid_t const child = fork();
  if (child == 0) {
    for (char const* variable : {SKEL_MPIRUN_ENVIRONMENT}) putenv(const_cast<char*>(variable));
    std::vector<char*> arguments;
    for (std::string const& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments.front(), arguments.data());
    std::perror(arguments.front());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int usage() {
  std::fprintf(stderr, "bench_interposed [--ranks \"2 4\"] [--platform FILE [--hosts \"a b c\"]] [--seconds S]\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  choice chosen;
  for (int i = 1; i < argc; i += 2) {
    std::string const option = argv[i];
    if (i + 1 == argc) return usage();
    if (option == "--ranks")
      chosen.ranks = argv[i + 1];
    else if (option == "--platform")
      chosen.platform = argv[i + 1];
    else if (option == "--hosts")
      chosen.hosts = argv[i + 1];
    else if (option == "--seconds")
      chosen.seconds = std::atof(argv[i + 1]);
    else
      return usage();
  }
  if (std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr) return measure(chosen.seconds);
  std::istringstream numbers(chosen.ranks);
  for (int number = 0; numbers >> number;) {
    std::vector<std::string> words{SKEL_MPIRUN};
    words.insert(words.end(), {"-np", std::to_string(number), "-x", std::string("LD_PRELOAD=") + SKEL_INTERPOSED});
    if (!chosen.platform.empty()) words.insert(words.end(), {"-x", "SKEL_PLATFORM=" + chosen.platform});
    if (!chosen.hosts.empty()) words.insert(words.end(), {"-x", "SKEL_MPI_HOSTS=" + chosen.hosts});
    for (char const* passed : {"SKEL_MPI", "SKEL_MPI_VERBOSE", "SKEL_MPI_ALGORITHM"})
      if (std::getenv(passed) != nullptr) words.insert(words.end(), {"-x", passed});
    words.insert(words.end(), {argv[0], "--seconds", std::to_string(chosen.seconds)});
    std::fflush(stdout);
    if (int const status = run(words); status != 0) return status;
  }
  return 0;
}
