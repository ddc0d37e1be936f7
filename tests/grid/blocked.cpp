// Programs in which a function of the user does not return when its run is to end: what skel says of them, and how they
// end, is tested by blocked.sh. A function that waits does so until the file `gate` is there.
//   blocked CASE GATE
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>

#include <skel/bsp.hpp>
#include <skel/iterate.hpp>
#include <skel/pipeline.hpp>

namespace {

std::string gate;

void say_that_it_waits() {
  std::fprintf(stderr, "a function waits\n");
}

void wait_for_gate() {
  say_that_it_waits();
  while (!std::filesystem::exists(gate)) std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

std::optional<int> wait_for_stop(std::stop_token const& stop) {
  say_that_it_waits();
  std::mutex mutex;
  std::condition_variable_any more;
  std::unique_lock lock(mutex);
  more.wait(lock, stop, [] { return false; });
  return std::nullopt;
}

/// Gives some items, and then what `behind` gives.
template <class Behind>
auto some_items(Behind behind) {
  return [behind, i = 0](std::stop_token const& stop) mutable -> std::optional<int> {
    return i < 5 ? std::optional(i++) : behind(stop);
  };
}
std::atomic<bool> source_waits{false};
auto behind_gate() {
  return [](std::stop_token const&) -> std::optional<int> {
    source_waits = true;
    return wait_for_gate(), std::nullopt;
  };
}

/// Throws on the last item before the source waits, when that waits: on another rank, it is sure to.
int check(int x) {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  for (int k = 0; x == 4 && k < 500 && !source_waits; ++k) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (x == 4) throw std::runtime_error("bad frame");
  return x;
}

skel::plan::run_plan over(int ranks) {
  skel::plan::run_plan plan;
  plan.stations = {{{0}}, {{ranks - 1}}, {{0}}};
  return plan;
}

template <class Source, class Stage>
void run_line(skel::grid& grid, Source source, Stage stage, bool measured = false) {
  if (!measured) grid.settings().plan = over(grid.size());
  auto app = skel::source("read", source) | skel::stage("check", stage) | skel::sink("drop", [](int) {});
  grid.run(app);
}

struct number {
  int value = 0;
};

/// The first process waits, and on several ranks the last one throws.
void run_bsp(skel::grid& grid) {
  auto const ranks = static_cast<std::size_t>(grid.size());
  grid.run(skel::bsp<int>(
      "jacobi", ranks + 1, [](std::size_t) { return number(); },
      [ranks](skel::superstep<int>& now, number&) {
        if (now.number() == 4) return now.halt();
        if (now.number() == 3 && now.process() == 0) wait_for_gate();
        if (now.number() == 3 && now.process() == ranks && ranks > 1) throw std::runtime_error("bad frame");
      }));
}

/// The first rank waits, and where there are several the last one throws: when a cell is computed this often.
void run_mesh(skel::grid& grid, int calls) {
  skel::run_settings all_take_part;
  skel::platform::cluster only{.name = "a", .hosts = static_cast<std::size_t>(grid.size())};
  only.inside = {1e-5, 1e9};
  all_take_part.platform = skel::platform::description(0, {only}, {});
  all_take_part.forced = {{"clusters", only.hosts == 1 ? "a" : "a-0 to a-" + std::to_string(only.hosts - 1)}};
  skel::grid here(all_take_part);
  here.run(skel::iterate("heat", skel::cube_of_tetrahedra(4), [](skel::mesh_element const&) { return number(); }) |
           skel::phase("flux",
                       [calls, rank = grid.rank(), last = grid.size() - 1](number& mine) {
                         if (++mine.value != calls) return;
                         if (rank == 0) wait_for_gate();
                         if (rank == last && last > 0) throw std::runtime_error("bad frame");
                       }) |
           skel::update("value", &number::value) | skel::times(31));
}

/// Reads a pipe that nobody writes to.
std::optional<int> from_pipe(std::stop_token const& /*stop*/) {
  static int ends[2] = {-1, -1};
  if (ends[0] < 0 && ::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  char byte = 0;
  say_that_it_waits();
  if (::read(ends[0], &byte, 1) < 0) throw std::system_error(errno, std::generic_category(), "read");
  return byte;
}

void run(skel::grid& grid, std::string const& what) {
  auto const same = [](int x) { return x; };
  if (what == "exception") run_line(grid, some_items(behind_gate()), check);
  if (what == "measured") run_line(grid, some_items(behind_gate()), check, true);
  if (what == "silent") run_line(grid, some_items(behind_gate()), same);
  if (what == "token") run_line(grid, some_items(wait_for_stop), check);
  if (what == "pipe") run_line(grid, some_items(from_pipe), same);
  if (what == "stage")
    run_line(grid, some_items([](std::stop_token const&) { return std::optional<int>(); }),
             [](int x, std::stop_token const& stop) { return wait_for_stop(stop), x; });
  if (what == "bsp") run_bsp(grid);
  if (what == "mesh") run_mesh(grid, 30);
  if (what == "mesh_timed") run_mesh(grid, 3);
}

}  // namespace

int main(int argc, char** argv) {
  skel::grid grid(argc, argv);
  if (argc != 3) return 2;
  gate = argv[2];
  std::fprintf(stderr, "rank %d is process %d\n", grid.rank(), static_cast<int>(::getpid()));
  try {
    run(grid, argv[1]);
    std::fprintf(stderr, "rank %d has ended\n", grid.rank());
  } catch (skel::error const& e) {
    std::fprintf(stderr, "rank %d: %s\n", grid.rank(), e.what());
  }
}
