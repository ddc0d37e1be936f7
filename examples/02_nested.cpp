// Farms in pipelines and pipelines in farms: counts, for each number, the steps of its Collatz sequence.
#include <iostream>
#include <optional>
#include <string>
#include <utility>

#include <skel/skel.hpp>

int main(int argc, char** argv) try {
  skel::grid grid(argc, argv);

  auto numbers = skel::source("numbers", [n = 0ull]() mutable -> std::optional<unsigned long long> {
    return n < 20000 ? std::optional(++n) : std::nullopt;
  });
  auto steps = [](unsigned long long n) {
    unsigned long long count = 0;
    for (auto x = n; x != 1; ++count) x = x % 2 == 0 ? x / 2 : 3 * x + 1;
    return std::pair(n, count);
  };

  // The worker of the outer farm is a pipeline. One of its stages is a farm again.
  auto worker = skel::pipeline(skel::farm("steps", steps),
                               skel::stage("square", [](auto p) { return std::pair(p.first, p.second * p.second); }));
  // A pipeline built at run time: as many stages as the program likes.
  skel::runtime_pipeline<std::pair<unsigned long long, unsigned long long>> tail;
  for (int k = 0; k < 3; ++k) tail.stage("add" + std::to_string(k), [](auto p) { return ++p.second, p; });

  unsigned long long items = 0, sum = 0, last = 0;
  bool in_order = true;
  auto app = numbers | skel::farm("outer", worker) | tail | skel::sink("sum", [&](auto p) {
               ++items, sum += p.second;
               in_order = in_order && p.first > std::exchange(last, p.first);
             });
  grid.run(app);
  if (grid.rank() == 0)
    std::cout << items << " items " << (in_order ? "in order" : "out of order") << ", sum " << sum << std::endl;
  if (!std::cout) throw skel::error("standard output cannot be written");
} catch (std::exception const& e) {
  std::cerr << "02_nested: " << e.what() << "\n";
  return 1;
}
