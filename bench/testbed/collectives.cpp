#include "collectives.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <skel/detail/base/statistics.hpp>

#include "hosts.hpp"
#include "sites.hpp"
#include "support/both_ways.hpp"

namespace bench {
namespace {

using nlohmann::json;

/// Ranks of the library know what MPI's way takes after 12 calls, and try skel's in 12 more, where they do not believe
/// it.
constexpr int learning_calls = 48;

/// From here on, links between sites are used for what they carry, and not for their latency.
constexpr int large = 32 * 1024;

/// Slack for calls that have begun when the time is over, and for finalising [s]: the largest that are asked for by
/// default take some seconds on the slowest of the grids.
constexpr double longest_call = 30;

/// To reach everywhere.
constexpr double least_gain = 0.95;

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
  std::vector<std::string> command =
      command_on_sites(wanted, grid, choice.known, {"SKEL_MPI", "SKEL_MPI_VERBOSE", "SKEL_MPI_ALGORITHM"});
  command.insert(command.end(), {"--ranks", "--seconds", fmt::format("{}", choice.seconds), "--least",
                                 std::to_string(choice.least_bytes), "--most", std::to_string(choice.most_bytes),
                                 "--step", std::to_string(choice.step), "--minutes", fmt::format("{}", minutes)});
  if (choice.calls > 0) command.insert(command.end(), {"--calls", std::to_string(choice.calls)});
  for (std::string const& one : choice.operations) command.insert(command.end(), {"--op", one});
  fmt::print("{:<10} {:>9} {:>12} {:>12} {:>7} {:>16} {:>6}\n", "operation", "bytes", "skel [ms]", "plain [ms]", "gain",
             "95 % sure", "pairs");
  std::vector<double> small, big;
  std::size_t left_out = 0;
  auto const each_line = [&](std::string const& line) {
    json const row = json::parse(line, nullptr, false);
    if (!row.is_object()) {
      fmt::print("{}\n", line);  // what the library says, if it was asked to
      return;
    }
    if (row.contains("left_out")) {
      left_out = row["left_out"];
      return;
    }
    if (row.contains("given_up")) {
      fmt::print("{:<10} {:>9} given up after {:.1f} s, as the time was over (--minutes)\n",
                 row["operation"].get<std::string>(), row["bytes"].get<int>(), row["given_up"].get<double>());
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
  };
  // Ranks end by themselves, but for one call that has begun.
  if (!grid.run(wanted.first, command, each_line, 60 * minutes + longest_call))
    fmt::print("ended from outside: a call took more than {} s\n", longest_call);
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

/// Whether rank 0 finds that it is later than that, on all ranks. Collective.
bool is_over(double end) {
  int over = MPI_Wtime() > end ? 1 : 0;
  PMPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return over != 0;
}

/// A figure, as rank 0 prints it. `found`: nothing where the time ended before.
bool print_figure(collective_call const& call, int bytes, std::optional<both_ways> const& found, double seconds,
                  int rank) {
  if (rank != 0) return found.has_value();
  json row{{"operation", call.name}, {"bytes", call.has_size ? bytes : 0}};
  if (found)
    row.update({{"ours", found->ours},
                {"plain", found->plain},
                {"gain", 1 / found->ratio},
                {"low", 1 / found->sure.high},
                {"high", 1 / found->sure.low},
                {"pairs", found->pairs}});
  else
    row["given_up"] = seconds;
  fmt::print("{}\n", row.dump());
  std::fflush(stdout);
  return found.has_value();
}

/// The first calls of a program, in turn with as many plain ones: their means, and the ratio of the sums with two
/// standard errors (of a ratio of means, by the delta method). Whether there is a figure.
bool time_first(collective_call const& call, int bytes, int calls, double end, int rank, message_buffers& buffers) {
  int const count = bytes / static_cast<int>(sizeof(double));
  double const start = MPI_Wtime();
  std::vector<double> ours, plain;
  while (static_cast<int>(ours.size()) < calls && !is_over(end)) {
    ours.push_back(until_the_last([&] { call.ours(count, MPI_COMM_WORLD); }));
    plain.push_back(until_the_last([&] { call.plain(count, MPI_COMM_WORLD); }));
  }
  std::optional<both_ways> found;
  if (static_cast<int>(ours.size()) == calls) {
    require_same_results(call, count, MPI_COMM_WORLD, buffers);
    double const mine = skel::statistics::mean(ours), theirs = skel::statistics::mean(plain), ratio = mine / theirs;
    double squares = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) squares += std::pow(ours[i] - ratio * plain[i], 2);
    double const n = calls, error = std::sqrt(squares / (n * (n - 1))) / theirs;
    found = both_ways{mine, theirs, ratio, {ratio - 2 * error, ratio + 2 * error}, ours.size()};
  }
  return print_figure(call, bytes, found, MPI_Wtime() - start, rank);
}

/// Whether there is a figure: nothing else if the time ends before there are enough calls for one.
bool time_one(collective_call const& call, int bytes, double seconds, double end, int rank, message_buffers& buffers) {
  int const count = bytes / static_cast<int>(sizeof(double));
  double const start = MPI_Wtime();
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  bool over = false;
  // Begun as they are when they count: calls that come otherwise take the ranks other times, which the library would
  // take for a change of the machine.
  for (int i = 0; i < learning_calls && !over; ++i) {
    until_the_last([&] { call.ours(count, comm); });
    over = is_over(end);
  }
  std::optional<both_ways> found;
  if (!over) {
    require_same_results(call, count, comm, buffers);
    found = in_turn(
        seconds, 1, [&](std::size_t) { call.ours(count, comm); }, [&](std::size_t) { call.plain(count, comm); },
        until_the_last, [&] { return !is_over(end); });
    require_same_results(call, count, comm, buffers);
  }
  MPI_Comm_free(&comm);
  // Fewer do not bound a median (statistics::median_interval).
  constexpr std::size_t fewest_pairs = 6;
  if (found && found->pairs < fewest_pairs) found.reset();
  return print_figure(call, bytes, found, MPI_Wtime() - start, rank);
}

}  // namespace

std::vector<int> sizes_of(collectives_choice const& choice) {
  std::vector<int> all{choice.least_bytes};
  while (all.back() < choice.most_bytes)
    all.push_back(choice.step > choice.most_bytes / all.back() ? choice.most_bytes
                                                               : std::min(choice.step * all.back(), choice.most_bytes));
  return all;
}

std::vector<collective_call> calls_of(collectives_choice const& choice, message_buffers& buffers) {
  std::vector<collective_call> calls = usual_collectives(buffers);
  calls.push_back(allgather_call(buffers));
  std::erase_if(calls, [&](collective_call const& call) {
    return !choice.operations.empty() && std::ranges::find(choice.operations, call.name) == choice.operations.end();
  });
  return calls;
}

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
  auto const start = std::chrono::steady_clock::now();
  MPI_Init(nullptr, nullptr);
  std::chrono::duration<double> const initialising = std::chrono::steady_clock::now() - start;
  double const end = MPI_Wtime() + 60 * choice.minutes - initialising.count();
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  auto const most = static_cast<std::size_t>(choice.most_bytes);
  message_buffers buffers{std::vector<char>(most), std::vector<char>(most * static_cast<std::size_t>(ranks))};
  std::size_t left_out = 0;
  // Neither way is to make the connections.
  PMPI_Alltoall(MPI_IN_PLACE, 1, MPI_BYTE, buffers.got.data(), 1, MPI_BYTE, MPI_COMM_WORLD);
  auto const time_it = [&](collective_call const& call, int bytes) {
    return choice.calls > 0 ? time_first(call, bytes, choice.calls, end, rank, buffers)
                            : time_one(call, bytes, choice.seconds, end, rank, buffers);
  };
  // All operations of a size first, so that none is left out as a whole where the time ends.
  for (int const bytes : sizes_of(choice))
    for (collective_call const& call : calls_of(choice, buffers)) {
      if (!call.has_size && bytes > choice.least_bytes) continue;
      if (is_over(end) || !time_it(call, bytes)) ++left_out;
    }
  if (rank == 0) fmt::print("{}\n", json{{"left_out", left_out}}.dump());
  MPI_Finalize();
}

}  // namespace bench
