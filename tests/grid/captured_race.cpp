// The guide's recipe for data races: `captured_race shared` has a farm whose workers add to a variable that they have
// captured by reference, `captured_race own` returns what is added to a reduce. Compiled with the thread sanitizer,
// with a skel that is not.
#include <cstdio>
#include <functional>
#include <optional>
#include <string_view>

#include <skel/skel.hpp>

int main(int argc, char** argv) {
  skel::grid grid(argc, argv);
  long sum = 0;
  auto const count = [i = 0]() mutable { return i < 200'000 ? std::optional(i++) : std::nullopt; };
  if (argc > 1 && std::string_view(argv[1]) == "shared") {
    auto app = skel::source("count", count) |
               skel::farm(
                   "add", [&](int x) { return sum += x, x; }, skel::width{2}) |
               skel::sink("drop", [](int) {});
    grid.run(app);
  } else {
    auto app = skel::source("count", count) |
               skel::farm(
                   "pass", [](int x) { return long{x}; }, skel::width{2}) |
               skel::reduce("sum", std::plus<>{}) | skel::sink("keep", [&](long all) { sum = all; });
    grid.run(app);
  }
  if (grid.rank() == 0) std::printf("%ld\n", sum);
}
