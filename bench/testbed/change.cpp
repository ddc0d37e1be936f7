#include "change.hpp"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <skel/detail/base/statistics.hpp>

#include "hosts.hpp"
#include "sites.hpp"
#include "support/both_ways.hpp"

namespace bench {
namespace {

using nlohmann::json;

/// Until a kind is decided, and until its usual time is known well.
constexpr int uses_before = 48 + 40;
constexpr int uses_after = 60;
/// Of either way, at the end of each part.
constexpr int uses_to_compare = 7;

/// Words of skel testbed set, and what they mean.
struct change {
  std::string name;
  std::vector<std::string> there, back;
};

std::vector<change> changes_of(std::string const& between) {
  // The way between sites is as make_grid has read it.
  auto const colon = between.find(':');
  double const latency = std::stod(between.substr(0, colon)), bandwidth = std::stod(between.substr(colon + 1));
  auto const number = [](double value) { return fmt::format("{}", value); };
  constexpr double times = 20;
  return {{fmt::format("latency x {}", times), {"--latency", number(times * latency)}, {"--latency", number(latency)}},
          {fmt::format("bandwidth / {}", times),
           {"--bandwidth", number(bandwidth / times)},
           {"--bandwidth", number(bandwidth)}}};
}

/// What is seen of one part of a run: between two changes.
struct part {
  int uses = 0;
  std::optional<int> noticed{}, chosen{};  ///< after so many uses: that times are others, and the way at the end
  std::string way{};                       ///< at the end, if somebody said so
  double ours = 0, plain = 0;              ///< at its end [s]

  void take(std::string const& line) {
    if (line.find("takes a different time now") != std::string::npos && !noticed) noticed = uses;
    bool const ours_taken = line.find("; it is taken") != std::string::npos;
    if (!ours_taken && line.find(" is left to MPI") == std::string::npos) return;
    std::string const said = ours_taken ? "skel's" : "MPI's";
    if (!chosen || said != way) chosen = uses;
    way = said;
  }
};

std::string shown(std::optional<int> const& uses) {
  return uses ? std::to_string(*uses) : "-";
}

void print_row(std::string const& changed, json const& row, part const& before, part const& now) {
  fmt::print("{:<16} {:<10} {:>8} {:>8} {:>9} {:>9} {:>9} {:>8} {:>12.3f} {:>12.3f}\n", changed,
             row["operation"].get<std::string>(), row["bytes"].get<int>(), before.way.empty() ? "MPI's" : before.way,
             1e3 * before.ours > 0 ? fmt::format("{:.3f}", 1e3 * before.ours) : "-", shown(now.noticed),
             shown(now.chosen), now.way.empty() ? before.way.empty() ? "MPI's" : before.way : now.way, 1e3 * now.ours,
             1e3 * now.plain);
  std::fflush(stdout);
}

void change_on(std::string const& sites, std::string const& between, change const& wanted,
               collectives_choice const& choice, double minutes) {
  grid_of_sites const all = make_grid(sites, between, choice.shared);
  testbed const grid(all.platform);
  std::vector<std::string> command =
      command_on_sites(all, grid, choice.known, {"SKEL_MPI", "SKEL_MPI_ALGORITHM", "SKEL_MPI_VERBOSE=2"});
  command.insert(command.end(), {"--uses", grid.folder().string(), "--least", std::to_string(choice.least_bytes),
                                 "--most", std::to_string(choice.most_bytes), "--step", std::to_string(choice.step),
                                 "--minutes", fmt::format("{}", minutes)});
  for (std::string const& one : choice.operations) command.insert(command.end(), {"--op", one});
  part before, now;
  std::size_t parts = 0;
  bool const tells = std::getenv("SKEL_MPI_VERBOSE") != nullptr;  // NOLINT(concurrency-mt-unsafe)
  bool const in_time = grid.run(
      all.first, command,
      [&](std::string const& line) {
        json const row = json::parse(line, nullptr, false);
        if (!row.is_object()) {
          if (tells) fmt::print("  after {} uses: {}\n", now.uses, line);
          now.take(line);
          return;
        }
        if (row.contains("use")) {
          ++now.uses;
          return;
        }
        now.ours = row["ours"], now.plain = row["plain"];
        bool const is_first = parts % 3 == 0, is_last = parts % 3 == 2;
        if (!is_first) print_row(parts % 3 == 1 ? wanted.name : "and back", row, before, now);
        std::string const way = now.way.empty() ? before.way : now.way;
        before = is_last ? part{} : now, before.way = is_last ? "" : way;
        now = {};
        ++parts;
        std::vector<std::string> words{all.names[0], all.names[1]};
        auto const& next = is_first ? wanted.there : wanted.back;
        words.insert(words.end(), next.begin(), next.end());
        grid.set(words);
        std::ofstream(grid.folder() / row["file"].get<std::string>()) << '\n';
      },
      60 * minutes);
  if (!in_time) fmt::print("ended: the time was over (--minutes)\n");
}

/// The slowest rank's time of one use [s], median of some. Collective.
double usual_time(std::function<void()> const& use) {
  std::vector<double> all;
  for (int i = 0; i < uses_to_compare; ++i) all.push_back(slowest(use));
  return skel::statistics::median(all);
}

}  // namespace

void print_changes(collectives_choice const& choice) {
  using clock = std::chrono::steady_clock;
  auto const end = clock::now() + std::chrono::duration<double>(60 * choice.minutes);
  for (std::string const& sites : choice.sites)
    for (std::string const& between : choice.between) {
      fmt::print(
          "\n== sites of {} hosts, {} s and B/s between; ways between the first two change in mid-run\n"
          "{:<16} {:<10} {:>8} {:>8} {:>9} {:>9} {:>9} {:>8} {:>12} {:>12}\n",
          sites, between, "change", "operation", "bytes", "way", "[ms]", "noticed", "decided", "way", "skel [ms]",
          "plain [ms]");
      std::fflush(stdout);
      for (change const& one : changes_of(between))
        change_on(sites, between, one, choice,
                  std::max(0.0, std::chrono::duration<double>(end - clock::now()).count() / 60));
    }
  fmt::print("\nnoticed; decided for the way at the end: after so many uses since the change; -: they were not\n");
}

void print_uses(collectives_choice const& choice, std::string const& folder) {
  // What the library says comes between what is said here.
  dup2(STDOUT_FILENO, STDERR_FILENO);
  MPI_Init(nullptr, nullptr);
  int rank = 0, ranks = 0, number = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  auto const say = [&](json const& what) {
    if (rank != 0) return;
    fmt::print("{}\n", what.dump());
    std::fflush(stdout);
  };
  auto const most = static_cast<std::size_t>(choice.most_bytes);
  message_buffers buffers{std::vector<char>(most), std::vector<char>(most * static_cast<std::size_t>(ranks))};
  for (int const bytes : sizes_of(choice))
    for (collective_call const& call : calls_of(choice, buffers)) {
      if (!call.has_size && bytes > choice.least_bytes) continue;
      int const count = bytes / static_cast<int>(sizeof(double));
      MPI_Comm comm = MPI_COMM_NULL;
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      for (int part = 0; part < 3; ++part) {
        for (int i = 0; i < (part == 0 ? uses_before : uses_after); ++i) {
          slowest([&] { call.ours(count, comm); });
          say({{"use", i}});
        }
        std::string const file = fmt::format("changed{}", number++);
        double const ours = usual_time([&] { call.ours(count, comm); }),
                     plain = usual_time([&] { call.plain(count, comm); });
        say({{"operation", call.name},
             {"bytes", call.has_size ? bytes : 0},
             {"ours", ours},
             {"plain", plain},
             {"file", file}});
        while (rank == 0 && !std::filesystem::exists(std::filesystem::path(folder) / file))
          std::this_thread::sleep_for(std::chrono::milliseconds(10));
        PMPI_Barrier(MPI_COMM_WORLD);
      }
      MPI_Comm_free(&comm);
    }
  MPI_Finalize();
}

}  // namespace bench
