/// Irregular reductions over ranks: the exchange that is chosen beside both that can be forced, on the same patterns.
/// Every rank's iterations are pairs of elements near each other in its own share of the elements and, for some of
/// them, anywhere: the more of those, the more every rank touches. Start it with mpirun.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <skel/detail/base/statistics.hpp>
#include <skel/detail/plan/block.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/skel.hpp>

namespace {

using skel::plan::reduction_exchange;

/// `per_element` iterations for each of the elements in this rank's part of the first `used` ones.
skel::pattern share_of(std::size_t rank, std::size_t ranks, std::size_t elements, double used, double anywhere,
                       double per_element) {
  std::mt19937 random(static_cast<unsigned>(rank) + 1);
  auto const all = static_cast<std::size_t>(std::ceil(used * static_cast<double>(elements)));
  auto const block = skel::plan::block_of(all, ranks, rank);
  auto const iterations = static_cast<std::size_t>(per_element * static_cast<double>(block.size()));
  std::bernoulli_distribution is_far(anywhere);
  std::vector<skel::subscript> index;
  index.reserve(2 * iterations);
  for (std::size_t i = 0; i < iterations; ++i) {
    std::size_t const near = block.begin + static_cast<std::size_t>(static_cast<double>(i) / per_element);
    std::size_t const other = is_far(random) ? random() % all : near + random() % 50;
    index.push_back(static_cast<skel::subscript>(near % elements));
    index.push_back(static_cast<skel::subscript>(other % elements));
  }
  return skel::pattern(iterations, elements, std::move(index));
}

struct contender {
  std::string name;
  skel::irregular_reduction<> reduction;
  std::vector<double> x;
  std::vector<double> seconds{};  // each but the first, of the slowest rank
};

}  // namespace

int main(int argc, char** argv) {
  skel::grid grid(argc, argv);
  std::vector<std::size_t> sizes{1000, 30000, 1000000};
  std::vector<double> used{0.02, 1}, anywhere{0, 0.1, 1};
  std::size_t uses = 50, threads = 1;
  bool owned = false;
  CLI::App app{"Irregular reductions over ranks: the chosen exchange beside the dense and the sparse one"};
  app.add_option("--elements", sizes, "elements of the array")->delimiter(',');
  app.add_option("--used", used, "part of the elements that any rank touches")->delimiter(',');
  app.add_option("--anywhere", anywhere, "part of the iterations that touch another rank's elements")->delimiter(',');
  app.add_option("--uses", uses, "executions with each pattern")->check(CLI::Range(2, 1000000));
  app.add_option("--threads", threads, "of each rank");
  app.add_flag("--owned", owned, "each rank wants the results of its block of elements only");
  CLI11_PARSE(app, argc, argv);
  auto const ranks = static_cast<std::size_t>(grid.size()), self = static_cast<std::size_t>(grid.rank());
  if (ranks == 1) {
    fmt::print(stderr, "bench_ranked_reductions: start it on several ranks: mpirun -np 4 bench_ranked_reductions\n");
    return 1;
  }
  if (self == 0)
    fmt::print(
        "{:>9} {:>5} {:>8} {:>9} | exchange, us: {:>9} {:>9} | whole execution, median us: {:>9} {:>9} {:>9} | "
        "{:>7} {:>14} {:>13}\n",
        "elements", "used", "anywhere", "longest", "dense", "sparse", "dense", "sparse", "chosen", "way", "chosen/best",
        "setup us");
  for (std::size_t const elements : sizes)
    for (double const part : used)
      for (double const far : anywhere) {
        auto const mine = share_of(self, ranks, elements, part, far, 2);
        std::size_t const size = owned ? skel::plan::block_of(elements, ranks, self).size() : elements;
        std::vector<contender> all;
        auto const add = [&](std::string name, std::optional<reduction_exchange> way) {
          skel::reduction_settings settings;
          settings.threads = threads;
          settings.exchange = way;
          all.push_back({std::move(name), skel::irregular_reduction<>(settings), std::vector<double>(size, 0)});
        };
        add("dense", reduction_exchange::dense);
        add("sparse", reduction_exchange::sparse);
        add("chosen", std::nullopt);
        auto const body = [](std::size_t i, auto& acc) {
          acc.add(0, static_cast<double>(i));
          acc.add(1, -static_cast<double>(i));
        };
        for (std::size_t use = 0; use < uses; ++use)
          for (std::size_t turn = 0; turn < all.size(); ++turn) {
            auto& one = all[(use + turn) % all.size()];
            grid.barrier();
            double const begin = skel::record::now();
            if (owned)
              one.reduction.run_owned(grid, skel::own_share(mine), std::span{one.x}, body);
            else
              one.reduction.run(grid, skel::own_share(mine), std::span{one.x}, body);
            double const took = grid.all_reduce(skel::record::now() - begin, skel::maximum{});
            if (use > 0) one.seconds.push_back(took);
          }
        if (self != 0) continue;
        std::array<double, 3> median{};
        for (std::size_t k = 0; k < all.size(); ++k) median[k] = skel::statistics::median(all[k].seconds) * 1e6;
        auto const chosen = all[2].reduction.exchange_report();
        auto const forced = all[1].reduction.exchange_report();
        fmt::print(
            "{:>9} {:>5} {:>8} {:>9} |               {:>9.1f} {:>9.1f} |                            {:>9.1f} "
            "{:>9.1f} {:>9.1f} | {:>7} {:>14.3f} {:>13.1f}\n",
            elements, part, far, forced.longest, all[0].reduction.exchange_report().dense * 1e6, forced.sparse * 1e6,
            median[0], median[1], median[2], skel::plan::name_of(chosen.way),
            median[2] / std::min(median[0], median[1]), chosen.preparing * 1e6);
      }
}
