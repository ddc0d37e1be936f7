#include "random_program.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <skel/detail/base/number.hpp>

#include "support/draw.hpp"

namespace bench {

namespace {

using namespace skel;

double uniform(std::mt19937& random, double low, double high) {
  return std::uniform_real_distribution(low, high)(random);
}
std::size_t below(std::mt19937& random, std::size_t many) {
  return std::uniform_int_distribution<std::size_t>(0, many - 1)(random);
}

/// How many clusters a machine has, and hosts of each of them at most; or, where it is not 0, of all of them.
struct machine_size {
  std::size_t fewest_clusters = 1, most_clusters = 4, most_hosts = 12, all_hosts = 0;
};

platform::description draw_machine(std::mt19937& random, machine_size const& size) {
  std::size_t const many = size.fewest_clusters + below(random, size.most_clusters - size.fewest_clusters + 1);
  std::vector<platform::cluster> clusters(many);
  bool const alike = below(random, 3) == 0;
  std::vector<platform::cluster_link> links;
  for (std::size_t a = 0; a < clusters.size(); ++a) {
    clusters[a] = {.name = "c" + std::to_string(a),
                   .hosts = size.all_hosts > 0 ? (a + 1) * size.all_hosts / many - a * size.all_hosts / many
                                               : 1 + below(random, size.most_hosts),
                   .speed = alike ? 1 : draw_log(random, 0.5, 2),
                   .inside = {draw_log(random, 1e-5, 1e-4), draw_log(random, 1e7, 1e9)}};
    for (std::size_t b = 0; b < a; ++b) {
      platform::link const between{draw_log(random, 1e-4, 5e-2), draw_log(random, 1e6, 1e9)};
      links.push_back({a, b, between, {}}), links.push_back({b, a, between, {}});
    }
  }
  return {1e-6, clusters, links};
}

/// How much more than usual a process has to do near a hot spot, 0 to 1. Processes are a ring.
double heat(std::size_t process, std::size_t spot, std::size_t processes, double width) {
  auto const apart = process > spot ? process - spot : spot - process;
  auto const distance = static_cast<double>(std::min(apart, processes - apart));
  return std::exp(-distance * distance / (width * static_cast<double>(processes) + 1));
}

std::vector<double> draw_load(std::mt19937& random, std::size_t hosts) {
  std::vector<double> load(hosts);
  for (auto& one : load)
    if (below(random, 2) == 0) one = uniform(random, 0, 0.8);
  return load;
}

/// Whom each process sends a message by a pattern that has any: never itself.
std::vector<std::size_t> draw_partners(std::string_view pattern, std::mt19937& random, std::size_t processes) {
  std::vector<std::size_t> partners;
  for (std::size_t p = 0; p < processes; ++p)
    partners.push_back((p + 1 + (pattern == "ring" ? 0 : below(random, processes - 1))) % processes);
  return partners;
}

/// Also draws what the program's messages are.
record::load_trace draw_trace(std::string_view kind, std::mt19937& random, std::size_t processes, double base,
                              random_program& of) {
  std::vector<double> usual(processes, base);
  if (below(random, 2) == 0)
    for (auto& one : usual) one *= draw_log(random, 0.2, 5);
  std::size_t const supersteps = 20 + below(random, 301);
  double const bytes = draw_log(random, 1e2, 1e6), scatter = uniform(random, 0.02, 0.5),
               growth = uniform(random, 0.5, 6);
  std::size_t spot = below(random, processes);
  std::size_t const fewest = kind == "bursts" ? 1 : 0;  // of the patterns: the first has no messages
  of.messages = message_patterns[fewest + below(random, message_patterns.size() - fewest)];
  of.talks_every = kind == "bursts" ? 2 + below(random, 9) : below(random, 2) == 0 ? 1 : 4;
  bool const talks = of.messages != message_patterns.front();
  auto partners = draw_partners(of.messages, random, processes);
  double const burst = kind == "bursts" ? draw_log(random, 1, 1000) : 1;  // beside messages of other kinds
  std::normal_distribution<double> normal;
  record::load_trace trace;
  for (std::size_t s = 0; s < supersteps; ++s) {
    if (kind == "walk")
      for (auto& one : usual) one *= std::exp(0.05 * normal(random));
    if (kind == "jumping spot" && s % 25 == 0) spot = below(random, processes);
    record::superstep_load load{.work = usual, .messages = {}};
    double const part = static_cast<double>(s) / static_cast<double>(supersteps);
    bool const talks_now = talks && s % of.talks_every == 0;
    if (talks_now && of.messages == "new partners") partners = draw_partners(of.messages, random, processes);
    for (std::size_t p = 0; p < processes; ++p) {
      if (kind == "noise" || kind == "large states") load.work[p] *= std::exp(scatter * normal(random));
      if (kind == "growing spot") load.work[p] *= 1 + growth * part * heat(p, spot, processes, 0.2);
      if (kind == "jumping spot") load.work[p] *= 1 + growth * heat(p, spot, processes, 0.1);
      if (kind == "halves" && p * 2 / processes != s % 2) load.work[p] *= 0.1;
      if (talks_now) load.messages.push_back({p, partners[p], bytes * burst});
    }
    trace.steps.push_back(std::move(load));
  }
  return trace;
}

using process_count = std::size_t (*)(std::mt19937&, std::size_t hosts);

random_program draw(std::string_view kind, unsigned seed, machine_size const& size, process_count const count) {
  auto const number = static_cast<unsigned>(std::ranges::find(program_kinds, kind) -
                                            program_kinds.begin());  // another machine for each
  std::seed_seq numbers{seed, number};
  std::mt19937 random(numbers);
  random_program made;
  made.machine = {draw_machine(random, size), draw_log(random, 0.01, 0.5)};
  std::size_t const hosts = made.machine.hosts.host_count(), processes = count(random, hosts);
  double const base = draw_log(random, 0.002, 0.5),
               state = kind == "large states" ? draw_log(random, 1e8, 1e10) : draw_log(random, 1e4, 1e8);
  if (kind == "wavefront")
    made.program = record::wavefront{processes, 0.01 * base, 2 * base, draw_log(random, 1e2, 1e6)};
  else
    made.program = draw_trace(kind, random, processes, base, made);
  bool const blocks = below(random, 2) == 0;
  for (std::size_t p = 0; p < processes; ++p) made.begin.hosts.push_back(blocks ? p * hosts / processes : p % hosts);
  made.begin.state_bytes.assign(processes, state);
  made.load = load_patterns[below(random, load_patterns.size())];
  if (made.load != load_patterns.front()) made.begin.external_load = draw_load(random, hosts);
  if (made.load == load_patterns.back()) {
    std::size_t const last = record::supersteps_of(made.program), quarter = last / 4;
    made.begin.change = {std::max<std::size_t>(2, quarter + below(random, 1 + 2 * quarter)), draw_load(random, hosts)};
  }
  return made;
}

}  // namespace

std::string described(random_program const& drawn) {
  std::string words = fmt::format("{}, {} processes, ", counted(drawn.machine.hosts.clusters().size(), "cluster"),
                                  drawn.begin.hosts.size());
  if (drawn.messages.empty())
    words += "wavefront";
  else
    words += drawn.messages;
  if (drawn.talks_every > 1 && drawn.messages != message_patterns.front())
    words += fmt::format(" every {} supersteps", drawn.talks_every);
  words += fmt::format(", {}", drawn.load);
  if (drawn.begin.change) words += fmt::format(" at superstep {}", drawn.begin.change->superstep);
  return words;
}

random_program draw_program(std::string_view kind, unsigned seed) {
  return draw(kind, seed, {}, [](std::mt19937& random, std::size_t hosts) {
    return std::max<std::size_t>(2, static_cast<std::size_t>(static_cast<double>(hosts) * draw_log(random, 0.5, 8)));
  });
}

random_program draw_small_program(std::string_view kind, unsigned seed) {
  return draw(kind, seed, {.fewest_clusters = 2, .most_clusters = 3, .most_hosts = 1},
              [](std::mt19937& random, std::size_t) { return 2 + below(random, 5); });
}

random_program draw_large_program(std::string_view kind, unsigned seed) {
  return draw(kind, seed, {.all_hosts = 50}, [](std::mt19937&, std::size_t) { return std::size_t{1000}; });
}

}  // namespace bench
