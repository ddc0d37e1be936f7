#include "mapping/migration/host_traffic.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace skel;
using namespace skel::mapping::migration;

// Three sets of two hosts with paths that differ.
cost::bsp::machine three_sets() {
  std::vector<platform::cluster> sets;
  std::vector<platform::cluster_link> links;
  for (std::size_t a = 0; a < 3; ++a) {
    sets.push_back({std::string(1, static_cast<char>('a' + a)), 2, 1, 1, {1e-4, 1e8}, {}, {}});
    for (std::size_t b = 0; b < 3; ++b)
      if (a != b) links.push_back({a, b, {1e-3 * static_cast<double>(1 + a + 2 * b), 1e7}, {}});
  }
  return {platform::description(1e-6, sets, links)};
}

TEST(HostTraffic, IsWhatMessageTimesSayAlsoOfProcessesThatMove) {
  auto const machine = three_sets();
  std::mt19937 random(7);
  auto const below = [&](std::size_t many) { return std::uniform_int_distribution<std::size_t>(0, many - 1)(random); };
  for (int round = 0; round < 200; ++round) {
    std::size_t const processes = 1 + below(12);
    std::vector<std::size_t> hosts(processes);
    for (auto& one : hosts) one = below(6);
    std::vector<record::bsp_message> messages(below(30));
    for (auto& one : messages) one = {below(processes), below(processes), static_cast<double>(below(1'000'000))};
    host_traffic const traffic(machine, messages, hosts);
    auto const times = cost::bsp::message_times(machine, messages, hosts);
    double const most = std::ranges::max(times);
    EXPECT_NEAR(traffic.most(), most, 1e-12);
    EXPECT_NEAR(times[traffic.slowest()], most, 1e-12);
    for (std::size_t p = 0; p < processes; ++p)
      for (std::size_t to = 0; to < 6; ++to) {
        auto moved = hosts;
        moved[p] = to;
        EXPECT_NEAR(traffic.most_with(p, to), std::ranges::max(cost::bsp::message_times(machine, messages, moved)),
                    1e-12)
            << round << ' ' << p << ' ' << to;
      }
  }
}

}  // namespace
