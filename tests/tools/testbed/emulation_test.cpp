#include "testbed/emulation.hpp"

#include <map>

#include <gmock/gmock.h>

#include <skel/detail/base/error.hpp>

namespace {

using nlohmann::json;
using skel::platform::description;
using skel::testbed::emulation;
using testing::HasSubstr;

class Emulation : public testing::Test {
 protected:
  explicit Emulation(bool shared = false) {
    skel::platform::parameter_blocks more;
    if (shared) more["x_shared"] = "true";
    description const machine(0, {{.name = "a", .hosts = 2, .inside = {1e-3, 1e6}}, {.name = "b", .cores = 2}},
                              {{0, 1, {1e-2, 1e5}, more}, {1, 0, {1e-2, 1e5}, more}});
    state_.emplace(machine, skel::testbed::make_network(machine, 1, "test"),
                   [&](std::string const& host, double cores) {
                     if (cores > 100) throw skel::error("too many");
                     limits_[host] = cores;
                   });
  }

  json ask(json const& question) { return state_->answer(question); }
  std::string reason(json const& question) { return ask(question).at("error").at("reason"); }

  /// "latency" or "bandwidth" of each way, by "FROM TO".
  std::map<std::string, double> all(char const* what) {
    std::map<std::string, double> found;
    json const answer = ask({{"ask", "show"}});
    for (json const& path : answer.at("paths"))
      found[path.at("from").get<std::string>() + " " + path.at("to").get<std::string>()] = path.at(what);
    return found;
  }

  std::map<std::string, double> limits_;
  std::optional<emulation> state_;
};

class SharedEmulation : public Emulation {
 protected:
  SharedEmulation() : Emulation(true) {}
};

TEST_F(Emulation, ShowsHostsAndWays) {
  json const answer = ask({{"ask", "show"}});
  ASSERT_EQ(answer.at("hosts").size(), 3U);
  EXPECT_EQ(answer["hosts"][2],
            (json{{"name", "b"}, {"cluster", "b"}, {"address", "10.77.0.3"}, {"share", 1.0}, {"cores", 2}}));
  EXPECT_EQ(answer.at("paths").size(), 6U);
  EXPECT_EQ(all("latency").at("a-0 b"), 1e-2);
  EXPECT_EQ(all("bandwidth").at("a-0 a-1"), 1e6);
}

TEST_F(Emulation, SetsHostsClustersAndTheInsideOfOne) {
  EXPECT_EQ(ask({{"ask", "set"}, {"of", {"a-0", "b"}}, {"latency", 0.5}}), (json{{"changed", 2}}));
  EXPECT_EQ(
      all("latency"),
      (std::map<std::string, double>{
          {"a-0 a-1", 1e-3}, {"a-0 b", 0.5}, {"a-1 a-0", 1e-3}, {"a-1 b", 1e-2}, {"b a-0", 0.5}, {"b a-1", 1e-2}}));
  EXPECT_EQ(ask({{"ask", "set"}, {"of", {"b", "a"}}, {"bandwidth", 7}, {"one_way", true}}), (json{{"changed", 2}}));
  EXPECT_EQ(all("bandwidth"),
            (std::map<std::string, double>{
                {"a-0 a-1", 1e6}, {"a-0 b", 1e5}, {"a-1 a-0", 1e6}, {"a-1 b", 1e5}, {"b a-0", 7}, {"b a-1", 7}}));
  EXPECT_EQ(ask({{"ask", "set"}, {"of", {"a", "a"}}, {"latency", 0}, {"bandwidth", 8}}), (json{{"changed", 2}}));
  EXPECT_EQ(all("latency").at("a-1 a-0"), 0);
  EXPECT_EQ(all("bandwidth").at("a-0 a-1"), 8);
}

TEST_F(Emulation, SetsSharesOfEachCore) {
  EXPECT_EQ(ask({{"ask", "set"}, {"of", {"b"}}, {"share", 0.25}}), (json{{"changed", 1}}));
  EXPECT_EQ(limits_, (std::map<std::string, double>{{"b", 0.5}}));
  EXPECT_EQ(ask({{"ask", "hosts"}})["hosts"][2]["share"], 0.25);
  EXPECT_EQ(ask({{"ask", "set"}, {"of", {"a"}}, {"share", 0.5}}), (json{{"changed", 2}}));
  EXPECT_THAT(reason({{"ask", "set"}, {"of", {"b"}}, {"share", 60}}), HasSubstr("too many"));
  EXPECT_EQ(ask({{"ask", "hosts"}})["hosts"][2]["share"], 0.25) << "what was refused changes nothing";
}

TEST_F(Emulation, WhatMakesNoSenseIsRefusedAndChangesNothing) {
  auto const latencies = all("latency"), bandwidths = all("bandwidth");
  EXPECT_THAT(reason({{"ask", "set"}, {"of", {"a", "c"}}, {"latency", 1}}),
              HasSubstr("'c' is neither a host nor a cluster"));
  EXPECT_THAT(reason({{"ask", "set"}, {"of", {"a-3", "b"}}, {"latency", 1}}), HasSubstr("did you mean 'a-0'?"));
  EXPECT_THAT(reason({{"ask", "set"}, {"of", {"b", "b"}}, {"latency", 1}}),
              HasSubstr("there is no way from 'b' to 'b'"));
  EXPECT_THAT(reason({{"ask", "set"}, {"of", {"a", "b"}}, {"latency", -1}}), HasSubstr("0 or more"));
  EXPECT_THAT(reason({{"ask", "set"}, {"of", {"a", "b"}}, {"latency", 1}, {"bandwidth", 0}}), HasSubstr("more than 0"));
  EXPECT_THAT(reason({{"ask", "set"}, {"of", {"a"}}, {"share", 0}}), HasSubstr("0.001 or more"));
  EXPECT_THAT(reason({{"ask", "dance"}}), HasSubstr("'dance' is nothing"));
  for (json const& broken :
       {json(), json::array(), json{{"ask", 3}}, json{{"ask", "set"}}, json{{"ask", "set"}, {"of", "a"}},
        json{{"ask", "set"}, {"of", {"a", "b"}}, {"latency", "long"}}})
    EXPECT_TRUE(ask(broken).contains("error")) << broken;
  EXPECT_EQ(all("latency"), latencies);
  EXPECT_EQ(all("bandwidth"), bandwidths);
  EXPECT_TRUE(limits_.empty());
}

TEST_F(SharedEmulation, ASharedChannelIsChangedForAllThatShareIt) {
  EXPECT_THAT(reason({{"ask", "set"}, {"of", {"a-0", "b"}}, {"bandwidth", 7}}),
              HasSubstr("all hosts of 'a' and 'b' share one channel; name these clusters"));
  EXPECT_EQ(all("bandwidth").at("a-0 b"), 1e5);
  EXPECT_EQ(ask({{"ask", "set"}, {"of", {"a-0", "b"}}, {"latency", 7}}), (json{{"changed", 2}}));
  EXPECT_EQ(ask({{"ask", "set"}, {"of", {"a", "b"}}, {"bandwidth", 7}}), (json{{"changed", 4}}));
  EXPECT_EQ(all("bandwidth").at("a-1 b"), 7);
}

}  // namespace
