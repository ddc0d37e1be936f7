#pragma once

/// The work and messages of a program's processes, superstep by superstep, and the scenario for `skel bsp`.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <tuple>
#include <vector>

namespace kernels {

/// A message that a process has sent.
struct sent {
  std::size_t from = 0, to = 0;
  double bytes = 0;
  friend bool operator==(sent const&, sent const&) = default;
};

/// A superstep: the work of each process, and what they sent.
struct load {
  std::vector<double> work;
  std::vector<sent> messages{};

  template <class Archive>
  void serialize(Archive& archive) {
    archive(work, messages);
  }
};

/// True if work and messages are the same, in any order of messages.
inline bool same(std::vector<load> a, std::vector<load> b) {
  auto const order = [](std::vector<load>& all) {
    for (auto& one : all)
      std::ranges::sort(one.messages, {}, [](sent const& m) { return std::tuple(m.from, m.to, m.bytes); });
  };
  order(a), order(b);
  return std::ranges::equal(a, b,
                            [](load const& x, load const& y) { return x.work == y.work && x.messages == y.messages; });
}

/// The network of scenarios: switches of 10 Gbit/s Ethernet, 20 us from program to program over TCP, and 94 % of the
/// rate for data; memory inside a host. A process that moves waits for two rounds of messages and its reading.
constexpr double link_latency = 2e-5, link_bandwidth = 1.175e9, local_latency = 1e-6, migration_seconds = 1e-3;

/// The machine of a scenario: two clusters of half of the hosts each. The first may be faster.
struct trace_options {
  std::string file{};
  std::size_t hosts = 16;  ///< 2 or more
  double ratio = 1;        ///< of the speeds of the two
};

/// A scenario (docs/formats.md). `speed`: work units per second of the slower hosts, as measured. `begins`: the first
/// host of each process.
inline std::string scenario(trace_options const& options, double speed, std::vector<load> const& steps,
                            std::vector<std::size_t> const& begins, std::vector<double> const& state_bytes) {
  char* written = nullptr;
  std::size_t length = 0;
  std::FILE* const to = open_memstream(&written, &length);
  if (to == nullptr) throw std::bad_alloc();
  auto const list = [&](auto const& values, auto const& print) {
    char const* before = "";
    for (auto const& one : values) std::fputs(before, to), print(one), before = ", ";
  };
  auto const number = [&](double value) { std::fprintf(to, "%.17g", value); };
  std::size_t const fast = options.hosts / 2;
  std::string const link = [] {
    char text[80];
    std::snprintf(text, sizeof text, "\"latency\": %.17g, \"bandwidth\": %.17g", link_latency, link_bandwidth);
    return std::string(text);
  }();
  std::fprintf(to,
               "{\"skel_bsp\": 1,\n \"platform\": {\"skel_platform\": 1, \"local_latency\": %.17g, \"clusters\": [\n"
               "  {\"name\": \"fast\", \"hosts\": %zu, \"speed\": %.17g, %s},\n"
               "  {\"name\": \"slow\", \"hosts\": %zu, \"speed\": %.17g, %s}],\n"
               "  \"links\": [{\"between\": [\"fast\", \"slow\"], %s}]},\n \"mapping\": [",
               local_latency, fast, speed * options.ratio, link.c_str(), options.hosts - fast, speed, link.c_str(),
               link.c_str());
  list(begins, [&](std::size_t host) {
    bool const first = host < fast;
    std::string const cluster = first ? "fast" : "slow";
    bool const alone = (first ? fast : options.hosts - fast) == 1;  // its host is named like the cluster
    std::fprintf(to, "\"%s\"", (alone ? cluster : cluster + "-" + std::to_string(first ? host : host - fast)).c_str());
  });
  std::fputs("],\n \"state_bytes\": [", to);
  list(state_bytes, number);
  std::fprintf(to, "],\n \"migration\": {\"fixed\": %.17g},\n", migration_seconds);
  std::fputs(" \"workload\": {\"kind\": \"trace\", \"supersteps\": [", to);
  char const* before = "\n  ";
  for (auto const& step : steps) {
    std::fprintf(to, "%s{\"work\": [", before), before = ",\n  ";
    list(step.work, number);
    std::fputs("], \"messages\": [", to);
    list(step.messages, [&](sent const& one) { std::fprintf(to, "[%zu, %zu, %.17g]", one.from, one.to, one.bytes); });
    std::fputs("]}", to);
  }
  std::fputs("]}}\n", to);
  bool const failed = std::ferror(to) != 0;
  bool const cut = std::fclose(to) != 0 || failed;
  std::unique_ptr<char, decltype(&std::free)> const owner(written, &std::free);
  if (cut) throw std::bad_alloc();
  return {written, length};
}

}  // namespace kernels
