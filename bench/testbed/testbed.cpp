// bench_testbed --exactness | --collectives | --change [options]: what an emulated grid (skel testbed) makes of the
// latencies and bandwidths that it is asked for, and libskel_mpi.so beside Open MPI's own collectives on such grids,
// also when ways between sites change in mid-run.
//
// Makes the testbeds and runs itself on their hosts. All of it is printed as tables; the exit status says only whether
// everything ran. Needs root, and a quiet machine for figures that mean something.
#include <cstdio>
#include <exception>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "change.hpp"
#include "collectives.hpp"
#include "exactness.hpp"
#include "tcp.hpp"

int main(int argc, char** argv) try {
  CLI::App app("bench_testbed: how exact emulated grids are, and collectives on them");
  bench::collectives_choice choice;
  bool exactness = false, collectives = false, changes = false, serve = false, ranks = false;
  std::string ask, uses;
  app.add_flag("--exactness", exactness, "asked latencies and bandwidths beside those that TCP and skel probe find");
  app.add_flag("--collectives", collectives, "libskel_mpi.so beside Open MPI alone; a gain of 2: half the time");
  app.add_flag("--change", changes, "after how many uses libskel_mpi.so follows a change between sites, and back");
  app.add_option("--sites", choice.sites, "hosts of each site of a grid")->capture_default_str();
  app.add_option("--between", choice.between, "latency [s] : bandwidth [B/s] between sites")->capture_default_str();
  app.add_option("--op", choice.operations, "bcast, reduce, allreduce, allgather, barrier (default: all)");
  app.add_flag("--shared", choice.shared, "all hosts of two sites share one link; otherwise each two have their own");
  app.add_flag("--known", choice.known, "give the library the platform of the testbed; otherwise it measures one");
  app.add_option("--least", choice.least_bytes, "smallest message [B]")
      ->check(CLI::Range(8, 1 << 26))
      ->capture_default_str();
  app.add_option("--most", choice.most_bytes, "largest message [B]")
      ->check(CLI::Range(8, 1 << 26))
      ->capture_default_str();
  app.add_option("--step", choice.step, "how many times as large the next message is")
      ->check(CLI::Range(2, 1 << 20))
      ->capture_default_str();
  app.add_option("--calls", choice.calls,
                 "compare the first so many calls of each size and operation on MPI_COMM_WORLD; otherwise steady ones")
      ->check(CLI::Range(2, 1 << 20));
  app.add_option("--minutes", choice.minutes,
                 "of collectives in all; figures that do not fit in are left out or given up, and counted")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--seconds", choice.seconds, "for each figure, more or less")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  auto* const internal = app.add_option_group("on hosts", "what it runs there by itself");
  internal->add_flag("--serve", serve, "answer TCP");
  internal->add_option("--ask", ask, "measure TCP to this address");
  internal->add_option("--uses", uses, "use collectives while ways change; a folder");
  internal->add_flag("--ranks", ranks, "time collectives");
  app.footer(R"(SKEL_MPI, SKEL_MPI_VERBOSE and SKEL_MPI_ALGORITHM of the environment are passed on to the library.

Examples:
  bench_testbed --exactness
  bench_testbed --collectives
  bench_testbed --collectives --sites 3+3 --between 0.005:25e6
  bench_testbed --collectives --sites 3+3 --op bcast --least 32768
  bench_testbed --collectives --sites 3+3 --between 0.005:25e6 --step 64 --calls 16
  bench_testbed --change --sites 3+3 --between 0.001:125e6 --op bcast --op allreduce --least 8192 --step 32
    --most 262144)");
  CLI11_PARSE(app, argc, argv);
  if (serve) bench::serve_tcp();
  if (ranks)
    bench::print_collective_times(choice);
  else if (!uses.empty())
    bench::print_uses(choice, uses);
  else if (!ask.empty())
    bench::print_tcp_figures(ask.c_str(), choice.seconds);
  else if (!exactness && !collectives && !changes)
    fmt::print("{}", app.help());
  if (exactness) bench::print_exactness(choice.seconds);
  if (collectives) bench::print_collectives(choice);
  if (changes) bench::print_changes(choice);
  return 0;
} catch (std::exception const& problem) {
  std::fprintf(stderr, "bench_testbed: %s\n", problem.what());
  return 1;
}
