#include "comparisons.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <skel/detail/base/statistics.hpp>

#include "clairvoyant.hpp"
#include "random_program.hpp"
#include "testbed.hpp"

namespace bench {

namespace {

using namespace skel;
using mapping::migration::simulated_run;

/// A policy, and whether the program tells it how many supersteps it has.
struct contestant {
  std::string name;
  skeletons::migration_settings settings;
  bool is_told = false;
};

simulated_run run_under(contestant const& one, random_program const& drawn) {
  auto settings = one.settings;
  if (one.is_told) settings.supersteps = record::supersteps_of(drawn.program);
  auto const policy = mapping::migration::make_policy(settings, drawn.machine);
  return mapping::migration::simulate(drawn.program, drawn.machine, drawn.begin, *policy);
}

double time_without(random_program const& drawn) {
  return run_under({"never", {.name = "never"}}, drawn).seconds;
}

double first_superstep(random_program const& drawn) {
  return cost::bsp::time_of(drawn.machine, {.load = record::load_of(drawn.program, 1),
                                            .hosts = drawn.begin.hosts,
                                            .state_bytes = drawn.begin.state_bytes,
                                            .external_load = drawn.begin.external_load})
      .seconds();
}

contestant const skel_untold{"skel", {.name = "skel"}};
contestant const skel_told{"skel, told its end", {.name = "skel"}, true};
contestant const greedy{"greedy_refine", {.name = "greedy_refine", .alpha = 8}};
contestant const diffuse{"diffusion", {.name = "diffusion", .alpha = 8}};

/// Times of something beside those of something else, over some programs.
class comparison {
 public:
  explicit comparison(double limit) : limit_(limit) {}

  void add(double ratio) { ratios_.push_back(ratio); }
  double geometric_mean() const {
    double logs = 0;
    for (double const one : ratios_) logs += std::log(one);
    return std::exp(logs / static_cast<double>(ratios_.size()));
  }
  double mean() const { return statistics::mean(ratios_); }
  double median() const { return statistics::median(ratios_); }
  std::size_t programs() const { return ratios_.size(); }
  double most() const { return std::ranges::max(ratios_); }
  std::size_t above_limit() const {
    return static_cast<std::size_t>(std::ranges::count_if(ratios_, [&](double one) { return one > limit_; }));
  }
  void print() const { fmt::print("  {:>6.3f} {:>8.3f} {:>4}", geometric_mean(), most(), above_limit()); }

 private:
  double limit_;
  std::vector<double> ratios_;
};

/// A row of comparisons for each kind of programs and for all. `ratios`: of the drawn program, one for each column.
template <class Ratios>
void print_by_kind(std::vector<std::string> const& columns, std::size_t each, double limit, Ratios const& ratios) {
  fmt::print("{:<14}", "");
  for (auto const& one : columns) fmt::print("  {:>20}", one);
  std::vector<comparison> all(columns.size(), comparison(limit));
  for (auto const kind : program_kinds) {
    std::vector<comparison> here(columns.size(), comparison(limit));
    for (unsigned k = 0; k < each; ++k) {
      auto const values = ratios(kind, k);
      for (std::size_t c = 0; c < columns.size(); ++c) here[c].add(values[c]), all[c].add(values[c]);
    }
    fmt::print("\n{:<14}", kind);
    for (auto const& one : here) one.print();
  }
  fmt::print("\n{:<14}", "all");
  for (auto const& one : all) one.print();
  fmt::print("\n{:<14}", "mean");
  for (auto const& one : all) fmt::print("  {:>6.3f} {:>13}", one.mean(), "");
  fmt::print("\n{:<14}", "median");
  for (auto const& one : all) fmt::print("  {:>6.3f} {:>13}", one.median(), "");
  fmt::print("\n");
}

}  // namespace

void compare_with_never(std::size_t each, unsigned seed, double call, std::vector<std::string> const& policies) {
  std::vector<contestant> contestants{
      {"migbsp", {.name = "migbsp", .alpha = 8}}, greedy, diffuse, skel_untold, skel_told};
  std::erase_if(contestants, [&](contestant const& one) {
    return !policies.empty() && std::ranges::find(policies, one.settings.name) == policies.end();
  });
  constexpr double limit = 1.005;
  std::vector<std::string> columns;
  for (auto const& one : contestants) columns.push_back(one.name);
  std::vector<std::string> slower;
  fmt::print(
      "{} random programs of each kind: time of a policy / time without migrations: geometric mean, most, and "
      "programs\n"
      "that are slower by more than 0.5 %\n",
      each);
  print_by_kind(columns, each, limit, [&](std::string_view kind, unsigned k) {
    auto drawn = draw_program(kind, seed + k);
    drawn.begin.call = call * first_superstep(drawn);
    double const never = time_without(drawn);
    std::vector<double> ratios;
    for (auto const& one : contestants) {
      ratios.push_back(run_under(one, drawn).seconds / never);
      if (one.settings.name == "skel" && ratios.back() > limit)
        slower.push_back(
            fmt::format("{}: {}, seed {}, {}: {:.3f}", one.name, kind, seed + k, described(drawn), ratios.back()));
    }
    return ratios;
  });
  for (auto const& one : slower) fmt::print("slower with {}\n", one);
}

void compare_with_best(std::size_t programs, unsigned seed) {
  // With the interval that policies have by default.
  constexpr std::array<std::string_view, 4> others{"never", "migbsp", "greedy_refine", "diffusion"};
  constexpr double limit = 1.01;
  std::vector<contestant> const mine{skel_untold, skel_told};
  std::vector<comparison> const none(mine.size(), comparison(limit));
  std::array<std::vector<comparison>, 3> all{none, none, none};  // small, large, both
  std::vector<std::pair<double, std::string>> behind;
  for (unsigned k = 0; k < programs; ++k) {
    bool const large = k % 2 == 1;
    auto const kind = program_kinds[k % program_kinds.size()];
    auto const drawn = large ? draw_large_program(kind, seed + k) : draw_program(kind, seed + k);
    std::pair<double, std::string_view> best{std::numeric_limits<double>::infinity(), {}};
    for (auto const name : others)
      best = std::min(best, {run_under({{}, {.name = std::string(name)}}, drawn).seconds, name});
    for (std::size_t c = 0; c < mine.size(); ++c) {
      double const ratio = run_under(mine[c], drawn).seconds / best.first;
      all[large][c].add(ratio), all[2][c].add(ratio);
      if (ratio > limit)
        behind.emplace_back(ratio, fmt::format("{:.3f} of {}: {}, {}, seed {}, {}", ratio, best.second, mine[c].name,
                                               kind, seed + k, described(drawn)));
    }
  }
  fmt::print("{} random programs: time of skel / time of the best of never, migbsp, greedy_refine and diffusion\n{:<8}",
             programs, "");
  for (auto const& one : mine)
    fmt::print("  {:>20} {:>8} {:>8} {:>8} {:>8}", one.name, "mean", "median", "most", "> 1 %");
  for (std::size_t size = 0; size < all.size(); ++size) {
    fmt::print("\n{:<8}", std::array{"small", "large", "all"}[size]);
    for (auto const& one : all[size])
      if (one.programs() > 0)
        fmt::print("  {:>20.3f} {:>8.3f} {:>8.3f} {:>8.3f} {:>8}", one.geometric_mean(), one.mean(), one.median(),
                   one.most(), one.above_limit());
  }
  fmt::print("\n");
  std::ranges::sort(behind, std::ranges::greater{});
  for (auto const& one : behind) fmt::print("{}\n", one.second);
}

void compare_with_clairvoyant(std::size_t each, unsigned seed, bool small) {
  std::vector<contestant> const contestants{{"never", {.name = "never"}}, greedy, diffuse, skel_untold, skel_told};
  std::vector<std::string> columns;
  for (auto const& one : contestants) columns.push_back(one.name);
  if (small) columns.emplace_back("searched schedule");
  fmt::print(
      "{} random programs of each kind: time of a policy / time of {} that knows all loads: geometric mean,\n"
      "most, and programs that are slower by more than 5 %\n",
      each, small ? "the cheapest schedule" : "a schedule");
  print_by_kind(columns, each, 1.05, [&](std::string_view kind, unsigned k) {
    auto const drawn = small ? draw_small_program(kind, seed + k) : draw_program(kind, seed + k);
    std::vector<double> times;
    std::vector<assigned_hosts> known;  // wherever a policy has gone
    for (auto const& one : contestants) {
      auto const run = run_under(one, drawn);
      times.push_back(run.seconds);
      auto hosts = drawn.begin.hosts;
      for (auto const& call : run.calls) {
        for (auto const& moved : call.candidates)
          if (moved.accepted) hosts[moved.process] = moved.to;
        if (std::ranges::find(known, hosts) == known.end()) known.push_back(hosts);
      }
    }
    if (small) times.push_back(searched_schedule(drawn.program, drawn.machine, drawn.begin, {}).seconds);
    double const least = (small ? best_schedule(drawn.program, drawn.machine, drawn.begin)
                                : searched_schedule(drawn.program, drawn.machine, drawn.begin, known))
                             .seconds;
    for (auto& one : times) one /= least;
    return times;
  });
}

void compare_on_growing_spots(std::size_t programs, unsigned seed) {
  std::vector<comparison> all(published_alphas.size() + 1, comparison(1)), gaining = all, all_told = all,
                                                                           gaining_told = all;
  for (unsigned k = 0; k < programs; ++k) {
    auto const drawn = draw_program("growing spot", seed + k);
    double const never = time_without(drawn), mine = run_under(skel_untold, drawn).seconds,
                 mine_told = run_under(skel_told, drawn).seconds;
    double best = 0;
    for (std::size_t a = 0; a <= published_alphas.size(); ++a) {
      bool const is_best = a == published_alphas.size();  // of all alphas, by looking at them all
      double const its =
          is_best ? best : run_under({"", {.name = "greedy_refine", .alpha = published_alphas[a]}}, drawn).seconds;
      best = a == 0 ? its : std::min(best, its);
      all[a].add(mine / its), all_told[a].add(mine_told / its);
      if (its < never) gaining[a].add(mine / its), gaining_told[a].add(mine_told / its);
    }
  }
  fmt::print(
      "{} programs with growing hot spots: time of skel / time of greedy_refine (of skel that is told its end),\n"
      "geometric means over all, and over those where greedy_refine is faster than no migrations\n"
      "{:<12} {:>16} {:>16} {:>10}\n",
      programs, "alpha", "all", "it gains", "programs");
  for (std::size_t a = 0; a <= published_alphas.size(); ++a)
    fmt::print("{:<12} {:>7.3f} ({:.3f})  {:>7.3f} ({:.3f})  {:>10}\n",
               a < published_alphas.size() ? std::to_string(published_alphas[a]) : "the best", all[a].geometric_mean(),
               all_told[a].geometric_mean(), gaining[a].geometric_mean(), gaining_told[a].geometric_mean(),
               gaining[a].programs());
}

}  // namespace bench
