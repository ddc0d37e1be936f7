// bench_ranked_farm: a farm over ranks beside a master written by hand for MPI that works itself, in turns. Rank 0
// makes items, anybody works on them, and rank 0 takes what comes back. Printed are the median time of skel and that of
// the master / skel's in the same round, with the range that holds the median. Above 1 skel is ahead. Start it with
// mpirun.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <mpi.h>
#include <sys/resource.h>
#include <CLI/CLI.hpp>

#include <skel/detail/record/clock.hpp>
#include <skel/skel.hpp>

#include "support/beside.hpp"
#include "support/cpu_time.hpp"
#include "support/spin.hpp"

namespace {

using block = std::vector<std::uint64_t>;

/// Items of so many words that take a worker so many turns. What comes back is as large as the item.
struct job {
  std::uint64_t items;
  std::size_t words;
  std::uint64_t turns;

  block make(std::uint64_t number) const {
    block made(words);
    std::iota(made.begin(), made.end(), number);
    return made;
  }
  void work(block& on) const { on.front() = bench::spin(on.front() + on.back(), turns); }
};

std::uint64_t by_skel(skel::grid& grid, job const& of, bool reports) {
  std::uint64_t sum = 0;
  auto app = skel::source("make",
                          [of, next = std::uint64_t{0}]() mutable {
                            return next < of.items ? std::optional(of.make(next++)) : std::nullopt;
                          }) |
             skel::farm("work",
                        [of](block&& in) {
                          of.work(in);
                          return std::move(in);
                        }) |
             skel::sink("add", [&sum](block const& in) { sum += in.front(); });
  auto const report = grid.run(app);
  if (reports && grid.rank() == 0) std::cout << report << std::flush;
  return sum;
}

/// An item on its way to a rank, or back.
struct trip {
  block there, back;
  MPI_Request goes = MPI_REQUEST_NULL, comes = MPI_REQUEST_NULL;
  bool busy = false;
};
constexpr int of_an_item = 0, of_the_end = 1;

/// Takes items as long as there are any. Others come, and results go, while it works on one.
void serve(job const& of, std::size_t ahead) {
  int const words = static_cast<int>(of.words);
  std::vector<trip> trips(ahead + 1);
  auto const ask = [&](trip& one) {
    MPI_Wait(&one.goes, MPI_STATUS_IGNORE);
    one.there.resize(of.words);
    MPI_Irecv(one.there.data(), words, MPI_UINT64_T, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &one.comes);
  };
  for (std::size_t k = 0; k < ahead; ++k) ask(trips[k]);
  for (std::size_t turn = 0;; ++turn) {
    auto& one = trips[turn % trips.size()];
    MPI_Status status;
    MPI_Wait(&one.comes, &status);
    if (status.MPI_TAG == of_the_end) break;
    ask(trips[(turn + ahead) % trips.size()]);
    of.work(one.there);
    MPI_Isend(one.there.data(), words, MPI_UINT64_T, 0, of_an_item, MPI_COMM_WORLD, &one.goes);
  }
  for (auto& one : trips) {
    MPI_Wait(&one.goes, MPI_STATUS_IGNORE);
    if (one.comes != MPI_REQUEST_NULL) MPI_Cancel(&one.comes);
    MPI_Wait(&one.comes, MPI_STATUS_IGNORE);
  }
}

/// Rank 0 keeps `ahead` items with each other rank, and works on one itself while all have as many.
std::uint64_t by_master(job const& of, std::size_t ahead) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank > 0) {
    serve(of, ahead);
    return 0;
  }
  int const words = static_cast<int>(of.words);
  std::uint64_t sum = 0, made = 0;
  std::vector<trip> trips(static_cast<std::size_t>(ranks - 1) * ahead);
  auto const rank_of = [&](trip const& one) { return 1 + static_cast<int>((&one - trips.data()) % (ranks - 1)); };
  for (bool all_home = false; made < of.items || !all_home;) {
    all_home = true;
    for (auto& one : trips) {
      if (one.busy) {
        int done = 0;
        MPI_Test(&one.comes, &done, MPI_STATUS_IGNORE);
        all_home = all_home && done != 0;
        if (done == 0) continue;
        MPI_Wait(&one.goes, MPI_STATUS_IGNORE);
        sum += one.back.front();
        one.busy = false;
      }
      if (made == of.items) continue;
      one.there = of.make(made++);
      one.back.resize(of.words);
      MPI_Isend(one.there.data(), words, MPI_UINT64_T, rank_of(one), of_an_item, MPI_COMM_WORLD, &one.goes);
      MPI_Irecv(one.back.data(), words, MPI_UINT64_T, rank_of(one), of_an_item, MPI_COMM_WORLD, &one.comes);
      one.busy = true;
      all_home = false;
    }
    if (made == of.items) continue;
    block own = of.make(made++);
    of.work(own);
    sum += own.front();
  }
  for (int other = 1; other < ranks; ++other) MPI_Send(nullptr, 0, MPI_UINT64_T, other, of_the_end, MPI_COMM_WORLD);
  return sum;
}

/// What each rank uses of a core, and how often it wakes up, while rank 0 alone runs a line for so many seconds.
void look_at_idle_ranks(skel::grid& grid, double seconds) {
  static constexpr std::chrono::milliseconds nap(10);
  auto const items = static_cast<std::uint64_t>(seconds / std::chrono::duration<double>(nap).count());
  auto app = skel::source("nap",
                          [items, next = std::uint64_t{0}]() mutable {
                            std::this_thread::sleep_for(nap);
                            return next < items ? std::optional(next++) : std::nullopt;
                          }) |
             skel::sink("take", [](std::uint64_t) {});
  rusage before{}, after{};
  double const begin = skel::record::now(), used = bench::cpu_seconds();
  getrusage(RUSAGE_SELF, &before);
  grid.run(app);
  double const passed = skel::record::now() - begin, share = (bench::cpu_seconds() - used) / passed;
  getrusage(RUSAGE_SELF, &after);
  auto const shares = grid.all_gather(share);
  auto const wakes = grid.all_gather(static_cast<double>(after.ru_nvcsw - before.ru_nvcsw) / passed);
  if (grid.rank() != 0) return;
  for (std::size_t r = 0; r < shares.size(); ++r)
    fmt::print("rank {}: {:.3f} % of a core, {:.0f} times a second awake{}\n", r, 100 * shares[r], wakes[r],
               r == 0 ? ", works" : "");
}

/// One row of the table. False: a sum was another one.
bool compare(skel::grid& grid, job const& of, double work, std::size_t rounds, std::size_t ahead, bool reports) {
  auto const together = [](auto const& run) {
    return [&run] {
      MPI_Barrier(MPI_COMM_WORLD);
      double const begin = skel::record::now();
      std::uint64_t const sum = run();
      MPI_Barrier(MPI_COMM_WORLD);
      return std::vector{bench::one_run{sum, skel::record::now() - begin}};
    };
  };
  std::size_t runs = 0;
  auto const ours = [&] { return by_skel(grid, of, reports && ++runs > rounds); };
  auto const masters = [&] { return by_master(of, ahead); };
  auto const found = bench::compare(together(ours), together(masters), rounds).front();
  if (grid.rank() != 0) return true;
  found.print(fmt::format("{:>9} {:>9.0f} {:>7}", of.words * sizeof(std::uint64_t), work * 1e6, of.items));
  return found.right;
}

}  // namespace

int main(int argc, char** argv) try {
  skel::grid grid(argc, argv);
  std::size_t rounds = 7, ahead = 3;
  double seconds = 1;
  double idle = 0;
  bool reports = false;
  std::vector<std::size_t> sizes{1U << 20U, 1U << 16U, 1U << 10U};
  std::vector<double> works{1000, 100};
  CLI::App app{"A farm over ranks beside a working master written by hand for MPI"};
  app.add_option("--rounds", rounds, "measured rounds")->check(CLI::Range(6, 1000))->capture_default_str();
  app.add_option("--ahead", ahead, "items that the master keeps with a rank")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  app.add_option("--seconds", seconds, "work of a run, divided among the ranks")->check(CLI::PositiveNumber);
  app.add_option("--bytes", sizes, "of an item, and of its result")->check(CLI::Range(16, 1 << 28));
  app.add_option("--work", works, "of an item [us]")->check(CLI::PositiveNumber);
  app.add_option("--idle", idle, "instead of farms: what ranks use while rank 0 alone works, for so many seconds")
      ->check(CLI::PositiveNumber);
  app.add_flag("--reports", reports, "prints skel's report of the last run of each row");
  CLI11_PARSE(app, argc, argv);
  if (grid.size() == 1) {
    fmt::print(stderr, "bench_ranked_farm: start it on several ranks: mpirun -np 2 bench_ranked_farm\n");
    return 2;
  }
  if (idle > 0) {
    look_at_idle_ranks(grid, idle);
    return 0;
  }
  double turns_of_us = 1000 / bench::turn_time();
  grid.broadcast(turns_of_us);
  if (grid.rank() == 0)
    fmt::print("{:>9} {:>9} {:>7} {:>9} {:>13}\n", "bytes", "work [us]", "items", "skel [ms]", "master / skel");
  bool right = true;
  for (double const work : works)
    for (std::size_t const bytes : sizes) {
      job const of{static_cast<std::uint64_t>(seconds * grid.size() / (1e-6 * work)), bytes / sizeof(std::uint64_t),
                   static_cast<std::uint64_t>(work * turns_of_us)};
      right = compare(grid, of, 1e-6 * work, rounds, ahead, reports) && right;
    }
  return right ? 0 : 1;
} catch (std::exception const& e) {
  fmt::print(stderr, "bench_ranked_farm: {}\n", e.what());
  return 1;
}
