// A rank that cannot have the threads of a run: every rank is told which limit stands in the way, and ends with 3.
//   few_threads WAY
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <skel/bsp.hpp>
#include <skel/skel.hpp>

namespace {

/// From now on this process may have so much more address space [B]: a thread takes 8 MiB of it.
void allow_memory(std::size_t more) {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + more;
  ::setrlimit(RLIMIT_AS, &limit);
}

auto line() {
  return skel::source([i = 0]() mutable { return i < 100 ? std::optional(i++) : std::nullopt; }) |
         skel::farm("work", [](int x) { return x; }) | skel::sink([](int) {});
}

/// With the threads that there are: more than the cores of most machines.
int run_alone(int argc, char** argv) try {
  skel::grid grid(argc, argv);
  grid.settings().plan = skel::plan::run_plan{{{{0}, 1, {}}, {{0, 0, 0, 0}, 4, {}}, {{0}, 1, {}}}};
  grid.run(line());
  return EXIT_SUCCESS;
} catch (skel::error const& e) {
  std::fprintf(stderr, "skel: %s\n", e.what());
  return 3;
}

}  // namespace

int main(int argc, char** argv) {
  std::string const way = argc > 1 ? argv[1] : "";
  constexpr std::size_t wide = 64, little = std::size_t{48} << 20;
  std::size_t const ranks = std::getenv("OMPI_COMM_WORLD_SIZE") ? std::stoul(std::getenv("OMPI_COMM_WORLD_SIZE")) : 1;
  skel::run_settings settings;
  settings.patience = 4;
  settings.platform =
      skel::platform::description(1e-6, {{.name = "all", .hosts = ranks, .cores = wide, .inside = {5e-5, 1e8}}}, {});
  int const last = static_cast<int>(ranks) - 1;
  if (way == "planned") {
    settings.platform.reset();
    settings.plan = skel::plan::run_plan{{{{0}, 1, {}}, {std::vector<int>(wide, last), wide, {}}, {{0}, 1, {}}}};
  }
  if (way == "alone") return run_alone(argc, argv);
  skel::grid grid(settings);
  bool const first_is_poor = way == "measured";
  if (grid.rank() == (first_is_poor ? 0 : last)) allow_memory(little);
  for (int attempt = 0; attempt < 2; ++attempt) try {  // what has failed fails again, and leaves nothing behind
      if (way == "bsp")
        grid.run(skel::bsp<int>(
            "poor", 100, [](std::size_t) { return 0; }, [](skel::superstep<int>& now, int&) { now.halt(); }));
      else
        grid.run(line());
      std::fprintf(stderr, "skel: rank %d: nothing was thrown\n", grid.rank());
      return EXIT_FAILURE;
    } catch (skel::error const& e) {
      if (attempt > 0) std::fprintf(stderr, "skel: rank %d: %s\n", grid.rank(), e.what());
    }
  return 3;
}
