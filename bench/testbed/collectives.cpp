#include "collectives.hpp"

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <skel/detail/base/joined.hpp>
#include <skel/detail/base/split.hpp>
#include <skel/detail/base/statistics.hpp>

#include "hosts.hpp"
#include "support/both_ways.hpp"

namespace bench {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// The library looks for another way at the 16th call on a communicator, or at the 32nd, and tries it twelve times.
constexpr int learning_calls = 48;

/// From here on, links between sites are used for what they carry, and not for their latency.
constexpr int large = 32 * 1024;

struct grid_of_sites {
  ordered_json platform{{"skel_platform", 1}, {"clusters", ordered_json::array()}, {"links", ordered_json::array()}};
  int hosts = 0;
  std::string first;
};

double number_in(std::string const& text, std::string const& whole) {
  std::size_t read = 0;
  double value = 0;
  try {
    value = std::stod(text, &read);
  } catch (std::exception const&) {
  }
  if (read != text.size() || text.empty() || !(value > 0)) throw std::runtime_error("'" + whole + "' is no such grid");
  return value;
}

/// "3+3", "0.005:25e6".
grid_of_sites make_grid(std::string const& sites, std::string const& between) {
  grid_of_sites made;
  auto const figures = skel::split(between, ':');
  if (figures.size() != 2) throw std::runtime_error("'" + between + "' is not LATENCY:BANDWIDTH");
  double const latency = number_in(std::string(figures[0]), between),
               bandwidth = number_in(std::string(figures[1]), between);
  std::vector<std::string> names;
  for (std::string_view const count : skel::split(sites, '+')) {
    auto const hosts = static_cast<int>(number_in(std::string(count), sites));
    names.push_back(fmt::format("site{}", names.size()));
    // Gigabit Ethernet inside.
    made.platform["clusters"].push_back(
        {{"name", names.back()}, {"hosts", hosts}, {"speed", 1}, {"latency", 1e-4}, {"bandwidth", 1.25e8}});
    for (std::size_t other = 0; other + 1 < names.size(); ++other)
      made.platform["links"].push_back(link_between(names[other], names.back(), latency, bandwidth));
    made.hosts += hosts;
    if (made.first.empty()) made.first = names.back() + (hosts > 1 ? "-0" : "");
  }
  return made;
}

double geometric_mean(std::vector<double> const& values) {
  double sum = 0;
  for (double value : values) sum += std::log(value);
  return values.empty() ? 0 : std::exp(sum / static_cast<double>(values.size()));
}

void print_sum(char const* what, std::vector<double> const& gains) {
  if (!gains.empty())
    fmt::print("{}: geometric mean {:.2f}, worst {:.2f}, best {:.2f} of {}\n", what, geometric_mean(gains),
               *std::ranges::min_element(gains), *std::ranges::max_element(gains), gains.size());
}

void compare_on(std::string const& sites, std::string const& between, collectives_choice const& choice) {
  grid_of_sites const wanted = make_grid(sites, between);
  fmt::print("\n== sites of {} hosts, {} s and B/s between them\n", sites, between);
  testbed const grid(wanted.platform);
  std::vector<std::string> command{"mpirun", "-np", std::to_string(wanted.hosts), "-x",
                                   std::string("LD_PRELOAD=") + SKEL_INTERPOSED};
  // Nothing is known from before: neither the platform nor what calls are worth.
  command.insert(command.end(), {"-x", "XDG_CACHE_HOME=" + grid.folder().string(), "-x", "SKEL_KNOWLEDGE=off"});
  for (char const* passed : {"SKEL_MPI", "SKEL_MPI_VERBOSE", "SKEL_MPI_ALGORITHM", "SKEL_PLATFORM"})
    if (std::getenv(passed) != nullptr) command.insert(command.end(), {"-x", passed});
  command.insert(command.end(), {this_program(), "--ranks", "--seconds", fmt::format("{}", choice.seconds), "--least",
                                 std::to_string(choice.least_bytes), "--most", std::to_string(choice.most_bytes)});
  for (std::string const& one : choice.operations) command.insert(command.end(), {"--op", one});
  fmt::print("{:<10} {:>9} {:>12} {:>12} {:>7} {:>16} {:>6}\n", "operation", "bytes", "skel [ms]", "plain [ms]", "gain",
             "95 % sure", "pairs");
  std::vector<double> small, big;
  grid.run(wanted.first, command, [&](std::string const& line) {
    json const row = json::parse(line, nullptr, false);
    if (!row.is_object()) {
      fmt::print("{}\n", line);  // what the library says, if it was asked to
      return;
    }
    double const gain = row["gain"];
    (row["bytes"].get<int>() >= large ? big : small).push_back(gain);
    fmt::print("{:<10} {:>9} {:>12.3f} {:>12.3f} {:>7.2f} {:>7.2f} .. {:<5.2f} {:>6}\n",
               row["operation"].get<std::string>(), row["bytes"].get<int>(), 1e3 * row["ours"].get<double>(),
               1e3 * row["plain"].get<double>(), gain, row["low"].get<double>(), row["high"].get<double>(),
               row["pairs"].get<int>());
    std::fflush(stdout);
  });
  print_sum("32 KiB and more", big);
  print_sum("less", small);
}

void time_one(collective_call const& call, int bytes, double seconds, int rank) {
  int const count = bytes / static_cast<int>(sizeof(double));
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int i = 0; i < learning_calls; ++i) call.ours(count, comm);
  both_ways const found = in_turn(
      seconds, 1, [&](std::size_t) { call.ours(count, comm); }, [&](std::size_t) { call.plain(count, comm); });
  MPI_Comm_free(&comm);
  if (rank != 0) return;
  fmt::print("{}\n", json{{"operation", call.name},
                          {"bytes", call.has_size ? bytes : 0},
                          {"ours", found.ours},
                          {"plain", found.plain},
                          {"gain", 1 / found.ratio},
                          {"low", 1 / found.sure.high},
                          {"high", 1 / found.sure.low},
                          {"pairs", found.pairs}}
                         .dump());
  std::fflush(stdout);
}

}  // namespace

void print_collectives(collectives_choice const& choice) {
  for (std::string const& sites : choice.sites)
    for (std::string const& between : choice.between) compare_on(sites, between, choice);
}

void print_collective_times(collectives_choice const& choice) {
  MPI_Init(nullptr, nullptr);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  auto const most = static_cast<std::size_t>(choice.most_bytes);
  message_buffers buffers{std::vector<char>(most), std::vector<char>(most * static_cast<std::size_t>(ranks))};
  std::vector<collective_call> calls = usual_collectives(buffers);
  calls.push_back(allgather_call(buffers));
  for (collective_call const& call : calls) {
    if (!choice.operations.empty() && std::ranges::find(choice.operations, call.name) == choice.operations.end())
      continue;
    int const largest = call.has_size ? choice.most_bytes : choice.least_bytes;
    for (int bytes = choice.least_bytes; bytes <= largest;
         bytes = bytes < largest ? std::min(4 * bytes, largest) : bytes + 1)
      time_one(call, bytes, choice.seconds, rank);
  }
  MPI_Finalize();
}

}  // namespace bench
