#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/cost/line_solver.hpp>
#include <skel/detail/cost/pepa/generate.hpp>
#include <skel/detail/cost/pepa/steady.hpp>

namespace {

using namespace skel::cost;

double throughput_of(line const& model) {
  auto const steady = pepa::solve(pepa::derive(pepa::parse(pepa::to_pepa(model), "generated")));
  double sum = 0;
  for (std::string const& action : pepa::throughput_actions(model)) sum += steady.throughput(action);
  return sum;
}

/// The paper's platform: three processors, l12, l23, l13 between them, 0.0001 s inside; service times t1, t2, t3.
struct parameters {
  std::array<double, 3> between, service;
};

line placed(parameters const& platform, std::array<std::size_t, 3> const& hosts, share sharing = share::fixed) {
  auto const latency = [&](std::size_t a, std::size_t b) {
    if (a == b) return 0.0001;
    return platform.between[a + b == 1 ? 0 : a + b == 3 ? 1 : 2];
  };
  line result;
  result.sharing = sharing;
  result.moves.push_back(1 / latency(hosts[0], hosts[0]));
  for (std::size_t i = 0; i < 3; ++i) {
    result.stations.push_back({"stage", {{1 / platform.service[hosts[i]], hosts[i]}}, 0});
    std::size_t const next = i + 1 < 3 ? hosts[i + 1] : hosts[i];
    result.moves.push_back(1 / latency(hosts[i], next));
  }
  return result;
}

constexpr double fast = 0.0001;

struct row {
  parameters platform;
  std::array<std::size_t, 3> hosts;
  double throughput;
};

TEST(GeneratedModel, GivesEveryThroughputOfThePaper) {
  std::vector<row> const rows{
      {{{fast, fast, fast}, {0.1, 0.1, 0.1}}, {0, 1, 2}, 5.6346666902},
      {{{fast, fast, fast}, {0.2, 0.2, 0.2}}, {0, 1, 2}, 2.8189224226},
      {{{fast, fast, fast}, {0.1, 0.1, 1}}, {0, 1, 0}, 3.3667150640},
      {{{0.1, 0.1, 0.1}, {0.1, 0.1, 1}}, {0, 1, 1}, 2.5991440625},
      {{{0.1, 0.1, 0.1}, {0.1, 0.1, 1}}, {0, 0, 1}, 2.5991440625},
      {{{1, 1, 1}, {0.1, 0.1, 1}}, {0, 0, 0}, 1.8796349390},
      {{{0.1, 1, 1}, {0.1, 0.1, 0.1}}, {0, 1, 1}, 2.5991440625},
      {{{0.1, 1, 1}, {1, 1, 0.01}}, {0, 2, 2}, 0.4998769325},
  };
  for (row const& r : rows) EXPECT_NEAR(throughput_of(placed(r.platform, r.hosts)), r.throughput, 5e-11);
}

TEST(GeneratedModel, OfThreeStagesHasTheStatesAndTransitionsOfThePaper) {
  auto const model = pepa::parse(pepa::to_pepa(placed({{fast, fast, fast}, {0.1, 0.1, 0.1}}, {0, 1, 0})));
  auto const space = pepa::derive(model);
  EXPECT_EQ(space.states(), 27u);
  EXPECT_EQ(space.transitions(), 51u);
  EXPECT_THAT(model.actions(),
              testing::UnorderedElementsAre("move1", "move2", "move3", "move4", "process1", "process2", "process3"));
  EXPECT_THAT(model.processes(),
              testing::UnorderedElementsAre("Stage1", "Stage2", "Stage3", "Network", "Processor1", "Processor2"));
  EXPECT_THAT(model.warnings(), testing::IsEmpty());
}

TEST(GeneratedModel, HasTheTransitionCountOfItsFormula) {
  double states = 1;
  for (std::size_t n = 1; n <= 7; ++n) {
    states *= 3;
    line model;
    model.moves.push_back(3);
    for (std::size_t i = 0; i < n; ++i) {
      model.stations.push_back({"", {{2, i}}, 0});
      model.moves.push_back(3);
    }
    auto const space = pepa::derive(pepa::parse(pepa::to_pepa(model)));
    double const count = static_cast<double>(n);
    EXPECT_EQ(static_cast<double>(space.states()), states);
    EXPECT_EQ(static_cast<double>(space.transitions()),
              count * states / 3 + 2 * states / 3 + (n > 1 ? (count - 1) * states / 9 : 0));
  }
}

TEST(GeneratedModel, SharesAProcessorAmongItsBusyStages) {
  parameters const second_row{{fast, fast, fast}, {0.1, 0.1, 1}};
  EXPECT_NEAR(throughput_of(placed(second_row, {0, 1, 0})), 3.366715, 5e-7);
  EXPECT_NEAR(throughput_of(placed(second_row, {0, 1, 1})), 3.205490, 5e-7);
  EXPECT_NEAR(throughput_of(placed(second_row, {0, 0, 0})), 1.879635, 5e-7);
  EXPECT_NEAR(throughput_of(placed(second_row, {0, 1, 0}, share::dynamic)), 4.345229, 5e-7);
  EXPECT_NEAR(throughput_of(placed(second_row, {0, 1, 1}, share::dynamic)), 4.663112, 5e-7);
  EXPECT_NEAR(throughput_of(placed(second_row, {0, 0, 0}, share::dynamic)), 3.332121, 5e-7);
}

line with_buffers(std::size_t k) {
  line result;
  result.moves.assign(4, 1e4);
  for (std::size_t i = 0; i < 3; ++i) result.stations.push_back({"", {{10, i}}, k});
  return result;
}

TEST(GeneratedModel, GainsFromBuffersWhatTheReferenceGains) {
  EXPECT_NEAR(throughput_of(with_buffers(0)), 5.634667, 5e-7);
  EXPECT_NEAR(throughput_of(with_buffers(1)), 6.700167, 5e-7);
  EXPECT_NEAR(throughput_of(with_buffers(2)), 7.335228, 5e-7);
  EXPECT_NEAR(throughput_of(with_buffers(4)), 8.069069, 5e-7);
}

/// Two stages of rate 10 around a farm whose workers have hosts of their own.
line farm(std::vector<double> const& workers, dispatch order) {
  line result;
  result.farms = order;
  result.moves.assign(4, 1e4);
  result.stations = {{"before", {{10, 0}}, 0}, {"farm", {}, 0}, {"after", {{10, 1}}, 0}};
  for (double rate : workers) result.stations[1].workers.push_back({rate, 2 + result.stations[1].workers.size()});
  return result;
}

TEST(GeneratedModel, PricesFarmsAsTheReference) {
  EXPECT_NEAR(throughput_of(farm({5, 5}, dispatch::round_robin)), 5.221489, 5e-7);
  EXPECT_NEAR(throughput_of(farm({5, 5}, dispatch::on_demand)), 6.145169, 5e-7);
  EXPECT_NEAR(throughput_of(farm({5, 5, 5}, dispatch::round_robin)), 6.106691, 5e-7);
  EXPECT_NEAR(throughput_of(farm({5, 5, 5}, dispatch::on_demand)), 7.303650, 5e-7);
  EXPECT_NEAR(throughput_of(farm({8, 4, 2}, dispatch::round_robin)), 4.461902, 5e-7);
  EXPECT_NEAR(throughput_of(farm({8, 4, 2}, dispatch::on_demand)), 7.061125, 5e-7);
}

TEST(GeneratedModel, LumpsWorkersThatAreAlike) {
  auto const states = [](std::size_t workers) {
    line one;
    one.stations = {{"", std::vector<worker>(workers), 0}};
    one.moves = {3, 3};
    for (std::size_t w = 0; w < workers; ++w) one.stations[0].workers[w] = {2, w};
    return pepa::derive(pepa::parse(pepa::to_pepa(one))).states();
  };
  for (std::size_t w = 1; w <= 12; ++w) EXPECT_EQ(states(w), (w + 2) * (w + 1) / 2);
}

TEST(GeneratedModel, AgreesWithTheLineSolverOnRandomLines) {
  std::mt19937 random(20051);
  auto const upto = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n)(random); };
  auto const rate = [&] { return std::exp(std::uniform_real_distribution<double>(-2, 6)(random)); };
  for (int trial = 0; trial < 200; ++trial) {
    line model;
    model.sharing = upto(1) == 0 ? share::fixed : share::dynamic;
    model.farms = upto(1) == 0 ? dispatch::on_demand : dispatch::round_robin;
    std::size_t const n = 1 + upto(2), hosts = 1 + upto(3);
    model.moves.push_back(rate());
    for (std::size_t i = 0; i < n; ++i) {
      std::size_t const width = upto(2) == 0 ? 2 + upto(1) : 1;
      station made{"s", {}, width == 1 && upto(1) == 0 ? upto(2) : upto(4) / 4};
      double const alike = rate();
      for (std::size_t w = 0; w < width; ++w) made.workers.push_back({upto(1) == 0 ? alike : rate(), upto(hosts)});
      model.stations.push_back(made);
      model.moves.push_back(rate());
    }
    double const expected = solve_line(model).throughput;
    EXPECT_NEAR(throughput_of(model) / expected, 1, 1e-9) << pepa::to_pepa(model);
  }
}

TEST(GeneratedModel, KeepsStageNamesInComments) {
  line model = with_buffers(0);
  model.stations[1].name = "deflate\nP = (a, 1).P; // *";
  auto const text = pepa::to_pepa(model);
  EXPECT_THAT(text, testing::HasSubstr("// stage 2: deflate P = (a, 1).P; // *\n"));
  EXPECT_NO_THROW(pepa::parse(text));
}

TEST(GeneratedModel, RefusesALineThatIsNone) {
  EXPECT_THROW(pepa::to_pepa(line{}), skel::input_error);
  line model = with_buffers(0);
  model.moves[2] = 0;
  EXPECT_THROW(pepa::to_pepa(model), skel::input_error);
}

TEST(GeneratedModel, NamesTheHostThatTooManyStagesShare) {
  line model;
  model.sharing = share::dynamic;
  model.moves.assign(14, 1);
  for (std::size_t i = 0; i < 13; ++i) model.stations.push_back({"", {{1, 7}}, 0});
  try {
    pepa::to_pepa(model);
    FAIL() << "13 stages were accepted";
  } catch (skel::error const& refused) {
    EXPECT_THAT(refused.what(), testing::HasSubstr("13 stages share host 7"));
  }
}

}  // namespace
