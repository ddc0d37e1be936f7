// Runs inside the simulator, one rank per host: a program over a mesh by the engine of such programs, in virtual time.
// Started by bench_mesh_grid: smpirun ... bench_mesh_simulated JOB.json, beside which lies the mesh.
//
// All ranks live in one process and share its globals (smpi/privatization:no). Phases take what their elements take on
// the host; the engine's own work takes none.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>
#include <simgrid/s4u.hpp>

#include <runtime/iteration/engine.hpp>
#include <skel/detail/record/clock.hpp>

#include "mesh_grid/job.hpp"
#include "mesh_grid/simulated_part.hpp"
#include "support/smpi_transport.hpp"

namespace {

using namespace bench;

class virtual_clock final : public skel::record::other_clock {
 public:
  std::int64_t now_ns() const override { return static_cast<std::int64_t>(1e9 * simgrid::s4u::Engine::get_clock()); }
  std::vector<skel::record::thread_times> threads() const override { return {}; }
};

/// What the ranks share.
struct simulation {
  mesh_job job;
  parted_mesh mesh;
  virtual_clock clock{};
  std::vector<double> ends{};  // of each iteration, on the last rank
  std::vector<variant_times> done{};
};

/// Made by the first rank; lives as long as the simulator, which ends the ranks one after the other.
simulation* shared = nullptr;

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

std::string text_of(std::filesystem::path const& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw std::runtime_error(file.string() + ": cannot be read");
  return text;
}

void begin(std::filesystem::path const& file) {
  shared = new simulation{.job = parse_mesh_job(text_of(file)),
                          .mesh = parse_parted_mesh(text_of(std::filesystem::path(file).replace_filename("mesh")))};
  skel::record::go_by(&shared->clock);
}

double mean(std::vector<double> const& of) {
  double sum = 0;
  for (double const one : of) sum += one;
  return of.empty() ? 0 : sum / static_cast<double>(of.size());
}

variant_times times_of(mesh_variant variant, skel::record::mesh_record const& record) {
  auto const& ends = shared->ends;
  variant_times out{.of = variant, .iteration = (ends.back() - ends.front()) / static_cast<double>(ends.size() - 1)};
  auto const iterations = static_cast<double>(record.iterations);
  for (auto const& step : record.steps) {
    out.steps.push_back(step.name);
    out.computing.push_back(mean(step.computing) / iterations);
    out.waiting.push_back(mean(step.waiting) / iterations);
  }
  return out;
}

/// Messages that a rank waits for at once: all that may be long under way to it, updates of neighbours in other
/// clusters, and some that are not. SimGrid's time for a message grows with the square of their number.
std::size_t places_for(skel::plan::mesh_layout const& layout, mesh_job const& job, int rank) {
  constexpr std::size_t near = 8;
  auto const own = job.cluster_of[static_cast<std::size_t>(rank)];
  auto const far = std::ranges::count_if(
      layout.neighbours, [&](auto const& one) { return job.cluster_of[static_cast<std::size_t>(one.rank)] != own; });
  return near + job.updates * static_cast<std::size_t>(far);
}

/// The longest message [B] that comes or goes: an update of a neighbour, or what all ranks have to say.
std::size_t longest_for(skel::plan::mesh_layout const& layout, mesh_job const& job, int ranks) {
  constexpr std::size_t front = 256, of_a_rank = 1024;
  std::size_t most = static_cast<std::size_t>(ranks) * of_a_rank;
  for (auto const& one : layout.neighbours) most = std::max(most, std::max(one.ghosts, one.sends.size()) * job.bytes);
  return front + most;
}

void run_variant(mesh_variant variant, skel::plan::mesh_layout const& layout, int rank, int ranks) {
  auto const& job = shared->job;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) shared->ends.assign(job.iterations, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  auto const speed = simgrid::s4u::this_actor::get_host()->get_speed();
  simulated_part part(
      job, variant, shared->mesh.rank_of.size(), job.cluster_of[static_cast<std::size_t>(rank)],
      [speed](double seconds) { simgrid::s4u::this_actor::execute(seconds * speed); },
      [](std::uint64_t iteration) {
        auto& end = shared->ends[iteration - 1];
        end = std::max(end, simgrid::s4u::Engine::get_clock());
      });
  skel::runtime::iteration::run_options options;
  options.group_of = job.cluster_of;
  smpi_transport among(rank, ranks, places_for(layout, job, rank), longest_for(layout, job, ranks));
  single_thread threads;
  skel::runtime::iteration::engine here(part, layout, among, threads, std::move(options));
  while (here.serve())
    while (!here.is_due()) among.rest(0, [&here] { return here.is_due(); });
  among.quiesce();
  auto const record = here.end();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) shared->done.push_back(times_of(variant, record));
}

void run(char const* file) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (!shared) begin(file);
  auto const layout = skel::plan::layout_of(shared->mesh.faces, shared->mesh.rank_of, static_cast<std::uint32_t>(rank));
  for (auto const variant : shared->job.variants) run_variant(variant, layout, rank, ranks);
  if (rank != 0) return;
  std::printf("times %s\n", to_json(shared->done).c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    if (argc != 2) throw std::runtime_error("JOB.json is missing; bench_mesh_grid starts this program");
    run(argv[1]);
  } catch (std::exception const& problem) {
    std::printf("error %s\n", problem.what());
    std::fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
