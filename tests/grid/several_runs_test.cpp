#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/bsp.hpp>
#include <skel/files.hpp>
#include <skel/iterate.hpp>
#include <skel/skel.hpp>

// Several runs of one program, in one process: what they find of each other, and the files that each of them has.
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

/// A folder that all ranks of this host use and rank 0 makes and removes, with the settings that the grid is made of.
class SeveralRuns : public testing::Test {
 protected:
  SeveralRuns() {
    settings_.knowledge = "off";
    settings_.progress = false;
    skel::grid grid(settings_);
    root_ = grid.rank() == 0;
    folder_ = fs::temp_directory_path() / (grid.ranks().broadcast("skel-runs-" + std::to_string(::getpid())) + "-" +
                                           testing::UnitTest::GetInstance()->current_test_info()->name());
    if (root_) fs::create_directories(folder_);
    grid.barrier();
  }
  ~SeveralRuns() override {
    skel::run_settings only_to_meet;
    only_to_meet.knowledge = "off";
    skel::grid(only_to_meet).barrier();
    if (root_) fs::remove_all(folder_);
  }

  std::string operator/(std::string const& name) const { return folder_ / name; }
  std::string text(std::string const& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::vector<std::string> files() const {
    std::vector<std::string> out;
    for (auto const& entry : fs::directory_iterator(folder_)) out.push_back(entry.path().filename());
    std::ranges::sort(out);
    return out;
  }
  /// What this rank writes to standard error meanwhile.
  template <class Does>
  static std::string said(Does does) {
    testing::internal::CaptureStderr();
    try {
      does();
    } catch (...) {
      testing::internal::GetCapturedStderr();
      throw;
    }
    return testing::internal::GetCapturedStderr();
  }

  bool root_ = false;
  fs::path folder_;
  skel::run_settings settings_;
};

/// Gives so many numbers, and knows which one is next.
struct counting {
  std::uint64_t all = 0, next = 0;

  std::optional<std::uint64_t> operator()() { return next < all ? std::optional(next++) : std::nullopt; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(next);
  }
};

std::uint64_t same(std::uint64_t x) {
  return x;
}

/// Takes so long that checkpoints are due meanwhile.
std::uint64_t busy(std::uint64_t x) {
  double volatile work = 1;
  for (int i = 0; i < 500; ++i) work = work + 1 / work;
  return x;
}
constexpr std::uint64_t many = 40'000;

// What a run finds of an earlier one.

TEST_F(SeveralRuns, AFileIsNotWrittenOverWhileItIsRead) {
  skel::grid grid(settings_);
  std::string const lines = folder_ / ("lines-" + std::to_string(grid.rank()));
  std::ofstream(lines) << "one\ntwo\n";
  fs::create_symlink(lines, lines + "-too");
  EXPECT_THAT(
      [&] {
        grid.run(skel::source("read", skel::line_source(lines)) | skel::sink("write", skel::file_sink(lines + "-too")));
      },
      testing::ThrowsMessage<skel::error>(
          testing::AllOf(HasSubstr("sink 'write' writes the file"), HasSubstr("which source 'read' reads"))));
  std::ifstream in(lines);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "one\ntwo\n");
}

TEST_F(SeveralRuns, AStreamThatHasEndedSaysSoInItsNextRuns) {
  skel::grid grid(settings_);
  std::uint64_t sum = 0;
  auto app = skel::source("count", counting{20}) | skel::farm("same", same) |
             skel::sink("add", [&](std::uint64_t x) { sum += x; });
  auto const first = grid.run(app);
  EXPECT_EQ(first.items(), 20U);
  EXPECT_EQ(first.ended_source, "");
  EXPECT_THAT(first.text(), Not(HasSubstr("earlier run")));
  std::string const words = said([&] {
    for (int again = 0; again < 2; ++again) {
      auto const next = grid.run(app);
      EXPECT_EQ(next.items(), 0U);
      EXPECT_EQ(next.ended_source, "count");
      EXPECT_THAT(next.text(), HasSubstr("source 'count' gave no items: it had ended in an earlier run"));
    }
  });
  if (grid.rank() != 0) {
    EXPECT_EQ(words, "");
    return;
  }
  EXPECT_EQ(sum, 190U);
  EXPECT_THAT(words, HasSubstr("skel: warning: source 'count' had ended in an earlier run of this composition"));
  EXPECT_EQ(words.find("had ended"), words.rfind("had ended")) << "it is said once";
}

TEST_F(SeveralRuns, AStreamThatHasEndedSaysSoUnderAPlanByHandToo) {
  settings_.plan = {{{{0}, 1, {}}, {{0}, 1, {}}, {{0}, 1, {}}}};
  skel::grid grid(settings_);
  auto app =
      skel::source("by hand", counting{20}) | skel::farm("same", same) | skel::sink("drop", [](std::uint64_t) {});
  EXPECT_EQ(grid.run(app).ended_source, "");
  auto const next = grid.run(app);
  EXPECT_EQ(next.ended_source, "by hand");
  EXPECT_THAT(next.text(), HasSubstr("source 'by hand' gave no items"));
}

TEST_F(SeveralRuns, ACopyFromBeforeTheFirstRunAndACompositionMadeAnewGiveEverything) {
  skel::grid grid(settings_);
  auto const make = [] {
    return skel::source("fresh", counting{20}) | skel::farm("same", same) | skel::sink("drop", [](std::uint64_t) {});
  };
  auto app = make();
  auto copy = app;
  std::string const words = said([&] {
    for (auto* const one : {&app, &copy}) EXPECT_EQ(grid.run(*one).items(), 20U);
    for (int again = 0; again < 2; ++again) EXPECT_EQ(grid.run(make()).items(), 20U);
  });
  EXPECT_EQ(words, "");
  auto late = app;  // of one that has run
  EXPECT_EQ(grid.run(late).ended_source, "fresh");
}

TEST_F(SeveralRuns, ASourceThatBeginsAgainIsNoneThatHasEnded) {
  skel::grid grid(settings_);
  auto app = skel::source("again",
                          [n = 0]() mutable -> std::optional<std::uint64_t> {
                            if (n++ < 20) return n;
                            n = 0;
                            return std::nullopt;
                          }) |
             skel::farm("same", same) | skel::sink("drop", [](std::uint64_t) {});
  EXPECT_EQ(said([&] {
              for (int run = 0; run < 3; ++run) {
                auto const report = grid.run(app);
                EXPECT_EQ(report.items(), 20U);
                EXPECT_EQ(report.ended_source, "");
              }
            }),
            "");
}

TEST_F(SeveralRuns, AStreamWithoutItemsIsNoneThatHasEnded) {
  skel::grid grid(settings_);
  auto app = skel::source("empty", counting{0}) | skel::farm("same", same) | skel::sink("drop", [](std::uint64_t) {});
  skel::run_report report;
  EXPECT_EQ(said([&] { report = grid.run(app); }), "");
  EXPECT_EQ(report.ended_source, "");
  EXPECT_THAT(report.text(), HasSubstr("run: source 'empty' gave no items\n"));
}

auto counted_supersteps(std::uint64_t last = 5) {
  return skel::bsp<int>(
      "count", 9, [](std::size_t p) { return static_cast<int>(p); },
      [last](skel::superstep<int>& now, int& mine) {
        ++mine;
        if (now.number() == last) now.halt();
      });
}

struct cell {
  double u = 0;
};
/// Cannot be written.
struct held {
  int const* one = nullptr;
  std::vector<std::unique_ptr<int>> more{};
};
skel::mesh strip() {
  return {6, skel::cell_kind::triangle, {0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5}};
}
auto counted_iterations(std::uint64_t times = 6) {
  return skel::iterate("count", strip(),
                       [](skel::mesh_element const& e) { return cell{static_cast<double>(e.number())}; }) |
         skel::phase("add", [](cell& own) { own.u += 1; }) | skel::times(times);
}

TEST_F(SeveralRuns, BspAndMeshProgramsBeginAnewEachTime) {
  skel::grid grid(settings_);
  auto const bsp = counted_supersteps();
  auto const mesh = counted_iterations();
  auto const of_bsp = [&] { return grid.run(bsp, [](std::size_t, int& mine) { return mine; }).values; };
  auto const of_mesh = [&] { return grid.run(mesh, [](cell const& own) { return own.u; }).values; };
  auto const first = of_bsp();
  EXPECT_EQ(first.front(), 5);
  EXPECT_EQ(of_bsp(), first);
  EXPECT_THAT(of_mesh(), ElementsAre(6, 7, 8, 9));
  EXPECT_THAT(of_mesh(), ElementsAre(6, 7, 8, 9));
}

// The files of each run.

/// A stream that names itself in what is written of it.
skel::run_report run_named(skel::grid& grid, std::string const& name, std::uint64_t items = 20) {
  auto app = skel::source(name, counting{items}) | skel::farm("same", same) | skel::sink("drop", [](std::uint64_t) {});
  return grid.run(app);
}

TEST_F(SeveralRuns, EachHasAPageAndATraceOfItsOwn) {
  settings_.report = *this / "r.html";
  settings_.trace = *this / "t.json";
  skel::grid grid(settings_);
  EXPECT_EQ(said([&] { run_named(grid, "first"); }), "");
  std::string const words = said([&] { run_named(grid, "second"); });
  EXPECT_EQ(grid.settings().report, settings_.report);
  EXPECT_EQ(grid.settings().trace, settings_.trace);
  grid.settings().report = *this / "./r.html";  // the same file
  run_named(grid, "third");
  if (grid.rank() != 0) {
    EXPECT_EQ(words, "");
    return;
  }
  EXPECT_THAT(files(), ElementsAre("r-2.html", "r-3.html", "r.html", "t-2.json", "t-3.json", "t.json"));
  for (std::string const end : {"", "-2", "-3"}) {
    std::string const name = end.empty() ? "first" : end == "-2" ? "second" : "third";
    EXPECT_THAT(text("r" + end + ".html"), HasSubstr(name));
    EXPECT_THAT(text("t" + end + ".json"), HasSubstr(name));
  }
  EXPECT_EQ(words, "skel: files of earlier runs stay: " + *this / "t-2.json" + " has the trace of this one, " +
                       *this / "r-2.html" + " has the report of this one\n");
}

TEST_F(SeveralRuns, OfSeveralGridsAndKindsHaveFilesOfTheirOwn) {
  settings_.report = *this / "r";
  settings_.trace = *this / "t.json";
  settings_.scenario = *this / "s.json";
  settings_.decisions = *this / "d.jsonl";
  std::string const words = said([&] {
    for (int g = 0; g < 2; ++g) {
      skel::grid grid(settings_);
      run_named(grid, "line");
      grid.run(counted_supersteps());
      grid.run(counted_iterations());
    }
  });
  if (!root_) return;
  EXPECT_THAT(files(), UnorderedElementsAre("r", "r-2", "r-3", "r-4", "r-5", "r-6", "t.json", "t-2.json", "t-3.json",
                                            "t-4.json", "s.json", "s-2.json", "d.jsonl"));
  EXPECT_THAT(words, HasSubstr("d.jsonl: the decisions of an earlier grid of this program are replaced"));
  EXPECT_THAT(text("r-4"), HasSubstr("line"));
  for (auto const& name : files()) EXPECT_TRUE(name.front() == 'd' || !text(name).empty()) << name;
}

TEST_F(SeveralRuns, FilesOfEarlierStartsAndFilesThatWereTakenAwayAreWrittenAgain) {
  settings_.report = *this / "r.html";
  if (root_)
    for (auto const* name : {"r.html", "r-2.html"}) std::ofstream(*this / name) << "of an earlier start";
  skel::grid grid(settings_);
  for (int run = 0; run < 2; ++run) said([&] { run_named(grid, "now"); });
  if (root_) {
    for (auto const* name : {"r.html", "r-2.html"}) EXPECT_THAT(text(name), HasSubstr("now"));
    fs::remove(*this / "r.html");
  }
  EXPECT_EQ(said([&] { run_named(grid, "later"); }), "");
  if (!root_) return;
  EXPECT_THAT(text("r.html"), HasSubstr("later"));
  EXPECT_THAT(files(), ElementsAre("r-2.html", "r.html"));
}

TEST_F(SeveralRuns, NoNameThatNobodyGaveIsFollowedOrWaitedFor) {
  settings_.report = *this / "r.html";
  if (root_) {
    std::ofstream(*this / "victim") << "precious";
    fs::create_symlink("victim", *this / "r-2.html");
    fs::create_directories(*this / "r-3.html");
  }
  skel::grid grid(settings_);
  said([&] { run_named(grid, "first"), run_named(grid, "second"); });
  if (!root_) return;
  EXPECT_EQ(text("victim"), "precious");
  EXPECT_THAT(text("r-4.html"), HasSubstr("second"));
}

TEST_F(SeveralRuns, NoFileIsThereBeforeItIsComplete) {
  settings_.report = *this / "r.html";
  settings_.trace = *this / "t.json";
  skel::grid grid(settings_);
  bool early = false;
  auto app = skel::source("count", counting{20}) | skel::farm("same", same) | skel::sink("look", [&](std::uint64_t) {
               early = early || fs::exists(*this / "r.html") || fs::exists(*this / "t.json");
             });
  grid.run(app);
  EXPECT_FALSE(early);
  grid.settings().trace = *this / "./new.json";
  grid.settings().report = *this / "new.json";
  EXPECT_THAT([&] { run_named(grid, "one file for two"); },
              testing::ThrowsMessage<skel::error>(HasSubstr("would write the same file")));
  if (!root_) return;
  EXPECT_THAT(files(), ElementsAre("r.html", "t.json"));
}

TEST_F(SeveralRuns, FilesKeepWhatTheyHaveUnderOtherNames) {
  settings_.report = *this / "r.html";
  settings_.trace = *this / "t.json";
  settings_.decisions = *this / "d.jsonl";
  if (root_)
    for (auto const* name : {"r.html", "t.json", "d.jsonl"}) {
      std::ofstream(*this / name) << "old";
      fs::create_hard_link(*this / name, *this / (std::string("kept-") + name));
    }
  skel::grid grid(settings_);
  run_named(grid, "now");
  if (!root_) return;
  for (auto const* name : {"r.html", "t.json", "d.jsonl"}) {
    EXPECT_EQ(text(std::string("kept-") + name), "old");
    EXPECT_THAT(text(name), Not(HasSubstr("old")));
  }
}

// Checkpoints of some runs, and not of others.

auto saved(std::string const& out, std::uint64_t items = 1000) {
  return skel::source("count", counting{items}) |
         skel::farm("text", [](std::uint64_t x) { return std::to_string(x) + "\n"; }) |
         skel::sink("write", skel::file_sink(out));
}

TEST_F(SeveralRuns, ALaterOneThatCannotBeSavedGoesOnAndSaysSo) {
  settings_.checkpoint = *this / "checkpoints";
  skel::grid grid(settings_);
  auto app = saved(*this / "out");
  EXPECT_EQ(grid.run(app).without_checkpoints, "");
  std::uint64_t sum = 0;
  skel::run_report report;
  std::string const words = said([&] {
    report =
        grid.run(skel::source("anywhere", [i = 0]() mutable { return i < 10 ? std::optional(i++) : std::nullopt; }) |
                 skel::farm("same", [](int x) { return x; }) |
                 skel::sink("add", [&](int x) { sum += static_cast<std::uint64_t>(x); }));
  });
  EXPECT_THAT(report.without_checkpoints, HasSubstr("source 'anywhere' keeps its place in the stream"));
  EXPECT_THAT(report.text(), HasSubstr("checkpoints: none, because source 'anywhere'"));
  EXPECT_THAT(words, root_ ? HasSubstr("goes on without checkpoints: source 'anywhere'") : HasSubstr(""));
  EXPECT_EQ(sum, root_ ? 45U : 0U);
  std::string const of_mesh = said([&] {
    auto const found = grid.run(skel::iterate("held", strip(), [](skel::mesh_element const&) { return held(); }) |
                                skel::phase("look", [](held&) {}) | skel::times(1));
    EXPECT_THAT(found.report.without_checkpoints, HasSubstr("the cells of program 'held' cannot be written"));
  });
  EXPECT_THAT(of_mesh, root_ ? HasSubstr("goes on without checkpoints: the cells of program 'held'") : HasSubstr(""));
}

TEST_F(SeveralRuns, RanksThatNameTheFolderInOtherWordsLeaveOutTheSameRun) {
  settings_.checkpoint = *this / (root_ ? "checkpoints" : "checkpoints/.");
  skel::grid grid(settings_);
  auto app = saved(*this / "out");
  EXPECT_EQ(grid.run(app).without_checkpoints, "");
  grid.settings().checkpoint = *this / "checkpoints";
  said([&] {
    auto const line = grid.run(skel::source("anywhere", []() -> std::optional<int> { return std::nullopt; }) |
                               skel::sink("drop", [](int) {}));
    EXPECT_THAT(line.without_checkpoints, HasSubstr("source 'anywhere'"));
    grid.settings().checkpoint = *this / "checkpoints";
    auto const mesh = grid.run(skel::iterate("held", strip(), [](skel::mesh_element const&) { return held(); }) |
                               skel::phase("look", [](held&) {}) | skel::times(1));
    EXPECT_THAT(mesh.report.without_checkpoints, HasSubstr("the cells of program 'held' cannot be written"));
  });
}

/// Gives numbers until there is a checkpoint in the folder.
struct until_there_is_one : counting {
  explicit until_there_is_one(std::string folder) : folder_(std::move(folder)) {}

  std::optional<std::uint64_t> operator()() {
    if (++next % 100 == 0 && fs::exists(folder_))
      for (auto const& entry : fs::directory_iterator(folder_))
        if (entry.path().extension() == ".checkpoint") return std::nullopt;
    return next;
  }

 private:
  std::string folder_;
};

TEST_F(SeveralRuns, OneThatIsLeftOutKeepsNoCheckpoints) {
  settings_.checkpoint = *this / "checkpoints";
  settings_.checkpoint_period = 1e-3;
  settings_.keep_checkpoints = false;
  skel::grid grid(settings_);
  std::uint64_t sum = 0;
  std::string const words = said([&] {
    auto const report =
        grid.run(skel::source("anywhere", [i = 0]() mutable { return i < 10 ? std::optional(i++) : std::nullopt; }) |
                 skel::sink("add", [&](int x) { sum += static_cast<std::uint64_t>(x); }));
    EXPECT_EQ(report.without_checkpoints, "");
    grid.run(counted_iterations());
  });
  EXPECT_EQ(words, "");
  EXPECT_THAT(root_ ? files() : std::vector<std::string>(), IsEmpty());
  grid.settings().keep_checkpoints = true;
  // It is the first that is to have checkpoints.
  auto without_place = skel::source("count", until_there_is_one{settings_.checkpoint}) |
                       skel::sink("see", [&](std::uint64_t x) { sum += x; });
  EXPECT_THAT([&] { grid.run(without_place); },
              testing::ThrowsMessage<skel::error>(HasSubstr("sink 'see' may keep state")));
  auto app = skel::source("count", until_there_is_one{settings_.checkpoint}) | skel::farm("busy", busy) |
             skel::sink(
                 "drop", [](std::uint64_t) {}, skel::stateless);
  EXPECT_GT(grid.run(app).run.checkpoints.written, 0U);
}

// What a run is only told about in does not end it.

/// This process can write no file of more than so many bytes meanwhile; what tests catch of standard error is shorter.
class limited_files {
 public:
  explicit limited_files(rlim_t most) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit const now{most, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~limited_files() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(SeveralRuns, ALimitOfSizeIsAWarningForWhatIsOnlyTold) {
  settings_.report = *this / "r.html";
  settings_.trace = *this / "t.json";
  settings_.decisions = *this / "d.jsonl";
  settings_.scenario = *this / "s.json";
  std::string words;
  {
    skel::grid grid(settings_);
    words = said([&] {
      limited_files const limit(4096);
      EXPECT_EQ(run_named(grid, "line", 20'000).items(), 20'000U);
      EXPECT_EQ(grid.run(counted_supersteps(500)).run.supersteps, 500U);
      grid.run(counted_iterations());
    });
  }
  if (!root_) return;
  for (std::string const name : {"r.html", "t.json", "s.json", "r-2.html", "t-2.json", "r-3.html"})
    EXPECT_THAT(words, HasSubstr("skel: warning: " + *this / name + ": cannot be written: File too large")) << name;
}

/// A source that keeps much.
struct heavy : counting {
  std::string kept = std::string(100'000, 'x');

  template <class Archive>
  void serialize(Archive& archive) {
    archive(next, kept);
  }
};

TEST_F(SeveralRuns, ALimitOfSizeIsAWarningForCheckpointsAndAnErrorForTheFileOfASink) {
  settings_.checkpoint = *this / "checkpoints";
  settings_.checkpoint_period = 1e-3;
  skel::grid grid(settings_);
  skel::run_report report;
  std::string const words = said([&] {
    limited_files const limit(16384);
    report = grid.run(skel::source("count", heavy{{many}}) | skel::farm("busy", busy) |
                      skel::sink(
                          "drop", [](std::uint64_t) {}, skel::stateless));
  });
  EXPECT_EQ(report.items(), many);
  EXPECT_EQ(report.run.checkpoints.written, 0U);
  EXPECT_GT(report.run.checkpoints.failed, 0U);
  EXPECT_THAT(report.run.checkpoints.problem, HasSubstr("File too large"));
  EXPECT_THAT(words, HasSubstr(root_ ? "a checkpoint could not be written" : ""));
  grid.settings().checkpoint.clear();
  limited_files const limit(16384);
  auto app = saved(*this / "out", many);
  EXPECT_THAT([&] { grid.run(app); }, testing::ThrowsMessage<skel::error>(AllOf(
                                          HasSubstr("'write'"), HasSubstr("out: cannot be written: File too large"))));
}

}  // namespace
