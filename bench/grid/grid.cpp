// Collectives on a simulated grid: skel's choice beside every fixed algorithm, the selectors of SimGrid and the lower
// bound, in virtual time. Starts smpirun itself.

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/near_name.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/platform/files.hpp>

#include "grid/comparison.hpp"
#include "grid/plan_json.hpp"
#include "grid/regret.hpp"
#include "plot.hpp"

namespace {

using namespace bench;
using nlohmann::ordered_json;
using skel::plan::collective;

struct options {
  std::string platform, root, save, plot;
  std::vector<std::string> operations;
  std::vector<std::uint64_t> sizes{1024, 4096, 16384, 65536, 262144, 1048576, 4194304};
  bool json = false, as_given = false, progress = false;
  double time_limit = 600, memory = 4, within = 0;
  std::vector<double> uses;  // that measuring is to pay for
  std::uint64_t random = 0, seed = 1, sends = 256;
  std::size_t alternatives = 0;
};

simulator_settings settings_of(options const& with) {
  simulator_settings settings{.time_limit = std::chrono::duration<double>(with.time_limit)};
  if (with.progress || isatty(STDERR_FILENO) != 0)
    settings.on_progress = [](std::size_t done, std::size_t of) {
      fmt::print(stderr, "\r{} of {} measurements", done, of);
      if (done == of) fmt::print(stderr, "\r\033[K");
    };
  return settings;
}

void check_memory(options const& with, collective operation, std::size_t ranks) {
  for (std::uint64_t const bytes : with.sizes)
    if (double const wanted = memory_of(operation, bytes, ranks) / 0x1p30; wanted > with.memory)
      throw skel::error(
          fmt::format("{} of {} bytes over {} simulated hosts takes some {:.3g} GiB of memory, more than {}; "
                      "take smaller sizes, or give more with --memory",
                      name_of(operation), bytes, ranks, wanted, with.memory));
}

double geometric_mean(std::vector<comparison> const& rows, double (*ratio)(comparison const&)) {
  double sum = 0;
  double count = 0;
  for (comparison const& row : rows)
    if (double const one = ratio(row); std::isfinite(one)) sum += std::log(one), ++count;
  return std::exp(sum / count);
}
double over_best(comparison const& row) {
  return row.best_selector().second / row.chosen.measured;
}
double over_ompi(comparison const& row) {
  return row.selector("ompi") / row.chosen.measured;
}
double over_bound(comparison const& row) {
  return row.chosen.measured / row.lower_bound;
}

ordered_json json_of(judged const& each) {
  return {{"plan", each.what.name}, {"predicted", each.what.predicted}, {"measured", each.measured}};
}

ordered_json json_of(comparison const& row) {
  ordered_json out{{"bytes", row.bytes},
                   {"predicted", row.chosen.what.predicted},
                   {"measured", row.chosen.measured},
                   {"plan", row.chosen.what.name},
                   {"fixed", ordered_json::object()},
                   {"selectors", ordered_json::object()},
                   {"lower_bound", row.lower_bound}};
  for (judged const& each : row.alternatives) out["alternatives"].push_back(json_of(each));
  for (judged const& each : row.fixed) out["fixed"][each.what.plan.algorithm] = json_of(each);
  for (auto const& [name, time] : row.selectors) out["selectors"][name] = time;
  out["best_selector_over_measured"] = over_best(row);
  out["ompi_over_measured"] = over_ompi(row);
  out["measured_over_lower_bound"] = over_bound(row);
  return out;
}

/// Of a catalogue's algorithm: time and segment, for a column of a table.
std::string cell(comparison const& row, std::string const& algorithm) {
  for (judged const& each : row.fixed)
    if (each.what.plan.algorithm == algorithm)
      return fmt::format("{:.3f}{}", 1e3 * each.measured,
                         each.what.plan.segment == 0 ? "" : fmt::format(" /{}", each.what.plan.segment));
  return "-";
}

void print_table(std::vector<comparison> const& rows) {
  fmt::print("times in ms\n{:>9} {:>9} {:>9}", "bytes", "predicted", "measured");
  for (std::string_view const name : selectors) fmt::print(" {:>9}", name);
  fmt::print(" {:>9} {:>6} {:>6} {:>6}  {}\n", "bound", "best/", "ompi/", "/bound", "skel's choice");
  for (comparison const& row : rows) {
    fmt::print("{:9} {:9.3f} {:9.3f}", row.bytes, 1e3 * row.chosen.what.predicted, 1e3 * row.chosen.measured);
    for (auto const& [name, time] : row.selectors) fmt::print(" {:9.3f}", 1e3 * time);
    fmt::print(" {:9.3f} {:6.2f} {:6.2f} {:6.2f}  {}\n", 1e3 * row.lower_bound, over_best(row), over_ompi(row),
               over_bound(row), row.chosen.what.name);
  }
  fmt::print("geometric means: best selector / skel {:.3f}, ompi / skel {:.3f}, skel / lower bound {:.3f}\n",
             geometric_mean(rows, over_best), geometric_mean(rows, over_ompi), geometric_mean(rows, over_bound));
  fmt::print("\n{:20}", "fixed algorithm, ms");
  for (comparison const& row : rows) fmt::print(" {:>18}", row.bytes);
  fmt::print("\n");
  std::set<std::string> algorithms;
  for (comparison const& row : rows)
    for (judged const& each : row.fixed) algorithms.insert(each.what.plan.algorithm);
  for (std::string const& algorithm : algorithms) {
    fmt::print("{:20}", algorithm);
    for (comparison const& row : rows) fmt::print(" {:>18}", cell(row, algorithm));
    fmt::print("\n");
  }
  if (std::ranges::all_of(rows, [](comparison const& row) { return row.alternatives.empty(); })) return;
  fmt::print("\nskel's alternatives, ms\n{:>9} {:>9} {:>9}\n", "bytes", "predicted", "measured");
  for (comparison const& row : rows)
    for (judged const& each : row.alternatives)
      fmt::print("{:9} {:9.3f} {:9.3f}  {}\n", row.bytes, 1e3 * each.what.predicted, 1e3 * each.measured,
                 each.what.name);
}

void draw(std::string const& file, std::string const& title, std::vector<comparison> const& rows) {
  bench::plot picture(title, {"bytes", scale::logarithmic}, {"virtual time [s]", scale::logarithmic});
  auto const line = [&](std::string const& name, auto&& time) {
    series curve{name, {}};
    for (comparison const& row : rows) curve.points.emplace_back(static_cast<double>(row.bytes), time(row));
    picture.add(std::move(curve));
  };
  line("skel, measured", [](comparison const& row) { return row.chosen.measured; });
  line("skel, predicted", [](comparison const& row) { return row.chosen.what.predicted; });
  line("lower bound", [](comparison const& row) { return row.lower_bound; });
  for (std::string_view const name : selectors)
    line(std::string(name), [&](comparison const& row) { return row.selector(std::string(name)); });
  picture.write(file);
}

int compare_on_platform(options const& with) {
  auto machine = skel::platform::read_description(with.platform);
  collective const operation = operation_of(with.operations.front());
  check_memory(with, operation, machine.host_count());
  std::size_t root = 0;
  if (!with.root.empty()) {
    auto const found = machine.find_host(with.root);
    if (!found)
      throw skel::error(fmt::format("--root: '{}' is no host of {}{}", with.root, with.platform,
                                    skel::did_you_mean(with.root, machine.host_names())));
    root = *found;
  }
  simulator on(machine, settings_of(with));
  link_times const times(machine, on, std::max<std::uint64_t>(65536, *std::ranges::max_element(with.sizes)));
  if (!with.as_given) machine = with_plogp(machine, times);
  if (!with.save.empty()) {
    std::ofstream out(with.save);
    out << skel::platform::to_json(machine) << '\n';
    if (!out.flush()) throw skel::error(with.save + ": cannot be written; choose a folder that exists");
  }
  auto const rows = compare(operation, with.sizes, root, machine, times, on, with.alternatives);
  if (!with.plot.empty())
    draw(with.plot, fmt::format("{} on {} simulated hosts", name_of(operation), machine.host_count()), rows);
  if (!with.json) {
    fmt::print("{} on {}: {} hosts in {} clusters, root {}\n", name_of(operation), with.platform, machine.host_count(),
               machine.clusters().size(), machine.host_name(root));
    print_table(rows);
    return 0;
  }
  ordered_json out{{"platform", with.platform},
                   {"op", name_of(operation)},
                   {"root", machine.host_name(root)},
                   {"hosts", machine.host_count()},
                   {"sizes", ordered_json::array()}};
  for (comparison const& row : rows) out["sizes"].push_back(json_of(row));
  out["geometric_means"] = {{"best_selector_over_measured", geometric_mean(rows, over_best)},
                            {"ompi_over_measured", geometric_mean(rows, over_ompi)},
                            {"measured_over_lower_bound", geometric_mean(rows, over_bound)}};
  std::cout << out.dump(2) << '\n';
  return 0;
}

int compare_on_random_grids(options const& with) {
  std::vector<collective> operations;
  for (std::string const& name : with.operations) {
    operations.push_back(operation_of(name));
    check_memory(with, operations.back(), 12 * 64);
  }
  std::vector<regret_case> cases;
  auto rows = ordered_json::array();
  if (!with.json)
    fmt::print("{:>6} {:>8} {:>5} {:>10} {:>9} {:>10} {:>9} {:>7}  chosen; best\n", "seed", "clusters", "hosts", "op",
               "bytes", "chosen ms", "best ms", "regret");
  for (std::uint64_t seed = with.seed; seed < with.seed + with.random; ++seed)
    for (regret_case& each : measure_regret(seed, {.operations = operations,
                                                  .sizes = with.sizes,
                                                  .sends = with.sends,
                                                  .within = with.within,
                                                  .measuring_for = with.uses,
                                                  .simulation = settings_of(with)})) {
      auto pays = ordered_json::array();
      for (std::size_t i = 0; i < each.as_it_pays.size(); ++i)
        pays.push_back({{"uses", with.uses[i]},
                        {"chosen", json_of(judged{each.as_it_pays[i].choice.what, each.as_it_pays[i].measured})},
                        {"regret", each.as_it_pays[i].measured / each.best.measured - 1},
                        {"probes", each.as_it_pays[i].choice.spent.probes},
                        {"seconds", each.as_it_pays[i].choice.spent.seconds}});
      auto measured = ordered_json::array();
      for (judged const& one : each.candidates) measured.push_back(json_of(one));
      if (with.json)
        rows.push_back({{"seed", seed},
                        {"clusters", each.clusters},
                        {"hosts", each.hosts},
                        {"op", name_of(each.operation)},
                        {"bytes", each.bytes},
                        {"chosen", json_of(each.chosen)},
                        {"best", json_of(each.best)},
                        {"candidates", measured},
                        {"left_out", each.left_out},
                        {"regret", each.regret()},
                        {"probes", each.in_full.probes},
                        {"probing_seconds", each.in_full.seconds},
                        {"as_it_pays", pays},
                        {"uses", each.uses}});
      else
        fmt::print("{:6} {:8} {:5} {:>10} {:9} {:10.3f} {:9.3f} {:7.4f}  {}; {}\n", seed, each.clusters, each.hosts,
                   name_of(each.operation), each.bytes, 1e3 * each.chosen.measured, 1e3 * each.best.measured,
                   each.regret(), each.chosen.what.name, each.best.what.name);
      std::fflush(stdout);
      cases.push_back(std::move(each));
    }
  auto const all = summary_of(cases);
  auto learned = ordered_json::array();
  for (std::size_t use = 1; use < bench::regret_uses; ++use) {
    auto const later = summary_of(cases, use);
    learned.push_back({{"uses_before", use}, {"mean", later.mean}, {"p95", later.p95}, {"worst", later.worst}});
  }
  if (with.json) {
    std::cout << ordered_json{{"cases", rows},
                              {"mean", all.mean},
                              {"p95", all.p95},
                              {"worst", all.worst},
                              {"learned", learned}}
                     .dump(2)
              << '\n';
    return 0;
  }
  fmt::print("regret of {} cases: mean {:.4f}, 95th percentile {:.4f}, worst {:.4f}\n", cases.size(), all.mean, all.p95,
             all.worst);
  for (std::size_t i = 0; i < with.uses.size(); ++i) {
    std::vector<double> regrets, probes, seconds;
    for (regret_case const& each : cases) {
      regret_case::by_measuring const& one = each.as_it_pays[i];
      regrets.push_back(one.measured / each.best.measured - 1);
      probes.push_back(static_cast<double>(one.choice.spent.probes) / static_cast<double>(each.in_full.probes));
      seconds.push_back(one.choice.spent.seconds / each.in_full.seconds);
    }
    using namespace skel::statistics;
    fmt::print(
        "measured as it pays in {:g} uses: mean {:.4f}, 95th percentile {:.4f}, worst {:.4f}, with {:.3f} of the "
        "probes "
        "and {:.3f} of their time (means)\n",
        with.uses[i], mean(regrets), quantile(regrets, 0.95), quantile(regrets, 1), mean(probes), mean(seconds));
  }
  for (auto const& later : learned)
    fmt::print("after {:2} observed uses: mean {:.4f}, 95th percentile {:.4f}, worst {:.4f}\n",
               later["uses_before"].get<std::size_t>(), later["mean"].get<double>(), later["p95"].get<double>(),
               later["worst"].get<double>());
  return 0;
}

constexpr char const* footer =
    R"(Times are virtual: they do not depend on this machine, and repeat exactly. The time of a collective is from the moment
all hosts start together until the last one is done; what every host received is checked. skel knows the platform as it
was probed in the simulator (pLogP), or as the file says with --as-given.

The lower bound is the shortest path plus the transfer at the bottleneck, both at the best that the simulator does for
any size of message (bench/grid/lower_bound.hpp).

Examples:
  bench_grid bench/grid/platforms/grid5000.json --op broadcast
  bench_grid grid.json --op allreduce --sizes 1024,65536 --root lyon-3 --json --plot allreduce.svg
  bench_grid --random 20 --seed 1 --op broadcast,reduce --sizes 1024,65536,1048576)";

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Collectives on a simulated grid, against the choices of MPI libraries and the lower bound"};
  options with;
  app.add_option("PLATFORM", with.platform, "platform description (JSON, docs/formats.md)");
  app.add_option("--op", with.operations, "the collective; several only with --random")->delimiter(',')->required();
  app.add_option("--sizes", with.sizes, "bytes, with commas between them")->delimiter(',')->check(CLI::PositiveNumber);
  app.add_option("--root", with.root, "the root's host; the first of the platform unless given")->type_name("HOST");
  app.add_flag("--json", with.json, "JSON on standard output, an object per size");
  app.add_option("--plot", with.plot, "write an SVG plot of times over sizes")->type_name("FILE");
  app.add_option("--alternatives", with.alternatives, "measure the best N of skel's alternatives too")->type_name("N");
  app.add_flag("--as-given", with.as_given, "skel knows the platform as the file describes it; otherwise it is probed");
  app.add_option("--save", with.save, "write the platform with the parameters that skel used")->type_name("FILE");
  app.add_option("--random", with.random, "regret on random grids instead of a platform: how many")->type_name("N");
  app.add_option("--seed", with.seed, "of the first random grid")->capture_default_str();
  app.add_option("--sends", with.sends, "the most segments of a candidate on random grids")->capture_default_str();
  app.add_option("--within", with.within, "on random grids, leave out candidates priced at more than F times the least")
      ->type_name("F")
      ->check(CLI::Range(1.0, 1e6));
  app.add_option("--uses", with.uses, "on random grids, choose also by measuring only what pays in so many uses")
      ->delimiter(',')
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  app.add_option("--time-limit", with.time_limit, "seconds for one run of the simulator")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--memory", with.memory, "GiB that the buffers of all simulated hosts may take")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--progress", with.progress, "show progress even when standard error is no terminal");
  app.footer(footer);
  CLI11_PARSE(app, argc, argv);
  try {
    if (with.platform.empty() == (with.random == 0))
      throw skel::error("a PLATFORM or --random N is wanted, and not both");
    if (with.random == 0 && with.operations.size() > 1)
      throw skel::error("--op: one collective at a time on a platform");
    return with.random > 0 ? compare_on_random_grids(with) : compare_on_platform(with);
  } catch (std::exception const& e) {
    std::cerr << "bench_grid: " << e.what() << '\n';
    return 2;
  }
}
