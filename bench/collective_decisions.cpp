// How long choosing a collective takes: a request that is new, and one that is known.

#include <algorithm>
#include <chrono>
#include <iostream>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <skel/detail/mapping/collective_mapper.hpp>

#include "support/draw.hpp"

namespace {

using namespace skel;
using nlohmann::ordered_json;
using stopwatch = std::chrono::steady_clock;

double since(stopwatch::time_point start) {
  return std::chrono::duration<double>(stopwatch::now() - start).count();
}

/// Latencies of 20 us to 60 ms and bandwidths of 10 MB/s to 10 GB/s, log-uniform.
platform::description random_machine(std::size_t clusters, std::size_t hosts, std::mt19937& random) {
  std::vector<platform::cluster> all;
  for (std::size_t c = 0; c < clusters; ++c)
    all.push_back({.name = fmt::format("c{}", c),
                   .hosts = hosts,
                   .inside = {.latency = bench::draw_log(random, 20e-6, 200e-6),
                              .bandwidth = bench::draw_log(random, 1e8, 1e10)}});
  std::vector<platform::cluster_link> links;
  for (std::size_t a = 0; a < clusters; ++a)
    for (std::size_t b = 0; b < clusters; ++b)
      if (a != b)
        links.push_back({.from = a,
                         .to = b,
                         .path = {.latency = bench::draw_log(random, 200e-6, 60e-3),
                                  .bandwidth = bench::draw_log(random, 1e7, 1e10)}});
  return platform::description(1e-6, std::move(all), std::move(links));
}

double quantile(std::vector<double> times, double part) {
  std::ranges::sort(times);
  return times[static_cast<std::size_t>(part * static_cast<double>(times.size() - 1))];
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t clusters = 16, hosts = 8, machines = 10;
  std::uint64_t seed = 1;
  bool json = false;
  CLI::App app("How long choosing a collective takes");
  app.add_option("--clusters", clusters, "of each random machine")->capture_default_str()->check(CLI::Range(1, 64));
  app.add_option("--hosts", hosts, "of each cluster")->capture_default_str()->check(CLI::Range(1, 1024));
  app.add_option("--machines", machines, "random machines")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--seed", seed, "of the first")->capture_default_str();
  app.add_flag("--json", json, "JSON on standard output");
  CLI11_PARSE(app, argc, argv);

  ordered_json answer = ordered_json::array();
  for (plan::collective const operation :
       {plan::collective::broadcast, plan::collective::reduce, plan::collective::allreduce}) {
    std::vector<double> fresh, known;
    for (std::size_t m = 0; m < machines; ++m) {
      std::mt19937 random(static_cast<std::mt19937::result_type>(seed + m));
      std::vector<plan::host_id> ranks(clusters * hosts);
      std::iota(ranks.begin(), ranks.end(), plan::host_id{0});
      mapping::collective_mapper mapper(random_machine(clusters, hosts, random), ranks);
      // Another size first: what is kept for all requests is made once.
      mapper.decide({.operation = operation, .bytes = 1 << 23, .unit = 8});
      for (std::uint64_t bytes = 1 << 10; bytes <= 1 << 22; bytes *= 4) {
        mapping::collective_request const request{.operation = operation, .bytes = bytes, .unit = 8};
        auto start = stopwatch::now();
        mapper.decide(request);
        fresh.push_back(since(start));
        constexpr int repeats = 1000;
        start = stopwatch::now();
        for (int i = 0; i < repeats; ++i) mapper.decide(request);
        known.push_back(since(start) / repeats);
      }
    }
    answer.push_back({{"operation", name_of(operation)},
                      {"clusters", clusters},
                      {"hosts", clusters * hosts},
                      {"new_median", quantile(fresh, 0.5)},
                      {"new_p95", quantile(fresh, 0.95)},
                      {"known_median", quantile(known, 0.5)},
                      {"known_p95", quantile(known, 0.95)}});
  }
  if (json) {
    std::cout << answer.dump() << '\n';
    return 0;
  }
  std::cout << fmt::format("{:<12} {:>9} {:>7} {:>14} {:>12} {:>16} {:>12}\n", "operation", "clusters", "hosts",
                           "new, median us", "p95 us", "known, median us", "p95 us");
  for (auto const& row : answer)
    std::cout << fmt::format("{:<12} {:>9} {:>7} {:>14.0f} {:>12.0f} {:>16.3f} {:>12.3f}\n",
                             row["operation"].get<std::string>(), row["clusters"].get<std::size_t>(),
                             row["hosts"].get<std::size_t>(), 1e6 * row["new_median"].get<double>(),
                             1e6 * row["new_p95"].get<double>(), 1e6 * row["known_median"].get<double>(),
                             1e6 * row["known_p95"].get<double>());
}
