// A run that does not end by itself, on all ranks: a line, supersteps or collectives.
//   lasting_run line|bsp|collectives FILE [--skel-...]   makes the file when all ranks have met in it
#include <chrono>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <skel/bsp.hpp>
#include <skel/skel.hpp>

using namespace std::chrono_literals;

namespace {

void run_line(skel::grid& grid, std::function<void()> const& begun) {
  std::vector<int> all;
  for (int r = 0; r < grid.size(); ++r) all.push_back(r);
  grid.settings().plan = skel::plan::run_plan{{{{0}, 1, {}}, {all, 1, {}}, {{0}, 1, {}}}};
  grid.run(skel::source([i = 0]() mutable { return std::optional(i++); }) |
           skel::farm("work",
                      [](int x) {
                        std::this_thread::sleep_for(2ms);
                        return x;
                      }) |
           skel::sink([&](int x) {
             if (x == 200) begun();
           }));
}

void run_bsp(skel::grid& grid, std::function<void()> const& begun) {
  auto const count = static_cast<std::size_t>(grid.size());
  grid.run(skel::bsp<int>(
               "lasting", count, [](std::size_t) { return 0; },
               [&, count](skel::superstep<int>& now, int&) {
                 std::this_thread::sleep_for(2ms);
                 if (now.number() == 100 && now.process() == 0) begun();
                 now.send((now.process() + 1) % count, 1);
               })
               .limited(1'000'000'000));
}

void run_collectives(skel::grid& grid, std::function<void()> const& begun) {
  for (int n = 0;; ++n) {
    grid.all_reduce(1.0, std::plus<>{});
    if (n == 20 && grid.rank() == 0) begun();
    std::this_thread::sleep_for(2ms);
  }
}

}  // namespace

int main(int argc, char** argv) {
  skel::grid grid(argc, argv);
  std::string const what = argv[1], file = argv[2];
  auto const begun = [&] { std::ofstream(file) << "begun\n"; };
  if (what == "line")
    run_line(grid, begun);
  else if (what == "bsp")
    run_bsp(grid, begun);
  else
    run_collectives(grid, begun);
}
