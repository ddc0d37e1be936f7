// Runs a small pipeline on every rank there is and checks what comes out, in order.
#include <cstdio>
#include <optional>

#include <skel/skel.hpp>

int main(int argc, char** argv) {
  skel::grid grid(argc, argv);
  long sum = 0, last = -1;
  bool in_order = true;
  auto app = skel::source([i = 0L]() mutable { return i < 10'000 ? std::optional(i++) : std::nullopt; }) |
             skel::farm("square", [](long x) { return x * x; }) | skel::sink([&](long square) {
               in_order = in_order && square > last;
               last = square;
               sum += square;
             });
  grid.run(app);
  if (grid.rank() != 0) return 0;
  std::printf("%d rank(s): sum of squares %ld\n", grid.size(), sum);
  return in_order && sum == 333'283'335'000L ? 0 : 1;
}
