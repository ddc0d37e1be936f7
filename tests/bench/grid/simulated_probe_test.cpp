#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/base/number.hpp>
#include <skel/detail/base/split.hpp>
#include <skel/detail/base/statistics.hpp>
#include <skel/detail/cost/communication/fit.hpp>
#include <skel/detail/platform/clusters.hpp>
#include <skel/detail/platform/files.hpp>

#include "grid/simgrid_platform.hpp"

namespace {

namespace fs = std::filesystem;
namespace platform = skel::platform;
using skel::record::probe_kind;
using skel::record::probe_sample;

/// What the probes find on a platform in the simulator.
struct findings {
  platform::description machine;
  std::vector<double> latencies;                     // host by host
  std::map<int, std::vector<probe_sample>> samples;  // from host 0 to the next host and to the last
  std::size_t rounds = 0;
};

findings simulate(std::string const& file) {
  findings found{.machine = platform::read_description(file), .latencies = {}, .samples = {}};
  std::size_t const hosts = found.machine.host_count();
  std::string pattern = (fs::temp_directory_path() / "skel_simulated_XXXXXX").string();
  fs::path const folder = mkdtemp(pattern.data());
  std::ofstream(folder / "platform.xml") << bench::simgrid_platform(found.machine);
  std::ofstream(folder / "hosts") << bench::simgrid_hosts(found.machine);
  // Short messages leave without waiting for their receive, as in every MPI library.
  std::string const command = "cd " + folder.string() + " && " + SKEL_SMPIRUN + " -quiet -no-privatize -np " +
                              std::to_string(hosts) +
                              " -platform platform.xml -hostfile hosts --cfg=smpi/simulate-computation:no"
                              " --cfg=smpi/host-speed:1Gf --cfg=smpi/test:0 --cfg=smpi/wtime:0"
                              " --cfg=smpi/async-small-thresh:65536 --cfg=contexts/stack-size:256"
                              " --log=root.thres:error " SKEL_SIMULATED_PROBE;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> const run(popen(command.c_str(), "r"), &pclose);
  found.latencies.resize(hosts * hosts);
  char line[256];
  while (std::fgets(line, sizeof line, run.get()) != nullptr) {
    auto const words = skel::words_in(line);
    auto const whole = [&](std::size_t k) { return skel::number_in<std::size_t>(words.at(k)).value(); };
    auto const number = [&](std::size_t k) { return skel::number_in<double>(words.at(k)).value(); };
    if (words.size() == 4 && words[0] == "latency")
      found.latencies.at(whole(1) * hosts + whole(2)) = found.latencies.at(whole(2) * hosts + whole(1)) = number(3);
    else if (words.size() == 6 && words[0] == "sample")
      found.samples[static_cast<int>(whole(2))].push_back({static_cast<probe_kind>(whole(3)), number(4), number(5)});
    else if (words.size() == 2 && words[0] == "rounds")
      found.rounds = whole(1);
  }
  fs::remove_all(folder);
  return found;
}

TEST(SimulatedProbe, FindsTheSixClustersOfThePaperIn77Rounds) {
  auto const found = simulate(SKEL_GRID5000);
  EXPECT_EQ(found.rounds, 77U);
  platform::latency_matrix const matrix(found.machine.host_names(), found.latencies);
  std::vector<std::size_t> sizes;
  for (auto const& group : platform::robust_clusters(matrix)) sizes.push_back(group.size());
  EXPECT_THAT(sizes, testing::ElementsAre(20, 11, 1, 7, 20, 19));
}

TEST(SimulatedProbe, TellsGapsFromTransfersAndFindsTheBandwidth) {
  auto const found = simulate(SKEL_TWO_CLUSTERS);
  ASSERT_EQ(found.samples.size(), 2U);
  auto const& near = found.samples.at(1);
  auto const inside = found.machine.clusters()[0].inside;
  // SMPI's messages get 64 to 97 % of a link, depending on their size, and no message is faster than the port.
  double const bandwidth = 1 / skel::cost::fit_hockney(near).parameters.beta;
  EXPECT_LT(bandwidth, inside.bandwidth);
  EXPECT_GT(bandwidth, 0.5 * inside.bandwidth);
  auto const median = [&](probe_kind kind) {
    std::vector<double> times;
    for (probe_sample const& sample : near)
      if (sample.kind == kind && sample.bytes == 0) times.push_back(sample.seconds);
    return skel::statistics::median(times);
  };
  EXPECT_GT(median(probe_kind::transfer), inside.latency / 2);
  EXPECT_LT(median(probe_kind::gap), median(probe_kind::transfer)) << "messages follow each other while they travel";
  EXPECT_LT(median(probe_kind::receive_overhead), median(probe_kind::transfer)) << "it was there already";
  EXPECT_LT(median(probe_kind::send_overhead), median(probe_kind::transfer));
}

TEST(SimulatedProbe, FindsALatencyThatGrowsBeyondTheRendezvousLimit) {
  auto const found = simulate(SKEL_TWO_CLUSTERS);
  ASSERT_EQ(found.samples.size(), 2U);
  auto const far = skel::cost::fit_plogp(found.samples.rbegin()->second).parameters;
  ASSERT_FALSE(far.L_by_size.points().empty());
  double const shortest = far.L_by_size.points().front().y, longest = far.L_by_size.points().back().y;
  EXPECT_GT(shortest, found.machine.links()[0].path.latency / 2);
  EXPECT_GT(longest, 2 * shortest) << "a handshake crosses the path twice before the message does";
}

}  // namespace
