#include "collectives.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <utility>

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

/// To reach everywhere.
constexpr double least_gain = 0.95;

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
grid_of_sites make_grid(std::string const& sites, std::string const& between, bool shared) {
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
    for (std::size_t other = 0; other + 1 < names.size(); ++other) {
      ordered_json link = link_between(names[other], names.back(), latency, bandwidth);
      if (shared) link["x_shared"] = true;
      made.platform["links"].push_back(std::move(link));
    }
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

struct measured_gain {
  std::string operation;
  int bytes;
  double gain, most;  ///< and what it is at most, with 95 %
};

/// Figures of all grids, by operation.
void print_all(std::vector<measured_gain> const& all, std::size_t left_out) {
  std::vector<std::string> names;
  for (measured_gain const& one : all)
    if (std::ranges::find(names, one.operation) == names.end()) names.push_back(one.operation);
  names.emplace_back("all");
  fmt::print("\n== all grids\n{:<10} {:>22} {:>16} {:>8} {:>11}\n", "operation", "from 32 KiB, geo. mean",
             "worst anywhere", "figures", "surely<0.95");
  for (std::string const& name : names) {
    std::vector<double> big, every;
    std::size_t slow = 0;
    for (measured_gain const& one : all) {
      if (name != "all" && one.operation != name) continue;
      every.push_back(one.gain);
      if (one.bytes >= large) big.push_back(one.gain);
      if (one.most < least_gain) ++slow;
    }
    fmt::print("{:<10} {:>22} {:>16.2f} {:>8} {:>11}\n", name,
               big.empty() ? "-" : fmt::format("{:.2f}", geometric_mean(big)), *std::ranges::min_element(every),
               every.size(), slow);
  }
  if (left_out > 0) fmt::print("{} figures were left out, as the time was over (--minutes)\n", left_out);
}

/// Returns how many figures were left out.
std::size_t compare_on(std::string const& sites, std::string const& between, collectives_choice const& choice,
                       double minutes, std::vector<measured_gain>& all) {
  grid_of_sites const wanted = make_grid(sites, between, choice.shared);
  fmt::print("\n== sites of {} hosts, {} s and B/s between {}\n", sites, between,
             choice.shared ? "sites" : "each two hosts of two");
  testbed const grid(wanted.platform);
  std::vector<std::string> command{"mpirun", "-np", std::to_string(wanted.hosts), "-x",
                                   std::string("LD_PRELOAD=") + SKEL_INTERPOSED};
  // Nothing is known from before: neither the platform nor what calls are worth.
  command.insert(command.end(), {"-x", "XDG_CACHE_HOME=" + grid.folder().string(), "-x", "SKEL_KNOWLEDGE=off"});
  if (choice.known)
    command.insert(command.end(), {"-x", "SKEL_PLATFORM=" + (grid.folder() / "platform.json").string()});
  for (char const* passed : {"SKEL_MPI", "SKEL_MPI_VERBOSE", "SKEL_MPI_ALGORITHM"})
    if (std::getenv(passed) != nullptr)  // NOLINT(concurrency-mt-unsafe): no other thread is there
      command.insert(command.end(), {"-x", passed});
  command.insert(command.end(), {this_program(), "--ranks", "--seconds", fmt::format("{}", choice.seconds), "--least",
                                 std::to_string(choice.least_bytes), "--most", std::to_string(choice.most_bytes),
                                 "--step", std::to_string(choice.step), "--minutes", fmt::format("{}", minutes)});
  for (std::string const& one : choice.operations) command.insert(command.end(), {"--op", one});
  fmt::print("{:<10} {:>9} {:>12} {:>12} {:>7} {:>16} {:>6}\n", "operation", "bytes", "skel [ms]", "plain [ms]", "gain",
             "95 % sure", "pairs");
  std::vector<double> small, big;
  std::size_t left_out = 0;
  grid.run(wanted.first, command, [&](std::string const& line) {
    json const row = json::parse(line, nullptr, false);
    if (!row.is_object()) {
      fmt::print("{}\n", line);  // what the library says, if it was asked to
      return;
    }
    if (row.contains("left_out")) {
      left_out = row["left_out"];
      return;
    }
    double const gain = row["gain"];
    all.push_back({row["operation"], row["bytes"], gain, row["high"]});
    (row["bytes"].get<int>() >= large ? big : small).push_back(gain);
    fmt::print("{:<10} {:>9} {:>12.3f} {:>12.3f} {:>7.2f} {:>7.2f} .. {:<5.2f} {:>6}\n",
               row["operation"].get<std::string>(), row["bytes"].get<int>(), 1e3 * row["ours"].get<double>(),
               1e3 * row["plain"].get<double>(), gain, row["low"].get<double>(), row["high"].get<double>(),
               row["pairs"].get<int>());
    std::fflush(stdout);
  });
  print_sum("32 KiB and more", big);
  print_sum("less", small);
  return left_out;
}

/// Both ways give every rank the same bytes, for contents that no call before had. Throws std::runtime_error.
/// Collective.
void require_same_results(collective_call const& call, int count, MPI_Comm comm, message_buffers& buffers) {
  static int number = 0;
  ++number;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  auto const sent = [&] { return reinterpret_cast<double*>(buffers.sent.data()); };
  // Whole numbers, so that sums are the same in every order.
  auto const fill = [&] {
    for (int i = 0; i < count; ++i) sent()[i] = (rank + 1) * 1000 + (i + number) % 997;
    std::ranges::fill(buffers.got, 0);
  };
  fill(), call.ours(count, comm);
  message_buffers const ours = buffers;
  fill(), call.plain(count, comm);
  if (ours.sent != buffers.sent || ours.got != buffers.got)
    throw std::runtime_error(
        fmt::format("{} of {} doubles gave rank {} other bytes than MPI's", call.name, count, rank));
}

void time_one(collective_call const& call, int bytes, double seconds, int rank, message_buffers& buffers) {
  int const count = bytes / static_cast<int>(sizeof(double));
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  // Begun together, as they are when they count: calls that follow each other at once overlap.
  for (int i = 0; i < learning_calls; ++i) slowest([&] { call.ours(count, comm); });
  require_same_results(call, count, comm, buffers);
  both_ways const found = in_turn(
      seconds, 1, [&](std::size_t) { call.ours(count, comm); }, [&](std::size_t) { call.plain(count, comm); },
      until_the_last);
  require_same_results(call, count, comm, buffers);
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
  using clock = std::chrono::steady_clock;
  auto const start = clock::now();
  auto const gone = [&] { return std::chrono::duration<double>(clock::now() - start).count() / 60; };
  std::size_t const grids = choice.sites.size() * choice.between.size();
  std::size_t done = 0, left_out = 0;
  std::vector<measured_gain> all;
  for (std::string const& sites : choice.sites)
    for (std::string const& between : choice.between) {
      // What grids before did not take is there for those to come.
      double const share = std::max(0.0, choice.minutes - gone()) / static_cast<double>(grids - done);
      left_out += compare_on(sites, between, choice, share, all);
      fmt::print(stderr, "bench_testbed: {} of {} grids, {:.1f} minutes\n", ++done, grids, gone());
    }
  if (grids > 1) print_all(all, left_out);
}

void print_collective_times(collectives_choice const& choice) {
  MPI_Init(nullptr, nullptr);
  double const start = MPI_Wtime();
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  auto const most = static_cast<std::size_t>(choice.most_bytes);
  message_buffers buffers{std::vector<char>(most), std::vector<char>(most * static_cast<std::size_t>(ranks))};
  std::vector<collective_call> calls = usual_collectives(buffers);
  calls.push_back(allgather_call(buffers));
  std::erase_if(calls, [&](collective_call const& call) {
    return !choice.operations.empty() && std::ranges::find(choice.operations, call.name) == choice.operations.end();
  });
  std::size_t left_out = 0;
  // All operations of a size first, so that none is left out as a whole where the time ends.
  for (int bytes = choice.least_bytes;;
       bytes = std::min(choice.step > choice.most_bytes / bytes ? choice.most_bytes : choice.step * bytes,
                        choice.most_bytes)) {
    for (collective_call const& call : calls) {
      if (!call.has_size && bytes > choice.least_bytes) continue;
      int over = MPI_Wtime() - start > 60 * choice.minutes ? 1 : 0;
      PMPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
      if (over != 0)
        ++left_out;
      else
        time_one(call, bytes, choice.seconds, rank, buffers);
    }
    if (bytes >= choice.most_bytes) break;
  }
  if (rank == 0) fmt::print("{}\n", json{{"left_out", left_out}}.dump());
  MPI_Finalize();
}

}  // namespace bench
