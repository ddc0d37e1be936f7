#include "bsp/overhead.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <mpi.h>
#include <nlohmann/json.hpp>

#include <skel/bsp.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/operators.hpp>

#include "support/spin.hpp"

namespace bench {
namespace {

/// What neighbours send each other: 1 KiB, a row of a small mesh.
using row = std::array<double, 128>;

/// The part of a rank, the same for both programs.
struct part {
  std::uint64_t value = 1;  // of the work
  row edge{};
  double change = 0, sum = 0;  // of the largest changes of all, so far

  void work(std::uint64_t turns, std::size_t place) {
    value = spin(value + place, turns);
    edge[place % edge.size()] += static_cast<double>(value % 1024) / 1024;
    change = edge[place % edge.size()];
  }
  /// From the left and from the right, where there is anybody.
  void receive(row const* left, row const* right) {
    if (left != nullptr) edge[0] = (edge[0] + left->back()) / 2;
    if (right != nullptr) edge.back() = (edge.back() + right->front()) / 2;
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(value, edge, change, sum);
  }
};

/// What a run took in each superstep [s], and a number that depends on everything that was computed.
struct outcome {
  double seconds = 0, check = 0;
};

struct setting {
  std::uint64_t turns = 0;
  std::uint64_t supersteps = 0;
};

outcome by_hand(setting const& of) {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  bool const has_left = rank > 0, has_right = rank + 1 < size;
  MPI_Barrier(MPI_COMM_WORLD);
  double const begin = MPI_Wtime();
  part mine;
  double most = 0;
  row left{}, right{};
  for (std::uint64_t s = 1; s <= of.supersteps; ++s) {
    if (s > 1) mine.receive(has_left ? &left : nullptr, has_right ? &right : nullptr), mine.sum += most;
    mine.work(of.turns, s + static_cast<std::size_t>(rank));
    row const sent = mine.edge;
    std::array<MPI_Request, 4> requests;
    int many = 0;
    auto const exchange = [&](row& in, int with) {
      MPI_Irecv(in.data(), static_cast<int>(in.size()), MPI_DOUBLE, with, 0, MPI_COMM_WORLD,
                &requests[static_cast<std::size_t>(many++)]);
      MPI_Isend(sent.data(), static_cast<int>(sent.size()), MPI_DOUBLE, with, 0, MPI_COMM_WORLD,
                &requests[static_cast<std::size_t>(many++)]);
    };
    if (has_left) exchange(left, rank - 1);
    if (has_right) exchange(right, rank + 1);
    MPI_Waitall(many, requests.data(), MPI_STATUSES_IGNORE);
    MPI_Allreduce(&mine.change, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  double const seconds = (MPI_Wtime() - begin) / static_cast<double>(of.supersteps);
  MPI_Bcast(&mine.sum, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return {seconds, mine.sum};
}

/// Who decides on moves: nobody; a mover that moves nothing, for which processes are measured; the policy that programs
/// have where they say nothing.
enum class decides { nobody, idle_mover, policy };

outcome by_skel(skel::grid& grid, setting const& of, decides who) {
  auto program = skel::bsp<row, double>(
      "exchange", static_cast<std::size_t>(grid.size()), [](std::size_t) { return part(); },
      [of](skel::superstep<row, double>& now, part& mine) {
        if (now.number() > 1) {
          row const *left = nullptr, *right = nullptr;
          for (auto const& [from, what] : now.received()) (from < now.process() ? left : right) = &what;
          mine.receive(left, right);
          mine.sum += *now.reduced();
        }
        mine.work(of.turns, now.number() + now.process());
        if (now.number() == of.supersteps) return now.halt();
        if (now.process() > 0) now.send(now.process() - 1, mine.edge);
        if (now.process() + 1 < now.processes()) now.send(now.process() + 1, mine.edge);
        now.contribute(mine.change);
      },
      skel::maximum());
  if (who == decides::nobody) program.migration.name = "never";
  if (who == decides::idle_mover)
    program.next_moves = [](skel::bsp_measures const&) { return std::vector<skel::bsp_move>(); };
  MPI_Barrier(MPI_COMM_WORLD);
  auto const all = grid.run(program, [](std::size_t, part& mine) { return mine.sum; });
  auto const& run = all.report.run;
  return {run.seconds / static_cast<double>(run.supersteps), all.values[0]};
}

struct contestant {
  std::string name;
  std::function<outcome(setting const&)> run;
  std::vector<double> seconds{}, ratios{};
};

/// The slowest rank's time, the same on all ranks.
outcome slowest(outcome mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine.seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return mine;
}

}  // namespace

int superstep_overhead(skel::grid& grid, overhead_options const& how) {
  double turn = turn_time();  // [ns]
  MPI_Bcast(&turn, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  bool const prints = grid.rank() == 0;
  auto rows = nlohmann::json::array();
  bool same = true;
  if (prints && !how.as_json)
    fmt::print(
        "{} ranks, {} rounds: a superstep [us], and beside MPI by hand (median of the rounds, 95 % interval)\n"
        "{:>8} {:>10} {:>10} {:>24} {:>10} {:>24} {:>10} {:>24}\n",
        grid.size(), how.rounds, "work", "MPI", "never", "beside MPI", "measuring", "beside MPI", "by policy",
        "beside MPI");
  for (double const work : how.work) {
    std::vector<contestant> all{
        {"mpi", by_hand},
        {"skel never", [&](setting const& of) { return by_skel(grid, of, decides::nobody); }},
        {"skel measuring", [&](setting const& of) { return by_skel(grid, of, decides::idle_mover); }},
        {"skel policy", [&](setting const& of) { return by_skel(grid, of, decides::policy); }}};
    setting of{.turns = static_cast<std::uint64_t>(std::round(1e3 * work / turn)), .supersteps = 200};
    double const trial = slowest(by_hand(of)).seconds;
    of.supersteps = 10 + static_cast<std::uint64_t>(how.seconds / trial);
    MPI_Bcast(&of.supersteps, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    for (std::size_t round = 0; round <= how.rounds; ++round) {
      std::vector<outcome> here(all.size());
      for (std::size_t i = 0; i < all.size(); ++i) {
        std::size_t const which = round % 2 == 0 ? i : all.size() - 1 - i;
        here[which] = slowest(all[which].run(of));
      }
      for (std::size_t i = 0; i < all.size(); ++i) {
        same = same && here[i].check == here[0].check;
        if (round == 0) continue;  // warms up
        all[i].seconds.push_back(here[i].seconds);
        all[i].ratios.push_back(here[i].seconds / here[0].seconds);
      }
    }
    if (!prints) continue;
    nlohmann::json line = {{"work_us", work}, {"supersteps", of.supersteps}};
    std::string text = fmt::format("{:>8}", work);
    for (std::size_t i = 0; i < all.size(); ++i) {
      using namespace skel::statistics;
      double const us = 1e6 * median(all[i].seconds), ratio = median(all[i].ratios);
      auto const sure = median_interval(all[i].ratios);
      line[all[i].name] = {{"us", us}, {"beside_mpi", {{"median", ratio}, {"low", sure.low}, {"high", sure.high}}}};
      text += fmt::format(" {:>10.2f}", us);
      if (i > 0) text += fmt::format("    {:>6.3f} [{:.3f}, {:.3f}]", ratio, sure.low, sure.high);
    }
    rows.push_back(line);
    if (!how.as_json) fmt::print("{}\n", text);
  }
  if (prints && how.as_json)
    fmt::print("{}\n", nlohmann::json{{"benchmark", "supersteps beside MPI by hand"},
                                      {"ranks", grid.size()},
                                      {"rounds", how.rounds},
                                      {"rows", rows}}
                           .dump());
  if (!same && prints) fmt::print(stderr, "bench_bsp: the programs do not compute the same\n");
  return same ? 0 : 1;
}

}  // namespace bench
