#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <nlohmann/json.hpp>

#include <skel/detail/platform/host_probe.hpp>
#include <skel/skel.hpp>

#include "support/count_to.hpp"

namespace sample {

/// Has a serializer, and no default constructor.
struct mark {
  explicit mark(int v) : value(v), text(std::to_string(v)) {}
  int value;
  std::string text;
};

}  // namespace sample

template <>
struct skel::serializer<sample::mark> {
  template <class Archive>
  static void save(Archive& archive, sample::mark const& item) {
    archive(item.value);
  }
  template <class Archive>
  static sample::mark load(Archive& archive) {
    int value = 0;
    archive(value);
    return sample::mark(value);
  }
};

namespace {

using skel::test::count_to;
using namespace std::chrono_literals;
using testing::HasSubstr;

int rank_count() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// Equal hosts of one core, 20 us and 1 GB/s apart: what the tests run on has no say in what is planned.
skel::platform::description equal_hosts(int hosts) {
  skel::platform::cluster c;
  c.name = "host";
  c.hosts = static_cast<std::size_t>(hosts);
  c.inside = {2e-5, 1e9};
  c.local_latency = 1e-6;
  return skel::platform::description(1e-6, {c}, {});
}

skel::run_settings on_equal_hosts() {
  skel::run_settings settings;
  settings.platform = equal_hosts(rank_count());
  settings.calibration_time = 0.01;
  settings.planning_time = 0.2;
  return settings;
}

auto wait_for(std::chrono::microseconds time) {
  return [time](int x) {
    std::this_thread::sleep_for(time);
    return x;
  };
}

TEST(Grid, RunsAProgramAndReportsTheSameOnEveryRank) {
  skel::grid grid(on_equal_hosts());
  std::vector<int> got;
  auto app = count_to(400) | skel::stage("light", wait_for(100us)) | skel::farm("heavy", wait_for(400us)) |
             skel::sink("keep", [&](int x) { got.push_back(x); });

  auto const report = grid.run(app);

  EXPECT_EQ(report.items(), 400u);
  EXPECT_GT(report.calibration_items, 0u);
  EXPECT_GT(report.plan.expected.throughput, 0);
  EXPECT_GT(report.run.throughput(), 0);
  EXPECT_LE(report.plan.expected.exponential, report.plan.expected.deterministic * 1.001)
      << "simulated to three digits";
  EXPECT_THAT(report.text(), testing::AllOf(HasSubstr("bottleneck"), HasSubstr("predicted"), HasSubstr("heavy")));
  auto const texts = grid.ranks().all_gather(report.text());
  for (auto const& text : texts) EXPECT_EQ(text, texts.front());
  if (grid.rank() != 0) return;
  ASSERT_EQ(got.size(), 400u);
  for (int i = 0; i < 400; ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)], i);
}

TEST(Grid, SaysAnewWhatToExpectWhenItemsTakeLongerThanWasSaid) {
  skel::grid grid(on_equal_hosts());
  auto app = count_to(1500) | skel::stage("sly", wait_for(500us), skel::work(1e-5)) | skel::sink([](int) {});

  auto const report = grid.run(app);

  auto const& all = report.run.forecasts;
  ASSERT_GE(all.size(), 2u);
  EXPECT_EQ(all.front().rate, report.plan.expected.throughput);
  EXPECT_GT(all.front().rate, 1e4) << "by the work that the stage says";
  EXPECT_LE(report.run.throughput(), 2e3) << "what waiting lets through";
  EXPECT_FALSE(all[1].covers(all.front().rate));
  EXPECT_THAT(report.text(),
              testing::AllOf(HasSubstr("items/s before the run: measured"), HasSubstr(" on (after "),
                             testing::ContainsRegex("because items [0-9]+ to [0-9]+ took [0-9.e+]+ times as long")));
  for (auto const& text : grid.ranks().all_gather(report.text())) EXPECT_EQ(text, report.text());
}

TEST(Grid, GivesAHeavyFarmMoreThanOneHostWhereThereAreMore) {
  auto settings = on_equal_hosts();
  settings.planning_time = 60;  // ends when the best is proven, in a slow build too
  settings.horizon = 1e6;
  skel::grid grid(settings);
  auto app = count_to(1) | skel::farm("heavy", wait_for(1us), skel::work(0.1)) | skel::sink([](int) {});
  auto const planned = grid.plan(app);
  EXPECT_EQ(planned.run.stations[1].ranks.size(), static_cast<std::size_t>(grid.size()));
}

TEST(Grid, ObeysWidthAndPins) {
  skel::grid grid(on_equal_hosts());
  std::string const last = grid.size() == 1 ? "host" : "host-" + std::to_string(grid.size() - 1);
  auto app = count_to(1) | skel::farm("two", wait_for(1us), skel::work(0.1), skel::width{2}) |
             skel::stage("there", wait_for(1us), skel::work(0.001), skel::at(last)) | skel::sink([](int) {});
  auto const planned = grid.plan(app);
  EXPECT_EQ(planned.run.stations[1].ranks.size(), 2u);
  EXPECT_THAT(planned.run.stations[2].ranks, testing::ElementsAre(grid.size() - 1));
}

struct stays_here {
  std::unique_ptr<int> value;
  int* into;  // a pointer into another object: nothing that could be sent
  explicit stays_here(int v) : value(std::make_unique<int>(v)), into(value.get()) {}
};

/// What `run(app)` says on every rank, before the source is called.
template <class Compose>
std::string refused_before_the_first_item(skel::run_settings const& settings, Compose const& compose) {
  skel::grid grid(settings);
  int called = 0;
  auto app = skel::source("count",
                          [&]() -> std::optional<int> { return ++called < 6 ? std::optional(called) : std::nullopt; }) |
             compose();
  try {
    grid.run(app);
  } catch (skel::stage_error const&) {
    throw;
  } catch (skel::error const& e) {
    EXPECT_EQ(called, 0);
    return e.what();
  }
  ADD_FAILURE() << "the run went on";
  return {};
}

TEST(Grid, RefusesAPinToNoHostBeforeTheFirstItem) {
  auto const drop = [] { return skel::sink([](int) {}); };
  auto const pinned = [&] { return skel::farm("work", wait_for(1us), skel::at("nosuchhost")) | drop(); };
  EXPECT_THAT(
      refused_before_the_first_item(on_equal_hosts(), pinned),
      testing::AllOf(HasSubstr("stage 'work' is pinned to 'nosuchhost', which is no host of this run; there are"),
                     HasSubstr(rank_count() == 1 ? ", host" : ", host-0")));
  EXPECT_THAT(refused_before_the_first_item({}, pinned), HasSubstr("; there are " + skel::platform::host_name()));
  if (rank_count() > 1) {
    EXPECT_THAT(refused_before_the_first_item(
                    on_equal_hosts(), [&] { return skel::stage("work", wait_for(1us), skel::at("hots-1")) | drop(); }),
                testing::EndsWith("; did you mean 'host-1'?"));
  }
  std::string const host = skel::platform::host_name();
  EXPECT_THAT(refused_before_the_first_item(
                  on_equal_hosts(), [&] { return skel::stage("work", wait_for(1us), skel::at(host, host)) | drop(); }),
              HasSubstr("stage 'work' is pinned to 2 hosts and has one worker"));
}

TEST(Grid, PinsToAHostByWhatItCallsItselfOnAnyNumberOfRanks) {
  std::string const host = skel::platform::host_name();
  for (bool const stated : {true, false}) {
    skel::grid grid(stated ? on_equal_hosts() : skel::run_settings{});
    long sum = 0;
    auto app = skel::source(
                   "count", [i = 0]() mutable { return i < 100 ? std::optional(i++) : std::nullopt; }, skel::at(host)) |
               skel::farm("work", wait_for(1us), skel::at(host, host), skel::work(1e-3)) |
               skel::stage(
                   "keep", [last = 0](int x) mutable { return last = x; }, skel::at(host), skel::work(1e-6)) |
               skel::sink(
                   "add", [&](int x) { sum += x; }, skel::at(host));
    auto const report = grid.run(app);
    EXPECT_EQ(report.plan.run.stations[1].ranks.size(), 2u);
    EXPECT_THAT(report.plan.run.stations[0].ranks, testing::ElementsAre(0));
    EXPECT_EQ(sum, grid.rank() == report.plan.run.stations[3].ranks.front() ? 4950 : 0);
    EXPECT_EQ(grid.run(app).items(), 0u) << "what was pinned stays where its state is";
  }
}

TEST(Grid, KeepsAFarmThatIsPinnedToTheHostWithItemsThatCannotTravel) {
  std::string const host = skel::platform::host_name();
  skel::grid grid(on_equal_hosts());
  int sum = 0;
  auto app = count_to(100) |
             skel::stage(
                 "box", [](int x) { return stays_here(x); }, skel::work(1e-5)) |
             skel::farm(
                 "unbox", [](stays_here b) { return *b.into; }, skel::work(1e-4), skel::at(host, host)) |
             skel::sink([&](int x) { sum += x; });
  EXPECT_THAT(grid.run(app).plan.run.stations[2].ranks, testing::ElementsAre(0, 0));
  EXPECT_EQ(sum, grid.rank() == 0 ? 4950 : 0);
}

TEST(Grid, MeasuresAStageWithStateThatIsPinnedToTheHost) {
  skel::grid grid(on_equal_hosts());
  int sum = 0;
  auto app = count_to(2000) |
             skel::stage(
                 "sum",
                 [so_far = 0](int x) mutable {
                   std::this_thread::sleep_for(50us);
                   return so_far += x;
                 },
                 skel::at(skel::platform::host_name())) |
             skel::sink([&](int x) { sum = x; });
  auto const report = grid.run(app);
  if (report.run.items > 0) {
    EXPECT_THAT(report.plan.run.stations[1].ranks, testing::ElementsAre(0));
  }
  EXPECT_EQ(sum, grid.rank() == 0 ? 1999000 : 0);
}

TEST(Grid, FinishesAShortStreamWhileItIsMeasured) {
  skel::grid grid(on_equal_hosts());
  std::vector<int> got;
  auto app = count_to(3) | [](int x) { return x + 1; } | skel::sink([&](int x) { got.push_back(x); });
  auto const report = grid.run(app);
  EXPECT_EQ(report.items(), 3u);
  EXPECT_EQ(report.run.items, 0u);
  if (grid.rank() == 0) {
    EXPECT_THAT(got, testing::ElementsAre(1, 2, 3));
  }
}

TEST(Grid, PlansWithoutRunningAndExplainsTheBottleneck) {
  skel::grid grid(on_equal_hosts());
  bool called = false;
  auto app = skel::source([&]() -> std::optional<int> {
               called = true;
               return std::nullopt;
             }) |
             skel::stage("slow", wait_for(1us), skel::work(0.2)) |
             skel::stage("quick", wait_for(1us), skel::work(0.1)) | skel::sink([](int) {});
  auto const planned = grid.plan(app);
  EXPECT_FALSE(called);
  EXPECT_THAT(planned.explain(), HasSubstr("bottleneck: 'slow'"));
  EXPECT_GE(planned.decision.bound, planned.decision.throughput * (1 - 1e-9));
}

TEST(Grid, CountsItemsWhereTheyTravelInBatches) {
  skel::grid grid(on_equal_hosts());
  auto app = count_to(1) | skel::stage("quick", wait_for(1us), skel::work(1e-5)) | skel::sink([](int) {});
  auto const planned = grid.plan(app);
  EXPECT_EQ(planned.expected.batch, 100);
  // A stage of 1e-5 s does 1e5 items per second, and nothing in its way does less than half of that.
  EXPECT_GT(planned.decision.throughput, 5e4);
  EXPECT_LT(planned.decision.bound, 2e5);
  for (auto const& other : planned.decision.alternatives) EXPECT_LE(other.throughput, planned.decision.bound);
}

TEST(Grid, SaysWhatCountsAsFreeWhenNothingIsMeasured) {
  skel::grid grid(on_equal_hosts());
  auto app = count_to(1) | skel::stage("slow", wait_for(1us), skel::work(0.2)) |
             skel::sink(
                 "keep", [](int) {}, skel::work(0.1));
  auto const text = grid.plan(app).explain();
  EXPECT_THAT(text, testing::AllOf(HasSubstr("nothing was measured"), HasSubstr("'count' counts as free"),
                                   testing::Not(HasSubstr("'keep' counts"))));
  auto measured = count_to(1000) | skel::stage("quick", wait_for(100us)) | skel::sink([](int) {});
  EXPECT_THAT(grid.run(measured).plan.explain(), testing::Not(HasSubstr("nothing was measured")));
}

TEST(Grid, NamesTheStagesWhoseWorkAPlanNeeds) {
  skel::grid grid(on_equal_hosts());
  auto app = count_to(1) | skel::stage("known", wait_for(1us), skel::work(1)) | skel::stage("unknown", wait_for(1us)) |
             skel::sink([](int) {});
  try {
    grid.plan(app);
    FAIL() << "no exception";
  } catch (skel::error const& e) {
    EXPECT_THAT(e.what(),
                testing::AllOf(HasSubstr("'unknown'"), HasSubstr("skel::work"), testing::Not(HasSubstr("'known'"))));
  }
}

TEST(Grid, KeepsStagesTogetherWhoseItemsCannotTravel) {
  static_assert(!skel::runtime::transferable<stays_here>);
  skel::grid grid(on_equal_hosts());
  int sum = 0;
  auto app = count_to(500) |
             skel::stage(
                 "box", [](int x) { return stays_here(x); }, skel::work(1e-5)) |
             skel::farm(
                 "unbox", [](stays_here b) { return *b.into; }, skel::work(1e-4)) |
             skel::sink([&](int x) { sum += x; });
  auto const report = grid.run(app);
  EXPECT_THAT(report.plan.run.stations[1].ranks, testing::Each(0));
  EXPECT_THAT(report.plan.run.stations[2].ranks, testing::Each(0));
  if (grid.size() > 1) {
    EXPECT_THAT(report.plan.explain(),
                testing::AllOf(HasSubstr("stays_here', which 'unbox' takes, cannot be sent to another rank"),
                               HasSubstr("write a skel::serializer for it")));
  }
  EXPECT_EQ(sum, grid.rank() == 0 ? 500 * 499 / 2 : 0);
}

TEST(Grid, SaysOfEachTypeOnceThatItCannotTravel) {
  skel::grid grid(on_equal_hosts());
  auto const same = [](stays_here b) { return b; };
  auto app = count_to(1) |
             skel::stage(
                 "box", [](int x) { return stays_here(x); }, skel::work(1e-5)) |
             skel::stage("first", same, skel::work(1e-4)) | skel::farm("second", same, skel::work(1e-4)) |
             skel::sink("third", [](stays_here) {});
  auto const note = grid.plan(app).note;
  if (grid.size() == 1) return;
  EXPECT_THAT(note, HasSubstr("stays_here', which 'first', 'second' and 'third' take, cannot be sent"));
  EXPECT_EQ(note.find("cannot be sent to"), note.rfind("cannot be sent to"));
}

TEST(Grid, KeepsStagesTogetherWhoseItemsCannotTravelInContainers) {
  skel::grid grid(on_equal_hosts());
  int sum = 0;
  auto app = count_to(500) |
             skel::stage(
                 "box",
                 [](int x) {
                   std::vector<std::unique_ptr<stays_here>> out;
                   out.push_back(std::make_unique<stays_here>(x));
                   return std::pair(x, std::move(out));
                 },
                 skel::work(1e-5)) |
             skel::farm(
                 "unbox", [](std::pair<int, std::vector<std::unique_ptr<stays_here>>> b) { return *b.second[0]->into; },
                 skel::work(1e-4)) |
             skel::sink([&](int x) { sum += x; });
  auto const report = grid.run(app);
  EXPECT_THAT(report.plan.run.stations[1].ranks, testing::Each(0));
  EXPECT_THAT(report.plan.run.stations[2].ranks, testing::Each(0));
  EXPECT_EQ(sum, grid.rank() == 0 ? 500 * 499 / 2 : 0);
}

TEST(Grid, SendsItemsBehindOwningPointersAndWithoutDefaultConstructor) {
  skel::run_settings settings = on_equal_hosts();
  int const last = rank_count() - 1;
  settings.plan = skel::plan::run_plan{.stations = {{{0}, 1}, {{last}, 1}, {{0}, 1}}};
  skel::grid grid(settings);
  long sum = 0;
  bool moved = true;
  using item = std::unique_ptr<std::map<std::string, std::vector<sample::mark>>>;
  auto app = skel::source("make",
                          [i = 0]() mutable -> std::optional<item> {
                            if (i == 300) return std::nullopt;
                            auto made = std::make_unique<std::map<std::string, std::vector<sample::mark>>>();
                            (*made)["a"].emplace_back(i++);
                            return made;
                          }) |
             skel::stage("add",
                         [](item x) {
                           (*x)["a"].emplace_back((*x)["a"][0].value + 1);
                           return x;
                         }) |
             skel::sink([&](item x) {
               auto const& all = x->at("a");
               moved = moved && all.size() == 2 && all[1].text == std::to_string(all[0].value + 1);
               sum += all[0].value;
             });
  grid.run(app);
  EXPECT_TRUE(moved);
  EXPECT_EQ(sum, grid.rank() == 0 ? 300 * 299 / 2 : 0);
}

TEST(Grid, TakesWorkInSecondsOfACoreOnAProbedGrid) {
  skel::run_settings settings;
  settings.planning_time = 0.2;
  skel::grid grid(settings);
  if (grid.size() > 1) return;  // probing many ranks has tests of its own
  auto app = count_to(1) | skel::stage("said", wait_for(1us), skel::work(1e-3)) | skel::sink([](int) {});
  auto const planned = grid.plan(app);
  ASSERT_EQ(planned.expected.stations.size(), 1u);
  EXPECT_NEAR(planned.expected.stations[0].capacity, 1000, 1);
  EXPECT_NEAR(planned.expected.stations[0].service_time, 1e-3, 1e-6);
}

TEST(Grid, RefusesPlansThatDoNotFit) {
  auto app = count_to(10) | skel::stage("one", [](int x) { return x; }) | skel::sink([](int) {});
  std::vector<skel::plan::run_plan> wrong(4);
  wrong[0].stations = {{{0}, 1}, {{0}, 1}};
  wrong[1].stations = {{{0}, 1}, {{rank_count()}, 1}, {{0}, 1}};
  wrong[2].stations = {{{0}, 1}, {{0, 0}, 1}, {{0}, 1}};
  wrong[3].stations = {{{0}, 1}, {{}, 1}, {{0}, 1}};
  for (auto const& plan : wrong) {
    skel::run_settings settings;
    settings.plan = plan;
    skel::grid grid(settings);
    EXPECT_THROW(grid.run(app), skel::error);
  }
}

TEST(Grid, RefusesPlansOfMoreBatchesThanCanBeCounted) {
  constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();
  skel::plan::run_plan fits;
  fits.stations = {{{0}, 1}, {{0}, 1}, {{0}, 1}};
  std::vector<skel::plan::run_plan> wrong(6, fits);
  wrong[0].reorder_factor = largest;
  wrong[1].reorder_factor = largest / 2 + 1;
  wrong[2].stations[1].capacity = largest;
  wrong[3].stations[2].capacity = largest - 1;
  wrong[4].batch_latency = std::numeric_limits<double>::infinity();
  wrong[5].batch_latency = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    auto app = count_to(10) | skel::farm("one", [](int x) { return x; }) | skel::sink([](int) {});
    skel::run_settings settings;
    settings.plan = wrong[i];
    skel::grid grid(settings);
    try {
      grid.run(app);
      ADD_FAILURE() << "plan " << i;
    } catch (skel::error const& e) {
      EXPECT_THAT(e.what(), HasSubstr(i < 4 ? "cannot be counted: lower its reorder_factor" : "batch_latency"));
    }
  }
  int items = 0;
  auto app = count_to(10) | skel::farm("one", [](int x) { return x; }) | skel::sink([&](int) { ++items; });
  skel::run_settings settings;
  settings.plan = fits;
  settings.plan->batch_bytes = largest;
  settings.plan->direct_bytes = largest;
  settings.plan->reorder_factor = largest / 100;
  settings.plan->batch_latency = std::numeric_limits<double>::max();
  skel::grid grid(settings);
  grid.run(app);
  EXPECT_EQ(items, grid.rank() == 0 ? 10 : 0);
}

TEST(Grid, PlansAnyCapacity) {
  skel::run_settings settings = on_equal_hosts();
  settings.capacity = std::numeric_limits<std::size_t>::max();
  skel::grid grid(settings);
  auto app = count_to(1000) |
             skel::farm(
                 "one", [](int x) { return x; }, skel::work(1e-4)) |
             skel::sink([](int) {});
  EXPECT_GT(grid.plan(app).expected.throughput, 0);
  EXPECT_THROW(grid.run(app), skel::error);
}

/// A file that no other test writes at the same time.
std::filesystem::path trace_file() {
  return std::filesystem::temp_directory_path() /
         ("skel_trace_" + std::to_string(getpid()) + "_" + std::to_string(rank_count()) + ".json");
}

TEST(Grid, RefusesATraceThatCannotBeWrittenBeforeItRuns) {
  skel::run_settings settings = on_equal_hosts();
  settings.trace = "/nowhere/trace.json";
  skel::grid grid(settings);
  int items = 0;
  auto app = count_to(10) | skel::stage("one", [](int x) { return x; }) | skel::sink([&](int) { ++items; });
  EXPECT_THROW(grid.run(app), skel::error);
  EXPECT_EQ(items, 0);
}

TEST(Grid, RefusesATraceThatIsAPipe) {
  for (bool const is_read : {false, true}) {
    skel::run_settings settings = on_equal_hosts();
    settings.trace = trace_file().string();
    ASSERT_EQ(mkfifo(settings.trace.c_str(), 0600), 0);
    int const reader = is_read ? open(settings.trace.c_str(), O_RDONLY | O_NONBLOCK) : -1;
    skel::grid grid(settings);
    auto app = count_to(10) | skel::stage("one", [](int x) { return x; }) | skel::sink([](int) {});
    EXPECT_THROW(grid.run(app), skel::error);
    if (is_read) close(reader);
    std::filesystem::remove(settings.trace);
  }
}

TEST(Grid, RefusesWhereAnnouncementsCannotComeFromOnAnyNumberOfRanks) {
  for (std::string const& path :
       {std::string("/"), std::string("/dev/null"), "/tmp/" + std::string(200, 'x') + ".sock"}) {
    skel::run_settings settings = on_equal_hosts();
    settings.announcements = path;
    EXPECT_THAT([&] { skel::grid(settings).run(count_to(1) | skel::sink([](int) {})); },
                testing::ThrowsMessage<skel::error>(testing::StartsWith(path + ": ")));
  }
}

TEST(Grid, RefusesTimesThatAreNone) {
  for (double const none : {-1.0, std::nan("")})
    for (auto const time :
         {&skel::run_settings::batch_latency, &skel::run_settings::calibration_time, &skel::run_settings::planning_time,
          &skel::run_settings::horizon, &skel::run_settings::patience}) {
      skel::run_settings settings = on_equal_hosts();
      settings.*time = none;
      EXPECT_THROW(skel::grid{settings}, skel::error);
      skel::grid grid(on_equal_hosts());
      grid.settings().*time = none;
      EXPECT_THROW(grid.run(count_to(10) | skel::sink([](int) {})), skel::error);
    }
}

TEST(Grid, ObeysAPlanWrittenByHand) {
  skel::run_settings settings = on_equal_hosts();
  skel::plan::run_plan by_hand;
  int const last = rank_count() - 1;
  by_hand.stations = {{{last}, 1}, {{0, last}, 0}, {{last}, 3}};
  settings.plan = by_hand;
  skel::grid grid(settings);
  int items = 0;
  auto app = count_to(100) | skel::farm([](int x) { return x; }) | skel::sink([&](int) { ++items; });
  auto const report = grid.run(app);
  EXPECT_EQ(report.calibration_items, 0u);
  EXPECT_EQ(report.run.items, 100u);
  EXPECT_EQ(items, grid.rank() == last ? 100 : 0);
}

TEST(Grid, RefusesAnotherNumberOfRanksOrHostsAtOnce) {
  skel::run_settings settings;
  settings.expected_ranks = static_cast<std::size_t>(rank_count()) + 1;
  EXPECT_THROW(skel::grid{settings}, skel::error);
  settings.expected_ranks = 0;
  settings.platform = equal_hosts(rank_count() + 2);
  try {
    skel::grid grid(settings);
    FAIL() << "no exception";
  } catch (skel::error const& e) {
    EXPECT_THAT(e.what(), testing::AllOf(HasSubstr(std::to_string(rank_count() + 2) + " hosts"), HasSubstr("ranks")));
  }
}

/// A platform that was measured on one host of this name.
skel::platform::description measured_on(std::string const& host) {
  skel::platform::cluster c;
  c.name = "c";
  c.cores = 2;
  c.parameters["measured"] = R"({"hosts": [{"name": ")" + host + R"("}]})";
  return skel::platform::description(1e-6, {c}, {}, {{"measured", R"({"date": "2026-11-20T21:45:00Z"})"}});
}

TEST(Grid, FindsItsRanksInAMeasuredPlatformByTheNamesOfTheirHosts) {
  skel::run_settings settings;
  settings.platform = measured_on(skel::platform::host_name());
  skel::grid grid(settings);
  ASSERT_TRUE(grid.settings().platform);
  EXPECT_EQ(grid.settings().platform->host_count(), static_cast<std::size_t>(rank_count()));
  auto app = count_to(100) | skel::stage([](int x) { return x; }) | skel::sink([](int) {});
  auto const report = grid.run(app);
  EXPECT_EQ(report.calibration_items + report.run.items, 100u);
}

TEST(Grid, RefusesOrReplacesAPlatformOfOtherHostsAsAsked) {
  skel::run_settings settings;
  settings.platform = measured_on("elsewhere");
  settings.if_other_hosts = skel::other_hosts::refuse;
  try {
    skel::grid grid(settings);
    FAIL() << "no exception";
  } catch (skel::error const& e) {
    EXPECT_THAT(e.what(), testing::AllOf(HasSubstr("measured 2026-11-20T21:45:00Z on other hosts"),
                                         HasSubstr(skel::platform::host_name()), HasSubstr("skel probe")));
  }
  settings.if_other_hosts = skel::other_hosts::measure;
  testing::internal::CaptureStderr();
  skel::grid grid(settings);
  std::string const warning = testing::internal::GetCapturedStderr();
  EXPECT_THAT(warning, grid.rank() == 0 ? HasSubstr("skel: warning: the platform was measured") : HasSubstr(""));
  EXPECT_FALSE(grid.settings().platform) << "to be measured when it is wanted";
}

TEST(Grid, TellsEveryRankWhatAFunctionThrewWhileItWasMeasuredOrRun) {
  for (int bad : {0, 300}) {
    skel::grid grid(on_equal_hosts());
    auto app = count_to(1000) |
               skel::stage("brittle",
                           [bad](int x) {
                             std::this_thread::sleep_for(100us);
                             if (x == bad) throw std::out_of_range("no such entry");
                             return x;
                           }) |
               skel::sink([](int) {});
    try {
      grid.run(app);
      FAIL() << "no exception";
    } catch (skel::stage_error const& e) {
      EXPECT_EQ(e.stage(), "brittle");
      EXPECT_EQ(e.item(), static_cast<std::uint64_t>(bad));
    }
  }
}

/// A worker that cannot be copied once that has been forbidden.
struct uncopyable_when_told {
  std::shared_ptr<std::function<void()>> on_copy;

  explicit uncopyable_when_told(std::shared_ptr<std::function<void()>> told) : on_copy(std::move(told)) {}
  uncopyable_when_told(uncopyable_when_told const& other) : on_copy(other.on_copy) {
    if (*on_copy) (*on_copy)();
  }
  uncopyable_when_told(uncopyable_when_told&&) = default;
  int operator()(int x) const { return x; }
};

TEST(Grid, TellsEveryRankWhatACopyOfAWorkerThrewWhereverItWasMade) {
  int const last = rank_count() - 1;
  for (bool const measured : {true, false})
    for (bool const standard : {true, false}) {
      auto settings = on_equal_hosts();
      if (!measured) settings.plan = skel::plan::run_plan{{{{0}, 1, {}}, {{last}, 1, {}}, {{0}, 1, {}}}};
      skel::grid grid(settings);
      auto const told = std::make_shared<std::function<void()>>();
      auto app = count_to(100) | skel::farm("copied", uncopyable_when_told(told)) | skel::sink([](int) {});
      *told = [standard] {
        if (standard) throw std::out_of_range("no copy");
        throw 42;
      };
      try {
        grid.run(app);
        FAIL() << "no exception";
      } catch (skel::stage_error const& e) {
        int const where = measured ? 0 : last;
        EXPECT_EQ(e.stage(), "copied");
        EXPECT_EQ(e.rank(), where);
        EXPECT_EQ(e.cause() != nullptr, grid.rank() == where);
        EXPECT_THAT(e.what(), testing::AllOf(HasSubstr("a worker of stage 'copied' could not be made for item 0"),
                                             HasSubstr(standard ? "no copy" : "not a std::exception")));
      }
    }
}

TEST(Grid, IsCancelledOnEveryRankWhenAnyRanksTokenIsStopped) {
  for (int who : {0, rank_count() - 1}) {
    skel::grid grid(on_equal_hosts());
    std::stop_source stop;
    // Nothing but the stop ends the stream.
    auto app = skel::source("endless", [i = 0]() mutable { return std::optional(i++); }) |
               skel::farm("wait", wait_for(100us)) | skel::sink([](int) {});
    std::jthread const asker([&] {
      std::this_thread::sleep_for(100ms);
      if (grid.rank() == who) stop.request_stop();
    });
    EXPECT_THROW(grid.run(app, stop.get_token()), skel::cancelled);
  }
}

TEST(Grid, RunsNothingWithATokenThatHasBeenStopped) {
  skel::grid grid(on_equal_hosts());
  std::stop_source stop;
  stop.request_stop();
  std::atomic<int> calls{0};
  auto app = count_to(1000) | skel::stage("count", [&](int x) { return ++calls, x; }) | skel::sink([](int) {});
  EXPECT_THROW(grid.run(app, stop.get_token()), skel::cancelled);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(grid.run(count_to(5) | skel::sink([](int) {}), std::stop_source().get_token()).items(), 5u)
      << "the next run is not stopped";
}

/// Items in the slices of a trace, by their names.
std::map<std::string, std::uint64_t> traced_items(std::filesystem::path const& file) {
  std::ifstream in(file);
  auto const trace = nlohmann::json::parse(in);
  std::map<std::string, std::uint64_t> items;
  for (auto const& event : trace.at("traceEvents"))
    if (event.at("ph") == "X") {
      items[event.at("name").get<std::string>()] += event.at("args").at("items").get<std::uint64_t>();
      EXPECT_GE(event.at("ts").get<double>(), 0);
      EXPECT_GE(event.at("dur").get<double>(), 0);
    }
  return items;
}

TEST(Grid, TracesItemsThatPassWhileTheyAreMeasured) {
  for (int all : {3, 400}) {  // the shorter stream ends meanwhile
    auto const file = trace_file();
    skel::run_settings settings = on_equal_hosts();
    settings.trace = file.string();
    skel::grid grid(settings);
    auto app = count_to(all) | skel::stage("wait", wait_for(100us)) | skel::sink("end", [](int) {});
    auto const report = grid.run(app);
    ASSERT_GT(report.calibration_items, 0u);
    if (grid.rank() != 0) continue;
    auto items = traced_items(file);
    for (std::string const name : {"count", "wait", "end"}) {
      EXPECT_EQ(items["calibration: " + name], report.calibration_items) << name;
      EXPECT_EQ(items[name], static_cast<std::uint64_t>(all) - report.calibration_items) << name;
    }
    std::filesystem::remove(file);
  }
}

TEST(Grid, WritesATraceWithASlicePerBatch) {
  auto const file = trace_file();
  skel::run_settings settings = on_equal_hosts();
  settings.trace = file.string();
  skel::grid grid(settings);
  auto app = count_to(200) | skel::stage("say \"hi\"", wait_for(100us), skel::work(1e-4)) | skel::sink([](int) {});
  auto const report = grid.run(app);
  std::uint64_t items = 0;
  for (auto const& s : report.run.stations) items += s.station == 1 ? s.items : 0;
  EXPECT_EQ(items, 200u);
  if (grid.rank() != 0) return;
  EXPECT_EQ(traced_items(file)["say \"hi\""], 200u);
  std::filesystem::remove(file);
}

TEST(Grid, ShowsAndWritesNamesOfAnyBytes) {
  std::string const name = "a\x1b[31m\nb\xff", shown = "a\\x1b[31m\\x0ab\\xff";
  auto const file = trace_file();
  skel::run_settings settings = on_equal_hosts();
  settings.trace = file.string();
  skel::grid grid(settings);
  auto app = count_to(400) | skel::stage(name, wait_for(100us)) |
             skel::reduce(name + " sum", std::plus<>{}, skel::every(10)) | skel::sink(name + " sink", [](int) {});
  auto const report = grid.run(app);
  EXPECT_THAT(report.text(), testing::AllOf(HasSubstr("  " + shown + " "), HasSubstr(shown + " sum"),
                                            testing::Not(HasSubstr("\x1b")), testing::Not(HasSubstr("\xff"))));
  if (grid.rank() == 0) {
    auto items = traced_items(file);
    EXPECT_EQ(items[shown] + items["calibration: " + shown], 400u);
    std::filesystem::remove(file);
  }
  auto fails =
      count_to(3) | skel::stage(name, [](int) -> int { throw std::runtime_error("planted"); }) | skel::sink([](int) {});
  try {
    grid.run(fails);
    ADD_FAILURE() << "nothing was thrown";
  } catch (skel::error const& thrown) {
    EXPECT_THAT(thrown.what(), testing::AllOf(HasSubstr(shown), testing::Not(HasSubstr("\x1b"))));
  }
}

TEST(Grid, TakesItsOptionsOutOfTheCommandLine) {
  std::string words[] = {"program", "in.txt", "--skel-capacity", "5", "--skel-latency=0.01", "out.txt"};
  char* pointers[7] = {};
  for (int i = 0; i < 6; ++i) pointers[i] = words[i].data();
  int argc = 6;
  char** argv = pointers;
  skel::grid grid(argc, argv);
  EXPECT_EQ(argc, 3);
  EXPECT_STREQ(argv[1], "in.txt");
  EXPECT_STREQ(argv[2], "out.txt");
  EXPECT_EQ(grid.settings().capacity, 5u);
  EXPECT_EQ(grid.settings().batch_latency, 0.01);
}

TEST(Grid, KnowsWhatARankMayUseOfTheCoresThatAPlatformSays) {
  std::vector<std::string> const hosts = skel::grid().ranks().hosts();
  if (hosts.size() > 1) return;  // ranks of one host share its cores
  std::size_t const usable = skel::platform::find_usable_cores().mine.size(), said = usable + 2;
  for (bool const here : {false, true}) {
    skel::run_settings settings;
    settings.platform = skel::platform::description(1e-6, {{.name = here ? hosts[0] : "elsewhere", .cores = said}}, {});
    settings.planning_time = 0.05;
    skel::grid grid(settings);

    auto const plan = grid.plan(count_to(1) |
                                skel::farm(
                                    "work", [](int x) { return x; }, skel::work(1)) |
                                skel::sink([](int) {}));

    EXPECT_THAT(plan.note, HasSubstr("rank 0 may use " + std::to_string(usable) + " of the " + std::to_string(said)));
    EXPECT_EQ(plan.processors.size(), here ? usable : said);
  }
}

TEST(Grid, ReadsALimitOfMemoryInAnyUnit) {
  for (auto const& [text, bytes] : std::map<std::string, std::size_t>{{"4096", 4096},
                                                                      {"64k", 65536},
                                                                      {"1.5M", 1572864},
                                                                      {"2GiB", 2147483648},
                                                                      {"3MB", 3000000},
                                                                      {"64kB", 64000},
                                                                      {"7b", 7}}) {
    std::string words[] = {"program", "--skel-memory", text};
    char* pointers[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
    int argc = 3;
    char** argv = pointers;
    EXPECT_EQ(skel::grid(argc, argv).settings().memory, bytes) << text;
  }
}

TEST(Grid, KeepsALimitOfMemoryAndSaysSo) {
  skel::run_settings settings = on_equal_hosts();
  settings.memory = 100000;
  for (auto const size : {std::size_t{1000}, std::size_t{200000}}) {
    skel::grid grid(settings);
    std::size_t seen = 0;
    auto app = count_to(300) | skel::farm([size](int x) {
                 std::this_thread::sleep_for(100us);
                 return std::vector<char>(size, static_cast<char>(x));
               }) |
               skel::sink([&](std::vector<char> const& x) { seen += x.size(); });
    auto const report = grid.run(app);
    ASSERT_GT(report.run.items, 0u);
    EXPECT_EQ(report.run.memory_limit, settings.memory);
    EXPECT_EQ(report.run.most_bytes() <= settings.memory, size == 1000);
    EXPECT_THAT(report.text(),
                HasSubstr(size == 1000 ? "a limit of 100 kB was kept"
                                       : "a limit of 100 kB may have been passed: items took up to 200 kB, "
                                         "and 2 times that on their way, and an item larger than the "
                                         "limit allows passes alone; the limit would have to be 400 kB"));
    if (size > settings.memory) {
      EXPECT_EQ(report.run.most_items, 1u);
    }
    EXPECT_EQ(seen, grid.rank() == 0 ? 300 * size : 0);
  }
}

TEST(Grid, RefusesOptionsItCannotRead) {
  auto refuses = [](std::string name, std::string value, std::string because) {
    std::string program = "program";
    char* pointers[] = {program.data(), name.data(), value.data(), nullptr};
    int argc = 3;
    char** argv = pointers;
    try {
      skel::grid grid(argc, argv);
      ADD_FAILURE() << name << " " << value << " was taken";
    } catch (skel::input_error const& e) {
      EXPECT_THAT(e.what(), HasSubstr(because));
    }
  };
  refuses("--skel-capacity", "-1", "not a number of at least");
  refuses("--skel-latency", "nan", "not a number");
  for (char const* size : {"much", "64X", "-1k", "0", "inf", "1e30", "3i", "k", "0x10"})
    refuses("--skel-memory", size, "is not a size of at least a byte");
  for (char const* migration : {"migbsp:-3", "migbsp:1e3", "migbsp:", "migbsp:8x"})
    refuses("--skel-migration", migration, "ALPHA of '" + std::string(migration) + "' is no whole number");
  refuses("--skel-migration", "migbsp:99999999999999999999", "is more than the 1000000 supersteps that are the most");
  refuses("--skel-migration", "migbsp:0", "alpha of policy 'migbsp' is 0");
  refuses("--skel-migration", "migbsp:1000001", "1 to 1000000, are wanted");
  refuses("--skel-capcity", "1", "did you mean '--skel-capacity'");
  refuses("--skel-other-hosts", "ask", "neither 'measure' nor 'refuse'");
  for (char const* said : {"exchange", "=sparse", "exchange="})
    refuses("--skel-force", said, "is not PROBLEM=CHOICE, such as exchange=sparse");
  refuses("--skel-platform", "/nowhere/grid.json", "/nowhere/grid.json");
}

}  // namespace
