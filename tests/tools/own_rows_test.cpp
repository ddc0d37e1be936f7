// The command with rows of its own (own_rows.cpp): help, parsing and refusals know them.
#include <gmock/gmock.h>

#include "command.hpp"

namespace {

using skel::testing_tools::run;
using testing::AllOf;
using testing::HasSubstr;

using OwnRows = skel::testing_tools::FolderTest;

TEST_F(OwnRows, OfVerbsAreCalledAndExplained) {
  EXPECT_EQ(run({SKEL_OWN_ROWS, "greet"}).out, "good morning\n");
  EXPECT_THAT(run({SKEL_OWN_ROWS, "--help"}).out, HasSubstr("\n  greet "));
  EXPECT_THAT(run({SKEL_OWN_ROWS, "help", "greet"}).out, HasSubstr("Greets."));
  EXPECT_THAT(run({SKEL_OWN_ROWS, "gret"}).err, HasSubstr("did you mean 'greet'?"));
}

TEST_F(OwnRows, OfPoliciesAreTakenAndExplained) {
  std::string const scenario = file("scenario.json", R"({
    "skel_bsp": 1,
    "platform": {"skel_platform": 1, "clusters": [{"name": "L", "hosts": 2, "speed": 1e8, "latency": 1e-4, "bandwidth": 1e8}]},
    "mapping": ["L-0", "L-1"],
    "workload": {"kind": "wavefront", "order": 2, "first": 1e6, "last": 1e9},
    "policy": {"name": "stay_there"}})");
  auto const found = run({SKEL_OWN_ROWS, "bsp", scenario, "--json"});
  EXPECT_EQ(found.status, 0) << found.err;
  EXPECT_THAT(run({SKEL_OWN_ROWS, "help", "bsp"}).out, HasSubstr("  stay_there       Stays there.\n"));
  EXPECT_THAT(run({SKEL_OWN_ROWS, "bsp", scenario, "--policy", "stay_ther"}).err,
              HasSubstr("--policy: 'stay_ther' is no policy; did you mean 'stay_there'?"));
}

TEST_F(OwnRows, OfFormatsAreReadAndExplained) {
  auto const found = run({SKEL_OWN_ROWS, "pattern", file("a.two", "\n"), "--threads", "1", "--json"});
  EXPECT_EQ(found.json()["features"]["N"], 2) << found.err;
  EXPECT_THAT(run({SKEL_OWN_ROWS, "help", "pattern"}).out,
              HasSubstr("  two              Two nodes that are joined.\n"));
  EXPECT_THAT(run({SKEL_OWN_ROWS, "pattern", file("a", "\n"), "--format", "tow"}).err,
              HasSubstr("--format: 'tow' is no format; did you mean 'two'?"));
}

TEST_F(OwnRows, OfModelsAndAlgorithmsArePricedAndListed) {
  std::string const platform = file("grid.json", R"({"skel_platform": 1, "clusters": [
    {"name": "L", "hosts": 3, "speed": 1e8, "latency": 1e-4, "bandwidth": 1e8}]})");
  auto const price = [&](std::string const& algorithm, std::string const& model) {
    return run(
        {SKEL_OWN_ROWS, "price", platform, "--algorithm", algorithm, "--model", model, "--bytes", "8", "--json"});
  };
  EXPECT_EQ(price("own_chain", "x_constant").json()["predicted"], 4);
  EXPECT_THAT(price("own_chian", "x_constant").err, HasSubstr("did you mean 'own_chain'?"));
  EXPECT_THAT(price("own_chain", "x_constan").err, HasSubstr("did you mean 'x_constant'?"));
  EXPECT_THAT(run({SKEL_OWN_ROWS, "price", "--list"}).out,
              AllOf(HasSubstr(" own_chain"), HasSubstr("  x_constant       A message takes two seconds.\n")));
}

}  // namespace
