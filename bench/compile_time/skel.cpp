// A program of three stages on skel; tbb.cpp is the same on oneTBB.
#include <cstdio>
#include <optional>

#include <skel/skel.hpp>

int main(int argc, char** argv) {
  skel::grid grid(argc, argv);
  long sum = 0;
  auto app = skel::source("count", [i = 0]() mutable { return i < 1000 ? std::optional(i++) : std::nullopt; }) |
             skel::farm("square", [](int x) { return 1L * x * x; }) | skel::sink("add", [&](long x) { sum += x; });
  grid.run(app);
  std::printf("%ld\n", sum);
}
