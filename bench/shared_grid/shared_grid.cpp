// What moving a running line wins on a grid that changes, in SimGrid's exact time: scripts/shared_grid without threads,
// noise and other users of the machine.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/statistics.hpp>

#include "shared_grid/best_placement.hpp"
#include "shared_grid/job.hpp"

namespace {

using namespace bench;
using nlohmann::ordered_json;

std::vector<std::string> const scenarios{"slow", "short", "latency", "leave", "source", "added", "needed"};

/// Ranks report every quarter of a second, in which some 48 frames pass: what is noticed when depends on where in this
/// time the grid changes.
constexpr std::size_t frames_between_moments = 5;

struct options {
  std::vector<std::string> scenarios = ::scenarios;
  std::size_t frames = 900, moments = 10;
  bool json = false, without_best = false;
};

/// "0 | 1 | 2 | 0", of the stages.
std::string words_of(station_ranks const& where) {
  std::string text;
  for (std::size_t s = 1; s + 1 < where.size(); ++s)
    text += (text.empty() ? "" : " | ") + std::to_string(where[s].front());
  return text;
}

void progress(std::string const& scenario, std::size_t done, std::size_t all) {
  if (done % 16 == 0 || done == all) fmt::print(stderr, "{}: {} of {} placements\n", scenario, done, all);
}

/// Disturbed at one moment, with and without moving.
struct both_ways {
  shared_grid_outcome moves, stays;

  double ratio() const { return stays.seconds() / moves.seconds(); }
  std::size_t moves_after() const { return moves.moves.size() - moves.moves_before(); }
};

/// One scenario.
struct outcome {
  std::vector<both_ways> runs;
  std::optional<fixed_placement> best{};
  std::optional<shared_grid_outcome> fixed{};  // on the best placement, from the beginning

  template <class Of>
  std::vector<double> each(Of const& of) const {
    std::vector<double> out;
    for (auto const& one : runs) out.push_back(static_cast<double>(of(one)));
    return out;
  }
  std::vector<shared_grid_move> all_moves() const {
    std::vector<shared_grid_move> out;
    for (auto const& one : runs) out.insert(out.end(), one.moves.moves.begin(), one.moves.moves.end());
    return out;
  }
};

outcome run_all(std::string const& scenario, options const& with) {
  outcome out;
  for (std::size_t m = 0; m < with.moments; ++m) {
    shared_grid_job job{
        .scenario = scenario, .frames = with.frames, .disturbed_after = with.frames / 3 + m * frames_between_moments};
    both_ways one{.moves = simulate(job), .stays = {}};
    job.host = one.moves.host;
    job.placement = one.moves.placement_before();
    one.stays = simulate(job);
    out.runs.push_back(std::move(one));
  }
  if (with.without_best || scenario == "short") return out;
  constexpr std::size_t frames_for_good = 240;
  auto const host = out.runs.front().moves.host;
  out.best = best_placement(scenario, host, frames_for_good,
                            [&](std::size_t done, std::size_t all) { progress(scenario, done, all); });
  out.fixed = simulate({.scenario = scenario,
                        .frames = with.frames,
                        .disturbed_after = with.frames / 3,
                        .host = host,
                        .placement = out.best->where});
  return out;
}

/// By how much moves took more or less than they were priced, of those that had ended before their stream did.
std::vector<double> errors_of(std::vector<shared_grid_move> const& moves) {
  std::vector<double> out;
  for (auto const& one : moves)
    if (one.took > 0) out.push_back(std::abs(one.took / one.expected - 1));
  return out;
}

ordered_json json_of(std::string const& scenario, outcome const& of) {
  auto runs = ordered_json::array();
  for (auto const& one : of.runs) {
    auto moves = ordered_json::array();
    for (auto const& move : one.moves.moves)
      moves.push_back({{"seconds", move.seconds}, {"to", move.to}, {"expected", move.expected}, {"took", move.took}});
    runs.push_back({{"host", one.moves.host},
                    {"disturbed_at_seconds", one.moves.disturbed},
                    {"stays_seconds", one.stays.seconds()},
                    {"moves_seconds", one.moves.seconds()},
                    {"stays_by_moves", one.ratio()},
                    {"moves_before", one.moves.moves_before()},
                    {"moves_after", one.moves_after()},
                    {"decisions", one.moves.decisions},
                    {"moves", moves}});
    if (!of.best) continue;
    auto const back = recovery_of(one.moves, of.best->rate);
    runs.back()["back_after_seconds"] = back ? ordered_json(back->seconds) : ordered_json();
    runs.back()["back_after_frames"] = back ? ordered_json(back->frames) : ordered_json();
  }
  ordered_json out{{"scenario", scenario}, {"runs", runs}};
  if (!of.best) return out;
  out["best_placement"] = of.best->where;
  out["best_rate"] = of.best->rate;
  out["best_fixed_seconds"] = of.fixed->seconds();
  return out;
}

/// "5.70 (5.61 to 5.83)": median, least and greatest.
std::string spread(std::vector<double> const& values, char const* unit = "", int digits = 2) {
  auto const [least, greatest] = std::ranges::minmax(values);
  return fmt::format("{:.{}f}{} ({:.{}f} to {:.{}f})", skel::statistics::median(values), digits, unit, least, digits,
                     greatest, digits);
}

void print_recovery(outcome const& of) {
  std::vector<double> seconds, frames;
  for (auto const& one : of.runs)
    if (auto const back = recovery_of(one.moves, of.best->rate)) {
      seconds.push_back(back->seconds);
      frames.push_back(static_cast<double>(back->frames));
    }
  if (!seconds.empty())
    fmt::print("  back at 90 % of the best rate: after {}, {} frames\n", spread(seconds, " s"), spread(frames, "", 0));
  if (seconds.size() < of.runs.size())
    fmt::print("  back at 90 % of the best rate: never in {} of {} runs\n", of.runs.size() - seconds.size(),
               of.runs.size());
}

void print(std::string const& scenario, outcome const& of) {
  auto const& first = of.runs.front().moves;
  fmt::print("{}: {} frames, host {} disturbed at {} moments from frame {} on\n", scenario, first.times.size(),
             first.host, of.runs.size(), first.times.size() / 3);
  fmt::print("  stays       {} on {}\n", spread(of.each([](auto const& one) { return one.stays.seconds(); }), " s"),
             words_of(first.placement_before()));
  fmt::print("  moves       {}, the first to {}\n",
             spread(of.each([](auto const& one) { return one.moves.seconds(); }), " s"),
             words_of(first.last_placement()));
  if (of.best)
    fmt::print("  best fixed  {:.2f} s on {}, which does {:.1f} frames/s for good\n", of.fixed->seconds(),
               words_of(of.best->where), of.best->rate);
  fmt::print("  staying takes {} times as long as moving\n",
             spread(of.each([](auto const& one) { return one.ratio(); })));
  fmt::print("  moves: {} before, {} after\n",
             spread(of.each([](auto const& one) { return one.moves.moves_before(); }), "", 0),
             spread(of.each([](auto const& one) { return one.moves_after(); }), "", 0));
  auto const moves = of.all_moves();
  if (auto const off = errors_of(moves); !off.empty()) {
    fmt::print("  a move took {:.0f} % more or less than priced, median of {}, {:.0f} % at most\n",
               100 * skel::statistics::median(off), off.size(), 100 * std::ranges::max(off));
    std::string text;
    for (auto const& one : moves)
      text += fmt::format("{}{:.0f} / {:.0f}", text.empty() ? "" : "; ", 1e3 * one.expected, 1e3 * one.took);
    fmt::print("  moves as priced / as they were [ms]: {}\n", text);
  }
  if (of.best) print_recovery(of);
}

int run(options const& with) {
  if (with.frames / 3 + frames_between_moments * (with.moments - 1) >= with.frames)
    throw skel::error(fmt::format("--moments {}: the last one is beyond --frames {}; {} are as many as there can be",
                                  with.moments, with.frames,
                                  (with.frames - with.frames / 3 - 1) / frames_between_moments + 1));
  auto all = ordered_json::array();
  for (auto const& scenario : with.scenarios) {
    auto const of = run_all(scenario, with);
    if (with.json)
      all.push_back(json_of(scenario, of));
    else
      print(scenario, of);
    std::fflush(stdout);
  }
  if (with.json) std::cout << all.dump(2) << '\n';
  return 0;
}

constexpr char const* footer =
    R"(slow: the host that has the slowest stage becomes ten times slower after a third of the run. short: for 0.1 s only.
latency: messages to and from that host take 50 ms instead of 0.1 ms. leave: it is announced that it leaves. source: the
host of source and sink, which cannot be left, becomes ten times slower. added: the last host is announced as leaving
before the run, and joins after a third. needed: all hosts but that of the source are, and the last one joins.

Times are virtual: they do not depend on this machine. The engine is the one that grid.run() uses, with its epochs,
messages and decisions; its threads are actors, which compute what a stage is said to take, and its messages are
SimGrid's. Communicating and deciding take no time.

Example:
  bench_shared_grid --scenarios slow,latency --frames 1200)";

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"A pipeline that moves while it runs, on a simulated grid of four hosts that changes"};
  options with;
  app.add_option("--scenarios", with.scenarios, "what happens")
      ->delimiter(',')
      ->check(CLI::IsMember(scenarios))
      ->capture_default_str();
  app.add_option("--frames", with.frames, "of each run")->check(CLI::Range(60, 1000000))->capture_default_str();
  app.add_option("--moments", with.moments, "at which the grid changes, five frames apart, in runs of their own")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_flag("--without-best", with.without_best, "do not simulate all fixed placements");
  app.add_flag("--json", with.json, "one array on standard output instead of words");
  app.footer(footer);
  CLI11_PARSE(app, argc, argv);
  try {
    return run(with);
  } catch (std::exception const& e) {
    std::cerr << "bench_shared_grid: " << e.what() << '\n';
    return 2;
  }
}
