// bench_constants: what stands behind the limits and thresholds that skel has as constants, measured again. Each verb
// names the constant that it is about.
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <new>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <skel/detail/cost/line_simulation.hpp>
#include <skel/detail/cost/line_solver.hpp>
#include <skel/detail/mapping/placement_search.hpp>
#include <skel/detail/pattern/compose.hpp>
#include <skel/detail/platform/announcements.hpp>
#include <skel/detail/platform/host_load.hpp>
#include <skel/detail/platform/monitor.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/line/run_line.hpp>
#include <skel/detail/runtime/threads/dealt_pieces.hpp>
#include <skel/detail/runtime/threads/memory.hpp>

#include "support/cpu_time.hpp"
#include "support/draw.hpp"
#include "support/repeat.hpp"

namespace {

using namespace skel;
using bench::cpu_seconds;
using bench::draw_log;

/// A line on two hosts that stages share while they are busy, `room` before each worker.
cost::line shared_line(std::mt19937& random, std::vector<std::size_t> const& widths, std::size_t room) {
  cost::line model;
  model.sharing = cost::share::dynamic;
  std::size_t host = 0;
  for (std::size_t width : widths) {
    model.stations.push_back({{}, {}, room});
    for (std::size_t w = 0; w < width; ++w)
      model.stations.back().workers.push_back({draw_log(random, 5, 20), host++ % 2});
  }
  for (std::size_t i = 0; i <= widths.size(); ++i) model.moves.push_back(draw_log(random, 50, 1e4));
  return model;
}

/// most_states and simulated_items (src/grid/line/line_forecast.cpp): what a forecast takes.
int forecast(std::size_t rounds) {
  fmt::print(
      "lines on two hosts, dynamic share, room for 2; CPU time, medians of {} lines\n{:>14} {:>8} {:>7} {:>9} {:>9} "
      "{:>19} {:>14}\n",
      rounds, "workers", "states", "sweeps", "exact s", "max s", "ns per state, sweep", "5000 items ms");
  for (std::vector<std::size_t> const& widths :
       {std::vector<std::size_t>{1, 1, 1, 1}, {1, 1, 1, 1, 1}, {1, 2, 1}, {2, 2}, {1, 3, 1}, {2, 3}, {4}, {5}}) {
    std::mt19937 random(1);
    std::vector<double> exact, sweeps, simulated;
    double states = 0;
    for (std::size_t k = 0; k < rounds; ++k) {
      auto const model = shared_line(random, widths, 2);
      double const begin = cpu_seconds();
      auto const found = cost::solve_line(model);
      double const solved = cpu_seconds();
      cost::simulate_line(model, {.fewest_first = true, .items = 5000});
      exact.push_back(solved - begin);
      simulated.push_back(cpu_seconds() - solved);
      sweeps.push_back(static_cast<double>(found.sweeps));
      states = static_cast<double>(found.states);
    }
    auto const [seconds, least, most] = bench::spread_of(exact);
    double const median_sweeps = statistics::median(sweeps);
    fmt::print("{:>14} {:>8.0f} {:>7.0f} {:>9.3f} {:>9.3f} {:>19.1f} {:>14.1f}\n",
               fmt::format("{}", fmt::join(widths, "+")), states, median_sweeps, seconds, most,
               1e9 * seconds / states / median_sweeps, 1e3 * statistics::median(simulated));
  }
  return 0;
}

/// most_hosts (mapping/line/enough_hosts.cpp): the tables of a search.
int hosts(std::vector<std::size_t> const& counts) {
  fmt::print(
      "a farm as wide as it likes on hosts that are all different; CPU time until the search could begin\n"
      "{:>8} {:>9} {:>16}\n",
      "hosts", "CPU s", "ns per pair");
  for (std::size_t count : counts) {
    std::mt19937 random(1);
    std::vector<platform::cluster> clusters;
    for (std::size_t h = 0; h < count / 10; ++h)
      clusters.push_back({fmt::format("h{}", h), 10, draw_log(random, 0.5, 2), 1, {1e-4}, {}, {}});
    std::vector<platform::cluster_link> links;
    for (std::size_t a = 0; a < clusters.size(); ++a)
      for (std::size_t b = 0; b < clusters.size(); ++b)
        if (a != b) links.push_back({a, b, {1e-3}, {}});
    mapping::placement_problem problem;
    problem.platform = platform::description(1e-5, clusters, links);
    skeletons::stage_shape stage;
    stage.name = "farm";
    stage.work = 1;
    stage.replicable = true;
    stage.width = 0;  // as many hosts as it likes
    problem.program.stages.assign(3, stage);
    problem.program.stages.front().replicable = problem.program.stages.back().replicable = false;
    mapping::search_options at_once;
    at_once.time_limit = std::chrono::duration<double>(1e-9);
    double const begin = cpu_seconds();
    auto const answer = mapping::place(problem, at_once);
    double const took = cpu_seconds() - begin;
    if (auto const* none = std::get_if<mapping::infeasible>(&answer)) {
      fmt::print("{:>8} {}\n", count, none->reason);
      continue;
    }
    fmt::print("{:>8} {:>9.3f} {:>16.2f}\n", count, took, 1e9 * took / static_cast<double>(count * count));
  }
  return 0;
}

int rank() {
  int mine = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &mine);
  return mine;
}

/// One message with a header and a range of `bytes` to the other rank and one back, per direction [s]: the range copied
/// behind the header and out of the message again, or sent by itself from where it is to where it will be.
double ping_pong(std::size_t bytes, bool direct, std::size_t turns) {
  constexpr std::size_t header = 64;
  std::vector<char> range(bytes, 1), message(header + bytes);
  int const other = 1 - rank(), length = static_cast<int>(direct ? header : header + bytes);
  auto const send = [&] {
    if (!direct) std::memcpy(message.data() + header, range.data(), bytes);
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Isend(message.data(), length, MPI_BYTE, other, 0, MPI_COMM_WORLD, &requests[0]);
    if (direct) MPI_Isend(range.data(), static_cast<int>(bytes), MPI_BYTE, other, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  };
  auto const receive = [&] {
    MPI_Message found;
    MPI_Mprobe(other, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    MPI_Mrecv(message.data(), length, MPI_BYTE, &found, MPI_STATUS_IGNORE);
    if (direct)
      MPI_Recv(range.data(), static_cast<int>(bytes), MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
      std::memcpy(range.data(), message.data() + header, bytes);
  };
  MPI_Barrier(MPI_COMM_WORLD);
  double const begin = MPI_Wtime();
  for (std::size_t turn = 0; turn < turns; ++turn) {
    if (rank() == 0)
      send(), receive();
    else
      receive(), send();
  }
  return (MPI_Wtime() - begin) / static_cast<double>(2 * turns);
}

/// direct_bytes (include/skel/detail/plan/run_plan.hpp).
int copies(std::size_t rounds) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    if (rank() == 0) fmt::print(stderr, "bench_constants copies: runs under mpirun -np 2, not on {} ranks\n", size);
    return 2;
  }
  if (rank() == 0)
    fmt::print("a range between two ranks, us per message, medians of {} interleaved rounds\n{:>9} {:>9} {:>9}\n",
               rounds, "bytes", "copied", "direct");
  for (std::size_t bytes = 1024; bytes <= std::size_t{1} << 20; bytes *= 2) {
    std::size_t const turns = std::max<std::size_t>(100, (std::size_t{1} << 23) / bytes);
    auto const found = bench::interleave(
        {[&] { return ping_pong(bytes, false, turns); }, [&] { return ping_pong(bytes, true, turns); }}, rounds);
    if (rank() == 0) fmt::print("{:>9} {:>9.2f} {:>9.2f}\n", bytes, 1e6 * found[0].median, 1e6 * found[1].median);
  }
  return 0;
}

/// docs/decisions/04: what a hop costs between ranks that sleep and are woken.
int hops(std::uint64_t items, double latency) {
  runtime::communicator const ranks;
  auto app = skel::source([items, next = std::uint64_t{0}]() mutable -> std::optional<std::uint64_t> {
               return next < items ? std::optional(next++) : std::nullopt;
             }) |
             skel::stage([](std::uint64_t x) { return x; }) | skel::stage([](std::uint64_t x) { return x; }) |
             skel::sink([](std::uint64_t) {});
  auto const line = runtime::make_program(app);
  plan::run_plan plan;
  plan.batch_latency = latency;
  for (int s = 0; s < 4; ++s) plan.stations.push_back({{s % ranks.size()}, 0});
  auto const record = runtime::run_line(line, plan, ranks);
  if (ranks.rank() == 0)
    fmt::print("{} items, one by one, through four stations over {} ranks, no room to wait: {:.1f} us per item\n",
               items, ranks.size(), 1e6 * record.seconds / static_cast<double>(items));
  return 0;
}

/// f, timed [s].
template <class F>
std::function<double()> timed(F f) {
  return [f] {
    double const begin = record::now();
    f();
    return record::now() - begin;
  };
}

/// least_of_huge_page (base/pages.hpp): what fresh memory takes that is touched for the first time.
int pages(std::size_t rounds) {
  fmt::print("first touch of fresh memory, us, medians of {} interleaved rounds\n{:>9} {:>12} {:>12} {:>9}\n", rounds,
             "KiB", "small pages", "page_memory", "again");
  for (std::size_t bytes = std::size_t{1} << 15; bytes <= std::size_t{1} << 25; bytes *= 2) {
    auto const touch = [bytes](void* memory) {
      std::memset(memory, 1, bytes);
      asm volatile("" : : "r"(memory) : "memory");
    };
    auto const in_small_pages = [&] {
      void* const fresh = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (fresh == MAP_FAILED) throw std::bad_alloc();
      madvise(fresh, bytes, MADV_NOHUGEPAGE);
      touch(fresh);
      munmap(fresh, bytes);
    };
    std::vector<std::byte> again(bytes);
    auto const found =
        bench::interleave({timed(in_small_pages), timed([&] { touch(runtime::page_memory(bytes).data()); }),
                           timed([&] { touch(again.data()); })},
                          rounds);
    fmt::print("{:>9} {:>12.1f} {:>12.1f} {:>9.1f}\n", bytes / 1024, 1e6 * found[0].median, 1e6 * found[1].median,
               1e6 * found[2].median);
  }
  return 0;
}

/// take_seconds (runtime/threads/dealt_pieces.hpp): what taking a piece and beginning its loop takes.
int pieces(std::size_t rounds) {
  constexpr std::size_t things = 1 << 16, grain = 8;
  runtime::dealt_pieces all;
  std::size_t volatile sum = 0;
  auto const run = [&](std::size_t parts, std::size_t of) {
    return timed([&all, &sum, parts, of] {
      all.deal(things, parts, of, true);
      while (auto const piece = all.next(0))
        for (std::size_t k = piece->begin; k < piece->end; ++k) sum = sum + k;
    });
  };
  auto const found = bench::interleave({run(1, things), run(1, grain), run(2, grain), run(16, grain)}, rounds);
  fmt::print("a piece, ns, medians of {} interleaved rounds, one thread\n", rounds);
  for (auto const& [which, name] :
       {std::pair{1u, "its own"}, {2u, "every second one of another part"}, {3u, "15 of 16 of other parts"}})
    fmt::print("{:>34} {:>6.1f}\n", name, 1e9 * (found[which].median - found[0].median) / (things / grain));
  return 0;
}

/// What something takes, in us of CPU time: the median of `rounds`, each of `times` in a row.
template <class F>
double microseconds(std::size_t rounds, std::size_t times, F f) {
  std::vector<double> taken;
  for (std::size_t r = 0; r < rounds; ++r) {
    double const begin = cpu_seconds();
    for (std::size_t k = 0; k < times; ++k) f();
    taken.push_back(1e6 * (cpu_seconds() - begin) / static_cast<double>(times));
  }
  return statistics::median(taken);
}

/// monitor_options::period, host_load (platform): what watching a machine takes.
int load(std::size_t rounds) {
  double const period = platform::monitor_options{}.period;
  fmt::print("us of CPU time, medians of {} rounds\n{:>44} {:>9} {:>22}\n", rounds, "", "us",
             fmt::format("% of a core, every {} s", period));
  auto const row = [&](std::string const& what, double us, bool each_period = true) {
    fmt::print("{:>44} {:>9.2f} {:>22}\n", what, us, each_period ? fmt::format("{:.4f}", 1e-4 * us / period) : "");
  };
  platform::host_load host;
  row("a reading of this host", microseconds(rounds, 200, [&] { host.read(record::now()); }));
  for (std::size_t hosts : {4UL, 16UL}) {
    std::vector<std::size_t> host_of_rank(hosts);
    std::vector<platform::cluster> clusters;
    std::vector<platform::cluster_link> links;
    for (std::size_t h = 0; h < hosts; ++h) {
      host_of_rank[h] = h;
      clusters.push_back({.name = fmt::format("h{}", h)});
      for (std::size_t to = 0; to < hosts; ++to)
        if (to != h) links.push_back({h, to, {1e-4, 1e8}, {}});
    }
    platform::monitor monitor(platform::snapshot(platform::description(1e-6, clusters, links)), host_of_rank);
    std::mt19937 random(1);
    std::normal_distribution<double> noise(1, 0.05);
    std::vector<double> share, link, slot, next, ranks;
    double now = 0;
    constexpr std::size_t slots = 600;  // more than a forecaster remembers
    for (std::size_t r = 0; r < slots; ++r, now += period) {
      if (r + 100 == slots)
        for (auto* taken : {&share, &link, &slot, &next, &ranks}) taken->clear();
      auto const times = static_cast<double>(hosts), paths = times * (times - 1);
      double begin = cpu_seconds();
      for (std::size_t rank = 0; rank < hosts; ++rank)
        monitor.add({.rank = rank, .time = now, .share = 0.5 * noise(random), .weight = period});
      share.push_back((cpu_seconds() - begin) / times);
      begin = cpu_seconds();
      for (std::size_t from = 0; from < hosts; ++from)
        for (std::size_t to = 0; to < hosts; ++to)
          if (from != to)
            monitor.add(platform::link_reading{
                .from = from, .to = to, .time = now, .bytes = 0, .seconds = 1e-4 * noise(random)});
      link.push_back((cpu_seconds() - begin) / paths);
      begin = cpu_seconds();
      monitor.advance(now + period);
      slot.push_back(cpu_seconds() - begin);
      begin = cpu_seconds();
      static_cast<void>(monitor.next());
      next.push_back(cpu_seconds() - begin);
      begin = cpu_seconds();
      static_cast<void>(monitor.for_ranks());
      ranks.push_back(cpu_seconds() - begin);
    }
    std::string const of = fmt::format("{} hosts, {} paths: ", hosts, hosts * (hosts - 1));
    row(of + "a share_reading", 1e6 * statistics::median(share), false);
    row(of + "a link_reading", 1e6 * statistics::median(link), false);
    row(of + "the end of a slot", 1e6 * statistics::median(slot));
    row(of + "the next snapshot", 1e6 * statistics::median(next));
    row(of + "the same for ranks", 1e6 * statistics::median(ranks));
  }
  return 0;
}

/// What announcements count that reading takes (src/platform/monitor/announcements.cpp): a flood of lines of each kind.
int announce(std::size_t rounds) {
  platform::snapshot const machine(platform::description(0, {{.name = "n", .hosts = 1000, .inside = {1e-4, 1e8}}}, {}));
  auto const file = std::filesystem::temp_directory_path() / fmt::format("skel_announce_{}.jsonl", getpid());
  std::size_t const lines = 100'000;
  fmt::print("CPU time of reading a file of {} lines, medians of {} rounds\n{:>26} {:>10} {:>12} {:>12} {:>16}\n",
             lines, rounds, "", "s in all", "us per line", "ms per poll", "all heard after s");
  using line_of = std::string (*)(std::size_t);
  std::pair<char const*, line_of> const kinds[] = {
      {"speeds of a host", [](std::size_t k) { return fmt::format(R"("host":"n-0","speed":0.{})", 1 + k); }},
      {"speeds of 1000 hosts",
       [](std::size_t k) { return fmt::format(R"("host":"n-{}","speed":0.{})", k % 1000, 1 + k); }},
      {"links of 1000 hosts",
       [](std::size_t k) { return fmt::format(R"("link":["n-{}","n-{}"],"latency":1)", k % 1000, (k + 1) % 1000); }},
      {"unknown hosts", [](std::size_t k) { return fmt::format(R"("leaves":"m-{}")", k); }},
      {"no numbers", [](std::size_t) { return std::string(R"("host":"n-0","speed":NaN)"); }},
      {"escapes", [](std::size_t) { return std::string(R"("leaves":"\u006e-0")"); }},
      {"escapes, two things", [](std::size_t k) { return fmt::format(R"("leaves":"\u006d-{}","joins":"n")", k); }},
      {"escapes, unknown hosts", [](std::size_t k) { return fmt::format(R"("leaves":"\u006d-{}")", k); }},
  };
  for (auto const& [name, line] : kinds) {
    std::ofstream out(file);
    for (std::size_t k = 0; k < lines; ++k) out << "{\"skel_announcement\":1," << line(k) << "}\n";
    out.close();
    std::vector<double> seconds, most;
    double heard = 0;
    for (std::size_t r = 0; r < rounds; ++r) {
      platform::announcements from(file, machine);
      double longest = 0, all = 0;
      for (heard = 0; from.seen().lines < lines; heard += 0.25) {
        double const before = cpu_seconds();
        from.poll(heard);
        double const took = cpu_seconds() - before;
        longest = std::max(longest, took), all += took;
      }
      seconds.push_back(all);
      most.push_back(longest);
    }
    double const all = statistics::median(seconds);
    fmt::print("{:>26} {:>10.4f} {:>12.3f} {:>12.2f} {:>16.2f}\n", name, all, 1e6 * all / static_cast<double>(lines),
               1e3 * statistics::median(most), heard - 0.25);
  }
  std::filesystem::remove(file);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Measures again what stands behind constants of skel."};
  app.require_subcommand(1);
  std::size_t rounds = 9;
  std::uint64_t items = 50000;
  std::vector<std::size_t> counts = {1000, 2000, 5000, 10000};
  auto* const of_forecast = app.add_subcommand("forecast", "most_states and simulated_items of a plan's forecast");
  auto* const of_hosts = app.add_subcommand("hosts", "the hosts that a search without a width can have");
  auto* const of_copies = app.add_subcommand("copies", "direct_bytes of a run's plan; under mpirun -np 2");
  auto* const of_hops = app.add_subcommand("hops", "an item's way over sleeping ranks; under mpirun -np 4");
  auto* const of_pages = app.add_subcommand("pages", "from how many bytes on private copies have huge pages");
  auto* const of_pieces = app.add_subcommand("pieces", "how long the pieces are that threads take over");
  auto* const of_load = app.add_subcommand("load", "what watching a machine while a program runs takes");
  auto* const of_announce = app.add_subcommand("announce", "what a poll of announcements takes, and a flood of them");
  for (auto* verb : {of_forecast, of_copies, of_pages, of_pieces, of_load, of_announce})
    verb->add_option("--rounds", rounds, "lines, or measurements of each size")->check(CLI::PositiveNumber);
  of_hosts->add_option("--hosts", counts, "numbers of hosts, tens")->check(CLI::PositiveNumber);
  double latency = 1e-9;
  of_hops->add_option("--latency", latency, "batch_latency of the run; the default gives batches of one [s]");
  of_hops->add_option("--items", items, "length of the stream")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  if (*of_forecast) return forecast(rounds);
  if (*of_hosts) return hosts(counts);
  if (*of_hops) return hops(items, latency);
  if (*of_pages) return pages(rounds);
  if (*of_pieces) return pieces(rounds);
  if (*of_load) return load(rounds);
  if (*of_announce) return announce(rounds);
  MPI_Init(&argc, &argv);
  int const status = copies(rounds);
  MPI_Finalize();
  return status;
}
