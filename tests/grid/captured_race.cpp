// The guide's recipe for data races: `captured_race shared` has a farm whose workers add to a variable that they have
// captured by reference, `captured_race own` returns what is added to a reduce. Compiled with the thread sanitizer,
// with a skel that is not.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>
#include <string_view>
#include <thread>

#include <skel/skel.hpp>

/// Each thread waits, once and for at most a second, until two have come: that orders nothing between them.
void meet() {
  static std::atomic<int> here{0};
  thread_local bool const came = (here.fetch_add(1, std::memory_order_relaxed), true);
  thread_local int patience = came ? 1000 : 0;
  for (; patience > 0 && here.load(std::memory_order_relaxed) < 2; --patience)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  patience = 0;
}

int main(int argc, char** argv) {
  skel::grid grid(argc, argv);
  long sum = 0;
  auto const count = [i = 0]() mutable { return i < 200'000 ? std::optional(i++) : std::nullopt; };
  if (argc > 1 && std::string_view(argv[1]) == "shared") {
    auto app = skel::source("count", count) |
               skel::farm(
                   "add", [&](int x) { return meet(), sum += x, x; }, skel::width{2}) |
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
