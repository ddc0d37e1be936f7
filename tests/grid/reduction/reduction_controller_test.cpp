#include <skel/detail/grid/reduction_controller.hpp>

#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/cost/reduction/predictor.hpp>
#include <skel/detail/pattern/pattern.hpp>
#include <skel/detail/platform/host_load.hpp>
#include <skel/detail/platform/kept_files.hpp>

#include "reduction/chosen_reduction_model.hpp"
#include "support/planted_reductions.hpp"

namespace {

using namespace skel;
using enum plan::reduction_algorithm;
using testing::AllOf;
using testing::HasSubstr;
using tests::planted_model;
using tests::planted_times;

namespace fs = std::filesystem;

constexpr plan::reduction_set only(std::initializer_list<plan::reduction_algorithm> algorithms) {
  plan::reduction_set set = 0;
  for (auto const one : algorithms) set |= plan::set_of(one);
  return set;
}

/// A folder for model files, which is the user's cache folder meanwhile.
class ReductionController : public testing::Test {
 protected:
  ReductionController() {
    std::string pattern = (fs::temp_directory_path() / "skel_models_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    if (char const* const cache = getenv("XDG_CACHE_HOME")) cache_ = cache;
    setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  }
  ~ReductionController() override {
    if (cache_.empty())
      unsetenv("XDG_CACHE_HOME");
    else
      setenv("XDG_CACHE_HOME", cache_.c_str(), 1);
    fs::remove_all(folder_);
  }

  std::string keep(platform::reduction_model const& model, std::string const& name = "model.json") {
    fs::path const file = folder_ / name;
    platform::write_file(file, platform::to_text(model));
    return file.string();
  }

  /// A controller of two threads whose model is planted, or of other settings.
  reduction_controller planted(planted_times const& times, reduction_settings settings = {}) {
    if (settings.threads == 0) settings.threads = 2;
    settings.model_file = keep(planted_model(times));
    return reduction_controller(settings);
  }

  fs::path folder_;
  std::string cache_;
};

pattern some_pattern(unsigned seed, std::size_t elements = 1000) {
  return make_pattern({elements, 4, 2, 2, 0.8, 3, 0.5, 0.1}, seed);
}

/// Runs by the controller's word: an execution takes what was planted, a setup too. Returns what was run.
std::vector<plan::reduction_algorithm> execute(reduction_controller& controller, pattern const& of,
                                               plan::reduction_set legal, planted_times const& times,
                                               std::size_t count) {
  std::vector<plan::reduction_algorithm> run;
  for (std::size_t use = 0; use < count; ++use) {
    auto const step = controller.before(of, 8, legal);
    if (step.prepare) {
      EXPECT_TRUE(controller.prepared(times.at(step.algorithm).setup, 0));
    }
    controller.after(times.at(step.algorithm).run);
    run.push_back(step.algorithm);
  }
  return run;
}

/// One that needs no setup, and one that pays after 11 executions. So long that deciding takes nothing beside it.
constexpr double hours = 3600;
planted_times const rented_and_bought{{sequential, {0, 1 * hours}}, {local_write, {10 * hours, 0.1 * hours}}};
constexpr auto both = only({sequential, local_write});

TEST_F(ReductionController, DecidesAgainOnlyAfterOneTwoFourExecutions) {
  auto controller = planted(rented_and_bought, {.expected_uses = 100});
  auto const of = some_pattern(1);
  std::size_t prepared = 0;
  for (int use = 0; use < 100; ++use) {
    auto const step = controller.before(of, 8, both);
    EXPECT_EQ(step.algorithm, local_write);
    prepared += step.prepare;
    if (step.prepare) controller.prepared(10 * hours, 0);
    controller.after(0.1 * hours);
  }
  EXPECT_EQ(prepared, 1u);
  EXPECT_EQ(controller.report().decisions, 8u);  // and after 1, 2, 4, 8, 16, 32, 64
  EXPECT_EQ(controller.report().switches, 0u);
  EXPECT_EQ(controller.report().phases, 1u);
}

TEST_F(ReductionController, IsNotToldOfExecutionsThatTouchMemoryFirst) {
  // The first execution takes a hundred times as long as those to come.
  auto const expected_after = [&](std::size_t bytes) {
    reduction_controller controller(
        {.threads = 2, .expected_uses = 100, .model_file = keep(planted_model(rented_and_bought, 0.5))});
    auto const of = some_pattern(1);
    EXPECT_EQ(controller.before(of, 8, both).algorithm, local_write);
    controller.prepared(10 * hours, bytes);
    controller.after(10 * hours);
    controller.before(of, 8, both);
    for (auto const& one : controller.report().decision.candidates)
      if (one.algorithm == local_write) return one.run / hours;
    return 0.0;
  };
  EXPECT_NEAR(expected_after(1000), 0.1 * std::exp(0.5 * 0.5 / 2), 1e-9);
  EXPECT_GT(expected_after(0), 0.3) << "what keeps no memory has no such excuse";
}

TEST_F(ReductionController, DoesNotReviewWhatHasNoAlternative) {
  auto controller = planted(rented_and_bought);
  execute(controller, some_pattern(1), only({sequential}), rented_and_bought, 50);
  EXPECT_EQ(controller.report().decisions, 1u);
}

TEST_F(ReductionController, RentsUntilBuyingWouldHavePaid) {
  auto controller = planted(rented_and_bought);
  auto const run = execute(controller, some_pattern(1), both, rented_and_bought, 64);
  // 8 more executions do not pay for a setup of 10, 16 do: 16 + 10 + 48 / 10, where 10 + 64 / 10 was possible
  for (std::size_t use = 0; use < 64; ++use) EXPECT_EQ(run[use], use < 16 ? sequential : local_write) << use;
  EXPECT_EQ(controller.report().switches, 1u);
  EXPECT_DOUBLE_EQ(controller.report().preparing, 10 * hours);
  EXPECT_NEAR(controller.report().running, (16 + 4.8) * hours, 1e-6);
}

TEST_F(ReductionController, NeverPaysThriceWhatKnowingTheNumberOfExecutionsWouldHaveCost) {
  // Renting doubles until it has cost half of the setup at the least: 2 for the last doubling, 1 for the setup.
  for (double const setup : {0.5, 3.0, 10.0, 77.0}) {
    planted_times const times{{sequential, {0, 1 * hours}}, {local_write, {setup * hours, 0.1 * hours}}};
    for (std::size_t const uses : {1u, 2u, 5u, 11u, 17u, 40u, 100u, 300u}) {
      auto controller = planted(times);
      execute(controller, some_pattern(1), both, times, uses);
      double const n = static_cast<double>(uses), best = std::min(n, setup + 0.1 * n);
      EXPECT_LE(controller.report().preparing + controller.report().running, (3 * best + 1e-9) * hours)
          << setup << ", " << uses;
    }
  }
}

TEST_F(ReductionController, BuysAtOnceWhereTheUserSaysHowOftenAPatternIsUsed) {
  auto controller = planted(rented_and_bought, {.expected_uses = 50});
  EXPECT_EQ(execute(controller, some_pattern(1), both, rented_and_bought, 1).front(), local_write);
}

TEST_F(ReductionController, ExpectsThePhasesThatWereBefore) {
  auto controller = planted(rented_and_bought);
  std::vector<double> expected;
  unsigned seed = 0;
  for (std::size_t const uses : {3u, 5u, 100u, 40u, 60u}) {
    execute(controller, some_pattern(++seed), both, rented_and_bought, uses);
    expected.push_back(controller.report().expected_uses);
  }
  EXPECT_THAT(expected, testing::ElementsAre(1, 3, 4, 5, 22.5));  // medians
  EXPECT_EQ(execute(controller, some_pattern(++seed), both, rented_and_bought, 1).front(), local_write);
  EXPECT_EQ(controller.report().expected_uses, 40);
}

TEST_F(ReductionController, BeginsAPhaseWithEveryVersionAndWidthOfValues) {
  auto controller = planted(rented_and_bought);
  auto of = some_pattern(1);
  auto const phase = [&](pattern const& now, double bytes) {
    auto const step = controller.before(now, bytes, both);
    if (step.prepare) controller.prepared(0, 0);
    controller.after(1);
    return controller.report().phases;
  };
  EXPECT_EQ(phase(of, 8), 1u);
  EXPECT_EQ(phase(of, 8), 1u);
  pattern const copy = of;
  EXPECT_EQ(phase(copy, 8), 1u);
  EXPECT_EQ(phase(of, 24), 2u);
  of.change([](pattern::editor& pen) { pen.set(0, 0, 1); });
  EXPECT_EQ(phase(of, 24), 3u);
  EXPECT_EQ(phase(copy, 24), 4u);
  controller.renew();
  EXPECT_EQ(phase(copy, 24), 5u);
}

TEST_F(ReductionController, DoesNotLookWhereThereIsNothingToChoose) {
  auto controller = planted(rented_and_bought, {.expected_uses = 1e6});
  controller.before(some_pattern(1), 8, only({sequential}));
  EXPECT_EQ(controller.report().subscripts_read, 0u);
  EXPECT_EQ(controller.report().reading, 0);
}

TEST_F(ReductionController, PreparesNothingTwiceWhileItTriesAndKeepsOnlyWhatItSettledOn) {
  planted_times const predicted{{sequential, {0, 1 * hours}},
                                {replicated_buffer, {0.1 * hours, 0.9 * hours}},
                                {local_write, {0.1 * hours, 0.8 * hours}},
                                {atomic, {0, 0.7 * hours}}};
  auto const legal = only({sequential, replicated_buffer, local_write, atomic});
  for (double const cap : {0.0, 1e9}) {
    reduction_settings settings{.threads = 2, .expected_uses = 500};
    if (cap > 0) settings.memory_cap = static_cast<std::size_t>(cap);
    settings.model_file = keep(planted_model(predicted, 0.5));  // which says of itself that it errs
    reduction_controller controller(settings);
    auto const of = some_pattern(1);
    plan::reduction_set held = 0;
    std::size_t most = 0, trials = 0;
    for (int use = 0; use < 500; ++use) {
      auto const step = controller.before(of, 8, legal);
      auto const mine = only({step.algorithm});
      if (step.alone) held &= mine;
      EXPECT_EQ(step.prepare, (held & mine) == 0) << use;
      if (step.prepare) controller.prepared(0.1 * hours, 8);
      held |= mine;
      most = std::max<std::size_t>(most, static_cast<std::size_t>(std::popcount(held)));
      trials += controller.report().decision.reason == "trial";
      controller.after(predicted.at(step.algorithm).run * (step.algorithm == replicated_buffer ? 0.5 : 2));
    }
    EXPECT_GT(trials, 0u);
    EXPECT_EQ(most > 1, cap == 0);
    EXPECT_EQ(std::popcount(held), 1);
    EXPECT_EQ(held, only({replicated_buffer}));
  }
}

TEST_F(ReductionController, TakesAnotherAlgorithmWhereAPlanKeepsMoreThanTheCap) {
  planted_times const times{{sequential, {0, 1}}, {selective_privates, {0, 0.1}}};
  auto controller = planted(times, {.memory_cap = 1 << 20});
  auto const of = some_pattern(1);
  auto const legal = only({sequential, selective_privates});
  ASSERT_EQ(controller.before(of, 8, legal).algorithm, selective_privates);
  EXPECT_FALSE(controller.prepared(0.1, (1 << 20) + 1));
  EXPECT_EQ(controller.report().decision.algorithm, sequential);
  EXPECT_TRUE(controller.prepared(0.1, 0));
  controller.after(1);
  EXPECT_EQ(controller.before(of, 8, legal).algorithm, sequential);
}

TEST_F(ReductionController, RefusesAsOftenAsItIsAskedWhereThePlanOfTheOnlyAlgorithmKeepsTooMuch) {
  planted_times const times{{selective_privates, {0, 0.1}}};
  auto controller = planted(times, {.memory_cap = 1 << 20, .forced = selective_privates});
  auto const of = some_pattern(1);
  for (int turn = 0; turn < 3; ++turn) {
    ASSERT_EQ(controller.before(of, 8, only({sequential, selective_privates})).algorithm, selective_privates);
    EXPECT_THROW(controller.prepared(0.1, (1 << 20) + 1), error);
  }
}

TEST_F(ReductionController, CountsAUseOnceWhereAPlanKeepsMoreThanTheCap) {
  planted_times const times{{sequential, {0, 1}}, {selective_privates, {0, 0.1}}};
  auto controller = planted(times, {.memory_cap = 1 << 20});
  auto const legal = only({sequential, selective_privates});
  controller.before(some_pattern(1), 8, legal);
  controller.prepared(0.1, (1 << 20) + 1);
  controller.after(1);
  execute(controller, some_pattern(2), only({sequential}), times, 1);
  EXPECT_EQ(controller.report().expected_uses, 1) << "of the phase before";
}

TEST_F(ReductionController, SaysWhetherThePatternWasRead) {
  auto controller = planted(rented_and_bought);
  controller.before(some_pattern(1), 8, only({sequential}));
  std::ostringstream text;
  text << controller.report();
  EXPECT_THAT(text.str(), HasSubstr("pattern    not read"));
}

TEST_F(ReductionController, RefusesAPhaseAsOftenAsItIsAskedFor) {
  planted_times const times{{sequential, {0, 1}}, {replicated_buffer, {0, 0.1}}};
  auto controller = planted(times, {.memory_cap = 10});
  execute(controller, some_pattern(1), only({sequential}), times, 3);
  auto const of = some_pattern(2);
  for (int turn = 0; turn < 2; ++turn) EXPECT_THROW(controller.before(of, 8, only({replicated_buffer})), error);
  EXPECT_EQ(controller.report().phases, 1u);
  auto const step = controller.before(of, 8, only({sequential}));
  EXPECT_TRUE(step.prepare);
  EXPECT_EQ(controller.report().phases, 2u);
}

TEST_F(ReductionController, CountsWhatItDid) {
  auto controller = planted(rented_and_bought, {.expected_uses = 30});
  execute(controller, some_pattern(1), both, rented_and_bought, 4);
  execute(controller, some_pattern(2), both, rented_and_bought, 3);
  auto const& report = controller.report();
  EXPECT_EQ(report.phases, 2u);
  EXPECT_EQ(report.executions, 7u);
  EXPECT_EQ(report.uses, 3u);
  EXPECT_DOUBLE_EQ(report.preparing, 20 * hours);
  EXPECT_NEAR(report.running, 0.7 * hours, 1e-9);
  EXPECT_DOUBLE_EQ(report.last, 0.1 * hours);
  EXPECT_DOUBLE_EQ(report.total(), report.reading + report.deciding + report.preparing + report.running);
  EXPECT_EQ(report.decisions, 6u);  // in each phase one before it, one after 1 execution and one after 2
}

TEST_F(ReductionController, ReadsOnlyAsMuchOfAPatternAsPays) {
  // Predictions by sizes are off by e, by a sample by e^0.5, by counted features hardly.
  planted_times const times{{sequential, {0, 1}}, {replicated_buffer, {0, 0.9}}};
  auto model = planted_model(times, 1);
  auto& fit = model.fits.front();
  for (double& one : fit.sampled.covariance) one /= 4;
  for (double& one : fit.counted.covariance) one /= 100;
  model.reading = {.decision = 0, .sample = 0.2, .start = 1000, .count = 0};
  auto const of = some_pattern(1, 20000);
  std::vector<std::size_t> read;
  for (double const uses : {0.1, 10.0, 1e6}) {
    reduction_controller controller({.threads = 2, .expected_uses = uses, .model_file = keep(model)});
    controller.before(of, 8, only({sequential, replicated_buffer}));
    auto const& report = controller.report();
    read.push_back(report.subscripts_read);
    EXPECT_EQ(report.subscripts_read > 0, report.reading > 0) << uses;
    EXPECT_EQ(report.subscripts_read > 0, report.features.mixing > 0) << uses << ": what only reading tells";
  }
  EXPECT_EQ(read[0], 0u);
  EXPECT_GT(read[1], 0u);
  EXPECT_LT(read[1], 1000u);
  EXPECT_EQ(read[2], of.subscripts());
}

TEST_F(ReductionController, ReadsMoreOfAPatternWhosePhaseIsLongerThanExpected) {
  planted_times const times{{sequential, {0, 1}}, {replicated_buffer, {0, 0.9}}};
  auto model = planted_model(times, 1);
  for (double& one : model.fits.front().counted.covariance) one /= 100;
  model.reading = {.decision = 0, .sample = 1e9, .start = 10, .count = 0};
  reduction_controller controller({.threads = 2, .expected_uses = 1, .model_file = keep(model)});
  auto const of = some_pattern(1, 20000);
  execute(controller, of, only({sequential, replicated_buffer}), times, 1);
  EXPECT_EQ(controller.report().subscripts_read, 0u);
  execute(controller, of, only({sequential, replicated_buffer}), times, 5000);
  EXPECT_EQ(controller.report().subscripts_read, of.subscripts());
}

TEST_F(ReductionController, ChargesBuffersOnlyWhereTheyAreNotThere) {
  reduction_controller controller({.threads = 2,
                                   .expected_uses = 30,
                                   .forced = replicated_buffer,
                                   .model_file = keep(cost::default_reduction_model())});
  unsigned seed = 0;
  auto const entry = [&](std::size_t elements) {
    auto const step = controller.before(some_pattern(++seed, elements), 8, only({sequential, replicated_buffer}));
    double const charged = controller.report().decision.candidates.front().entry;
    if (step.prepare) controller.prepared(1e-6, elements * 8);
    controller.after(1e-6);
    return charged;
  };
  double const bought = entry(10000);
  EXPECT_GT(bought, 0);
  EXPECT_LT(entry(9000), bought / 2);
  EXPECT_LT(entry(10000), bought / 2) << "they are still as large as at first";
  double const grown = entry(12000), again = entry(12000);
  EXPECT_GT(grown, again) << "too small at first";
  controller.renew();
  EXPECT_GE(entry(10000), bought * 0.99);
}

TEST_F(ReductionController, ParallelisesHeavyBodiesThatNobodyCouldTime) {
  // The model says that accumulating takes a millisecond alone and more with others; bodies take a second.
  planted_times const predicted{{sequential, {0, 1e-3}}, {replicated_buffer, {0, 1.5e-3}}};
  reduction_controller controller(
      {.threads = 2, .model_file = keep(planted_model(predicted, 1e-6, {{"other work", 1e3}}))});
  auto const of = some_pattern(1);
  auto const legal = only({sequential, replicated_buffer});
  plan::reduction_algorithm last = sequential;
  for (int use = 0; use < 64; ++use) {
    auto const step = controller.before(of, 8, legal);
    if (step.prepare) controller.prepared(0, 0);
    controller.after(step.algorithm == sequential ? 4000 : 2000);
    last = step.algorithm;
  }
  EXPECT_EQ(last, replicated_buffer);
}

TEST_F(ReductionController, ChargesWhatTimingTheBodyTook) {
  auto controller = planted(rented_and_bought);
  controller.know_other_work(std::nullopt, 0.25);
  controller.know_other_work(1e-9, 0.5);
  EXPECT_EQ(controller.report().deciding, 0.75);
}

TEST_F(ReductionController, UsesAModelOfAnotherMachineWithOneWarning) {
  auto model = planted_model(rented_and_bought);
  model.machine = "Abacus 3000";
  auto const file = keep(model, "abacus.json");
  testing::internal::CaptureStderr();
  reduction_controller controller({.threads = 2, .model_file = file}), again({.threads = 2, .model_file = file});
  std::string const text = testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, AllOf(HasSubstr(file), HasSubstr("'Abacus 3000'"), HasSubstr("2026-11-21T20:00:00Z"),
                          HasSubstr("'" + platform::this_processor().name + "'"), HasSubstr("It is used")));
  EXPECT_EQ(text.find("warning"), text.rfind("warning"));
  EXPECT_EQ(controller.report().model_machine, "Abacus 3000");
  execute(controller, some_pattern(1), both, rented_and_bought, 1);
  std::ostringstream report;
  report << controller.report();
  EXPECT_THAT(report.str(), HasSubstr("2026-11-21T20:00:00Z, Abacus 3000"));
}

TEST_F(ReductionController, UsesTheModelThatIsKeptForThisMachineAndSaysNothing) {
  auto model = planted_model(rented_and_bought);
  model.date = "2026-11-22T00:00:00Z";
  keep(model, "skel/reduction_model.json");
  testing::internal::CaptureStderr();
  reduction_controller const controller({.threads = 2});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(controller.report().model_date, "2026-11-22T00:00:00Z");
}

TEST_F(ReductionController, UsesTheModelThatShipsWhereNoneIsKeptOfThisMachine) {
  auto const date = [] {
    testing::internal::CaptureStderr();
    reduction_controller const controller({.threads = 2});
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    return controller.report().model_date;
  };
  EXPECT_EQ(date(), cost::default_reduction_model().date);
  fs::path const elsewhere = folder_ / "elsewhere";
  setenv("XDG_CACHE_HOME", elsewhere.c_str(), 1);
  auto model = planted_model(rented_and_bought);
  model.machine = "Abacus 3000";
  model.date = "2026-11-22T00:00:00Z";
  keep(model, "elsewhere/skel/reduction_model.json");
  EXPECT_EQ(date(), cost::default_reduction_model().date);
}

TEST_F(ReductionController, WarnsOfAKeptModelThatIsDamaged) {
  fs::create_directories(folder_ / "skel");
  std::ofstream(folder_ / "skel" / "reduction_model.json") << "{";
  testing::internal::CaptureStderr();
  reduction_controller const controller({.threads = 2}), again({.threads = 2});
  std::string const text = testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, AllOf(HasSubstr("reduction_model.json"), HasSubstr("the model that skel ships is used")));
  EXPECT_EQ(text.find("warning"), text.rfind("warning"));
  EXPECT_EQ(controller.report().model_date, cost::default_reduction_model().date);
}

TEST_F(ReductionController, WarnsOfAKeptModelThatAnotherUserCanHaveWrittenOrThatIsAPipe) {
  auto const warning = [] {
    testing::internal::CaptureStderr();
    reduction_controller const controller({.threads = 2});
    EXPECT_EQ(controller.report().model_date, cost::default_reduction_model().date);
    return testing::internal::GetCapturedStderr();
  };
  fs::path const file = keep(planted_model(rented_and_bought), "skel/reduction_model.json");
  fs::permissions(file, fs::perms(0666));
  EXPECT_THAT(warning(), AllOf(HasSubstr("reduction_model.json: is not believed: other users can write it"),
                               HasSubstr("the model that skel ships is used")));
  fs::path const elsewhere = folder_ / "elsewhere" / "skel";
  fs::create_directories(elsewhere);
  ASSERT_EQ(mkfifo((elsewhere / "reduction_model.json").c_str(), 0600), 0);
  setenv("XDG_CACHE_HOME", elsewhere.parent_path().c_str(), 1);
  EXPECT_THAT(warning(), HasSubstr("reduction_model.json: cannot be read: is a pipe"));
}

TEST_F(ReductionController, RefusesANamedModelThatCannotBeUsed) {
  EXPECT_THROW(reduction_controller({.threads = 2, .model_file = (folder_ / "nothing.json").string()}), input_error);
  auto model = planted_model(rented_and_bought);
  model.fits[0].seconds["tides"] = 1;
  EXPECT_THROW(reduction_controller({.threads = 2, .model_file = keep(model)}), input_error);
}

/// A host of two cores on a clock of its own.
struct virtual_host {
  double now = 0;
  std::optional<double> quota{};

  reduction_workers workers() {
    return {std::make_unique<runtime::thread_team>(2), [this] { return now; },
            [this](double) {
              platform::host_reading one;
              one.seconds = 0.25;
              one.cores = 2;
              one.processors = {{0, 0}, {1, 0}};
              one.own = 0;
              one.quota = quota;
              return one;
            }};
  }
};

/// So many executions, a tenth of a second apart.
void execute_on(virtual_host& host, reduction_controller& controller, pattern const& of, plan::reduction_set legal,
                int times) {
  for (int use = 0; use < times; ++use) {
    auto const step = controller.before(of, 8, legal);
    if (step.prepare) controller.prepared(0, 0);
    host.now += 0.1;
    controller.after(0.1);
  }
}

TEST_F(ReductionController, TakesOtherThreadsAndDecidesAnewWhereTheHostGivesFewerCores) {
  virtual_host host;
  reduction_controller controller({}, host.workers());
  auto const of = make_pattern({200'000, 4, 2, 2, 0.8, 3, 0.5, 0.1}, 1);
  plan::reduction_set const legal = only({sequential, local_write});
  execute_on(host, controller, of, legal, 20);
  EXPECT_EQ(controller.workers().parts(), 2U);
  EXPECT_EQ(controller.report().regroupings, 0U);
  host.quota = 1;
  execute_on(host, controller, of, legal, 5);
  EXPECT_EQ(controller.workers().parts(), 2U);  // two readings are no step
  execute_on(host, controller, of, legal, 5);
  EXPECT_EQ(controller.workers().parts(), 1U);
  EXPECT_EQ(controller.report().regroupings, 1U);
  EXPECT_EQ(controller.report().features.parts, 1U);
  EXPECT_EQ(controller.report().phases, 2U);
  EXPECT_EQ(controller.report().decision.algorithm, sequential);  // one thread gains nothing by running ahead
  host.quota.reset();
  execute_on(host, controller, of, legal, 20);
  EXPECT_EQ(controller.workers().parts(), 2U);
  EXPECT_EQ(controller.report().regroupings, 2U);
  std::ostringstream text;
  text << controller.report();
  EXPECT_THAT(text.str(), HasSubstr("2 changes of threads"));
}

TEST_F(ReductionController, KeepsItsThreadsWhereItIsTold) {
  virtual_host host;
  reduction_controller controller({}, host.workers());
  controller.keep_threads();
  host.quota = 1;
  execute_on(host, controller, some_pattern(1), only({sequential, local_write}), 50);
  EXPECT_EQ(controller.workers().parts(), 2U);
  EXPECT_EQ(controller.report().regroupings, 0U);
}

}  // namespace
