#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <simgrid/s4u.hpp>

#include <skel/detail/base/error.hpp>
#include <skel/detail/record/clock.hpp>

#include "simulation/own_process.hpp"
#include "simulation/simulated_hosts.hpp"
#include "simulation/simulated_lanes.hpp"
#include "simulation/simulated_transport.hpp"
#include "support/transport_laws.hpp"

namespace {

using bench::simulated_hosts;
using bench::simulated_network;
namespace s4u = simgrid::s4u;

constexpr double latency = 1e-3, bandwidth = 1e8;

skel::platform::description site(std::size_t hosts) {
  return {latency, {{.name = "site", .hosts = hosts, .speed = 2, .inside = {latency, bandwidth}}}, {}};
}

/// What fails in a simulation fails here: each is a process of its own.
template <class Body>
void in_simulation(Body const& body) {
  auto const said = bench::in_own_process([&] {
    body();
    return std::string(testing::Test::HasFailure() ? "failed" : "passed");
  });
  EXPECT_EQ(said, "passed");
}

TEST(SimulatedHosts, ComputeWhatTheyAreToldAtTheSpeedThatTheyHave) {
  in_simulation([] {
    simulated_hosts hosts(site(2));
    s4u::Actor::create("one", hosts.at(1), [&] {
      hosts.compute(1);
      EXPECT_NEAR(skel::record::now(), 0.5, 1e-9);
      hosts.set_share(1, 0.1);
      hosts.compute(1);
      EXPECT_NEAR(skel::record::now(), 5.5, 1e-9);
      hosts.set_share(1, 1);
      hosts.compute(1);
      EXPECT_NEAR(skel::record::now(), 6, 1e-9);
    });
    hosts.run();
  });
}

TEST(SimulatedHosts, SayWhatThreadsHaveRunAndWhatTheQuotaHasKeptFromThem) {
  in_simulation([] {
    simulated_hosts hosts(site(2));
    s4u::Actor::create("one", hosts.at(0), [&] {
      skel::record::process_clock clock;
      clock.read();
      hosts.read_load();
      hosts.compute(2);
      EXPECT_NEAR(static_cast<double>(clock.read().run), 1e9, 1);
      EXPECT_EQ(hosts.read_load().throttled, 0);
      hosts.set_share(0, 0.5);
      hosts.compute(2);
      auto const times = clock.read();
      EXPECT_NEAR(static_cast<double>(times.run), 2e9, 1);
      EXPECT_NEAR(static_cast<double>(times.waited), 1e9, 1);
      auto const load = hosts.read_load();
      EXPECT_EQ(load.quota, 0.5);
      EXPECT_NEAR(load.throttled.value(), 0.5, 1e-9);
      EXPECT_NEAR(load.own.value(), 0.5, 1e-9);
    });
    hosts.run();
  });
}

TEST(SimulatedHosts, ShareTheCoreBetweenThreadsWithoutAQuota) {
  in_simulation([] {
    simulated_hosts hosts(site(1));
    std::vector<skel::record::thread_times> all;
    for (int k = 0; k < 2; ++k)
      s4u::Actor::create("one", hosts.at(0), [&] {
        hosts.compute(2);
        EXPECT_NEAR(simulated_hosts::time(), 2, 1e-9);
        all = hosts.threads();
        EXPECT_EQ(hosts.read_load().throttled.value_or(0), 0);
      });
    hosts.run();
    ASSERT_EQ(all.size(), 2u);
    for (auto const& one : all) {
      EXPECT_NEAR(static_cast<double>(one.at.run), 1e9, 1);
      EXPECT_NEAR(static_cast<double>(one.at.waited), 1e9, 1);
    }
  });
}

TEST(SimulatedNetwork, ObeysTheLawsOfTransports) {
  in_simulation([] {
    simulated_hosts hosts(site(4));
    simulated_network network(hosts);
    s4u::Actor::create("all", hosts.at(0), [&] {
      skel::test::transports ends;
      for (std::size_t h = 0; h < 4; ++h) ends.push_back(&network.at(h));
      for (std::uint64_t seed = 1; seed <= 4; ++seed) skel::test::check_transport_laws(ends, seed, 3, 150);
    });
    hosts.run();
  });
}

TEST(SimulatedNetwork, TakesLatencyAndBytesByBandwidthAlsoWhereTheyChange) {
  in_simulation([] {
    simulated_hosts hosts(site(3));
    simulated_network network(hosts);
    constexpr std::size_t bytes = 10'000'000;
    constexpr double at_first = latency + bytes / bandwidth, later = 0.05 + bytes / bandwidth;
    s4u::Actor::create("sends", hosts.at(0), [&] {
      network.at(0).send(1, 0, skel::runtime::message(bytes));
      s4u::this_actor::sleep_for(1);
      hosts.set_latency(1, 0.05);
      network.at(0).send(1, 0, skel::runtime::message(bytes));
    });
    s4u::Actor::create("receives", hosts.at(1), [&] {
      std::vector<double> come;
      network.at(1).open(0, [&](int, auto, auto) -> skel::runtime::landing {
        come.push_back(simulated_hosts::time());
        return {};
      });
      while (come.size() < 2)
        if (!network.at(1).progress()) network.at(1).rest(10, [] { return false; });
      EXPECT_NEAR(come[0], at_first, 1e-5);  // besides the envelope
      EXPECT_NEAR(come[1], 1 + later, 1e-5);
    });
    hosts.run();
  });
}

TEST(SimulatedNetwork, EndsARestWhenItIsWokenOrTheTimeIsOver) {
  in_simulation([] {
    simulated_hosts hosts(site(2));
    simulated_network network(hosts);
    auto& here = network.at(0);
    s4u::Actor::create("rests", hosts.at(0), [&] {
      here.rest(0.25, [] { return false; });
      EXPECT_NEAR(simulated_hosts::time(), 0.25, 1e-9);
      here.rest(10, [] { return false; });
      EXPECT_NEAR(simulated_hosts::time(), 1, 1e-9);
      here.rest(10, [] { return true; });
      EXPECT_NEAR(simulated_hosts::time(), 1, 1e-9);
    });
    s4u::Actor::create("wakes", hosts.at(0), [&] {
      s4u::this_actor::sleep_for(1);
      here.wake();
    });
    hosts.run();
  });
}

TEST(SimulatedLanes, RunAtOnceAndAreIdleWhenAllIsDone) {
  in_simulation([] {
    simulated_hosts hosts(site(1));
    s4u::Actor::create("one", hosts.at(0), [&] {
      int jobs = 0, done = 0;
      bench::simulated_lanes lanes(2, [&] {
        while (jobs > 0) {
          --jobs;
          s4u::this_actor::sleep_for(1);
          ++done;
        }
      });
      for (int k = 0; k < 4; ++k) {
        ++jobs;
        lanes.wake();
      }
      lanes.wait_idle();
      EXPECT_EQ(done, 4);
      EXPECT_NEAR(simulated_hosts::time(), 2, 1e-9);
    });
    hosts.run();
  });
}

TEST(OwnProcess, TellsWhatAnExceptionSaid) {
  try {
    bench::in_own_process([]() -> std::string { throw std::runtime_error("no such host"); });
    FAIL() << "nothing was thrown";
  } catch (skel::error const& problem) {
    EXPECT_STREQ(problem.what(), "the simulation failed: no such host");
  }
}

}  // namespace
