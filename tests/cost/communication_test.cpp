#include <random>
#include <string>
#include <variant>

#include <gmock/gmock.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/cost/communication/any_model.hpp>
#include <skel/detail/cost/communication/fit.hpp>
#include <skel/detail/platform/files.hpp>

#include "cost/model_laws.hpp"

namespace {

namespace cost = skel::cost;
namespace platform = skel::platform;
using cost::message;
using cost::model_kind;
using skel::piecewise_linear;
using skel::testing_cost::check_linear_between_breakpoints;
using skel::testing_cost::check_model_laws;
using testing::ElementsAre;

static_assert(cost::communication_model<cost::hockney>);
static_assert(cost::communication_model<cost::logp>);
static_assert(cost::communication_model<cost::loggp>);
static_assert(cost::communication_model<cost::lopc>);
static_assert(cost::communication_model<cost::logpc>);
static_assert(cost::communication_model<cost::plogp>);
static_assert(cost::communication_model<cost::hloggp>);
static_assert(cost::communication_model<cost::steffenel>);
static_assert(cost::communication_model<cost::lmo>);

/// Gigabit Ethernet with an eager limit, two clusters of three hosts, one far link.
constexpr char const* two_clusters = R"({"skel_platform": 1, "clusters": [
  {"name": "a", "hosts": 3, "speed": 1, "latency": 5e-5, "bandwidth": 1.25e8, "plogp": {"L": 4e-5,
    "g": [[0, 1e-5], [1024, 2e-5], [65536, 6e-4], [1048576, 9e-3]], "os": [[0, 3e-6], [1048576, 2e-3]],
    "or": [[0, 4e-6], [65536, 7e-4], [1048576, 3e-3]]}},
  {"name": "b", "hosts": 3, "speed": 1, "latency": 3e-5, "bandwidth": 1e9, "loggp": {"L": 2e-5, "o": 4e-6, "g": 6e-6,
    "G": 1e-9}}],
  "links": [{"between": ["a", "b"], "latency": 5e-3, "bandwidth": 1e7}]})";

platform::description machine() {
  return platform::parse_description(two_clusters, "two.json");
}

class EveryModel : public testing::TestWithParam<std::size_t> {};

TEST_P(EveryModel, ObeysTheLawsWithParametersOfEachCluster) {
  for (std::size_t cluster : {0U, 1U})
    std::visit([](auto const& model) { check_model_laws(model); },
               make_model(static_cast<model_kind>(GetParam()), machine(), cluster).model);
}

TEST_P(EveryModel, ObeysTheLawsWithRandomParameters) {
  std::mt19937_64 random(7);
  auto const draw = [&] { return std::exp(std::uniform_real_distribution<>(-18, -5)(random)); };
  for (int i = 0; i < 40; ++i) {
    platform::plogp_parameters p{.L = draw(), .g = {}, .os = {}, .or_ = {}};
    std::vector<piecewise_linear::point> g, os;
    double bytes = 0, gap = draw(), overhead = gap / 2;
    for (int k = 0; k < 12; ++k, bytes = bytes * 3 + 1, gap += draw(), overhead += draw() * (k % 2))
      g.push_back({bytes, gap}), os.push_back({bytes, overhead});
    p.g = piecewise_linear(g), p.os = piecewise_linear(os), p.or_ = piecewise_linear(os);
    if (i % 2 == 1) p.L_by_size = piecewise_linear({{0, p.L}, {100, p.L}, {1e5, p.L + draw()}});
    platform::description const drawn(0,
                                      {{.name = "c",
                                        .hosts = 9,
                                        .inside = {.latency = draw(), .bandwidth = 1 / draw()},
                                        .parameters = {{"plogp", to_block(p)}}}},
                                      {});
    std::visit([](auto const& model) { check_model_laws(model); },
               make_model(static_cast<model_kind>(GetParam()), drawn, 0).model);
  }
}

TEST_P(EveryModel, IsLinearBetweenItsBreakpoints) {
  auto const kind = static_cast<model_kind>(GetParam());
  for (std::size_t cluster : {0U, 1U})
    std::visit([](auto const& model) { check_linear_between_breakpoints(model); },
               make_model(kind, machine(), cluster).model);
}

TEST_P(EveryModel, IsLatencyAndBandwidthWhereNothingElseIsKnown) {
  platform::description const plain(0, {{.name = "c", .hosts = 4, .inside = {.latency = 1e-4, .bandwidth = 1e8}}}, {});
  auto const kind = static_cast<model_kind>(GetParam());
  auto const [model, from] = make_model(kind, plain, 0);
  EXPECT_EQ(from, "latency and bandwidth");
  double const bytes = kind == model_kind::logp || kind == model_kind::lopc ? 1 : 1e6;
  EXPECT_NEAR(std::visit([&](auto const& m) { return m.transfer({.bytes = bytes}); }, model), 1e-4 + bytes / 1e8,
              1e-15);
}

INSTANTIATE_TEST_SUITE_P(Models, EveryModel, testing::Range<std::size_t>(0, cost::message_models().size()),
                         [](auto const& one) { return std::string(cost::message_models()[one.param].name); });

TEST(Plogp, IsExactAtItsPoints) {
  auto const model = std::get<cost::plogp>(make_model(model_kind::plogp, machine(), 0).model);
  EXPECT_EQ(model.send_busy({.bytes = 65536}), 6e-4);
  EXPECT_EQ(model.receive_busy({.bytes = 65536}), 7e-4);
  EXPECT_EQ(model.transfer({.bytes = 1024}), 4e-5 + 2e-5);
}

TEST(Plogp, HasBreakpointsWhereTheReceiverBecomesTheSlowerEnd) {
  platform::plogp_parameters p{.L = 0, .g = piecewise_linear({{0, 1}, {10, 2}}), .os = {}, .or_ = {}};
  p.or_ = piecewise_linear({{0, 0}, {10, 4}});
  EXPECT_THAT(cost::plogp(p).breakpoints(), ElementsAre(0, testing::DoubleNear(10. / 3, 1e-12), 10));
  p.or_ = piecewise_linear({{0, 0}, {10, 1.5}});
  EXPECT_THAT(cost::plogp(p).breakpoints(), ElementsAre(0, 10, testing::DoubleNear(20, 1e-9)));
}

TEST(Plogp, TakesTheLatencyOfTheSize) {
  platform::plogp_parameters p{.L = 5, .g = piecewise_linear({{0, 1}, {10, 2}}), .os = {}, .or_ = {}};
  EXPECT_EQ(cost::plogp(p).transfer({.bytes = 10}), 7);
  p.L_by_size = piecewise_linear({{0, 5}, {4, 5}, {8, 9}});
  cost::plogp const model(p);
  EXPECT_DOUBLE_EQ(model.transfer({.bytes = 0}), 6);
  EXPECT_DOUBLE_EQ(model.transfer({.bytes = 6}), 7 + 1.6);
  EXPECT_EQ(model.send_busy({.bytes = 10}), 2);
  EXPECT_THAT(model.breakpoints(), ElementsAre(0, 4, 8, 10));
  check_model_laws(model);
  check_linear_between_breakpoints(model);
  check_linear_between_breakpoints(cost::steffenel(p));
}

TEST(Plogp, IsBentWhereAFallingLatencyEnds) {
  platform::plogp_parameters p{.g = piecewise_linear({{0, 1}, {10, 21}}), .os = {}, .or_ = {}};
  p.L_by_size = piecewise_linear({{0, 12}, {10, 2}});
  EXPECT_THAT(cost::plogp(p).breakpoints(), ElementsAre(0, 10, 12));
  check_linear_between_breakpoints(cost::plogp(p));
}

TEST(Convert, KielmannsFormulas) {
  platform::plogp_parameters const p{.L = 10,
                                     .g = piecewise_linear({{1, 4}, {1000, 104}}),
                                     .os = piecewise_linear({{1, 1}}),
                                     .or_ = piecewise_linear({{1, 2}})};
  auto const loggp = cost::to_loggp(p);
  EXPECT_DOUBLE_EQ(loggp.L, 10 + 4 - 1 - 2);
  EXPECT_DOUBLE_EQ(loggp.o, 1.5);
  EXPECT_DOUBLE_EQ(loggp.g, 4);
  EXPECT_DOUBLE_EQ(loggp.G, 0.104);
  EXPECT_DOUBLE_EQ(cost::loggp(loggp).transfer({.bytes = 1}), cost::plogp(p).transfer({.bytes = 1}));
  cost::hockney const line(cost::to_hockney(p));
  for (double bytes : {1., 10., 5000.})
    EXPECT_DOUBLE_EQ(line.transfer({.bytes = bytes}), cost::loggp(loggp).transfer({.bytes = bytes}));
}

TEST(Convert, TheGrowthOfALatencyIsPartOfTheLineOfTransfers) {
  platform::plogp_parameters const p{.L = 10,
                                     .g = piecewise_linear({{1, 4}, {1000, 104}}),
                                     .os = {},
                                     .or_ = {},
                                     .L_by_size = piecewise_linear({{1, 10}, {1000, 60}})};
  auto const line = cost::to_hockney(p);
  EXPECT_DOUBLE_EQ(line.beta, 0.154);
  EXPECT_NEAR(cost::hockney(line).transfer({.bytes = 1}), 14, 1e-12);
  EXPECT_NEAR(cost::lmo(cost::to_lmo(p)).transfer({.bytes = 1000}), 164, 1e-9);
  EXPECT_DOUBLE_EQ(cost::to_loggp(p).L, 14);
}

TEST(Convert, ThereAndBackLeavesLoggp) {
  platform::loggp_parameters const p{.L = 2e-5, .o = 3e-6, .g = 7e-6, .G = 1e-9};
  cost::loggp const before(p);
  cost::plogp const after(cost::to_plogp(p));
  for (double bytes : {0., 1., 100., 1e6}) {
    EXPECT_DOUBLE_EQ(before.transfer({.bytes = bytes}), after.transfer({.bytes = bytes}));
    EXPECT_DOUBLE_EQ(before.send_busy({.bytes = bytes}), after.send_busy({.bytes = bytes}));
  }
}

TEST(Convert, LmoTakesAsLongAsPlogpAtBothEnds) {
  platform::plogp_parameters const p{.L = 4e-5,
                                     .g = piecewise_linear({{0, 1e-5}, {1e6, 9e-3}}),
                                     .os = piecewise_linear({{0, 3e-6}, {1e6, 1e-3}}),
                                     .or_ = piecewise_linear({{0, 4e-6}, {1e6, 2e-3}})};
  cost::lmo const model(cost::to_lmo(p));
  for (double bytes : {0., 1e6})
    EXPECT_NEAR(model.transfer({.bytes = bytes}), cost::plogp(p).transfer({.bytes = bytes}), 1e-15);
  EXPECT_DOUBLE_EQ(model.send_busy({.bytes = 0}), 1e-5);
}

TEST(Lopc, ContentionIsThatOfTheFixedPointAndLessThanOneHandler) {
  for (double L : {0., 1e-6, 1e-3})
    for (double n : {2., 5., 1e6}) {
      double const o = 1e-5;
      cost::lopc const model({.L = L, .o = o, .g = o});
      double handler = o;
      for (int i = 0; i < 10000; ++i) handler = o * (1 + (n - 1) / n * handler / (o + L + handler));
      EXPECT_NEAR(model.contention(n), handler - o, 1e-9 * o);
      EXPECT_LT(model.contention(n), o);
    }
  EXPECT_EQ(cost::lopc({.L = 1, .o = 1, .g = 1}).contention(1), 0);
}

TEST(Logpc, ContentionIsThatOfTheFixedPoint) {
  platform::logpc_parameters const p{
      .L = 2e-5, .o = 3e-6, .g = 5e-6, .G = 1e-8, .dimensions = 2, .distance = 4, .nodes = 64};
  cost::logpc const model(p);
  for (double n : {2., 20., 64.}) {
    message const m{.bytes = 1e5, .in_network = n};
    double const held = 1e5 * p.G, alone = model.transfer({.bytes = 1e5});
    double waiting = 0;
    for (int i = 0; i < 100000; ++i) {
      double const rho = (n - 1) / 64 / (alone + waiting) * held * 4 / 2;
      double const wanted = 2 * 4 * rho * held / std::max(1 - rho, 1e-3) * 3 / 16 * 1.5;
      waiting += 0.01 * (wanted - waiting);
    }
    EXPECT_NEAR(model.contention(m), waiting, 1e-6 * alone) << n;
  }
}

TEST(GridModel, BelongsToTheClustersOfBothRanks) {
  for (model_kind kind : {model_kind::hloggp, model_kind::steffenel, model_kind::lmo})
    std::visit(
        [](auto const& model) {
          check_model_laws(model, 6);
          double const near = model.transfer({.bytes = 1, .from = 0, .to = 1}),
                       far = model.transfer({.bytes = 1, .from = 0, .to = 5});
          EXPECT_LT(near, 1e-4);
          EXPECT_GT(far, 5e-3);
        },
        make_grid_model(kind, machine()).model);
}

TEST(ModelParameters, HockneyPrefersItsBlockThenLatencyAndBandwidth) {
  EXPECT_EQ(make_model(model_kind::hockney, machine(), 0).from, "latency and bandwidth");
  platform::description const own(0,
                                  {{.name = "c",
                                    .hosts = 2,
                                    .inside = {.latency = 1, .bandwidth = 1},
                                    .parameters = {{"hockney", R"({"alpha": 3, "beta": 0.5})"}}}},
                                  {});
  auto const model = make_model(model_kind::hockney, own, 0);
  EXPECT_EQ(model.from, "hockney");
  EXPECT_EQ(std::get<cost::hockney>(model.model).transfer({.bytes = 4}), 5);
}

}  // namespace
