#include <string>

#include <gmock/gmock.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/platform/reduction_model.hpp>

namespace {

namespace platform = skel::platform;
using testing::StartsWith;

platform::reduction_model some_model() {
  platform::reduction_model model;
  model.machine = "a \"quoted\" machine";
  model.date = "2026-11-21T20:00:00Z";
  model.compiler = "GNU 12.2.0";
  model.threads = 8;
  model.caches[0] = 32768, model.caches[1] = 1 << 20, model.caches[2] = 3e7;
  model.samples = 1200, model.seconds = 3600.5, model.spread = 0.013;
  platform::regression_tree const tree{{{3, 0.25, 2}, {-1, 0, 0}, {-1, 0, 2}}, {-1.5, 2, 0.5, 7}};
  platform::fitted_time const sums{{{"start", 1e-6}, {"updates", 1.0 / 3}}, 0.25}, none{{}, 0};
  model.kinds = {{"boosted", {{"repbuf", sums, none}, {"atomic", none, sums, sums}}, {{}, {tree, tree}}, {{tree}, {}}},
                 {"tree", {}}};
  model.kinds[0].glanced.setup = {tree};
  model.kinds[0].errors[1][2] = {{0.25, 0.125, 0.125, 0.5}, 0.03125};
  platform::regression_tree const rule{{{2, 0.5, 2}, {-1, 0, 0}, {-1, 0, 3}}, {0, 0.25, 0.5, 0, 0.125, 0.5}};
  model.rules = {{"lazy"}, {rule}, {rule, rule}, {}};
  model.deciding = {4e-6, 2.5e-5, 3e-9};
  return model;
}

TEST(ReductionModel, ReadsBackAsItWas) {
  auto const model = some_model();
  EXPECT_EQ(platform::parse_reduction_model(to_text(model), "m.json"), model);
  EXPECT_EQ(platform::parse_reduction_model(to_text(platform::reduction_model{}), "m.json"),
            platform::reduction_model{});
}

TEST(ReductionModel, ReadsFilesThatWereWrittenBeforeLooksWereMeasured) {
  auto model = some_model();
  std::string text = to_text(model);
  std::string const look = ",\"look\":3e-09";
  auto const at = text.find(look);
  ASSERT_NE(at, std::string::npos);
  model.deciding.look = 0;
  EXPECT_EQ(platform::parse_reduction_model(text.erase(at, look.size()), "m.json"), model);
}

TEST(ReductionModel, ReadsFilesThatWereWrittenBeforeSetupsWithBuffersWereFitted) {
  auto model = some_model();
  std::string text = to_text(model);
  auto const at = text.find(",\"again\":"), end = text.find("}],", at);
  ASSERT_NE(at, std::string::npos);
  model.kinds[0].algorithms[1].again = {};
  EXPECT_EQ(platform::parse_reduction_model(text.erase(at, end - at), "m.json"), model);
}

TEST(ReductionModel, IsRoundedToWhatIsWorthKeeping) {
  auto model = some_model();
  model.kinds[0].seen.run[0].leaves[1] = 1.23456789;
  model.kinds[0].seen.run[0].nodes[0].threshold = 1.23456789;
  auto const less = platform::rounded(model);
  EXPECT_EQ(less.kinds[0].seen.run[0].leaves[1], 1.235);
  EXPECT_EQ(less.kinds[0].seen.run[0].nodes[0].threshold, 1.2346);
  EXPECT_NEAR(less.kinds[0].algorithms[0].setup.terms[1].second, 1.0 / 3, 1e-12);
  EXPECT_EQ(platform::rounded(less), less);
  EXPECT_EQ(platform::parse_reduction_model(to_text(less), "m.json"), less);
}

TEST(ReductionModel, RefusesWhatIsWrongAndSaysWhere) {
  std::string const text = to_text(some_model());
  struct wrong {
    std::string old, now, message;
  };
  std::string const tree = "kinds[0].seen.run[0]";
  for (wrong const& one :
       {wrong{"\"skel_reduction_model\": 2", "\"skel_reduction_model\": 1",
              "skel_reduction_model: is 1; the only version that is known is 2; train anew"},
        {"\"skel_reduction_model\": 2,", "", "skel_reduction_model: is missing"},
        {"\"threads\": 8", "\"threads\": -8", "threads: "},
        {"\"again\":{\"terms\":{\"start\":1e-06,\"updates\":0.3333333333333333}", "\"again\":{\"terms\":{}",
         "kinds[0].algorithms[1].again: has no terms; leave it out"},
        {"\"machine\": ", "\"machin\": ", "machin: unknown key; did you mean 'machine'?"},
        {"[32768.0,1048576.0,30000000.0]", "[32768.0]", "caches: must have three"},
        {"30000000.0]", "-1]", "caches[2]: is negative"},
        {"\"spread\": 0.013", "\"spread\": \"much\"", "spread: "},
        {"\"name\": \"tree\"", "\"nome\": \"tree\"", "kinds[1].nome: unknown key"},
        {"\"algorithm\":\"repbuf\",", "", "kinds[0].algorithms[0].algorithm: is missing"},
        {"\"start\":1e-06", "\"start\":null", "kinds[0].algorithms[0].setup.terms.start: "},
        {"\"residual\":0.25", "\"residual\":-0.25", "kinds[0].algorithms[0].setup.residual: is negative"},
        {"\"feature\":[3,-1,-1]", "\"feature\":[3,-1]", tree + ": the arrays of its nodes must have the same length"},
        {"\"feature\":[3,-1,-1]", "\"feature\":[0.5,-1,-1]", tree + ".feature[0]: is not the number of a feature"},
        {"\"feature\":[3,-1,-1]", "\"feature\":[3,-1,3]", tree + ".feature[2]: tests something, but no node follows"},
        {"\"next\":[2,0,2]", "\"next\":[1,0,2]", tree + ".next[0]: is not the number of a node behind"},
        {"\"next\":[2,0,2]", "\"next\":[3,0,2]", tree + ".next[0]: is not the number of a node behind"},
        {"\"next\":[2,0,2]", "\"next\":[2,0,1]", tree + ".next[2]: is not the place of this leaf's numbers"},
        {"\"name\": \"tree\", \"algorithms\": [],\n\"seen\": {\"setup\":[]",
         "\"name\": \"tree\", \"algorithms\": [],\n\"seen\": "
         "{\"setup\":[{\"feature\":[-1],\"threshold\":[0],\"next\":[0],\"leaves\":[]}]",
         "kinds[1].seen.setup[0]: is a tree of a kind without algorithms"},
        {"[0.25,0.125,", "[0.25,0.1,", "kinds[0].errors.virtual.full.covariance: is not symmetric"},
        {"[0.25,0.125,0.125,0.5]", "[0.25,2.0,2.0,0.5]",
         "kinds[0].errors.virtual.full.covariance: has a covariance that is greater"},
        {"[0.25,0.125,", "[-0.25,0.125,", "kinds[0].errors.virtual.full.covariance: has a negative variance"},
        {"[0.25,0.125,", "[0.25,",
         "kinds[0].errors.virtual.full.covariance: must have a number for each two algorithms, 4"},
        {"\"noise\":0.03125", "\"noise\":-1", "kinds[0].errors.virtual.full.noise: is negative"},
        {"\"virtual\":", "\"vertical\":", "kinds[0].errors.vertical: unknown key"},
        {"{\"algorithms\":[\"lazy\"],", "{\"algorithms\":[],",
         "rules.sizes[0].next[2]: is not the place of this leaf's numbers"},
        {"\"glance\":4e-06", "\"glance\":-1", "deciding.glance: is negative"},
        {"\"rules\": ", "\"rulers\": ", "rulers: unknown key; did you mean 'rules'?"},
        {",0.5,7.0]", "]", tree + ".leaves: must have a number for each leaf and algorithm, 4 in all"},
        {"\"kinds\": [", "\"kinds\": [[", "line "}}) {
    std::string changed = text;
    std::size_t const at = changed.find(one.old);
    ASSERT_NE(at, std::string::npos) << one.old << " in\n" << text;
    changed.replace(at, one.old.size(), one.now);
    try {
      static_cast<void>(platform::parse_reduction_model(changed, "m.json"));
      FAIL() << "accepted what should say: " << one.message;
    } catch (skel::input_error const& refused) {
      EXPECT_THAT(refused.what(), StartsWith("m.json: " + one.message));
    }
  }
}

TEST(ReductionModel, AFileThatIsCutAnywhereIsRefused) {
  std::string const text = to_text(some_model());
  for (std::size_t size = 0; size + 2 < text.size(); ++size)
    EXPECT_THROW(static_cast<void>(platform::parse_reduction_model(text.substr(0, size), "m.json")), skel::input_error)
        << size;
}

TEST(ReductionModel, ThisProcessorHasANameAndAThread) {
  auto const here = platform::this_processor();
  EXPECT_FALSE(here.name.empty());
  EXPECT_GE(here.threads, 1U);
}

}  // namespace
