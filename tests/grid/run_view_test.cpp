#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/platform/announcement.hpp>
#include <skel/detail/platform/description.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/skel.hpp>

#include "support/live_page.hpp"

// Runs that are looked at: what there is to see on rank 0, and that the others notice nothing.
namespace {

using skel::test::answer_of;
using skel::test::free_port;
using skel::test::said_during;
using testing::HasSubstr;
using testing::Not;

void compute(double seconds) {
  double const end = skel::record::now() + seconds;
  while (skel::record::now() < end) {
  }
}

class RunView : public testing::Test {
 protected:
  RunView() : file_("/tmp/skel_run_view_test." + std::to_string(::getppid()) + ".html") {
    settings_.knowledge = "off";
    settings_.progress = false;
    settings_.report = file_;
  }
  ~RunView() override { std::filesystem::remove(file_); }

  /// Items of 1 ms for so long; `at` is called for each in the sink, which is where the source is.
  template <class At>
  skel::run_report run(skel::grid& grid, std::uint64_t items, At at) {
    auto app = skel::source("numbers",
                            [i = std::uint64_t{0}, items]() mutable -> std::optional<std::uint64_t> {
                              return i < items ? std::optional(i++) : std::nullopt;
                            }) |
               skel::farm(
                   "<act & \"react\">",
                   [](std::uint64_t x) {
                     compute(1e-3);
                     return x;
                   },
                   skel::work(1e-3)) |
               skel::sink("end", [&at](std::uint64_t x) { at(x); });
    return grid.run(app);
  }

  std::string page() const {
    std::ifstream in(file_);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::string file_;
  skel::run_settings settings_;
};

TEST_F(RunView, ARunWritesItsPage) {
  skel::grid grid(settings_);
  auto const report = run(grid, 1000, [](std::uint64_t) {});
  EXPECT_EQ(report.run.items, 1000U);
  if (grid.rank() != 0) return;
  EXPECT_THAT(page(), HasSubstr("It is complete: 1000 items"));
  EXPECT_THAT(page(), HasSubstr("&lt;act &amp; &quot;react&quot;&gt;"));
  EXPECT_THAT(page(), Not(HasSubstr("<act")));
  EXPECT_THAT(page(), HasSubstr("<polyline class=\"measured\""));
  EXPECT_THAT(page(), HasSubstr("bottleneck: &#39;&lt;act"));
  EXPECT_THAT(page(), HasSubstr("rank " + std::to_string(grid.size() - 1)));
}

TEST_F(RunView, ARunThatIsTooShortForReportsHasAPageToo) {
  skel::grid grid(settings_);
  run(grid, 3, [](std::uint64_t) {});
  if (grid.rank() != 0) return;
  EXPECT_THAT(page(), HasSubstr("It is complete: 3 items"));
}

TEST_F(RunView, ARunThatEndsWhileItIsMeasuredHasAPageToo) {
  skel::grid grid(settings_);
  auto app = skel::source("numbers", [i = 0]() mutable { return i < 3 ? std::optional(i++) : std::nullopt; }) |
             skel::stage("same", [](int x) { return x; }) | skel::sink("end", [](int) {});
  grid.run(app);
  if (grid.rank() != 0) return;
  EXPECT_THAT(page(), HasSubstr("It is complete: 0 items in -, - on " + std::to_string(grid.size())));
}

TEST_F(RunView, ARunThatAnExceptionEndsSaysSo) {
  skel::grid grid(settings_);
  EXPECT_THROW(run(grid, 3000,
                   [](std::uint64_t x) {
                     if (x == 900) throw std::runtime_error("no <room>");
                   }),
               skel::stage_error);
  if (grid.rank() != 0) return;
  EXPECT_THAT(page(), HasSubstr("It failed: "));
  EXPECT_THAT(page(), HasSubstr("no &lt;room&gt;"));
  EXPECT_THAT(page(), HasSubstr("<polyline class=\"measured\""));
}

TEST_F(RunView, ARunThatIsCancelledSaysSo) {
  skel::grid grid(settings_);
  EXPECT_THROW(run(grid, 100000,
                   [](std::uint64_t x) {
                     if (x == 900) ::raise(SIGINT);
                   }),
               skel::cancelled);
  if (grid.rank() != 0) return;
  EXPECT_THAT(page(), HasSubstr("It failed: the run was cancelled"));
}

TEST_F(RunView, AFileThatCannotBeWrittenIsToldBeforeTheRun) {
  settings_.report = "/nowhere/run.html";
  skel::grid grid(settings_);
  try {
    run(grid, 3, [](std::uint64_t) { FAIL() << "it ran"; });
    FAIL() << "nothing was said";
  } catch (skel::error const& problem) {
    EXPECT_THAT(problem.what(), testing::AllOf(HasSubstr("/nowhere/run.html"), HasSubstr("--skel-report")));
  }
}

TEST_F(RunView, PlansThatComeMeanwhileAreSeen) {
  settings_.plan.emplace();
  settings_.plan->stations.resize(3, {.ranks = {0}});
  settings_.plan_period = 0.05;
  settings_.next_plan = [](skel::plan::run_plan const& now, double seconds) -> std::optional<skel::plan::run_plan> {
    if (seconds < 0.4 || now.stations[1].ranks.size() > 1) return std::nullopt;
    auto next = now;
    next.stations[1].ranks = {0, 0};
    return next;
  };
  skel::grid grid(settings_);
  auto const report = run(grid, 2000, [](std::uint64_t) {});
  ASSERT_EQ(report.run.moves, 1U);
  if (grid.rank() != 0) return;
  EXPECT_THAT(page(), HasSubstr("the run went on by another plan"));
  EXPECT_THAT(page(), HasSubstr(": 2 workers, "));
}

TEST_F(RunView, MovesAndForecastsOfHostsAreSeen) {
  int const size = skel::grid(settings_).size();
  if (size == 1) GTEST_SKIP() << "a run on one rank is not moved";
  settings_.announcements = file_ + ".jsonl";
  std::vector<skel::platform::cluster> clusters;
  std::vector<skel::platform::cluster_link> links;
  for (int r = 0; r < size; ++r) clusters.push_back({"host" + std::to_string(r), 1, 1, 1, {}, {}, {}});
  for (std::size_t a = 0; a < clusters.size(); ++a)
    for (std::size_t b = 0; b < clusters.size(); ++b)
      if (a != b) links.push_back({a, b, {1e-5, 1e9}, {}});
  settings_.platform = skel::platform::description(1e-6, clusters, links);
  skel::grid grid(settings_);
  auto const report = run(grid, 3000, [&](std::uint64_t x) {
    if (x != 500) return;
    for (int r = 1; r < size; ++r)
      std::ofstream(settings_.announcements, std::ios::app)
          << skel::platform::to_json(
                 {.says = skel::platform::announcement::kind::leaves, .host = "host" + std::to_string(r)})
          << "\n";
  });
  if (grid.rank() != 0) return;
  std::filesystem::remove(settings_.announcements);
  EXPECT_THAT(page(), HasSubstr("<polyline class=\"forecast\" points="));
  EXPECT_THAT(page(), Not(HasSubstr("There were none.")));
  if (report.run.moves == 0) return;  // its workers were all on rank 0
  EXPECT_THAT(page(), HasSubstr("class=\"mark moved\""));
  EXPECT_THAT(page(), HasSubstr("going there was to cost"));
}

TEST_F(RunView, TheLivePageIsThereAsLongAsTheRun) {
  settings_.live_page = free_port();
  skel::grid grid(settings_);
  std::string whole, view, script, nothing;
  auto const said = said_during([&] {
    run(grid, 1500, [&, rank = grid.rank()](std::uint64_t x) {
      if (rank != 0 || x != 1000) return;
      whole = answer_of(*settings_.live_page, "/");
      view = answer_of(*settings_.live_page, "/view");
      script = answer_of(*settings_.live_page, "/live.js");
      nothing = answer_of(*settings_.live_page, "/run.html");
    });
  });
  if (grid.rank() != 0) return;
  EXPECT_THAT(said, HasSubstr("http://127.0.0.1:" + std::to_string(*settings_.live_page) + "/"));
  EXPECT_THAT(whole, testing::AllOf(HasSubstr(" 200 OK"), HasSubstr("/live.js"), HasSubstr("It goes on: ")));
  EXPECT_THAT(view, testing::AllOf(HasSubstr(" 200 OK"), HasSubstr("It goes on: "), HasSubstr("<polyline")));
  EXPECT_THAT(script, testing::AllOf(HasSubstr("text/javascript"), HasSubstr("fetch(\"/view\"")));
  EXPECT_THAT(nothing, HasSubstr(" 404 "));
  EXPECT_EQ(answer_of(*settings_.live_page, "/"), "");
}

TEST_F(RunView, NoPageIsMadeMoreThanTwiceASecond) {
  settings_.live_page = free_port();
  skel::grid grid(settings_);
  std::string first, again;
  double apart = 0;
  said_during([&] {
    run(grid, 1500, [&, rank = grid.rank()](std::uint64_t x) {
      if (rank != 0 || x != 1000) return;
      double const begin = skel::record::now();
      first = answer_of(*settings_.live_page, "/");
      std::this_thread::sleep_for(std::chrono::milliseconds(300));  // rank 0 has said how far it is meanwhile
      again = answer_of(*settings_.live_page, "/");
      apart = skel::record::now() - begin;
    });
  });
  if (grid.rank() != 0) return;
  EXPECT_THAT(again, HasSubstr("It goes on: "));
  if (apart >= 0.5) GTEST_SKIP() << "the machine is too slow to ask twice in half a second";
  EXPECT_EQ(first, again);
}

TEST_F(RunView, APortInUseIsToldAndAnotherOneTaken) {
  skel::loopback_server const taken(0, [](std::string_view) { return std::optional<skel::web_resource>(); });
  settings_.live_page = taken.port();
  skel::grid grid(settings_);
  auto const said = said_during([&] { run(grid, 3, [](std::uint64_t) {}); });
  if (grid.rank() != 0) return;
  EXPECT_THAT(said, testing::AllOf(HasSubstr("port " + std::to_string(taken.port()) + " of 127.0.0.1 cannot be"),
                                   HasSubstr("see the run at http://127.0.0.1:")));
}

}  // namespace
