// Runs inside the simulator, one rank per host: a program of MigBSP's testbed by the engine of BSP programs, in virtual
// time. Started by bench_bsp_grid: smpirun ... bench_bsp_simulated JOB.json
//
// All ranks live in one process and share its globals (smpi/privatization:no). Computation takes what its instructions
// take on the host; packing, deciding and the engine's own work take none.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>
#include <simgrid/s4u.hpp>

#include <runtime/bsp/engine.hpp>
#include <skel/detail/mapping/migration/simulate.hpp>
#include <skel/detail/runtime/bsp/program.hpp>
#include <skel/detail/runtime/bsp/typed_group.hpp>

#include "bsp_grid/job.hpp"
#include "migbsp/testbed.hpp"
#include "support/smpi_transport.hpp"

namespace {

using namespace bench;
namespace bsp = skel::runtime::bsp;

/// Of a host of speed 1: work units of the testbed are instructions, and its speeds are per second.
constexpr double flops_of_a_unit = 1e9;

/// Messages that a rank waits for at once. SimGrid's time for a message grows with the square of their number.
constexpr std::size_t places = 16;

/// A body has at most a block of 64 KiB (longer ones are ranges) and heads of all ranks, some 100 bytes each, with what
/// was measured of processes behind them.
constexpr std::size_t longest_body = std::size_t{1} << 20;

double now() {
  return simgrid::s4u::Engine::get_clock();
}

/// What the ranks share.
struct simulation {
  bsp_job job;
  migbsp_testbed testbed;
  migbsp_case program;
  std::vector<double> begins;      // of each superstep, on the last rank
  std::vector<std::size_t> begun;  // the superstep that a rank is in
  double end = 0;
  int left = 0;  // ranks that are done
  std::size_t calls = 0;
};

/// Made by the first rank; lives as long as the simulator, which ends the ranks one after the other.
simulation* shared = nullptr;

/// The columns of a process and what it keeps beside. Whoever takes it in waits for the fixed part of a migration.
struct columns {
  std::vector<std::byte> bytes;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(bytes);
    if constexpr (Archive::is_loading::value) simgrid::s4u::this_actor::sleep_for(shared->testbed.machine.fixed);
  }
};

using cell = std::vector<std::byte>;

std::size_t whole(double bytes) {
  return static_cast<std::size_t>(bytes);
}

void step(skel::superstep<cell>& superstep, columns&) {
  auto const number = static_cast<std::size_t>(superstep.number());
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (auto& begun = shared->begun[static_cast<std::size_t>(rank)]; begun < number) {
    begun = number;
    shared->begins[number - 1] = std::max(shared->begins[number - 1], now());
  }
  auto const load = skel::record::load_of(shared->program.program, number);
  if (double const work = load.work[superstep.process()]; work > 0)
    simgrid::s4u::this_actor::execute(work * flops_of_a_unit);
  for (auto const& one : load.messages)
    if (one.from == superstep.process()) superstep.send(one.to, cell(whole(one.bytes)));
  if (number == shared->begins.size()) superstep.halt();
}

/// One thread does all parts: a simulated rank has no others.
class single_thread final : public skel::runtime::team {
 public:
  single_thread() : team(1) {}

 private:
  void run_parts(skel::runtime::phase const&, std::size_t count, skel::runtime::part_function part) override {
    for (std::size_t p = 0; p < count; ++p) part(p);
  }
  bool runs_at_once() const override { return false; }
};

/// A policy is told what rank 0 hears of a superstep, with instructions in place of seconds.
skel::bsp_mover mover_of(skel::skeletons::migration_settings const& settings) {
  std::shared_ptr const policy = skel::mapping::migration::make_policy(settings, shared->testbed.machine);
  return [policy, before = now()](skel::bsp_measures const& of) mutable {
    skel::record::superstep step{
        .number = static_cast<std::size_t>(of.number),
        .load = {.work = skel::record::load_of(shared->program.program, static_cast<std::size_t>(of.number)).work,
                 .messages = {}},
        .hosts = {of.rank_of.begin(), of.rank_of.end()},
        .state_bytes = of.state_bytes,
        .external_load = {},
        .seconds = now() - before};
    for (auto const& one : of.traffic) step.load.messages.push_back({one.from, one.to, one.bytes});
    before = now();
    std::vector<skel::bsp_move> moves;
    if (auto const call = policy->after(step)) {
      ++shared->calls;
      for (auto const& one : call->candidates)
        if (one.accepted) moves.push_back({one.process, static_cast<int>(one.from), static_cast<int>(one.to)});
    }
    return moves;
  };
}

std::string text_of(char const* file) {
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw std::runtime_error(std::string(file) + ": cannot be read");
  return text;
}

void begin(char const* file, std::size_t ranks) {
  auto job = parse_job(text_of(file));
  auto testbed = read_migbsp_testbed(job.testbed);
  auto program = testbed.of_order(job.order);
  auto const supersteps = skel::record::supersteps_of(program.program);
  shared = new simulation{.job = std::move(job),
                          .testbed = std::move(testbed),
                          .program = std::move(program),
                          .begins = std::vector<double>(supersteps),
                          .begun = std::vector<std::size_t>(ranks)};
}

void print(skel::record::bsp_record const& record) {
  bsp_outcome out{.seconds = shared->end - shared->begins.front(),
                  .supersteps = {},
                  .moves = {},
                  .calls = shared->calls,
                  .messages = record.messages};
  shared->begins.push_back(shared->end);
  for (std::size_t s = 1; s < shared->begins.size(); ++s)
    out.supersteps.push_back(shared->begins[s] - shared->begins[s - 1]);
  for (auto const& one : record.migrations) {
    if (!one.failed.empty())
      throw std::runtime_error("process " + std::to_string(one.process) + " could not move: " + one.failed);
    out.moves.push_back({one.superstep, one.process, static_cast<std::size_t>(one.from),
                         static_cast<std::size_t>(one.to), static_cast<double>(one.bytes)});
  }
  std::printf("outcome %s\n", to_json(out).c_str());
  std::fflush(stdout);
}

void run(char const* file) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (!shared) begin(file, static_cast<std::size_t>(ranks));
  auto const& with = shared->program.begin;
  auto const program = skel::bsp<cell>(
      "wavefront", with.hosts.size(),
      [&with](std::size_t process) { return columns{std::vector<std::byte>(whole(with.state_bytes[process]))}; }, step);
  auto options = bsp::options_of(program);
  options.first_ranks.assign(with.hosts.begin(), with.hosts.end());
  if (shared->job.each_to_each) options.relays_from = static_cast<std::size_t>(ranks) + 1;
  options.measures = shared->job.policy.name != "never";
  if (rank == 0 && options.measures) options.next_moves = mover_of(shared->job.policy);

  smpi_transport among(rank, ranks, places, longest_body);
  single_thread threads;
  bsp::typed_group group(program);
  bsp::engine here(group, among, threads, std::move(options));
  while (here.serve())
    while (!here.is_due()) among.rest(0, [&here] { return here.is_due(); });
  shared->end = std::max(shared->end, now());
  among.quiesce();
  auto const record = here.end();
  if (++shared->left == ranks) print(record);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    if (argc != 2) throw std::runtime_error("JOB.json is missing; bench_bsp_grid starts this program");
    run(argv[1]);
  } catch (std::exception const& problem) {
    std::printf("error %s\n", problem.what());
    std::fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
