#include <skel/detail/platform/reduction_model.hpp>

#include <random>
#include <string>

#include <gmock/gmock.h>

#include <skel/detail/base/error.hpp>

namespace {

namespace platform = skel::platform;
using testing::StartsWith;

platform::fitted_errors some_errors(double mean) {
  return {{mean, 2 * mean}, {0.25, 0.125, 0.125, 0.5}, {0.5 * mean, mean}, {0.0625, 1}, 0.03125};
}

platform::reduction_model some_model() {
  platform::reduction_model model;
  model.machine = "a \"quoted\" machine";
  model.date = "2026-11-21T20:00:00Z";
  model.compiler = "GNU 12.2.0";
  model.threads = 8;
  model.caches = {32768, 1 << 20, 3e7};
  model.algorithms = {"repbuf", "atomic"};
  model.fits = {
      {2, 44, {{"update", 1e-9}, {"phase", 1.0 / 3}}, some_errors(0.5), some_errors(0.25), some_errors(-0.125)},
      {16, 90, {{"update", 0}}, some_errors(-1), some_errors(0), some_errors(0.75)}};
  model.reading = {4e-6, 6e-6, 1e-5, 3e-9};
  return model;
}

TEST(ReductionModel, ReadsBackAsItWas) {
  auto const model = some_model();
  EXPECT_EQ(platform::parse_reduction_model(to_text(model), "m.json"), model);
  auto less = model;
  less.algorithms.clear(), less.fits.resize(1);
  less.fits[0] = {};
  for (auto* errors : {&less.fits[0].by_sizes, &less.fits[0].sampled, &less.fits[0].counted}) errors->noise = 1;
  EXPECT_EQ(platform::parse_reduction_model(to_text(less), "m.json"), less);
}

TEST(ReductionModel, IsRoundedToWhatIsWorthKeeping) {
  auto model = some_model();
  model.fits[0].seconds["update"] = 1.23456789e-9;
  model.fits[1].sampled.covariance[3] = 0.123456;
  model.fits[1].counted.noise = 0.98765432;
  model.reading.count = 1.11111e-8;
  auto const less = platform::rounded(model);
  EXPECT_EQ(less.fits[0].seconds.at("update"), 1.235e-9);
  EXPECT_EQ(less.fits[0].seconds.at("phase"), 0.3333);
  EXPECT_EQ(less.fits[1].sampled.covariance[3], 0.1235);
  EXPECT_EQ(less.fits[1].counted.noise, 0.9877);
  EXPECT_EQ(less.reading.count, 1.111e-8);
  EXPECT_EQ(less.caches, model.caches) << "bytes are bytes";
  EXPECT_EQ(platform::rounded(less), less);
  EXPECT_EQ(platform::parse_reduction_model(to_text(less), "m.json"), less);
}

TEST(ReductionModel, ErrorsThatAlwaysGoTogetherAreReadBackAlsoWhenTheyAreRounded) {
  auto model = some_model();
  std::mt19937_64 dice(3);
  std::uniform_real_distribution<> size(1, 1.01);  // where a digit is most of a number
  for (int turn = 0; turn < 3000; ++turn) {
    double const one = size(dice), other = size(dice);
    model.fits[0].counted.covariance = {one * one, one * other, one * other, other * other};
    auto const less = platform::rounded(model);
    ASSERT_NO_THROW(static_cast<void>(platform::parse_reduction_model(to_text(less), "m.json"))) << one << ' ' << other;
  }
}

TEST(ReductionModel, RefusesWhatIsWrongAndSaysWhere) {
  std::string const text = to_text(some_model());
  struct wrong {
    std::string old, now, message;
  };
  for (wrong const& one :
       {wrong{"\"skel_reduction_model\": 3", "\"skel_reduction_model\": 2",
              "skel_reduction_model: is 2; the only version that is known is 3; train anew (skel train)"},
        {"\"skel_reduction_model\": 3,", "", "skel_reduction_model: is missing"},
        {"\"threads\": 8", "\"threads\": -8", "threads: "},
        {"\"machine\": ", "\"machin\": ", "machin: unknown key; did you mean 'machine'?"},
        {"[32768.0,1048576.0,30000000.0]", "[32768.0]", "caches: must have three"},
        {"30000000.0]", "-1]", "caches[2]: is negative"},
        {"\"decision\":4e-06", "\"decision\":-1", "reading.decision: is negative"},
        {"\"sample\":6e-06,", "", "reading.sample: is missing"},
        {"\"count\":", "\"cunt\":", "reading.cunt: unknown key; did you mean 'count'?"},
        {"[\"repbuf\",\"atomic\"]", "[\"repbuf\"]", "fits[0].errors.by_sizes.mean: must have 1 numbers"},
        {"[\"repbuf\",\"atomic\"]", "[\"repbuf\",7]", "algorithms[1]: "},
        {"\"most_parts\":2", "\"most_parts\":2.5", "fits[0].most_parts: "},
        {"\"most_parts\":2", "\"most_parts\":17", "fits: must be in the order of most_parts"},
        {"\"patterns\":90,", "", "fits[1].patterns: is missing"},
        {"\"update\":1e-09", "\"update\":null", "fits[0].seconds.update: "},
        {"\"update\":1e-09", "\"update\":-1", "fits[0].seconds.update: is negative"},
        {"\"seconds\":{\"phase\"", "\"seconds\":7,\"x_phase\":{\"phase\"", "fits[0].seconds: "},
        {"\"by_sizes\":", "\"by_size\":", "fits[0].errors.by_size: unknown key; did you mean 'by_sizes'?"},
        {"[0.5,1.0]", "[0.5,1.0,2.0]",
         "fits[0].errors.by_sizes.mean: must have 2 numbers for the algorithms, and has 3"},
        {"[0.25,0.125,", "[0.25,", "fits[0].errors.by_sizes.covariance: must have 4 numbers"},
        {"[0.25,0.125,", "[0.25,0.1,", "fits[0].errors.by_sizes.covariance: is not symmetric"},
        {"[0.25,0.125,0.125,0.5]", "[0.25,2.0,2.0,0.5]",
         "fits[0].errors.by_sizes.covariance: has a covariance that is greater"},
        {"[0.25,0.125,", "[-0.25,0.125,", "fits[0].errors.by_sizes.covariance: has a negative variance"},
        {"[0.0625,1.0]", "[-0.0625,1.0]", "fits[0].errors.by_sizes.first_deviation: has a negative deviation"},
        {"\"noise\":0.03125", "\"noise\":-1", "fits[0].errors.by_sizes.noise: is negative"},
        {"\"noise\":0.03125", "\"noise\":0", "fits[0].errors.by_sizes.noise: is 0"},
        {"\"noise\":0.03125", "\"noise\":1e-200", "fits[0].errors.by_sizes.noise: is 0"},
        {"\"fits\": [", "\"fits\": [], \"x_fits\": [", "fits: is empty; train anew"},
        {"\"fits\": [", "\"fits\": [[", "line "}}) {
    std::string changed = text;
    std::size_t const at = changed.find(one.old);
    ASSERT_NE(at, std::string::npos) << one.old << " in\n" << text;
    changed.replace(at, one.old.size(), one.now);
    try {
      static_cast<void>(platform::parse_reduction_model(changed, "m.json"));
      ADD_FAILURE() << "accepted what should say: " << one.message;
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

TEST(ReductionModel, AFileThatIsNotThereIsRefused) {
  EXPECT_THROW(static_cast<void>(platform::read_reduction_model("/no/such/model.json")), skel::input_error);
}

TEST(ReductionModel, ThisProcessorHasANameAndAThread) {
  auto const here = platform::this_processor();
  EXPECT_FALSE(here.name.empty());
  EXPECT_GE(here.threads, 1u);
}

}  // namespace
