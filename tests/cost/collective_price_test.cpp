#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/cost/collective_price.hpp>
#include <skel/detail/cost/collective_recursion.hpp>

namespace {

namespace cost = skel::cost;
namespace plan = skel::plan;
namespace platform = skel::platform;
using plan::collective;
using plan::collective_problem;
using skel::piecewise_linear;

constexpr double L = 4e-5;

/// Fast Ethernet with an eager limit at 64 KiB.
platform::plogp_parameters ethernet() {
  return {.L = L,
          .g = piecewise_linear({{0, 1e-5}, {1024, 2e-5}, {65536, 6e-4}, {65537, 7e-4}, {1048576, 9e-3}}),
          .os = piecewise_linear({{0, 3e-6}}),
          .or_ = piecewise_linear({{0, 3e-6}, {1048576, 1e-3}})};
}

double g(double bytes) {
  return ethernet().g(bytes);
}

double price(collective operation, std::string const& algorithm, collective_problem const& problem,
             cost::any_model const& model, double gamma = 0) {
  auto const* const found = plan::find_algorithm(operation, algorithm);
  if (found == nullptr) throw std::invalid_argument(algorithm);
  return collective_price(*found, problem, model, gamma);
}

double broadcast(std::string const& algorithm, collective_problem const& problem) {
  return price(collective::broadcast, algorithm, problem, cost::plogp(ethernet()));
}

double lg(std::size_t n) {
  return std::log2(static_cast<double>(n));
}

TEST(BroadcastPrice, IsTheClosedFormOfFlatTreesChainsAndPipelines) {
  for (std::size_t P = 2; P <= 33; ++P) {
    double const p = static_cast<double>(P) - 1, m = 98304, s = 8192, k = 12;
    EXPECT_DOUBLE_EQ(broadcast("flat", {.ranks = P, .bytes = 98304}), p * g(m) + L);
    EXPECT_NEAR(broadcast("segmented_flat", {.ranks = P, .bytes = 98304, .segment = 8192}), p * k * g(s) + L, 1e-12);
    EXPECT_NEAR(broadcast("chain", {.ranks = P, .bytes = 98304}), p * (g(m) + L), 1e-12);
    EXPECT_NEAR(broadcast("pipeline", {.ranks = P, .bytes = 98304, .segment = 8192}), p * (g(s) + L) + (k - 1) * g(s),
                1e-12);
  }
}

// The paper's Table 3 has floor and ceiling the other way round, which is too little for every P but powers of two.
TEST(BroadcastPrice, IsTheCorrectedClosedFormOfBinomialTrees) {
  for (std::size_t P = 2; P <= 130; ++P)
    EXPECT_NEAR(broadcast("binomial", {.ranks = P, .bytes = 100000}),
                std::ceil(lg(P)) * g(100000) + std::floor(lg(P)) * L, 1e-12)
        << P;
}

TEST(BroadcastPrice, IsWithinTheBoundsOfBinaryTrees) {
  for (std::size_t P = 2; P <= 130; ++P) {
    double const m = 100000;
    double const time = broadcast("binary", {.ranks = P, .bytes = 100000});
    EXPECT_LE(time, std::ceil(lg(P)) * (2 * g(m) + L) + 1e-12) << P;
    if (!std::has_single_bit(P + 1)) continue;  // complete: the last leaf of the last level
    double const depth = lg(P + 1) - 1, s = 4096, k = 8;
    EXPECT_NEAR(time, depth * (2 * g(m) + L), 1e-12) << P;
    EXPECT_NEAR(broadcast("segmented_binary", {.ranks = P, .bytes = 32768, .segment = 4096}),
                depth * (2 * g(s) + L) + 2 * (k - 1) * g(s), 1e-12)
        << P;
  }
}

TEST(BroadcastPrice, IsTheClosedFormOfScatterAndAllgatherForPowersOfTwo) {
  for (std::size_t P : {2U, 4U, 8U, 16U, 64U}) {
    double const n = static_cast<double>(P), m = 65536, rounds = lg(P);
    double expected = rounds * L + (n - 1) * (g(m / n) + L);
    for (int j = 0; j < static_cast<int>(rounds); ++j) expected += g(std::exp2(j) * m / n);
    EXPECT_NEAR(broadcast("scatter_allgather", {.ranks = P, .bytes = 65536}), expected, 1e-12) << P;
  }
}

TEST(BroadcastPrice, IsTheClosedFormUnderHockney) {
  double const a = 1e-4, b = 1e-8;
  cost::hockney const model({.alpha = a, .beta = b});
  auto const of = [&](std::string const& name, collective_problem const& problem) {
    return price(collective::broadcast, name, problem, model);
  };
  for (std::size_t P = 2; P <= 20; ++P) {
    double const p = static_cast<double>(P), m = 1e6, s = 1e4, k = 100;
    EXPECT_NEAR(of("flat", {.ranks = P, .bytes = 1000000}), (p - 1) * (a + b * m), 1e-12);
    EXPECT_NEAR(of("pipeline", {.ranks = P, .bytes = 1000000, .segment = 10000}), (p + k - 2) * (a + b * s), 1e-12);
    EXPECT_NEAR(of("binomial", {.ranks = P, .bytes = 1000000}), std::ceil(lg(P)) * (a + b * m), 1e-12);
  }
  EXPECT_NEAR(of("scatter_allgather", {.ranks = 16, .bytes = 1600000}), (4 + 15) * a + 2. * 15 / 16 * 1600000 * b,
              1e-12);
}

TEST(BroadcastPrice, OfNobodyElseIsNothing) {
  for (auto const& algorithm : plan::collective_algorithms())
    EXPECT_EQ(collective_price(algorithm, {.ranks = 1, .bytes = 1000, .segment = 10}, cost::plogp(ethernet())), 0)
        << algorithm.name;
}

cost::any_model spread_model(std::mt19937_64& random, std::size_t hosts) {
  auto const draw = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution<>(std::log(low), std::log(high))(random));
  };
  platform::plogp_parameters p{.L = draw(1e-6, 1e-2), .g = {}, .os = {}, .or_ = {}};
  std::vector<piecewise_linear::point> gap, receive;
  double bytes = 0, time = draw(1e-7, 1e-5);
  for (int i = 0; i < 6; ++i) {
    gap.push_back({bytes, time});
    receive.push_back({bytes, time * draw(0.1, 2)});
    double const next = bytes * draw(2, 6) + 1;
    time += (next - bytes) * draw(1e-10, 1e-7) + draw(1e-9, 1e-5);
    bytes = std::ceil(next);
  }
  p.g = piecewise_linear(gap);
  p.or_ = piecewise_linear(receive);
  std::size_t const which = random() % std::variant_size_v<cost::any_model>;
  platform::description const machine(0, {{.name = "c", .hosts = hosts, .parameters = {{"plogp", to_block(p)}}}}, {});
  return make_model(static_cast<cost::model_kind>(which), machine, 0).model;
}

TEST(BroadcastPrice, OfATreeIsThatOfItsSchedule) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 3000; ++i) {
    auto const& catalogue = plan::collective_algorithms();
    auto const& algorithm = catalogue[random() % catalogue.size()];
    if (algorithm.operation != collective::broadcast) continue;
    std::size_t const P = 1 + random() % 40;
    collective_problem const problem{.ranks = P,
                                     .root = random() % P,
                                     .bytes = random() % 3000,
                                     .segment = random() % 2 == 0 ? 0 : 1 + random() % 500,
                                     .radix = 2 + random() % 4};
    cost::any_model const model = spread_model(random, P);
    double const fast = collective_price(algorithm, problem, model);
    double const exact = std::visit([&](auto const& m) { return cost::completion(algorithm.make(problem), m); }, model);
    ASSERT_NEAR(fast, exact, 1e-12 * exact)
        << algorithm.name << " of " << problem.bytes << " bytes in " << problem.segment << " over " << P << ", "
        << cost::message_models()[model.index()].name;
  }
}

TEST(BroadcastPrice, OfATreeBetweenClustersIsThatOfItsSchedule) {
  std::mt19937_64 random(5);
  auto const draw = [&] { return std::exp(std::uniform_real_distribution<>(-15, -3)(random)); };
  for (int i = 0; i < 300; ++i) {
    std::vector<platform::cluster> clusters;
    std::vector<platform::cluster_link> links;
    for (std::size_t c = 0; c < 3; ++c) {
      clusters.push_back({.name = std::string(1, static_cast<char>('a' + c)),
                          .hosts = 1 + random() % 4,
                          .inside = {draw(), 1 / (draw() * 1e-3)}});
      for (std::size_t d = 0; d < 3; ++d)
        if (c != d) links.push_back({.from = c, .to = d, .path = {draw(), 1 / (draw() * 1e-3)}});
    }
    platform::description const machine(0, clusters, links);
    std::size_t const P = machine.host_count();
    collective_problem const problem{
        .ranks = P, .root = random() % P, .bytes = 100 + random() % 3000, .segment = 1 + random() % 500};
    for (auto const kind : {cost::model_kind::hloggp, cost::model_kind::steffenel, cost::model_kind::lmo})
      for (char const* name : {"pipeline", "segmented_binary", "segmented_binomial", "segmented_k_nomial"}) {
        auto const* const algorithm = plan::find_algorithm(collective::broadcast, name);
        auto const model = make_grid_model(kind, machine).model;
        double const exact =
            std::visit([&](auto const& m) { return cost::completion(algorithm->make(problem), m); }, model);
        ASSERT_NEAR(collective_price(*algorithm, problem, model), exact, 1e-12 * exact) << name;
      }
  }
}

TEST(ReducePrice, OfATreeIsThatOfItsSchedule) {
  std::mt19937_64 random(23);
  auto const& catalogue = plan::collective_algorithms();
  for (int i = 0; i < 6000; ++i) {
    auto const& algorithm = catalogue[random() % catalogue.size()];
    if (algorithm.operation != collective::reduce || algorithm.shape == nullptr) continue;
    std::size_t const P = 1 + random() % 40;
    collective_problem const problem{.ranks = P,
                                     .root = random() % P,
                                     .bytes = random() % 3000,
                                     .segment = random() % 2 == 0 ? 0 : 1 + random() % 500,
                                     .radix = 2 + random() % 4};
    cost::any_model const model = spread_model(random, P);
    double const gamma = random() % 3 == 0 ? 0 : std::exp(std::uniform_real_distribution<>(-23, -12)(random));
    double const fast = collective_price(algorithm, problem, model, gamma);
    double const exact =
        std::visit([&](auto const& m) { return cost::completion(algorithm.make(problem), m, gamma); }, model);
    ASSERT_NEAR(fast, exact, 1e-12 * exact)
        << algorithm.name << " of " << problem.bytes << " bytes in " << problem.segment << " over " << P << ", "
        << cost::message_models()[model.index()].name;
  }
}

cost::any_model pure_hockney() {
  return cost::hockney({.alpha = 1e-4, .beta = 1e-8});
}

TEST(ReducePrice, WithoutAnOperatorIsThatOfABroadcast) {
  // Time runs backwards; a receiver that is slower than the gap would break the symmetry.
  platform::plogp_parameters parameters = ethernet();
  parameters.or_ = {};
  cost::plogp const model(parameters);
  for (std::size_t P = 1; P <= 40; ++P)
    for (char const* name : {"flat", "chain", "binomial", "k_nomial"})
      EXPECT_NEAR(price(collective::reduce, name, {.ranks = P, .bytes = 50000}, model),
                  price(collective::broadcast, name, {.ranks = P, .bytes = 50000}, model), 1e-12)
          << name << " over " << P;
}

TEST(ReducePrice, IsWithinOneOperationOfTheClosedForms) {
  double const gamma = 2e-9, m = 1e6;
  cost::plogp const model(ethernet());
  double const step = std::max(g(m), ethernet().or_(m) + gamma * m);
  for (std::size_t P = 2; P <= 20; ++P) {
    double const p = static_cast<double>(P);
    double const flat = price(collective::reduce, "flat", {.ranks = P, .bytes = 1000000}, model, gamma);
    EXPECT_GE(flat, (p - 1) * step + L - 1e-12);
    EXPECT_LE(flat, (p - 1) * step + L + gamma * m + 1e-12);
    double const chain = price(collective::reduce, "chain", {.ranks = P, .bytes = 1000000}, model, gamma);
    EXPECT_NEAR(chain, (p - 1) * (g(m) + L + gamma * m), 1e-12);
  }
}

TEST(ReducePrice, OfRabenseifnerIsTheClosedFormForPowersOfTwo) {
  double const a = 1e-4, b = 1e-8, gamma = 1e-9, m = 65536;
  for (std::size_t P : {2U, 4U, 16U, 64U}) {
    double const p = static_cast<double>(P), part = (p - 1) / p * m;
    double const expected = 2 * lg(P) * a + 2 * part * b + part * gamma;
    EXPECT_NEAR(price(collective::reduce, "rabenseifner", {.ranks = P, .bytes = 65536}, pure_hockney(), gamma),
                expected, 1e-12);
    EXPECT_NEAR(price(collective::allreduce, "rabenseifner", {.ranks = P, .bytes = 65536}, pure_hockney(), gamma),
                expected, 1e-12);
  }
}

TEST(AllreducePrice, IsTheClosedForm) {
  double const a = 1e-4, b = 1e-8, gamma = 1e-9;
  for (std::size_t P : {2U, 4U, 16U, 64U})
    EXPECT_NEAR(price(collective::allreduce, "recursive_doubling", {.ranks = P, .bytes = 65536}, pure_hockney(), gamma),
                lg(P) * (a + 65536 * (b + gamma)), 1e-12);
  for (std::size_t P : {2U, 3U, 10U, 33U}) {
    double const p = static_cast<double>(P), part = 3000;
    EXPECT_NEAR(price(collective::allreduce, "ring", {.ranks = P, .bytes = 3000 * P}, cost::plogp(ethernet()), gamma),
                2 * (p - 1) * (L + g(part)) + (p - 1) * gamma * part, 1e-12)
        << P;
  }
}

TEST(ScatterPrice, IsTheClosedForm) {
  cost::plogp const model(ethernet());
  double const m = 3000;
  for (std::size_t P = 2; P <= 64; ++P) {
    double const p = static_cast<double>(P);
    EXPECT_NEAR(price(collective::scatter, "flat", {.ranks = P, .bytes = 3000}, model), (p - 1) * g(m) + L, 1e-12);
    double chain = (p - 1) * L;
    for (std::size_t j = 1; j < P; ++j) chain += g(static_cast<double>(j) * m);
    EXPECT_NEAR(price(collective::scatter, "chain", {.ranks = P, .bytes = 3000}, model), chain, 1e-12);
    if (!std::has_single_bit(P)) continue;
    double binomial = lg(P) * L;
    for (std::size_t half = 1; half < P; half *= 2) binomial += g(static_cast<double>(half) * m);
    EXPECT_NEAR(price(collective::scatter, "binomial", {.ranks = P, .bytes = 3000}, model), binomial, 1e-12);
    EXPECT_NEAR(price(collective::gather, "flat", {.ranks = P, .bytes = 3000}, model),
                g(m) + L + (p - 2) * std::max(g(m), ethernet().or_(m)), 1e-12);
  }
}

TEST(AllgatherPrice, IsTheClosedForm) {
  for (std::size_t P : {2U, 5U, 16U, 33U}) {
    double const p = static_cast<double>(P);
    EXPECT_NEAR(price(collective::allgather, "ring", {.ranks = P, .bytes = 3000}, cost::plogp(ethernet())),
                (p - 1) * (g(3000) + L), 1e-12);
    EXPECT_NEAR(price(collective::allgather, "bruck", {.ranks = P, .bytes = 3000}, pure_hockney()),
                std::ceil(lg(P)) * 1e-4 + (p - 1) * 3000 * 1e-8, 1e-12);
  }
}

TEST(AlltoallPrice, IsTheClosedForm) {
  platform::plogp_parameters parameters = ethernet();
  parameters.or_ = {};
  cost::plogp const model(parameters);
  for (std::size_t P : {2U, 5U, 16U, 33U}) {
    double const p = static_cast<double>(P);
    EXPECT_NEAR(price(collective::alltoall, "pairwise", {.ranks = P, .bytes = 3000}, model), (p - 1) * (g(3000) + L),
                1e-12);
    EXPECT_NEAR(price(collective::alltoall, "spread_out", {.ranks = P, .bytes = 3000}, model), (p - 1) * g(3000) + L,
                1e-12);
    if (!std::has_single_bit(P)) continue;
    EXPECT_NEAR(price(collective::alltoall, "bruck", {.ranks = P, .bytes = 3000}, pure_hockney()),
                lg(P) * 1e-4 + p * 3000 / 2 * lg(P) * 1e-8, 1e-12);
  }
}

TEST(BarrierPrice, IsTheClosedForm) {
  for (std::size_t P = 1; P <= 70; ++P)
    EXPECT_NEAR(price(collective::barrier, "dissemination", {.ranks = P}, cost::plogp(ethernet())),
                std::ceil(lg(P)) * (L + g(0)), 1e-12);
}

/// The best of all segment sizes.
double brute_force(plan::collective_algorithm const& algorithm, collective_problem problem,
                   cost::any_model const& model, double gamma) {
  double best = std::numeric_limits<double>::infinity();
  for (problem.segment = problem.unit; problem.segment <= problem.bytes; problem.segment += problem.unit)
    best = std::min(best, collective_price(algorithm, problem, model, gamma));
  return best;
}

TEST(BestSegment, IsAsGoodAsTheBestOfAllSizes) {
  std::mt19937_64 random(3);
  auto const sizes = [](auto& from) { return std::exp(std::uniform_real_distribution<>(0, std::log(4000))(from)); };
  double worst = 1, sum = 0;
  int cases = 0;
  for (int i = 0; i < 400; ++i) {
    std::size_t const P = 2 + random() % 30;
    collective_problem problem{.ranks = P,
                               .bytes = static_cast<std::uint64_t>(sizes(random)),
                               .unit = std::array<std::uint64_t, 2>{1, 8}[random() % 2],
                               .radix = 2 + random() % 3};
    problem.bytes *= problem.unit;
    cost::any_model const model = spread_model(random, P);
    double const gamma = std::exp(std::uniform_real_distribution<>(-25, -14)(random));
    for (char const* name : {"pipeline", "segmented_binary", "segmented_binomial", "segmented_k_nomial"}) {
      auto const& algorithm = *plan::find_algorithm(i % 2 ? collective::reduce : collective::broadcast, name);
      problem.segment = best_segment(algorithm, problem, model, gamma);
      double const ratio =
          collective_price(algorithm, problem, model, gamma) / brute_force(algorithm, problem, model, gamma);
      worst = std::max(worst, ratio), sum += ratio, ++cases;
      ASSERT_LT(ratio, 1.01) << name << " of " << problem.bytes << " over " << P << ", "
                             << cost::message_models()[model.index()].name << ", segment " << problem.segment;
    }
  }
  RecordProperty("worst", std::to_string(worst));
  EXPECT_LT(sum / cases, 1 + 1e-4);
}

TEST(BestSegment, OfPipelinesUnderHockneyIsTheKnownFormula) {
  double const a = 1e-4, b = 1e-8, m = 1e8;
  auto const& pipeline = *plan::find_algorithm(collective::broadcast, "pipeline");
  for (std::size_t P : {4U, 10U, 50U}) {
    auto const segment =
        best_segment(pipeline, {.ranks = P, .bytes = 100000000}, cost::hockney({.alpha = a, .beta = b}));
    double const expected = std::sqrt(m * a / ((static_cast<double>(P) - 2) * b));
    EXPECT_NEAR(static_cast<double>(segment), expected, 0.01 * expected) << P;
  }
}

TEST(BestSegment, IsTheWholeVectorWhereNothingIsGained) {
  auto const& pipeline = *plan::find_algorithm(collective::broadcast, "pipeline");
  EXPECT_EQ(best_segment(pipeline, {.ranks = 2, .bytes = 5000}, cost::hockney({.alpha = 1, .beta = 1e-9})), 5000);
  EXPECT_EQ(best_segment(*plan::find_algorithm(collective::broadcast, "binomial"), {.ranks = 9, .bytes = 5000},
                         cost::hockney({.alpha = 0, .beta = 1})),
            5000);
}

}  // namespace
