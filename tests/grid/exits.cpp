// A process ends in some way while a grid lives, or after one has; started under mpirun, by tests/grid/misuse.cmake.
//   exits WAY
// Each rank 0 prints "sum 499500" before it ends.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <mpi.h>

#include <skel/skel.hpp>

namespace {

skel::run_settings quick() {
  skel::run_settings settings;
  settings.calibration_time = 0.01;
  settings.patience = 4;
  std::size_t const ranks = std::getenv("OMPI_COMM_WORLD_SIZE") ? std::stoul(std::getenv("OMPI_COMM_WORLD_SIZE")) : 1;
  settings.platform = skel::platform::description(1e-6, {{.name = "all", .hosts = ranks, .inside = {5e-5, 1e8}}}, {});
  return settings;
}

/// Its destructor is called after those of static objects in functions.
std::unique_ptr<skel::grid> the_grid;
/// Made before main().
std::unique_ptr<skel::grid> const before_main(std::getenv("SKEL_TEST_GRID_BEFORE_MAIN") ? new skel::grid(quick())
                                                                                        : nullptr);

/// Runs a line, and a collective of which MPI has a communicator of its own.
void use(skel::grid& grid) {
  long sum = 0;
  grid.run(skel::source([i = 0]() mutable { return i < 1000 ? std::optional(i++) : std::nullopt; }) |
           skel::stage("pass", [](int x) { return x; }) | skel::sink([&](int x) { sum += x; }));
  std::vector<double> data(1000);
  grid.broadcast(std::span(data));
  if (grid.rank() == 0) std::printf("sum %ld\n", sum), std::fflush(stdout);
}

skel::grid& of_function() {
  static skel::grid instance(quick());
  return instance;
}

void in_main(std::function<void(skel::grid&)> const& then) {
  skel::grid grid(quick());
  use(grid);
  then(grid);
}

int init(int level = MPI_THREAD_FUNNELED) {
  int provided = 0;
  return MPI_Init_thread(nullptr, nullptr, level, &provided);
}

int returned = 0;

std::map<std::string_view, std::function<void()>> const ways{
    {"global", [] { use(*(the_grid = std::make_unique<skel::grid>(quick()))); }},
    {"global-returns-3",
     [] {
       use(*(the_grid = std::make_unique<skel::grid>(quick())));
       returned = 3;
     }},
    {"before-main", [] { use(*before_main); }},
    {"static", [] { use(of_function()); }},
    {"static-exits-3",
     [] {
       use(of_function());
       std::exit(3);
     }},
    {"leaked", [] { use(*new skel::grid(quick())); }},
    {"two-globals",
     [] {
       use(*(the_grid = std::make_unique<skel::grid>(quick())));
       use(of_function());
       in_main([](skel::grid&) { std::exit(0); });
     }},
    {"exits-0", [] { in_main([](skel::grid&) { std::exit(0); }); }},
    {"exits-3", [] { in_main([](skel::grid&) { std::exit(3); }); }},
    {"quick-exits-0", [] { in_main([](skel::grid&) { std::quick_exit(0); }); }},
    {"quick-exits-3", [] { in_main([](skel::grid&) { std::quick_exit(3); }); }},
    {"exits-after-grid",
     [] {
       in_main([](skel::grid&) {});
       std::exit(3);
     }},
    // The others come to the end of main() and destroy their grids.
    {"one-exits-0",
     [] {
       in_main([](skel::grid& grid) {
         if (grid.rank() + 1 == grid.size()) std::exit(0);
       });
     }},
    {"one-exits-3",
     [] {
       in_main([](skel::grid& grid) {
         if (grid.rank() + 1 == grid.size()) std::exit(3);
       });
     }},
    {"one-exits-3-in-a-collective",
     [] {
       in_main([](skel::grid& grid) {
         if (grid.rank() + 1 == grid.size()) std::exit(3);
         try {
           grid.barrier();
         } catch (skel::error const& left) {
           std::fprintf(stderr, "%s\n", left.what());
           std::exit(1);
         }
       });
     }},
    {"one-exits-3-alone",
     [] {
       in_main([](skel::grid& grid) {
         if (grid.rank() + 1 == grid.size()) std::exit(3);
         std::this_thread::sleep_for(std::chrono::hours(1));
       });
     }},
    {"throws", [] { in_main([](skel::grid&) { throw std::runtime_error("left main"); }); }},
    {"in-a-thread", [] { std::thread([] { in_main([](skel::grid&) {}); }).join(); }},
    {"own-mpi",
     [] {
       init();
       in_main([](skel::grid&) {});
       MPI_Finalize();
     }},
    {"own-mpi-first",
     [] {
       init();
       in_main([](skel::grid&) { MPI_Finalize(); });
     }},
    {"own-mpi-and-global",
     [] {
       init();
       use(*(the_grid = std::make_unique<skel::grid>(quick())));
       MPI_Finalize();
     }},
    {"finalizes-skels", [] { in_main([](skel::grid&) { MPI_Finalize(); }); }},
};

}  // namespace

int main(int argc, char** argv) {
  ways.at(argc > 1 ? argv[1] : "")();
  return returned;
}
