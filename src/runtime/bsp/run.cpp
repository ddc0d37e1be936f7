#include <skel/detail/runtime/bsp/run.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string>
#include <thread>
#include <utility>

#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/leaving.hpp>
#include <skel/detail/runtime/team.hpp>

#include "engine.hpp"
#include "transport/mpi_transport.hpp"

namespace skel::runtime::bsp {
namespace {

/// How long ranks look for messages before they sleep [s]. Waking up takes some 60 us in a virtual machine of two
/// cores, and looking for as long as that would be at most twice as long as if it were known how long one waits
/// (Karlin, Li, Manasse and Owicki 1991, Empirical studies of competitive spinning for a shared-memory multiprocessor,
/// SOSP, 41-55). But who wakes up late keeps the other ranks waiting for as long, so that these sleep as well, in every
/// superstep from then on: with 50 us, supersteps of 100 us took 1.5 times as long as by hand in MPI, with 200 us 1.1
/// times.
constexpr double spin = 2e-4;

/// Only messages end a wait [s].
constexpr double no_clock = 1;

/// Whether no rank of this host takes a core from another one while it looks.
bool each_has_a_core(communicator const& ranks) {
  auto const& hosts = ranks.hosts();
  auto const here = std::ranges::count(hosts, hosts[static_cast<std::size_t>(ranks.rank())]);
  return static_cast<std::size_t>(here) <= std::thread::hardware_concurrency();
}

}  // namespace

record::bsp_record run_bsp(process_group& group, communicator const& ranks, run_options options) {
  mpi_transport among(ranks);
  thread_team threads(options.threads);
  engine here(group, among, threads, std::move(options));
  double const look = each_has_a_core(ranks) ? spin : 0;
  // What is thrown here is not what a process has thrown (end() does that, on every rank): there is no memory to tell
  // the others, who wait.
  try {
    while (here.serve()) {
      for (double const until = record::now() + look; !here.is_due() && (among.progress() || record::now() < until);) {
      }
      if (!here.is_due()) among.rest(no_clock, [&here] { return here.is_due(); });
    }
    among.settle();
  } catch (std::exception const& e) {
    end_run(std::string("a BSP program cannot go on, and the other ranks cannot be told: ") + e.what());
  } catch (...) {
    end_run("a BSP program cannot go on, and the other ranks cannot be told");
  }
  auto record = here.end();
  record.hosts = ranks.hosts();
  return record;
}

}  // namespace skel::runtime::bsp
