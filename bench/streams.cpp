// bench_streams: streams of one process as users write them, beside oneTBB's parallel_pipeline. Ways take turns;
// printed are the median time of skel and the time of the other / skel's in the same round, with the range that holds
// the median. Above 1 skel is ahead.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <oneapi/tbb/parallel_pipeline.h>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <skel/detail/record/clock.hpp>
#include <skel/skel.hpp>

#include "support/beside.hpp"
#include "support/spin.hpp"

namespace {

namespace tbb = oneapi::tbb;

using block = std::vector<std::uint64_t>;

/// What a stage does to a block: one pass.
block passed(block in, std::uint64_t by) {
  for (auto& word : in) word = word * by + 1;
  return in;
}
block block_of(std::uint64_t number, std::size_t bytes) {
  block made(bytes / sizeof(std::uint64_t));
  std::iota(made.begin(), made.end(), number);
  return made;
}
std::uint64_t sum_of(block const& in) {
  return std::accumulate(in.begin(), in.end(), std::uint64_t{0});
}

/// Items of so many bytes through four serial stages.
struct serial_stages {
  std::uint64_t items;
  std::size_t bytes;
  std::size_t passes = 0;  ///< of the source over an item that it has made

  block make(std::uint64_t number) const {
    block made = block_of(number, bytes);
    for (std::size_t pass = 0; pass < passes; ++pass) made = passed(std::move(made), 3);
    return made;
  }

  std::uint64_t by_skel(skel::grid& grid) const {
    std::uint64_t sum = 0;
    auto const stage = [](std::uint64_t by) {
      return skel::stage("pass", [by](block&& in) { return passed(std::move(in), by); });
    };
    auto app = skel::source("make",
                            [*this, next = std::uint64_t{0}]() mutable -> std::optional<block> {
                              if (next == items) return std::nullopt;
                              return make(next++);
                            }) |
               stage(3) | stage(5) | stage(7) | stage(9) |
               skel::sink("add", [&](block const& in) { sum += sum_of(in); });
    grid.run(app);
    return sum;
  }
  std::uint64_t by_tbb(std::size_t tokens) const {
    constexpr auto serial = tbb::filter_mode::serial_in_order;
    std::uint64_t sum = 0, next = 0;
    auto const stage = [](std::uint64_t by) {
      return tbb::make_filter<block, block>(serial, [by](block in) { return passed(std::move(in), by); });
    };
    tbb::parallel_pipeline(tokens,
                           tbb::make_filter<void, block>(serial,
                                                         [&](tbb::flow_control& control) {
                                                           if (next == items) {
                                                             control.stop();
                                                             return block{};
                                                           }
                                                           return make(next++);
                                                         }) &
                               stage(3) & stage(5) & stage(7) & stage(9) &
                               tbb::make_filter<block, void>(serial, [&](block const& in) { sum += sum_of(in); }));
    return sum;
  }
};

/// Sources of the numbers from 0 on.
auto numbers(std::uint64_t items) {
  return skel::source("read", [items, next = std::uint64_t{0}]() mutable {
    return next < items ? std::optional(next++) : std::nullopt;
  });
}
tbb::filter<void, std::uint64_t> tbb_numbers(std::uint64_t items, std::uint64_t& next) {
  return tbb::make_filter<void, std::uint64_t>(tbb::filter_mode::serial_in_order,
                                               [items, &next](tbb::flow_control& control) {
                                                 if (next == items) control.stop();
                                                 return next++;
                                               });
}

/// Farms in a row, whose items take `turns` of spin so many times.
template <std::uint64_t... Times>
struct farms {
  std::uint64_t items;
  std::uint64_t turns;

  std::uint64_t by_skel(skel::grid& grid) const {
    std::uint64_t sum = 0;
    auto const farm = [this](std::uint64_t times) {
      return skel::farm(fmt::format("work {}", times),
                        [turns = turns * times](std::uint64_t in) { return bench::spin(in, turns); });
    };
    auto app = (numbers(items) | ... | farm(Times)) | skel::sink("add", [&](std::uint64_t in) { sum += in; });
    grid.run(app);
    return sum;
  }
  std::uint64_t by_tbb(std::size_t tokens) const {
    constexpr auto serial = tbb::filter_mode::serial_in_order;
    std::uint64_t sum = 0, next = 0;
    auto const farm = [this](std::uint64_t times) {
      return tbb::make_filter<std::uint64_t, std::uint64_t>(
          tbb::filter_mode::parallel, [turns = turns * times](std::uint64_t in) { return bench::spin(in, turns); });
    };
    tbb::parallel_pipeline(tokens,
                           (tbb_numbers(items, next) & ... & farm(Times)) &
                               tbb::make_filter<std::uint64_t, void>(serial, [&](std::uint64_t in) { sum += in; }));
    return sum;
  }
};
using four_farms = farms<1, 2, 4, 8>;
/// With little work in all, so that what goes before it weighs.
using short_run = farms<1>;

constexpr std::size_t short_runs = 3;  // in one process

/// In a process of its own: prints the sum and the time [s] of each run, the making of a grid left out.
void run_shortly(bool skel_runs, short_run const& what, std::size_t tokens) {
  std::optional<skel::grid> grid;
  if (skel_runs) {
    skel::run_settings settings;
    settings.progress = false;
    settings.knowledge = "off";
    grid.emplace(settings);
  }
  for (std::size_t run = 0; run < short_runs; ++run) {
    double const begin = skel::record::now();
    std::uint64_t const sum = skel_runs ? what.by_skel(*grid) : what.by_tbb(tokens);
    fmt::print("{} {:.9f}\n", sum, skel::record::now() - begin);
  }
}

std::vector<bench::one_run> short_process(char const* who, short_run const& what, std::size_t tokens) {
  std::string const command =
      fmt::format("exec '{}' --short {} {} {} --tokens {}", std::filesystem::read_symlink("/proc/self/exe").string(),
                  who, what.items, what.turns, tokens);
  std::FILE* const child = ::popen(command.c_str(), "r");
  if (child == nullptr) throw skel::error("a process of its own could not be started");
  std::string said;
  for (int c = 0; (c = std::fgetc(child)) != EOF;) said.push_back(static_cast<char>(c));
  if (::pclose(child) != 0) throw skel::error("a process of its own has failed");
  std::istringstream words(said);
  std::vector<bench::one_run> runs(short_runs);
  for (auto& one : runs)
    if (!(words >> one.sum >> one.seconds)) throw skel::error("a process of its own did not say what it took");
  return runs;
}

/// Two rows of the table: the first run of a process, and the last.
bool compare_short(std::string const& name, short_run const& what, std::size_t rounds, std::size_t tokens) {
  auto const found = bench::compare([&] { return short_process("skel", what, tokens); },
                                    [&] { return short_process("tbb", what, tokens); }, rounds);
  for (std::size_t const run : {std::size_t{0}, short_runs - 1})
    found[run].print(fmt::format("{:<48}", fmt::format("{}, run {} of a process", name, run + 1)));
  return std::ranges::all_of(found, [](auto const& run) { return run.right; });
}

/// One row of the table. False: somebody's sum was another one.
template <class Program>
bool compare(std::string const& name, Program const& what, std::size_t rounds, std::size_t tokens_a_thread) {
  skel::run_settings settings;
  settings.progress = false;
  settings.knowledge = "off";
  skel::grid grid(settings);
  std::size_t const tokens = tokens_a_thread * std::thread::hardware_concurrency();
  auto const timed = [](auto const& run) {
    return [run] {
      double const begin = skel::record::now();
      std::uint64_t const sum = run();
      return std::vector{bench::one_run{sum, skel::record::now() - begin}};
    };
  };
  auto const found =
      bench::compare(timed([&] { return what.by_skel(grid); }), timed([&] { return what.by_tbb(tokens); }), rounds)
          .front();
  found.print(fmt::format("{:<48}", name));
  return found.right;
}

}  // namespace

int main(int argc, char** argv) try {
  std::size_t rounds = 11, tokens = 4;
  std::uint64_t more = 1;
  std::vector<std::string> only;
  CLI::App app{"Streams of one process as users write them, beside oneTBB"};
  app.add_option("--rounds", rounds, "measured rounds")->check(CLI::Range(6, 1000))->capture_default_str();
  app.add_option("--tokens", tokens, "items under way in oneTBB for each thread")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--times", more, "as many items as in the rows")->check(CLI::PositiveNumber);
  app.add_option("--only", only, "serial, farms or short");
  std::vector<std::string> one_short;
  app.add_option("--short", one_short, "")->expected(3)->group("");  // what such a process is told
  CLI11_PARSE(app, argc, argv);
  if (!one_short.empty()) {
    run_shortly(one_short[0] == "skel", {std::stoull(one_short[1]), std::stoull(one_short[2])}, tokens);
    return 0;
  }
  auto const wanted = [&](char const* name) { return only.empty() || std::ranges::find(only, name) != only.end(); };
  fmt::print("{:<48} {:>9} {:>7}\n", "stream", "skel [ms]", "oneTBB / skel");
  bool right = true;
  if (wanted("serial")) {
    right =
        compare("1 MiB through four serial stages, 300 items", serial_stages{300 * more, 1U << 20U}, rounds, tokens) &&
        right;
    right = compare("64 KiB through four serial stages, 5000", serial_stages{5000 * more, 1U << 16U}, rounds, tokens) &&
            right;
    right =
        compare("the same, the source makes four passes", serial_stages{5000 * more, 1U << 16U, 4}, rounds, tokens) &&
        right;
  }
  auto const turns_of_us = static_cast<std::uint64_t>(1000 / bench::turn_time());
  if (wanted("short")) {
    std::size_t const under_way = tokens * std::thread::hardware_concurrency();
    right = compare_short("1000 items of 100 us", short_run{1000, 100 * turns_of_us}, rounds, under_way) && right;
    right = compare_short("100 items of 1 ms", short_run{100, 1000 * turns_of_us}, rounds, under_way) && right;
  }
  if (wanted("farms")) {
    right =
        compare("four farms of 20 to 160 us, 3000 items", four_farms{3000 * more, 20 * turns_of_us}, rounds, tokens) &&
        right;
    right =
        compare("four farms of 200 to 1600 us, 600 items", four_farms{600 * more, 200 * turns_of_us}, rounds, tokens) &&
        right;
  }
  return right ? 0 : 1;
} catch (std::exception const& e) {
  fmt::print(stderr, "bench_streams: {}\n", e.what());
  return 1;
}
