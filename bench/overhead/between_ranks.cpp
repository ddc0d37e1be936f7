#include "overhead/between_ranks.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <mpi.h>
#include <nlohmann/json.hpp>

#include <skel/detail/pattern/compose.hpp>
#include <skel/detail/runtime/line/run_line.hpp>

#include "support/repeat.hpp"

namespace bench {
namespace {

// Rank 0 writes every word of each item, rank 1 reads every word: a stream whose items nobody made or looked at would
// measure a cache. Each run returns the seconds until rank 1 has seen the last, on rank 0.
struct flow {
  std::size_t items = 0, words = 0;
};

void write(std::span<std::uint64_t> item, std::uint64_t number) {
  std::fill(item.begin(), item.end(), number);
}

struct reader {
  std::uint64_t next = 0;
  void operator()(std::span<std::uint64_t const> item) {
    std::uint64_t different = 0;
    for (std::uint64_t word : item) different |= word ^ next;
    if (different != 0) {
      fmt::print(stderr, "bench_overhead: item {} is not what was sent: it begins with {}\n", next, item[0]);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    ++next;
  }
};

int rank() {
  int mine = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &mine);
  return mine;
}

// From a barrier to the receiver's word that all is there.
double timed(std::function<void()> const& send, std::function<void()> const& receive) {
  MPI_Barrier(MPI_COMM_WORLD);
  double const begin = MPI_Wtime();
  if (rank() == 0) {
    send();
    MPI_Recv(nullptr, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    receive();
    MPI_Send(nullptr, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
  }
  return MPI_Wtime() - begin;
}

double item_by_item(flow const& f) {
  std::vector<std::uint64_t> buffer(f.words);
  int const words = static_cast<int>(f.words);
  return timed(
      [&] {
        for (std::uint64_t i = 0; i < f.items; ++i) {
          write(buffer, i);
          MPI_Send(buffer.data(), words, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD);
        }
      },
      [&] {
        reader look;
        for (std::uint64_t i = 0; i < f.items; ++i) {
          MPI_Recv(buffer.data(), words, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          look(buffer);
        }
      });
}

// A ring of buffers, each with a message under way: its memory is bounded at the sender only (eager messages pile up at
// a slow receiver), which a stream in a program would have to mend.
double windowed(flow const& f) {
  constexpr std::size_t window = 64;
  std::vector<std::vector<std::uint64_t>> buffers(window, std::vector<std::uint64_t>(f.words));
  std::array<MPI_Request, window> requests;
  requests.fill(MPI_REQUEST_NULL);
  int const words = static_cast<int>(f.words);
  return timed(
      [&] {
        for (std::uint64_t i = 0; i < f.items; ++i) {
          std::size_t const slot = i % window;
          MPI_Wait(&requests[slot], MPI_STATUS_IGNORE);
          write(buffers[slot], i);
          MPI_Isend(buffers[slot].data(), words, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD, &requests[slot]);
        }
        MPI_Waitall(window, requests.data(), MPI_STATUSES_IGNORE);
      },
      [&] {
        reader look;
        std::uint64_t asked = 0;
        auto const ask = [&] {
          std::size_t const slot = asked++ % window;
          MPI_Irecv(buffers[slot].data(), words, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, &requests[slot]);
        };
        while (asked < std::min<std::uint64_t>(window, f.items)) ask();
        for (std::uint64_t i = 0; i < f.items; ++i) {
          std::size_t const slot = i % window;
          MPI_Wait(&requests[slot], MPI_STATUS_IGNORE);
          look(buffers[slot]);
          if (asked < f.items) ask();
        }
      });
}

// The same through skel: a source on rank 0, a sink on rank 1, with the plan that a user would write.
template <class Item, class Make>
double through_skel(flow const& f, Make make) {
  static skel::runtime::communicator const ranks;
  reader look;
  auto app = skel::source([&f, make, next = std::uint64_t{0}]() mutable -> std::optional<Item> {
               if (next == f.items) return std::nullopt;
               return make(next++);
             }) |
             skel::sink([&look](Item const& item) {
               look({item.data(), item.size()});
             });
  auto const line = skel::runtime::make_program(app);
  skel::plan::run_plan plan;
  plan.stations = {{{0}, 2}, {{1}, 2}};
  MPI_Barrier(MPI_COMM_WORLD);
  double const begin = MPI_Wtime();
  skel::runtime::run_line(line, plan, ranks);
  return MPI_Wtime() - begin;
}

double through_skel_of_any_size(flow const& f) {
  constexpr std::size_t small = 1024 / sizeof(std::uint64_t);
  if (f.words == small)
    return through_skel<std::array<std::uint64_t, small>>(f, [](std::uint64_t number) {
      std::array<std::uint64_t, small> item;
      write(item, number);
      return item;
    });
  return through_skel<std::vector<std::uint64_t>>(
      f, [words = f.words](std::uint64_t number) { return std::vector<std::uint64_t>(words, number); });
}

struct rival {
  std::string name;
  double (*run)(flow const&);
};
std::vector<rival> const rivals = {
    {"skel", through_skel_of_any_size}, {"MPI_Send", item_by_item}, {"MPI_Isend 64", windowed}};

nlohmann::json measure(rank_options const& how, std::size_t bytes) {
  // As many items as MPI_Send moves in the time of one run.
  flow trial{.items = std::max<std::size_t>(64, (std::size_t{1} << 24) / bytes),
             .words = bytes / sizeof(std::uint64_t)};
  item_by_item(trial);
  double const seconds = item_by_item(trial);
  std::uint64_t items =
      static_cast<std::uint64_t>(static_cast<double>(trial.items) * how.target_seconds / seconds) + 64;
  MPI_Bcast(&items, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  flow const f{.items = items, .words = bytes / sizeof(std::uint64_t)};

  std::vector<std::function<double()>> runs;
  for (auto const& who : rivals) runs.push_back([&] { return static_cast<double>(f.items) / who.run(f); });
  auto const rates = interleave(runs, how.rounds);

  nlohmann::json row = {{"bytes", bytes}, {"items", items}, {"items_per_s", nlohmann::json::object()}};
  bool const print = rank() == 0 && !how.as_json;
  double best = 0;
  for (std::size_t i = 0; i < rivals.size(); ++i)
    if (rivals[i].name != "skel") best = std::max(best, rates[i].median);
  if (print)
    fmt::print("\n{} B per item, {} items, from rank 0 to rank 1\n{:>12} {:>12} {:>12} {:>12} {:>9} {:>12}\n", bytes,
               items, "", "items/s", "min", "max", "MB/s", "to best MPI");
  for (std::size_t i = 0; i < rivals.size(); ++i) {
    auto const& [median, min, max] = rates[i];
    row["items_per_s"][rivals[i].name] = {
        {"median", median}, {"min", min}, {"max", max}, {"to_best_mpi", median / best}};
    if (print)
      fmt::print("{:>12} {:>12.0f} {:>12.0f} {:>12.0f} {:>9.1f} {:>12.3f}\n", rivals[i].name, median, min, max,
                 median * static_cast<double>(bytes) / 1e6, median / best);
  }
  return row;
}

}  // namespace

int between_ranks(int argc, char** argv, rank_options const& how) {
  int provided = MPI_THREAD_SINGLE, size = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    if (rank() == 0) fmt::print(stderr, "bench_overhead: runs alone or under mpirun -np 2, not on {} ranks\n", size);
    MPI_Finalize();
    return 2;
  }
  nlohmann::json rows = nlohmann::json::array();
  for (std::size_t bytes : {std::size_t{1024}, std::size_t{1} << 20}) rows.push_back(measure(how, bytes));
  if (rank() == 0 && how.as_json)
    fmt::print("{}\n",
               nlohmann::json{{"benchmark", "overhead between ranks"}, {"rounds", how.rounds}, {"rows", rows}}.dump());
  MPI_Finalize();
  return 0;
}

}  // namespace bench
