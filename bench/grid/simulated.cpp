// Runs inside the simulator, one rank per host: makes the measurements of a work list in virtual time and writes a line
// for each. Started by bench_grid: smpirun ... bench_grid_simulated WORK.json
//
// All ranks live in one process and share its globals (smpi/privatization:no): the work list, the schedule in hand, and
// barriers that take no virtual time at all, so that ranks start together exactly.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>
#include <simgrid/s4u.hpp>

#include <skel/detail/runtime/collective/collective.hpp>

#include "grid/collective_data.hpp"
#include "grid/plan_json.hpp"
#include "grid/work_list.hpp"

namespace {

using namespace bench;
using skel::plan::collective;

double now() {
  return simgrid::s4u::Engine::get_clock();
}

/// What the ranks share.
struct simulation {
  work_list work;
  simgrid::s4u::BarrierPtr all;
  std::map<std::size_t, simgrid::s4u::BarrierPtr> pairs;  // of messages under measurement
  std::optional<std::size_t> scheduled;                   // the collective that `schedule` is for
  skel::plan::schedule schedule;
  double start = 0, end = 0;  // of the collective in hand
  bool refused = false;       // by the simulator's algorithm
};

/// Made by the first rank; lives as long as the simulator, which ends the ranks one after the other.
simulation* shared = nullptr;

std::string text_of(char const* file) {
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw std::runtime_error(std::string(file) + ": cannot be read");
  return text;
}

/// The simulator's own collective; false where its algorithm refuses the number of ranks.
bool by_library(collective_measurement const& what, std::size_t word, std::span<std::byte> input,
                std::span<std::byte> output) {
  MPI_Datatype const type = word == 1 ? MPI_UNSIGNED_CHAR : MPI_UINT64_T;
  int const count = static_cast<int>(what.bytes / word), root = static_cast<int>(what.root);
  try {
    switch (what.operation) {
      case collective::broadcast:
        MPI_Bcast(output.data(), count, type, root, MPI_COMM_WORLD);
        break;
      case collective::reduce:
        MPI_Reduce(input.data(), output.data(), count, type, MPI_SUM, root, MPI_COMM_WORLD);
        break;
      case collective::allreduce:
        MPI_Allreduce(input.data(), output.data(), count, type, MPI_SUM, MPI_COMM_WORLD);
        break;
      case collective::scatter:
        MPI_Scatter(input.data(), count, type, output.data(), count, type, root, MPI_COMM_WORLD);
        break;
      case collective::gather:
        MPI_Gather(input.data(), count, type, output.data(), count, type, root, MPI_COMM_WORLD);
        break;
      case collective::allgather:
        MPI_Allgather(input.data(), count, type, output.data(), count, type, MPI_COMM_WORLD);
        break;
      case collective::alltoall:
        MPI_Alltoall(input.data(), count, type, output.data(), count, type, MPI_COMM_WORLD);
        break;
      case collective::barrier:
        MPI_Barrier(MPI_COMM_WORLD);
        break;
    }
  } catch (std::exception const&) {
    return false;
  }
  return true;
}

void by_plan(collective_measurement const& what, std::size_t index, std::size_t rank, std::size_t ranks,
             std::size_t word, std::span<std::byte const> input, std::span<std::byte> output) {
  auto const combine = [word](std::span<std::byte const> received, std::span<std::byte> work, bool) {
    add_words(word, received, work);
  };
  skel::plan::collective_problem problem{.ranks = ranks, .root = what.root, .bytes = what.bytes, .unit = word};
  if (what.plan->route) {
    skel::runtime::run_collective(MPI_COMM_WORLD, steps_of(*what.plan, problem, rank), input, output, combine);
    return;
  }
  // The steps of one rank cost as much as those of all.
  if (shared->scheduled != index) {
    auto const* const algorithm = skel::plan::find_algorithm(what.operation, what.plan->algorithm);
    if (algorithm == nullptr) throw std::runtime_error(name_of(*what.plan) + " is not in the catalogue");
    problem.segment = what.plan->segment, problem.radix = what.plan->radix;
    shared->schedule = algorithm->make(problem);
    shared->scheduled = index;
  }
  skel::runtime::run_collective(MPI_COMM_WORLD, shared->schedule.ranks[rank], input, output, combine);
}

/// Collective. The time lies between the instant at which all ranks leave a barrier and the one at which the last of
/// them is done; filling and checking buffers take no virtual time.
void measure(collective_measurement const& what, std::size_t index, std::size_t rank, std::size_t ranks) {
  collective_data const data(what.operation, ranks, what.root, what.bytes, index);
  std::size_t const bytes_in = data.input_bytes(rank), bytes_out = data.output_bytes(rank);
  // Some of the simulator's reductions write to the receive buffers of all ranks.
  std::size_t const room = what.operation == collective::reduce ? std::max(bytes_out, bytes_in) : bytes_out;
  auto const out = std::make_unique_for_overwrite<std::byte[]>(room);
  std::unique_ptr<std::byte[]> in;
  bool const in_place = what.operation == collective::broadcast;
  if (!in_place) in = std::make_unique_for_overwrite<std::byte[]>(bytes_in);
  std::span const input(in_place ? out.get() : in.get(), bytes_in), output(out.get(), bytes_out);
  data.fill(rank, input);

  // Libraries set up communicators in the first call of an algorithm, which programs that call it again do not count.
  if (!what.plan) by_library(what, data.word(), input, output);
  shared->all->wait();
  shared->start = shared->end = now();
  if (what.plan)
    by_plan(what, index, rank, ranks, data.word(), input, output);
  else
    shared->refused = !by_library(what, data.word(), input, output);
  shared->end = std::max(shared->end, now());
  shared->all->wait();

  if (shared->refused) {
    if (rank == 0) std::printf("collective %zu nan\n", index);
    shared->all->wait();
    shared->refused = false;
    return;
  }
  if (auto const wrong = data.first_wrong(rank, output))
    throw std::runtime_error(std::string(name_of(what.operation)) + " of " + std::to_string(what.bytes) + " bytes by " +
                             (what.plan ? name_of(*what.plan) : "the simulator's own algorithm") + ": rank " +
                             std::to_string(rank) + " has wrong data at byte " + std::to_string(*wrong));
  if (rank == 0) {
    std::printf("collective %zu %.17g\n", index, shared->end - shared->start);
    std::fflush(stdout);
  }
}

struct flood_times {
  double first = 0, all = 0;  // [s]
};

/// From the start of the first of `count` messages until the receiver has the first, and all.
flood_times flood(message_measurement const& what, simgrid::s4u::Barrier& both, bool sends, int count) {
  // Nobody looks at what is received: one place serves all messages.
  std::vector<std::byte> place(what.bytes);
  std::vector<MPI_Request> requests(static_cast<std::size_t>(count));
  int const bytes = static_cast<int>(what.bytes);
  both.wait();
  double const start = now();
  for (MPI_Request& request : requests)
    if (sends)
      MPI_Isend(place.data(), bytes, MPI_BYTE, static_cast<int>(what.to), 0, MPI_COMM_WORLD, &request);
    else
      MPI_Irecv(place.data(), bytes, MPI_BYTE, static_cast<int>(what.from), 0, MPI_COMM_WORLD, &request);
  int some = 0;
  MPI_Waitany(count, requests.data(), &some, MPI_STATUS_IGNORE);
  double const first = now() - start;
  MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
  both.wait();  // the sender's messages may have left long before they are there
  return {first, now() - start};
}

/// Of the two ranks. The gap is the time that each further message takes, once twice as many show the same to 1 % (the
/// first few do not where one connection cannot fill the link); a thousand are more than any window holds.
void measure(message_measurement const& what, std::size_t index, bool sends) {
  constexpr int most = 1024;
  auto& place = shared->pairs[index];
  if (!place) place = simgrid::s4u::Barrier::create(2);
  auto const both = place;
  both->wait();
  double const start = now();
  double const transfer = flood(what, *both, sends, 1).all;
  double before = flood(what, *both, sends, 2).all, gap = before - transfer;
  for (int count = 4; count <= most; count *= 2) {
    double const time = flood(what, *both, sends, count).all, last = gap;
    gap = (time - before) / (count / 2);
    before = time;
    if (gap > 0 && std::abs(gap - last) <= 0.01 * gap) break;
  }
  double const taken = now() - start;
  constexpr int some = 8;
  double const late = flood(what, *both, sends, some).first - transfer;
  if (sends) return;
  shared->pairs.erase(index);
  double const together = gap > 0 ? std::clamp(late / ((some - 1) * gap), 0.0, 1.0) : 0;
  std::printf("message %zu %.17g %.17g %.17g %.17g\n", index, transfer, gap, together, taken);
  std::fflush(stdout);
}

void run(char const* file) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (!shared) {
    shared = new simulation;
    shared->work = parse_work_list(text_of(file));
    shared->all = simgrid::s4u::Barrier::create(static_cast<unsigned>(ranks));
  }
  auto const me = static_cast<std::size_t>(rank), n = static_cast<std::size_t>(ranks);
  auto const& work = shared->work;
  for (std::size_t i = 0; i < work.messages.size(); ++i)
    if (auto const& what = work.messages[i]; me == what.from || me == what.to) measure(what, i, me == what.from);
  shared->all->wait();
  for (std::size_t i = 0; i < work.collectives.size(); ++i) measure(work.collectives[i], i, me, n);
  if (rank == 0) std::puts("end");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    if (argc != 2) throw std::runtime_error("WORK.json is missing; bench_grid starts this program");
    run(argv[1]);
  } catch (std::exception const& problem) {
    std::printf("error %s\n", problem.what());
    std::fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
