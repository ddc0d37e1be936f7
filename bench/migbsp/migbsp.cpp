// Table 1 of MigBSP beside what skel's simulator obtains, and every policy as part of the time without migrations.
// Everything is simulated time: the same on every machine. --random, --best, --clairvoyant and --growing compare the
// policies on random programs.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <iostream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "../plot.hpp"
#include "comparisons.hpp"
#include "testbed.hpp"

namespace {

using namespace skel;
using bench::migbsp_case;
using bench::migbsp_testbed;
using bench::published_alphas;

mapping::migration::simulated_run simulated(migbsp_testbed const& on, migbsp_case const& one,
                                            skeletons::migration_settings const& settings) {
  auto const policy = mapping::migration::make_policy(settings, on.machine);
  return mapping::migration::simulate(one.program, on.machine, one.begin, *policy);
}

/// Scenario ii, without migrations and regular processes within 1 %; or iii, with them and within 50 %.
skeletons::migration_settings scenario(std::string_view policy, std::size_t alpha, bool migrations) {
  return {.name = std::string(policy), .alpha = alpha, .apply = migrations, .delta = migrations ? 0.5 : 0.01};
}

double without(migbsp_testbed const& on, migbsp_case const& one) {
  return simulated(on, one, {.name = "never"}).seconds;
}

void print_table(migbsp_testbed const& on) {
  fmt::print("Table 1 [s]     ");
  for (auto const& one : on.cases) fmt::print("  {:>3} x {:<3} paper  skel", one.order, one.order);
  fmt::print("\nscenario i      ");
  for (auto const& one : on.cases) fmt::print("{:>15.2f} {:>7.2f}", one.scenario_i, without(on, one));
  for (bool const migrations : {false, true})
    for (std::size_t a = 0; a < published_alphas.size(); ++a) {
      fmt::print("\n{:<4} alpha {:<6}", migrations ? "iii" : "ii", published_alphas[a]);
      for (auto const& one : on.cases)
        fmt::print("{:>15.2f} {:>7.2f}", migrations ? one.scenario_iii[a] : one.scenario_ii[a],
                   simulated(on, one, scenario("migbsp", published_alphas[a], migrations)).seconds);
    }
}

void print_calls(migbsp_testbed const& on) {
  fmt::print("\n\nCalls of migbsp in scenario iii (accepted migrations)");
  for (auto const& one : on.cases)
    for (auto const alpha : published_alphas) {
      fmt::print("\n{:>3} alpha {:<3}", one.order, alpha);
      for (auto const& call : simulated(on, one, scenario("migbsp", alpha, true)).calls)
        fmt::print(" {} ({})", call.superstep,
                   std::ranges::count(call.candidates, true, &record::migration_candidate::accepted));
    }
}

/// `plot`: a picture of them goes there, of each policy with the best alpha at each order; empty: none.
void print_ratios(migbsp_testbed const& on, std::string const& plot) {
  bench::plot picture("Time of each policy over that without migrations, at its best alpha",
                      {"order of the matrix", bench::scale::logarithmic}, {"scenario iii / i", bench::scale::linear});
  auto const draw = [&](std::string name, std::vector<double> const& ratios) {
    bench::series line{.name = std::move(name), .points = {}};
    for (std::size_t k = 0; k < ratios.size(); ++k)
      line.points.emplace_back(static_cast<double>(on.cases[k].order), ratios[k]);
    picture.add(std::move(line));
  };
  std::vector<double> published;
  for (auto const& one : on.cases) published.push_back(one.best_ratio());
  draw("paper", published);
  fmt::print(
      "\n\nTime of every policy / time without migrations (scenario iii / i; in brackets: ii / i, what its calls "
      "cost)\n");
  fmt::print("{:<24}", "order");
  for (auto const& one : on.cases) fmt::print("{:>16}", one.order);
  fmt::print("\n{:<24}", "paper, best alpha");
  for (double const one : published) fmt::print("{:>16.3f}", one);
  auto const row = [&](std::string const& name, skeletons::migration_settings settings, bool told = false) {
    fmt::print("\n{:<24}", name);
    std::vector<double> ratios;
    for (auto const& one : on.cases) {
      if (told) settings.supersteps = record::supersteps_of(one.program);
      double const base = without(on, one);
      settings.apply = true;
      ratios.push_back(simulated(on, one, settings).seconds / base);
      settings.apply = false;
      fmt::print("{:>7.3f} ({:.4f})", ratios.back(), simulated(on, one, settings).seconds / base);
    }
    return ratios;
  };
  for (auto const& policy : skeletons::migration_policies().names()) {
    if (policy == "never" || policy == "skel") continue;
    std::vector<double> best(on.cases.size(), std::numeric_limits<double>::infinity());
    for (auto const alpha : published_alphas) {
      auto const ratios = row(fmt::format("{}, alpha {}", policy, alpha), scenario(policy, alpha, true));
      std::ranges::transform(best, ratios, best.begin(), [](double a, double b) { return std::min(a, b); });
    }
    draw(policy, best);
  }
  draw("skel", row("skel", {.name = "skel"}));
  draw("skel, told its end", row("skel, told its end", {.name = "skel"}, true));
  fmt::print("\n");
  if (!plot.empty()) picture.write(plot);
}

int run(int argc, char** argv) {
  CLI::App app{
      "Table 1 of MigBSP (Righi et al. 2009), and every policy of migration on its testbed, in simulated time"};
  std::string file = SKEL_MIGBSP_TESTBED;
  std::size_t random = 0, clairvoyant = 0, growing = 0, best = 0;
  unsigned seed = 1;
  double call = 0;
  bool small = false;
  app.add_option("--testbed", file, "platform with programs and published times")->capture_default_str();
  auto* const kinds =
      app.add_option("--random", random, "compare the policies on so many random programs of each kind instead");
  app.add_option("--call", call,
                 "with --random: a call takes at least this part of the first superstep, as deciding does in real runs")
      ->needs(kinds)
      ->check(CLI::NonNegativeNumber);
  std::vector<std::string> policies;
  app.add_option("--policies", policies, "with --random: only these")
      ->needs(kinds)
      ->delimiter(',')
      ->check(CLI::IsMember({"migbsp", "greedy_refine", "diffusion", "skel"}));
  auto* const schedules = app.add_option("--clairvoyant", clairvoyant,
                                         "compare them with a schedule that knows all loads, on so many of each kind");
  auto* const spots =
      app.add_option("--growing", growing, "compare with greedy refinement on so many programs with growing hot spots");
  auto* const peers = app.add_option("--best", best,
                                     "compare skel with the best of the others on so many programs, every other one "
                                     "of 1000 processes on 50 hosts");
  kinds->excludes(schedules)->excludes(spots)->excludes(peers);
  schedules->excludes(spots)->excludes(peers);
  spots->excludes(peers);
  std::string plot;
  app.add_option("--plot", plot, "of the table of all policies, a picture (SVG)")
      ->excludes(kinds)
      ->excludes(schedules)
      ->excludes(spots)
      ->excludes(peers);
  app.add_flag("--small", small, "with --clairvoyant: programs so small that the schedule is the cheapest of all")
      ->needs(schedules);
  app.add_option("--seed", seed, "the first of their seeds")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (random > 0) {
    bench::compare_with_never(random, seed, call, policies);
    return 0;
  }
  if (clairvoyant > 0) {
    bench::compare_with_clairvoyant(clairvoyant, seed, small);
    return 0;
  }
  if (best > 0) {
    bench::compare_with_best(best, seed);
    return 0;
  }
  if (growing > 0) {
    bench::compare_on_growing_spots(growing, seed);
    return 0;
  }
  auto const on = bench::read_migbsp_testbed(file);
  print_table(on);
  print_calls(on);
  print_ratios(on, plot);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (std::exception const& e) {
    std::cerr << "bench_migbsp: " << e.what() << '\n';
    return 1;
  }
}
