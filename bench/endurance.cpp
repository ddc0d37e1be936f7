// bench_endurance: a long stream through a pipeline of four stages, two of them farms, over many ranks on few cores.
// Shows that nothing is lost, doubled or out of order, that memory keeps to the stated bound, and that ranks sleep
// while the source is silent. Run it under mpirun; source and sink are on rank 0.
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <skel/detail/pattern/compose.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/line/run_line.hpp>

namespace {

struct item {
  std::uint64_t index = 0;
  std::uint64_t mark = 0;
};

/// One step of a mixing function: a stage that was left out or passed twice gives another mark.
std::uint64_t mix(std::uint64_t x, std::uint64_t stage) {
  x ^= stage + 0x9e3779b97f4a7c15u + (x << 6) + (x >> 2);
  return x * 0xbf58476d1ce4e5b9u;
}

std::uint64_t mark_of(std::uint64_t index) {
  std::uint64_t mark = index;
  for (std::uint64_t stage = 1; stage <= 4; ++stage) mark = mix(mark, stage);
  return mark;
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  auto seconds = [](timeval const& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// A line of /proc/self/status in bytes, "VmRSS" or "VmHWM".
double status_bytes(std::string const& key) {
  std::ifstream in("/proc/self/status");
  for (std::string word; in >> word;)
    if (word == key + ":") {
      double kib = 0;
      in >> kib;
      return kib * 1024;
    }
  return 0;
}

/// CPU time of this process at a few moments, so that the use within any interval can be told afterwards.
class cpu_log {
 public:
  cpu_log()
      : thread_([this](std::stop_token stop) {
          while (!stop.stop_requested()) {
            samples_.push_back({skel::record::now(), cpu_seconds()});
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
          }
        }) {}

  /// Share of one core that was used between two moments, of which some samples lie inside. Ends the log.
  double share(double from, double to) {
    thread_.request_stop();
    thread_.join();
    std::optional<std::pair<double, double>> first, last;
    for (auto const& sample : samples_)
      if (sample.first >= from && sample.first <= to) {
        if (!first) first = sample;
        last = sample;
      }
    if (!first || last->first <= first->first) return 0;
    return (last->second - first->second) / (last->first - first->first);
  }

 private:
  std::vector<std::pair<double, double>> samples_;
  std::jthread thread_;
};

}  // namespace

int main(int argc, char** argv) try {
  std::uint64_t items = 10'000'000;
  double silence = 5;
  std::size_t width = 3;
  CLI::App cli("A long stream through four stages, two of them farms, over the ranks of mpirun.");
  cli.add_option("--items", items, "length of the stream")->capture_default_str();
  cli.add_option("--silence", silence, "how long the source is silent in the middle [s]")->capture_default_str();
  cli.add_option("--width", width, "workers of each farm")->capture_default_str()->check(CLI::PositiveNumber);
  CLI11_PARSE(cli, argc, argv);

  skel::runtime::communicator const ranks;
  std::uint64_t next = 0, seen = 0, wrong = 0;
  double quiet_from = 0, quiet_to = 0;
  auto read = [&]() -> std::optional<item> {
    if (next == items) return std::nullopt;
    if (next == items / 2 && quiet_to == 0 && silence > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));  // what is on its way arrives
      quiet_from = skel::record::now();
      std::this_thread::sleep_for(std::chrono::duration<double>(silence));
      quiet_to = skel::record::now();
    }
    return item{next, next++};
  };
  auto step = [](std::uint64_t stage) { return [stage](item x) { return item{x.index, mix(x.mark, stage)}; }; };
  auto app = skel::source("source", read) | skel::stage("first", step(1)) | skel::farm("second", step(2)) |
             skel::stage("third", step(3)) | skel::farm("fourth", step(4)) | skel::sink("sink", [&](item const& x) {
               wrong += x.index != seen || x.mark != mark_of(x.index);
               ++seen;
             });

  auto const line = skel::runtime::make_program(app);
  skel::plan::run_plan plan;
  int place = 1;
  for (std::size_t s = 0; s < line.size(); ++s) {
    skel::plan::station_plan station{{0}, 2};
    if (s > 0 && s + 1 < line.size()) {
      station.ranks.clear();
      for (std::size_t w = 0; w < (line.stations[s].replicable ? width : 1); ++w)
        station.ranks.push_back(place++ % ranks.size());
    }
    plan.stations.push_back(station);
  }

  // A hundredth of the stream first: threads, their stacks and MPI's own buffers are there afterwards.
  std::uint64_t const all = std::exchange(items, items / 100);
  double const silent = std::exchange(silence, 0);
  double const before = status_bytes("VmRSS");
  skel::runtime::run_line(line, plan, ranks);
  double const settled = status_bytes("VmHWM");
  items = all;
  silence = silent;
  next = seen = 0;

  cpu_log log;
  auto const record = skel::runtime::run_line(line, plan, ranks);
  double const grown = status_bytes("VmHWM") - settled;

  auto const windows = ranks.all_gather(fmt::format("{} {}", quiet_from, quiet_to));
  std::size_t const space = windows.front().find(' ');
  double const idle = log.share(std::stod(windows.front().substr(0, space)), std::stod(windows.front().substr(space)));
  auto const lines = ranks.all_gather(fmt::format("{} {} {}", grown, settled - before, idle));
  if (ranks.rank() != 0) return 0;

  double all_grown = 0, all_before = 0, most_idle = 0;
  for (auto const& text : lines) {
    std::istringstream in(text);
    double more = 0, first = 0, share = 0;
    in >> more >> first >> share;
    all_grown += more;
    all_before += first;
    most_idle = std::max(most_idle, share);
  }
  double const bound = 2 * static_cast<double>(record.most_batches * plan.batch_bytes);
  double const working = record.seconds - (quiet_to - quiet_from);
  fmt::print("{} items on {} ranks in {:.2f} s of work, {:.2f} million items/s\n", record.items, ranks.size(), working,
             static_cast<double>(record.items) / working / 1e6);
  fmt::print("lost, doubled, out of order or wrong: {}\n", wrong + (seen > items ? seen - items : items - seen));
  fmt::print("bound: {} batches of {} B, each in two places while it crosses ranks: {:.1f} MB\n", record.most_batches,
             plan.batch_bytes, bound / 1e6);
  fmt::print(
      "all ranks together grew by {:.1f} MB in the first hundredth, threads and MPI's buffers included, and by "
      "{:.1f} MB in the whole stream after it\n",
      all_before / 1e6, all_grown / 1e6);
  if (silence > 0)
    fmt::print("while the source was silent for {:.1f} s, the busiest rank used {:.2f} % of a core\n", silence,
               100 * most_idle);
  return wrong == 0 && seen == items && all_grown <= bound ? 0 : 1;
} catch (std::exception const& e) {
  fmt::print(stderr, "bench_endurance: {}\n", e.what());
  return 1;
}
