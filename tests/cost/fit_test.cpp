#include <random>
#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/cost/communication/fit.hpp>
#include <skel/detail/cost/communication/hloggp.hpp>
#include <skel/detail/cost/communication/lmo.hpp>
#include <skel/detail/cost/communication/uniform.hpp>

namespace {

namespace cost = skel::cost;
namespace platform = skel::platform;
using cost::probe_kind;
using cost::probe_sample;
using skel::piecewise_linear;
using testing::HasSubstr;

std::vector<double> const sizes{0, 1, 64, 1024, 8192, 65536, 262144, 1048576};

/// What a model would measure: `repeats` of every kind at every size with relative noise, one in `outliers` ten times
/// as long.
template <class Model, class Overhead>
std::vector<probe_sample> measure(Model const& model, Overhead&& send_overhead, double sigma = 0, int repeats = 1,
                                  int outliers = 0, unsigned seed = 9) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<> noise(0, sigma);
  std::vector<probe_sample> samples;
  auto const put = [&](probe_kind kind, double bytes, double seconds) {
    double const time = seconds * (sigma > 0 ? noise(random) : 1);
    samples.push_back(
        {kind, bytes, outliers > 0 && random() % static_cast<unsigned>(outliers) == 0 ? 10 * time : time});
  };
  for (double bytes : sizes)
    for (int i = 0; i < repeats; ++i) {
      cost::message const m{.bytes = bytes};
      put(probe_kind::transfer, bytes, model.transfer(m));
      put(probe_kind::gap, bytes, model.send_busy(m));
      put(probe_kind::send_overhead, bytes, send_overhead(bytes));
      put(probe_kind::receive_overhead, bytes, model.receive_overhead(m));
    }
  return samples;
}

TEST(Fit, FindsTheParametersThatMadeTheSamples) {
  platform::hockney_parameters const hockney{.alpha = 5e-5, .beta = 8e-9};
  auto const line = cost::fit_hockney(measure(cost::hockney(hockney), [](double) { return 1e-6; }));
  EXPECT_NEAR(line.parameters.alpha, hockney.alpha, 1e-9 * hockney.alpha);
  EXPECT_NEAR(line.parameters.beta, hockney.beta, 1e-9 * hockney.beta);
  EXPECT_LT(line.residual, 1e-9);

  platform::loggp_parameters const loggp{.L = 2e-5, .o = 3e-6, .g = 7e-6, .G = 8e-9};
  auto const found = cost::fit_loggp(measure(cost::loggp(loggp), [&](double) { return loggp.o; })).parameters;
  EXPECT_NEAR(found.L, loggp.L, 1e-3 * loggp.L);
  EXPECT_NEAR(found.o, loggp.o, 1e-9 * loggp.o);
  EXPECT_NEAR(found.g, loggp.g, 1e-3 * loggp.g);
  EXPECT_NEAR(found.G, loggp.G, 1e-3 * loggp.G);

  platform::hloggp_parameters const hloggp{.L = 2e-5, .os = 3e-6, .or_ = 5e-6, .g = 7e-6, .G = 8e-9};
  auto const unlike = cost::fit_hloggp(measure(cost::hloggp(hloggp), [&](double) { return hloggp.os; })).parameters;
  EXPECT_NEAR(unlike.os, hloggp.os, 1e-9 * hloggp.os);
  EXPECT_NEAR(unlike.or_, hloggp.or_, 1e-9 * hloggp.or_);

  platform::lmo_parameters const lmo{.C = 4e-6, .t = 1e-9, .L = 3e-5, .b = 8e-9};
  auto const parts =
      cost::fit_lmo(measure(cost::lmo(lmo), [&](double bytes) { return lmo.C + lmo.t * bytes; })).parameters;
  EXPECT_NEAR(parts.C, lmo.C, 1e-9 * lmo.C);
  EXPECT_NEAR(parts.t, lmo.t, 1e-9 * lmo.t);
  EXPECT_NEAR(parts.L, lmo.L, 1e-9 * lmo.L);
  EXPECT_NEAR(parts.b, lmo.b, 1e-9 * lmo.b);
}

platform::plogp_parameters bent() {
  return {.L = 4e-5,
          .g = piecewise_linear({{0, 1e-5},
                                 {1, 1e-5},
                                 {64, 1.1e-5},
                                 {1024, 2e-5},
                                 {8192, 9e-5},
                                 {65536, 6e-4},
                                 {262144, 3e-3},
                                 {1048576, 9e-3}}),
          .os = piecewise_linear({{0, 3e-6}}),
          .or_ = piecewise_linear({{0, 4e-6}})};
}

TEST(Fit, PlogpIsExactAtEverySizeThatWasMeasured) {
  auto const found = cost::fit_plogp(measure(cost::plogp(bent()), [](double) { return 3e-6; }));
  EXPECT_NEAR(found.parameters.L, 4e-5, 1e-12);
  for (double bytes : sizes) EXPECT_NEAR(found.parameters.g(bytes), bent().g(bytes), 1e-12);
  EXPECT_LT(found.residual, 1e-9);
}

/// A far path: a latency that grows while windows open, and is one number from 64 KiB on.
platform::plogp_parameters far() {
  auto p = bent();
  p.L = 5e-3;
  p.L_by_size = piecewise_linear({{0, 5e-3}, {1024, 5e-3}, {8192, 9e-3}, {65536, 1.5e-2}, {262144, 1.5e-2}});
  return p;
}

TEST(Fit, PlogpFindsALatencyThatGrowsWithTheSize) {
  auto const exact = cost::fit_plogp(measure(cost::plogp(far()), [](double) { return 3e-6; }));
  EXPECT_LT(exact.residual, 1e-9);
  for (double bytes : sizes) {
    EXPECT_NEAR(exact.parameters.latency(bytes), far().latency(bytes), 1e-12);
    EXPECT_NEAR(exact.parameters.g(bytes), far().g(bytes), 1e-12);
  }
  auto const noisy = cost::fit_plogp(measure(
                                         cost::plogp(far()), [](double) { return 3e-6; }, 0.05, 11))
                         .parameters;
  for (double bytes : sizes) EXPECT_NEAR(noisy.latency(bytes), far().latency(bytes), 0.1 * far().latency(bytes));
}

TEST(Fit, PlogpKeepsOneLatencyWhereTheNoiseExplainsTheRest) {
  int bends = 0;
  constexpr int draws = 400;
  for (unsigned seed = 0; seed < draws; ++seed) {
    auto const found = cost::fit_plogp(measure(
                                           cost::plogp(bent()), [](double) { return 3e-6; }, 0.05, 11, 0, seed))
                           .parameters;
    if (!found.L_by_size.points().empty()) ++bends;
  }
  EXPECT_LE(bends, draws / 20);
}

TEST(Fit, PlogpNeverHasAFallingTransfer) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    cost::plogp const found(cost::fit_plogp(measure(
                                                cost::plogp(far()), [](double) { return 3e-6; }, 0.4, 1, 0, seed))
                                .parameters);
    double before = 0;
    for (double bytes = 0; bytes < 1e8; bytes = bytes * 1.3 + 1) {
      EXPECT_GE(found.transfer({.bytes = bytes}), before * (1 - 1e-12)) << bytes << " bytes, draw " << seed;
      before = found.transfer({.bytes = bytes});
    }
  }
}

TEST(Fit, WaitingIsNoOverhead) {
  // Sender and receiver wait for each other inside the calls, as they do for long messages.
  auto samples = measure(cost::plogp(bent()), [](double bytes) { return bytes < 65536 ? 3e-6 : 1e-2; });
  for (probe_sample& sample : samples)
    if (sample.kind == probe_kind::receive_overhead && sample.bytes >= 65536) sample.seconds = 1e-2;
  cost::plogp const found(cost::fit_plogp(samples).parameters);
  EXPECT_EQ(found.parameters().os(0), 3e-6);
  for (double bytes : sizes) {
    EXPECT_LE(found.parameters().os(bytes), found.send_busy({.bytes = bytes}));
    EXPECT_EQ(found.receive_busy({.bytes = bytes}), found.send_busy({.bytes = bytes}));
  }
  cost::lmo const parts(cost::fit_lmo(samples).parameters);
  cost::hockney const line(cost::fit_hockney(samples).parameters);
  for (double bytes : sizes) EXPECT_NEAR(parts.transfer({.bytes = bytes}), line.transfer({.bytes = bytes}), 1e-12);
}

TEST(Fit, PlogpHasNoFallingGap) {
  auto samples = measure(
      cost::plogp(bent()), [](double) { return 3e-6; }, 0.4);
  auto const found = cost::fit_plogp(samples).parameters;
  EXPECT_TRUE(found.g.is_monotone());
  EXPECT_TRUE(found.os.is_monotone());
}

TEST(Fit, PlogpFollowsFromTransfersAlone) {
  std::vector<probe_sample> samples;
  for (double bytes : sizes)
    samples.push_back({probe_kind::transfer, bytes, cost::plogp(bent()).transfer({.bytes = bytes})});
  cost::plogp const found(cost::fit_plogp(samples).parameters);
  for (double bytes : sizes)
    EXPECT_NEAR(found.transfer({.bytes = bytes}), cost::plogp(bent()).transfer({.bytes = bytes}), 1e-12);
}

TEST(Fit, IsNotMovedByOutliers) {
  platform::hockney_parameters const hockney{.alpha = 5e-5, .beta = 8e-9};
  auto const found = cost::fit_hockney(measure(
                                           cost::hockney(hockney), [](double) { return 1e-6; }, 0.05, 20, 10))
                         .parameters;
  EXPECT_NEAR(found.alpha, hockney.alpha, 0.05 * hockney.alpha);
  EXPECT_NEAR(found.beta, hockney.beta, 0.05 * hockney.beta);
}

TEST(Fit, ResidualTellsWhichModelFits) {
  auto const samples = measure(
      cost::plogp(bent()), [](double) { return 3e-6; }, 0.02, 9);
  EXPECT_NEAR(cost::fit_plogp(samples).residual, 0.02, 0.01);
  EXPECT_GT(cost::fit_hockney(samples).residual, 2 * cost::fit_plogp(samples).residual);
  EXPECT_GT(cost::fit_logp(samples).residual, 2 * cost::fit_plogp(samples).residual);
}

TEST(Fit, NeverGivesAParameterBelowZero) {
  std::vector<probe_sample> const falling{{probe_kind::transfer, 0, 2e-5}, {probe_kind::transfer, 1000, 1e-5}};
  EXPECT_EQ(cost::fit_hockney(falling).parameters.beta, 0);
  std::vector<probe_sample> const steep{{probe_kind::transfer, 100, 1e-6}, {probe_kind::transfer, 1000, 1e-4}};
  EXPECT_EQ(cost::fit_hockney(steep).parameters.alpha, 0);
}

TEST(Fit, SaysWhichSamplesAreMissing) {
  std::vector<probe_sample> const one{{probe_kind::transfer, 8, 1e-5}};
  try {
    cost::fit_hockney(one);
    FAIL();
  } catch (skel::error const& problem) {
    EXPECT_THAT(problem.what(), HasSubstr("fit of Hockney: transfers of 2 sizes are wanted, there are 1"));
  }
  EXPECT_THROW(cost::fit_loggp(one), skel::error);
  EXPECT_THROW(cost::fit_lmo(one), skel::error);
  EXPECT_THROW(cost::fit_plogp({}), skel::error);
}

/// Of the samples that a model would measure, those that are wanted.
std::vector<probe_sample> as_wanted(std::vector<probe_sample> samples, skel::record::probe_wants const& wants) {
  using enum skel::record::probe_sizes;
  std::erase_if(samples, [&](probe_sample const& sample) {
    auto const wanted = sample.kind == probe_kind::transfer        ? wants.transfers
                        : sample.kind == probe_kind::gap           ? wants.gaps
                        : sample.kind == probe_kind::send_overhead ? wants.send_overheads
                                                                   : wants.receive_overheads;
    return wanted < (sample.bytes == 0 ? shortest : sample.bytes == 65536 ? two : many);
  });
  return samples;
}

TEST(Fit, EveryModelIsFittedToNoMoreThanItWants) {
  auto const all = measure(cost::plogp(bent()), [](double) { return 3e-6; });
  for (std::size_t i = 0; i < cost::message_models().size(); ++i) {
    auto const kind = static_cast<cost::model_kind>(i);
    auto const wants = row_of(kind).wants;
    auto const block = row_of(kind).fit(as_wanted(all, wants), 8);
    platform::description const machine(
        0, {{.name = "c", .hosts = 2, .parameters = {{std::string(name_of(kind)), block.text}}}}, {});
    auto const read = make_model(kind, machine, 0);
    EXPECT_EQ(read.from, name_of(kind));
    double const time = std::visit([](auto const& model) { return model.transfer({.bytes = 0}); }, read.model);
    EXPECT_NEAR(time, 5e-5, 2e-6) << name_of(kind);
  }
  EXPECT_LT(as_wanted(all, row_of(cost::model_kind::hockney).wants).size(),
            as_wanted(all, row_of(cost::model_kind::plogp).wants).size() / 4);
}

}  // namespace
