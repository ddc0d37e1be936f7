#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <skel/detail/base/number.hpp>
#include <skel/detail/base/output_file.hpp>
#include <skel/detail/base/split.hpp>
#include <skel/detail/cost/mesh/iteration_time.hpp>
#include <skel/detail/mapping/cluster_selection.hpp>
#include <skel/detail/mapping/selection_picture.hpp>
#include <skel/detail/platform/announcement.hpp>
#include <skel/detail/platform/expected_clusters.hpp>
#include <skel/detail/platform/mesh_app_file.hpp>
#include <skel/detail/platform/monitor.hpp>

#include "options.hpp"
#include "verbs.hpp"

namespace skel::tools {
namespace {

using nlohmann::ordered_json;

struct select_options {
  std::string platform, app, algorithm = "exact", announcements, plot;
  std::optional<std::string> subset;
  std::optional<double> time_limit, budget;
  long long seed = 1;
  bool json = false;
};

std::vector<std::size_t> read_subset(select_options const& options, platform::description const& machine) {
  std::vector<std::size_t> clusters;
  std::vector<std::string> known;
  for (auto const& one : machine.clusters()) known.push_back(one.name);
  for (std::string rest = *options.subset;;) {
    auto const comma = rest.find(',');
    std::string const name = rest.substr(0, comma);
    auto const found = machine.find_cluster(name);
    if (!found) refuse_name("--subset", name, "cluster of " + source_of(options.platform), known);
    clusters.push_back(*found);
    if (comma == std::string::npos) break;
    rest.erase(0, comma + 1);
  }
  std::ranges::sort(clusters);
  if (auto const twice = std::ranges::adjacent_find(clusters); twice != clusters.end())
    refuse_option("--subset", "has cluster " + in_quotes(known[*twice]) + " twice");
  return clusters;
}

/// The reason why an iteration on a given set takes forever.
std::string why_not(platform::description const& machine, cost::mesh::program const& program,
                    std::vector<std::size_t> const& clusters) {
  for (auto const a : clusters)
    for (auto const b : clusters)
      if (!std::isfinite(program.latency(a, b)))
        return "clusters '" + machine.clusters()[a].name + "' and '" + machine.clusters()[b].name +
               "' have no link to each other in both directions; add it to the platform, or leave one of them out";
  return "memory: the mesh does not fit on these clusters; add clusters or memory, or take a smaller mesh";
}

/// Platform and program after the announcements of hosts and paths. As for running programs, wrong announcements are
/// reported, and the rest counts.
platform::clusters_of_program as_announced(platform::clusters_of_program stated, std::string const& file) {
  platform::snapshot const picture(stated.machine);
  std::vector<std::size_t> hosts(stated.machine.host_count());
  std::iota(hosts.begin(), hosts.end(), std::size_t{0});
  platform::monitor monitor(picture, std::move(hosts));
  std::string const text = text_of(file);
  platform::host_names const known(picture);
  constexpr std::size_t most_told = 8;
  std::size_t number = 0, refused = 0;
  for (std::string_view const line : lines_in(text)) {
    auto const where = shown_file(source_of(file)) + ": line " + std::to_string(++number);
    if (trim(line).empty()) continue;
    try {
      auto const said = platform::parse_announcement(line, where);
      known.expect_known(said, where);
      monitor.add(said, 0);
    } catch (input_error const& e) {
      if (refused++ < most_told) complain(std::string(e.what()) + "; this announcement is left out");
    }
  }
  if (refused > most_told)
    complain(fmt::format("{}: {} more announcements are left out", shown_file(source_of(file)), refused - most_told));
  return platform::as_expected(stated, monitor);
}

/// The reason why no hosts can be paid.
std::string why_not_paid(cost::mesh::program const& program, platform::description const& machine, double budget) {
  std::size_t cheapest = 0;
  for (std::size_t c = 1; c < program.clusters(); ++c)
    if (program.price(c) < program.price(cheapest)) cheapest = c;
  if (program.price(cheapest) > budget)
    return fmt::format("budget: a host of cluster '{}' is the cheapest, at {:g} an hour; --budget is {:g}",
                       machine.clusters()[cheapest].name, program.price(cheapest), budget);
  return fmt::format("budget: no hosts that together have room for the mesh cost {:g} an hour or less; raise --budget",
                     budget);
}

/// The best affordable set of hosts of given clusters, with the bound for all clusters. Hosts of other clusters get a
/// price above the budget.
mapping::cluster_selection paid_within(platform::clusters_of_program const& of,
                                       std::vector<std::size_t> const& clusters,
                                       mapping::selection_settings const& settings) {
  auto app = of.app;
  for (std::size_t c = 0; c < of.machine.clusters().size(); ++c)
    if (!std::ranges::binary_search(clusters, c))
      app.price_per_hour[of.machine.clusters()[c].name] = 2 * settings.budget;
  auto found = mapping::select_clusters(cost::mesh::program(of.machine, app), settings);
  auto const best = mapping::select_clusters(cost::mesh::program(of.machine, of.app), settings);
  found.bound = best.bound;
  found.optimal = !found.clusters.empty() && found.time.seconds <= best.bound * (1 + cost::mesh::program::rounding);
  found.evaluated += best.evaluated, found.seconds += best.seconds;
  return found;
}

ordered_json to_json(std::vector<std::string> const& names, mapping::cluster_selection const& found, bool priced) {
  ordered_json out = {{"clusters", names},
                      {"iteration", found.time.seconds},
                      {"phases", found.time.phases},
                      {"communication", found.time.communication},
                      {"hidden", found.time.hidden},
                      {"update", found.time.update},
                      {"all_reduce", found.time.all_reduce},
                      {"optimal", found.optimal},
                      {"bound", found.bound},
                      {"evaluated", found.evaluated},
                      {"seconds", found.seconds}};
  if (priced) out["hosts"] = found.hosts, out["price_per_hour"] = found.price;
  return out;
}

void print(select_options const& options, record::mesh_app const& app, std::vector<std::string> const& names,
           mapping::cluster_selection const& found, std::ostream& out) {
  out << fmt::format("{:.6g} s an iteration on {}: {}\n", found.time.seconds, counted(names.size(), "cluster"),
                     joined(names));
  if (!app.price_per_hour.empty()) {
    std::vector<std::string> of_clusters;
    for (std::size_t k = 0; k < names.size(); ++k)
      of_clusters.push_back(fmt::format("{} of {}", counted(found.hosts[k], "host"), names[k]));
    out << fmt::format("  {:g} an hour: {}\n", found.price, joined(of_clusters));
  }
  for (std::size_t j = 0; j < app.phases.size(); ++j)
    out << fmt::format("  {:.6g} s phase {}\n", found.time.phases[j], app.phases[j].name);
  out << fmt::format("  {:.6g} s communication: {} of {:.6g} s, {} of {:.6g} s\n", found.time.communication,
                     counted(app.updates, "update"), found.time.update, counted(app.allreduces, "all-reduce"),
                     found.time.all_reduce);
  if (found.time.hidden > 0) out << fmt::format("  {:.6g} s of it behind phases\n", found.time.hidden);
  if (found.optimal)
    out << "proven best";
  else
    out << fmt::format("no clusters take less than {:.6g} s", found.bound);
  out << fmt::format("; {} in {:.3g} s by {}\n", counted(found.evaluated, "set"), found.seconds, options.algorithm);
}

platform::clusters_of_program read_program(select_options const& options) {
  auto machine = read_platform(options.platform);
  auto app = platform::parse_mesh_app(text_of(options.app), source_of(options.app), machine);
  return {std::move(machine), std::move(app)};
}

/// Draws the grid with the selection, and the best set of each size, into a file.
void draw(select_options const& options, platform::description const& machine, record::mesh_app const& app,
          cost::mesh::program const& program, mapping::cluster_selection const& found) {
  mapping::selection_picture picture{.machine = machine, .chosen = found.clusters};
  auto best = mapping::select_by_size(program, {.known = {found.clusters}});
  if (found.optimal) best[found.clusters.size() - 1].proven = true;
  double weight = 0;
  for (auto const c : found.clusters) weight += program.weight(c);
  for (std::size_t c = 0; c < machine.clusters().size(); ++c) {
    auto const& one = machine.clusters()[c];
    double const mine = std::ranges::binary_search(found.clusters, c) ? program.weight(c) / weight : 0;
    picture.elements.insert(picture.elements.end(), one.hosts, app.elements * mine / static_cast<double>(one.hosts));
    picture.seconds_per_element.push_back(0);
    for (auto const& phase : app.phases) picture.seconds_per_element.back() += phase.seconds_per_element.at(one.name);
  }
  picture.models.push_back({"by the model", std::move(best), found.time.seconds});
  output_file file(options.plot);
  file.write(svg_file({mapping::grid_drawing(picture), drawn(mapping::sizes_chart(picture))}));
  file.finish();
}

int select(select_options const& options, std::ostream& out) {
  auto const algorithm = mapping::selection_algorithm_of(options.algorithm);
  if (!algorithm) refuse_name("--algorithm", options.algorithm, "algorithm", mapping::selection_algorithms);
  if (options.time_limit && !(*options.time_limit > 0 && std::isfinite(*options.time_limit)))
    refuse_option("--time-limit", "is a number of seconds, more than 0");
  bool const proves =
      *algorithm == mapping::selection_algorithm::exact || *algorithm == mapping::selection_algorithm::exhaustive;
  if (options.budget && !(*options.budget > 0 && std::isfinite(*options.budget)))
    refuse_option("--budget", "is money per hour, more than 0");
  if (options.budget && !options.plot.empty())
    refuse_option("--plot", "draws clusters with all of their hosts; leave --budget out");
  if (options.budget && !proves) refuse_option("--budget", "goes with --algorithm exact or exhaustive");
  if (options.seed < 0) refuse_option("--seed", "is a whole number, 0 or more");
  for (auto const& input : {options.platform, options.app, options.announcements})
    expect_not_read("--plot", options.plot, input);
  if (options.platform == "-" && options.app == "-") refuse_option("APP", "standard input is the platform already");
  if (options.announcements == "-" && (options.platform == "-" || options.app == "-"))
    refuse_option("--announcements", "standard input is another file already");
  auto stated = read_program(options);
  if (!options.announcements.empty()) stated = as_announced(std::move(stated), options.announcements);
  auto const& [machine, app] = stated;
  if (options.budget && app.price_per_hour.empty())
    throw error(source_of(options.app) +
                ": --budget wants prices, and there is no \"price_per_hour\" with one for each cluster");
  if (*algorithm == mapping::selection_algorithm::exhaustive && machine.clusters().size() > mapping::most_exhaustive)
    refuse_option("--algorithm", fmt::format("exhaustive tries all sets of {} clusters; {} are the most that it can "
                                             "(exact finds the same)",
                                             machine.clusters().size(), mapping::most_exhaustive));
  cost::mesh::program const program(machine, app);
  if (options.plot.empty() && !options.budget)  // no link is looked at again
    stated.machine = platform::description(machine.local_latency(), machine.clusters(), {}, machine.parameters());
  mapping::selection_settings settings{.algorithm = *algorithm, .seed = static_cast<std::uint64_t>(options.seed)};
  if (options.time_limit) settings.time_limit = *options.time_limit;
  if (options.budget) settings.budget = *options.budget;
  if (options.budget && *algorithm == mapping::selection_algorithm::exhaustive &&
      mapping::host_choices(program) > std::exp2(mapping::most_exhaustive))
    refuse_option("--algorithm",
                  fmt::format("exhaustive tries all choices of hosts with --budget, {:.3g} here; 2^{} are "
                              "the most that it can (exact finds the same)",
                              mapping::host_choices(program), mapping::most_exhaustive));
  auto found = options.subset ? mapping::price_clusters(program, read_subset(options, machine), settings)
                              : mapping::select_clusters(program, settings);
  std::string const files = source_of(options.platform) + ", " + source_of(options.app) + ": ";
  if (options.subset && !std::isfinite(found.time.seconds))
    throw error(files + why_not(machine, program, found.clusters));
  if (options.subset && options.budget && found.price > *options.budget * (1 + cost::mesh::program::rounding)) {
    found = paid_within(stated, found.clusters, settings);
    if (found.clusters.empty())
      throw error(files +
                  fmt::format("budget: no hosts of these clusters that together have room for the mesh cost {:g} "
                              "an hour or less; raise --budget",
                              *options.budget));
  }
  if (found.clusters.empty() && !std::isfinite(found.bound))
    throw error(files + (options.budget && !mapping::select_clusters(program).clusters.empty()
                             ? why_not_paid(program, machine, *options.budget)
                             : cost::mesh::why_nothing_fits(program, machine, app)));
  if (found.clusters.empty())
    throw error(files + options.algorithm + " has found no clusters that have links and room for the mesh; try exact" +
                (options.time_limit ? ", or a longer --time-limit" : ""));
  if (!std::isfinite(found.time.seconds)) throw error(files + "an iteration takes longer than can be computed with");
  std::vector<std::string> names;
  for (auto const c : found.clusters) names.push_back(machine.clusters()[c].name);
  if (!options.plot.empty()) draw(options, machine, app, program, found);
  if (options.json)
    out << line_of(to_json(names, found, !app.price_per_hour.empty()));
  else
    print(options, app, names, found, out);
  return done;
}

constexpr char const* select_footer =
    R"(The command chooses the clusters of a platform for a program that iterates over a mesh, so that an iteration
takes the least time. More clusters compute faster, and wait longer for each other. docs/formats.md describes the files.

--budget needs prices: the program says what a host of each cluster costs in an hour ("price_per_hour"). All hosts
together may cost as much as the budget. Then a cluster may take part with some of its hosts, and a cluster of --subset
with none. Without a budget all its hosts take part, because no iteration takes less with fewer.

--announcements reads a file that programs watch during a run (skel announce). An element takes longer on hosts that
have a part of their speed, paths are as announced, and hosts that leave take no part. The command names the lines that
it cannot accept, and leaves them out.

Algorithms: exact (proven), exhaustive (all sets), greedy, grouping (greedy, with groups of near clusters at once), rnd
(random), rnd1k (the best of a thousand), sa (simulated annealing), sa.greedy and sa.grouping (from the sets of these).

--json gives {"clusters": [name], "iteration": seconds, "phases": [seconds of each, as in APP], "communication": seconds
of updates and all-reduces, "hidden": seconds of these behind phases, "update" and "all_reduce": seconds of one,
"optimal": proven, "bound": proven least seconds of any clusters, "evaluated": sets, "seconds": of the search}.
"iteration" is the sum of phases and communication without the hidden part. With prices it also gives "hosts": of each
cluster those that take part, and "price_per_hour": of all of them.

--plot draws the grid with the chosen clusters, and the time of the best set of each size. These are proven for at most
19 clusters. For more, the picture marks those of a heuristic.

Examples:
  skel select grid.json app.json
  skel select grid.json app.json --algorithm grouping --json
  skel select grid.json app.json --plot clusters.svg
  skel select grid.json app.json --subset lille,nancy
  skel select grid.json app.json --budget 12.5
  skel select grid.json app.json --announcements loads.jsonl)";

action add_select(CLI::App& app) {
  auto const options = std::make_shared<select_options>();
  app.add_option("PLATFORM", options->platform, "platform description (JSON, docs/formats.md); - reads standard input")
      ->required();
  app.add_option("APP", options->app, "mesh program (JSON, docs/formats.md); - reads standard input")->required();
  app.add_option("--algorithm", options->algorithm,
                 "Searches by this algorithm: " + joined(mapping::selection_algorithms) + ".")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--subset", options->subset, "Prices an iteration on these clusters, and compares them with the best.")
      ->type_name("NAME,NAME,...");
  app.add_option("--time-limit", options->time_limit,
                 "Stops exact or exhaustive after this time, with the bound that is proven by then.")
      ->type_name("SECONDS");
  app.add_option("--budget", options->budget,
                 "Lets all hosts together cost this much in an hour, by \"price_per_hour\" of APP.")
      ->type_name("MONEY");
  app.add_option("--announcements", options->announcements,
                 "Reads announcements of hosts and paths: lines of JSON (docs/formats.md); - reads standard input.")
      ->type_name("FILE");
  app.add_option("--seed", options->seed, "Seeds rnd, rnd1k and sa.")->type_name("NUMBER")->capture_default_str();
  app.add_option("--plot", options->plot, "Draws the grid, and the time by the number of clusters, into FILE (SVG).")
      ->type_name("FILE");
  app.add_flag("--json", options->json, "Prints one JSON object on standard output.");
  app.footer(select_footer);
  return [options](std::ostream& out) { return select(*options, out); };
}
a_verb const added_select({"select", "Selects the clusters for a program that iterates over a mesh.", add_select});

}  // namespace
}  // namespace skel::tools
