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
#include <skel/detail/cost/reduction/default_model.hpp>
#include <skel/detail/pattern/synthetic.hpp>
#include <skel/detail/platform/kept_files.hpp>
#include <skel/detail/runtime/reduction/glance.hpp>

#include "chosen_reduction_model.hpp"
#include "reduction_clock.hpp"
#include "support/planted_reductions.hpp"

namespace {

using namespace skel;
using enum plan::reduction_algorithm;
using testing::AllOf;
using testing::HasSubstr;
using tests::planted_model;
using tests::planted_times;

namespace fs = std::filesystem;

constexpr mapping::reduction_set only(std::initializer_list<plan::reduction_algorithm> algorithms) {
  mapping::reduction_set set = 0;
  for (auto const one : algorithms) set |= mapping::reduction_set{1} << static_cast<unsigned>(one);
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
                                               mapping::reduction_set legal, planted_times const& times,
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
  auto const switches = [&](std::size_t bytes) {
    reduction_controller controller(
        {.threads = 2, .expected_uses = 100, .model_file = keep(planted_model(rented_and_bought, 0.5))});
    auto const of = some_pattern(1);
    for (int use = 0; use < 100; ++use) {
      auto const step = controller.before(of, 8, both);
      if (step.prepare) controller.prepared(10 * hours, bytes);
      controller.after(step.algorithm == sequential ? 1 * hours : (use == 0 ? 10 : 0.1) * hours);
    }
    return controller.report().switches;
  };
  EXPECT_EQ(switches(1000), 0u);
  EXPECT_GT(switches(0), 0u) << "what keeps no memory has no such excuse";
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

TEST_F(ReductionController, LooksNoLongerThanItsShareOfTheExecutionsByItsOwnEstimate) {
  auto const of = some_pattern(1, 20000);  // 160,000 subscripts
  // Updating a subscript takes 1 ms on one thread, so looking at it is taken to, beside which beginning to look is
  // nothing.
  double const each = 1e-3, run = 50;
  planted_times const times{{sequential, {0, each * static_cast<double>(of.subscripts())}},
                            {replicated_buffer, {0, run}}};
  std::size_t last = 0;
  for (double const uses : {1.0, 10.0, 30.0, 100.0, 1e6}) {
    auto controller = planted(times, {.expected_uses = uses});
    controller.before(of, 8, only({sequential, replicated_buffer}));
    auto const& report = controller.report();
    EXPECT_LE(static_cast<double>(report.looked_at) * each / 2, 0.02 * uses * run * (1 + 1e-9));
    EXPECT_LE(report.looked_at, 20000u * 8);  // a merge of REPBUF moves as much
    EXPECT_GE(report.looked_at, last);
    EXPECT_EQ(report.looked_at > 0, report.features.copies > 1) << uses;
    last = report.looked_at;
  }
  EXPECT_GT(last, of.subscripts() * 98 / 100);
}

TEST_F(ReductionController, DoesNotLookWhereThereIsNothingToChoose) {
  auto controller = planted(rented_and_bought, {.expected_uses = 1e6});
  controller.before(some_pattern(1), 8, only({sequential}));
  EXPECT_EQ(controller.report().looked_at, 0u);
  EXPECT_EQ(controller.report().looking, 0);
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
    mapping::reduction_set held = 0;
    std::size_t most = 0, trials = 0;
    for (int use = 0; use < 500; ++use) {
      auto const step = controller.before(of, 8, legal);
      auto const mine = only({step.algorithm});
      if (step.alone) held &= mine;
      EXPECT_EQ(step.prepare, (held & mine) == 0) << use;
      if (step.prepare) controller.prepared(0.1 * hours, 8);
      held |= mine;
      most = std::max<std::size_t>(most, static_cast<std::size_t>(std::popcount(held)));
      trials += controller.report().decision.trial;
      controller.after(predicted.at(step.algorithm).run * (step.algorithm == replicated_buffer ? 0.5 : 2));
    }
    EXPECT_GT(trials, 0u);
    EXPECT_EQ(most > 1, cap == 0);
    EXPECT_EQ(std::popcount(held), 1);
    EXPECT_EQ(held, only({replicated_buffer}));
  }
}

TEST_F(ReductionController, LooksMoreCloselyWhenAPhaseIsLongerThanExpected) {
  planted_times const times{{sequential, {0, 160}}, {replicated_buffer, {0, 50}}};
  auto controller = planted(times, {.expected_uses = 25});
  auto const of = some_pattern(1, 20000);
  auto const legal = only({sequential, replicated_buffer});
  execute(controller, of, legal, times, 1);
  std::size_t const first = controller.report().looked_at;
  ASSERT_GT(first, of.subscripts() / 4);
  execute(controller, of, legal, times, 5000);
  EXPECT_GT(controller.report().looked_at, 2 * first);
}

TEST_F(ReductionController, LearnsNothingOfLooksFromPatternsThatAreTooSmall) {
  planted_times const times{{sequential, {0, 160}}, {replicated_buffer, {0, 50}}};
  auto const of = some_pattern(1, 20000);
  auto const legal = only({sequential, replicated_buffer});
  auto fresh = planted(times, {.expected_uses = 40});
  fresh.before(of, 8, legal);
  auto used = planted(times, {.expected_uses = 40});
  for (auto const& small : {pattern(), pattern(2, 100, std::vector{1, 2, 3, 4})}) execute(used, small, legal, times, 2);
  used.before(of, 8, legal);
  EXPECT_GT(fresh.report().looked_at, 0u);
  EXPECT_LT(fresh.report().looked_at, of.subscripts() * 3 / 4);  // more could be seen
  EXPECT_NEAR(static_cast<double>(used.report().looked_at), static_cast<double>(fresh.report().looked_at),
              0.1 * static_cast<double>(of.subscripts()));
}

TEST_F(ReductionController, DoesNotLookWhereEvenBeginningToLookTakesTooLong) {
  planted_times const times{{sequential, {0, 1e-6}}, {replicated_buffer, {0, 1e-6}}};
  for (std::size_t const subscripts : {1u, 3u, 400u}) {
    auto controller = planted(times, {.expected_uses = 10});
    controller.before(pattern(subscripts, 100, std::vector<subscript>(subscripts, 7)), 8,
                      only({sequential, replicated_buffer}));
    EXPECT_EQ(controller.report().looked_at, 0u) << subscripts;
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
  EXPECT_DOUBLE_EQ(report.total(), report.looking + report.deciding + report.preparing + report.running);
  EXPECT_EQ(report.decisions, 6u);  // in each phase one before it, one after 1 execution and one after 2
}

/// A model with rules that say of every problem that sequential runs are best, what all uses of 4000 updates take, and
/// what knowing more saves.
platform::reduction_model with_rules(platform::deciding_times const& deciding, double seconds, double gain) {
  auto model = planted_model({{sequential, {0, 1}}, {atomic, {0, 0.5}}});
  platform::regression_tree const always{{{-1, 0, 0}}, {0, 0.5, 0.1 * std::log(seconds / 4000), gain}};
  model.rules = {{"sequential", "atomic"}, {always}, {always}, {}};
  model.deciding = deciding;
  return model;
}

TEST_F(ReductionController, TakesARuleWherePredictingDoesNotPay) {
  auto const of = some_pattern(1);
  auto const legal = only({sequential, atomic});
  for (bool const pays : {false, true}) {
    reduction_controller controller(
        {.threads = 2, .expected_uses = 5, .model_file = keep(with_rules({0, 1}, pays ? 51 : 49, 0))});
    EXPECT_EQ(controller.before(of, 8, legal).algorithm, pays ? atomic : sequential);
    auto const& made = controller.report().decision;
    EXPECT_EQ(made.model, pays ? "analytic" : "rule");
    EXPECT_EQ(made.candidates.empty(), !pays);
    std::ostringstream text;
    text << controller.report();
    EXPECT_THAT(text.str(), HasSubstr(pays ? "with its share of the setup" : "what a rule takes for 5 executions"));
    // Where executions take longer than expected, predicting pays after all.
    controller.after(100);
    EXPECT_EQ(controller.before(of, 8, legal).algorithm, atomic);
    EXPECT_EQ(controller.report().decision.model, "analytic");
  }
}

TEST_F(ReductionController, GlancesWhereThatTakesNoMoreThanItsShare) {
  auto const of = some_pattern(1);
  struct offer {
    double price, seconds, gain;
    bool glances;
  };
  for (offer const& one : {offer{0.1, 6, 0.1, true}, offer{0.1, 4, 0.1, false}, offer{0.1, 6, 0, true}}) {
    reduction_controller controller(
        {.threads = 2, .expected_uses = 5, .model_file = keep(with_rules({one.price, 1e9}, one.seconds, one.gain))});
    controller.before(of, 8, only({sequential, atomic}));
    EXPECT_EQ(controller.report().looked_at, one.glances ? runtime::reduction::glance_subscripts : 0);
    EXPECT_EQ(controller.report().features.copies > 1, one.glances);
    EXPECT_EQ(controller.report().looking > 0, one.glances);
    EXPECT_EQ(controller.report().decision.model, "rule");
  }
}

TEST_F(ReductionController, KeepsWhatWasPredictedForAPatternAsLarge) {
  reduction_controller controller(
      {.threads = 2, .expected_uses = 5, .model_file = keep(with_rules({1e9, 1e-12}, 1000, 0))});
  auto const legal = only({sequential, atomic});
  auto const decided = [&](pattern const& of) {
    auto const step = controller.before(of, 8, legal);
    controller.after(1e-12);
    EXPECT_EQ(step.algorithm == atomic, controller.report().decision.model != "rule");
    return controller.report().decision.model;
  };
  EXPECT_EQ(decided(some_pattern(1)), "analytic");
  controller.know_other_work(std::nullopt, 1000);  // deciding has had its 2 %
  EXPECT_EQ(decided(some_pattern(2)), "as before");
  EXPECT_EQ(decided(some_pattern(3, 1090)), "as before");
  EXPECT_EQ(decided(some_pattern(4, 1150)), "rule") << "compared with what it was predicted for";
  EXPECT_EQ(decided(some_pattern(5, 950)), "as before");
}

/// What phases of as many executions of the sequential algorithm, and of one that saves half of each and has a setup of
/// 10 with fresh buffers and of 1 otherwise, are run by.
class Buffers : public ReductionController {
 protected:
  planted_times const times_{{sequential, {0, 1 * hours}},
                             {replicated_buffer, {10 * hours, 0.5 * hours, 0, 1 * hours}}};
  unsigned seed_ = 0;

  plan::reduction_algorithm phase(reduction_controller& controller, std::size_t uses, std::size_t elements = 1000) {
    auto const of = some_pattern(++seed_, elements);
    plan::reduction_algorithm last{};
    for (std::size_t use = 0; use < uses; ++use) {
      auto const step = controller.before(of, 8, only({sequential, replicated_buffer}));
      if (step.prepare) {
        EXPECT_TRUE(controller.prepared(1 * hours, step.algorithm == sequential ? 0 : elements * 8));
      }
      controller.after(times_.at(step.algorithm).run);
      last = step.algorithm;
    }
    return last;
  }
};

TEST_F(Buffers, AreBoughtWhereThePatternsToComePayForThem) {
  auto controller = planted(times_, {.expected_uses = 8});  // each saves 4, and costs 1 + 9 / (1 + patterns to come)
  EXPECT_EQ(phase(controller, 1), sequential);
  EXPECT_EQ(phase(controller, 1), sequential);  // 5.5
  EXPECT_EQ(phase(controller, 1), sequential);  // 4
  EXPECT_EQ(phase(controller, 1), replicated_buffer);
  EXPECT_DOUBLE_EQ(controller.report().decision.candidates.front().predicted.setup, 10 * hours);
  EXPECT_NEAR(controller.report().decision.candidates.front().total, (1 + 9.0 / 4 + 4) * hours, 1e-6 * hours);
}

TEST_F(Buffers, AreChargedNoMoreWhereTheyAre) {
  auto controller = planted(times_, {.expected_uses = 30});
  auto const setup = [&] { return controller.report().decision.candidates.front().predicted.setup; };
  EXPECT_EQ(phase(controller, 1), replicated_buffer);
  EXPECT_DOUBLE_EQ(setup(), 10 * hours);
  EXPECT_EQ(phase(controller, 1, 900), replicated_buffer);
  EXPECT_DOUBLE_EQ(setup(), 1 * hours);
  EXPECT_EQ(phase(controller, 1, 1000), replicated_buffer);
  EXPECT_DOUBLE_EQ(setup(), 1 * hours) << "they are still as large as at first";
  EXPECT_EQ(phase(controller, 1, 1100), replicated_buffer);
  EXPECT_DOUBLE_EQ(setup(), 10 * hours) << "too small";
  controller.renew();
  EXPECT_EQ(phase(controller, 1, 1000), replicated_buffer);
  EXPECT_DOUBLE_EQ(setup(), 10 * hours);
}

TEST_F(Buffers, ThatHadToGrowArePaidByThePatternsAfterThat) {
  auto controller = planted(times_, {.expected_uses = 8});
  for (int k = 0; k < 3; ++k) phase(controller, 1);
  EXPECT_EQ(phase(controller, 1), replicated_buffer);
  EXPECT_EQ(phase(controller, 1, 2000), replicated_buffer);  // as the patterns before will pay
  EXPECT_EQ(phase(controller, 1, 4000), sequential) << "each pattern so far needed larger ones";
}

TEST(ReductionClock, NeverGoesBack) {
  runtime::virtual_team team(4);
  for (auto* const imagined : {static_cast<runtime::virtual_team*>(nullptr), &team}) {
    reduction_clock clock(imagined);
    double last = clock.now();
    for (int k = 0; k < 1000; ++k) {
      if (imagined != nullptr && k % 10 == 0) imagined->run({"nothing"}, [](std::size_t) {});
      double const now = clock.now();
      ASSERT_GE(now, last);
      last = now;
    }
    EXPECT_TRUE(team.phases().empty());
  }
}

TEST_F(ReductionController, ChargesWhatTimingTheBodyTook) {
  auto controller = planted(rented_and_bought);
  controller.know_other_work(std::nullopt, 0.25);
  controller.know_other_work(1e-9, 0.5);
  EXPECT_EQ(controller.report().deciding, 0.75);
}

TEST_F(ReductionController, DoesNotPileUpPhasesOfVirtualThreads) {
  auto controller = planted(rented_and_bought, {.virtual_threads = 4});
  for (int use = 0; use < 100; ++use)
    EXPECT_GE(controller.timed([&] { controller.workers().run({"work"}, [](std::size_t) {}); }), 0);
  EXPECT_LE(dynamic_cast<runtime::virtual_team&>(controller.workers()).phases().size(), 1u);
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
  model.kinds[0].algorithms[0].run.terms[0].first = "tides";
  EXPECT_THROW(reduction_controller({.threads = 2, .model_file = keep(model)}), input_error);
}

}  // namespace
