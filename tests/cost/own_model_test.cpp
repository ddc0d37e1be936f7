// A model of a test's own: its row is all that it takes to be named, fitted and read, and to be tested like all others
// (communication_test.cpp and fit_test.cpp run all rows).
#include <gmock/gmock.h>

#include <skel/detail/cost/communication/fit.hpp>

#include "support/registry_laws.hpp"

namespace {

namespace cost = skel::cost;
namespace platform = skel::platform;
using skel::record::probe_sample;

/// Hockney's parameters, in a block of its own.
struct own_parameters {
  double start = 0, each = 0;
  static constexpr char const* block = "x_own";
  SKEL_FIELDS(start, each);
};

cost::sourced_model make_own(cost::parameter_place const& at) {
  if (auto const own = platform::read_block<own_parameters>(at.blocks, at.source, at.where))
    return {cost::hockney({.alpha = own->start, .beta = own->each}), own_parameters::block};
  return {cost::hockney(cost::to_hockney(at.path)), "latency and bandwidth"};
}

cost::fitted_block fit_own(std::span<probe_sample const> samples, double) {
  auto const [found, residual, used] = cost::fit_hockney(samples);
  return {platform::to_block(own_parameters{found.alpha, found.beta}), residual};
}

bool const is_added = [] {
  cost::message_models().add({own_parameters::block,
                              "A start-up time and a time per byte.",
                              make_own,
                              {.transfers = skel::record::probe_sizes::two},
                              fit_own});
  return true;
}();

TEST(OwnModel, IsFoundByItsName) {
  ASSERT_TRUE(is_added);
  check_registry(cost::message_models());
  check_documented(cost::message_models(), "formats.md");
  auto const kind = static_cast<cost::model_kind>(cost::message_models().at("x_own"));
  EXPECT_EQ(name_of(kind), "x_own");
  platform::description const machine(
      0, {{.name = "c", .hosts = 2, .parameters = {{"x_own", R"({"start": 3, "each": 0.5})"}}}}, {});
  auto const made = make_model(kind, machine, 0);
  EXPECT_EQ(made.from, "x_own");
  EXPECT_EQ(std::get<cost::hockney>(made.model).transfer({.bytes = 4}), 5);
}

}  // namespace
