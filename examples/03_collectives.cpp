// Collectives on any number of ranks: k-means in one dimension. Rank 0 makes and scatters the points. Each round
// broadcasts the centres, sums the points nearest to each centre on every rank, and adds these sums.
#include <cmath>
#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <skel/skel.hpp>

struct cluster {
  std::int64_t sum, count;
};

int main(int argc, char** argv) try {
  skel::grid grid(argc, argv);
  auto const ranks = static_cast<std::size_t>(grid.size());
  std::size_t const points = 5040 / ranks;  // on each rank; 5040 is a multiple of 1 to 10

  std::vector<std::int64_t> all, mine(points);
  if (grid.rank() == 0)
    for (std::size_t i = 0; i < points * ranks; ++i)
      all.push_back(static_cast<std::int64_t>(1000 * (i % 3) + i * 7919 % 101));  // three heaps
  grid.scatter(std::span(all), std::span(mine));

  std::vector<std::int64_t> centres;
  if (grid.rank() == 0) centres = {100, 900, 2500};
  grid.broadcast(centres);  // as long as it is on rank 0
  auto const add = skel::commutative([](cluster a, cluster b) { return cluster{a.sum + b.sum, a.count + b.count}; });
  std::vector<cluster> found;
  for (int round = 0; round < 5; ++round) {
    found.assign(centres.size(), {0, 0});
    for (std::int64_t x : mine) {
      std::size_t nearest = 0;
      for (std::size_t c = 1; c < centres.size(); ++c)
        if (std::abs(x - centres[c]) < std::abs(x - centres[nearest])) nearest = c;
      found[nearest].sum += x, ++found[nearest].count;
    }
    grid.all_reduce(std::span(found), add);
    for (std::size_t c = 0; c < centres.size(); ++c)
      if (found[c].count > 0) centres[c] = found[c].sum / found[c].count;
  }

  // Values may be of any serialisable type: here the number of points in each hundred, by its name.
  std::map<std::string, int> hundreds;
  for (std::int64_t x : mine) ++hundreds[std::to_string(x / 100 * 100)];
  auto const merged = grid.reduce(hundreds, [](auto a, auto const& b) {
    for (auto const& [name, count] : b) a[name] += count;
    return a;
  });

  if (grid.rank() == 0) {
    for (std::size_t c = 0; c < centres.size(); ++c)
      std::cout << found[c].count << " points around " << centres[c] << "\n";
    std::cout << merged->size() << " hundreds have points, " << merged->at("1000") << " of them in 1000 to 1099"
              << std::endl;
  }
  if (!std::cout) throw skel::error("standard output cannot be written");
} catch (std::exception const& e) {
  std::cerr << "03_collectives: " << e.what() << "\n";
  return 1;
}
