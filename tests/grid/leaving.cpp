// A rank leaves a grid while the others are in a collective with it; started under mpirun, which is to end with an
// error.
//   leaving throws|unwinds|unwinds-root|unwinds-early|returns|exits
// Or it has no memory for a grid that the others make, or for meeting them there:
//   leaving no-memory|no-memory-to-meet
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <skel/detail/runtime/ranks/communicator.hpp>
#include <skel/detail/runtime/ranks/rendezvous.hpp>
#include <skel/skel.hpp>

namespace {

std::size_t refused = std::numeric_limits<std::size_t>::max();  // no memory is given in this size [B]

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
  void* const found = size == refused ? nullptr : std::malloc(size);
  if (found == nullptr) throw std::bad_alloc();
  return found;
}
[[gnu::noinline]] void operator delete(void* what) noexcept {
  std::free(what);
}
[[gnu::noinline]] void operator delete(void* what, std::size_t /*size*/) noexcept {
  std::free(what);
}

namespace {

void use_grid(std::string_view how) {
  skel::run_settings settings;
  settings.patience = how == "unwinds-early" ? 0.5 : how.starts_with("no-memory") ? 2 : 20;
  char const* const rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (how.starts_with("no-memory") && rank != nullptr && rank == std::string("2"))
    refused = how == "no-memory" ? skel::runtime::communicator::longest_piece : sizeof(skel::runtime::rendezvous);
  settings.platform = skel::platform::description(1e-6, {{.name = "all", .hosts = 3, .inside = {5e-5, 1e8}}}, {});
  skel::grid grid(std::move(settings));
  std::vector<double> data(100000);
  for (int use = 1; use <= 2; ++use) grid.broadcast(std::span(data));  // the third is not timed
  int const leaver = how == "unwinds-root" ? 0 : 2;
  if (grid.rank() == leaver) {
    if (how == "exits") std::exit(0);
    if (how == "returns") return;
    throw std::runtime_error("rank " + std::to_string(leaver) + " has had enough");
  }
  if (how == "unwinds-early") std::this_thread::sleep_for(std::chrono::hours(1));  // longer than the patience
  grid.broadcast(std::span(data));
}

}  // namespace

int main(int argc, char** argv) {
  std::string const how = argc > 1 ? argv[1] : "";
  if (how == "throws") {
    use_grid(how);
    return 0;
  }
  try {
    use_grid(how);
  } catch (std::exception const& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}
