#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/runtime/checkpoint_store.hpp>
#include <skel/files.hpp>
#include <skel/skel.hpp>

// Runs that end by an exception and go on from their checkpoints. Those that are killed: bench_restart.
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::uint64_t items = 40'000;

struct counting {
  std::uint64_t next = 0;

  std::optional<std::uint64_t> operator()() { return next == items ? std::nullopt : std::optional(next++); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(next);
  }
};

struct summing {
  std::uint64_t sum = 0;

  std::string operator()(std::uint64_t x) { return std::to_string(sum += x) + "\n"; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(sum);
  }
};

std::string expected() {
  std::string text;
  for (std::uint64_t i = 0, sum = 0; i < items; ++i) text += std::to_string(sum += i) + "\n";
  return text;
}

/// A folder that all ranks of this host use.
class folder {
 public:
  explicit folder(skel::grid& grid) : root_(grid.rank() == 0) {
    path_ = fs::temp_directory_path() / (grid.ranks().broadcast("skel-resumption-" + std::to_string(::getpid())) + "-" +
                                         testing::UnitTest::GetInstance()->current_test_info()->name());
    if (root_) fs::create_directories(path_);
  }
  ~folder() {
    if (root_) fs::remove_all(path_);
  }
  std::string operator/(std::string const& name) const { return path_ / name; }

 private:
  bool root_;
  fs::path path_;
};

std::string text_in(std::string const& name) {
  std::ifstream in(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

skel::run_settings settings() {
  skel::run_settings out;
  out.knowledge = "off";
  out.progress = false;
  return out;
}

/// `work` of each item in a farm.
template <class Work>
auto compose(std::string const& out, Work work) {
  return skel::source("count", counting{}) | skel::farm("work", work) | skel::stage("sum", summing{}) |
         skel::sink("write", skel::file_sink(out));
}

std::uint64_t busy(std::uint64_t x) {
  double volatile work = 1;
  for (int i = 0; i < 500; ++i) work = work + 1 / work;
  return x;
}

TEST(Resumption, ARunThatThrewGoesOnFromItsLastCheckpoint) {
  skel::grid grid(settings());
  folder const here(grid);
  grid.settings().checkpoint = here / "checkpoints";
  grid.settings().checkpoint_period = 1e-3;
  auto const run = [&](std::uint64_t bad) {
    auto app = compose(here / "out", [bad](std::uint64_t x) {
      if (x == bad) throw std::runtime_error("bad item");
      return busy(x);
    });
    return grid.run(app);
  };
  EXPECT_THROW(run(items / 2), skel::stage_error);
  EXPECT_THROW(run(items - 1), skel::stage_error);
  auto const report = run(items);
  EXPECT_EQ(report.resumed.has_value(),
            report.text().find("resumed: from a checkpoint, with item") != std::string::npos);
  EXPECT_EQ(report.items() + report.resumed.value_or(0), items);
  if (grid.rank() != 0) return;
  EXPECT_EQ(text_in(here / "out"), expected());
  EXPECT_TRUE(fs::exists(here / "checkpoints"));
  for (auto const& entry : fs::directory_iterator(here / "checkpoints")) EXPECT_EQ(entry.path().filename(), "lock");
}

double rough(std::uint64_t x) {
  return 1.0 / static_cast<double>(busy(x) * 7919 % 10007 + 1);
}

/// Of the numbers of items.
double sum_along_the_tree(std::uint64_t begin, std::uint64_t length) {
  if (length == 1) return rough(begin);
  if (begin + length / 2 >= items) return sum_along_the_tree(begin, length / 2);
  return sum_along_the_tree(begin, length / 2) + sum_along_the_tree(begin + length / 2, length / 2);
}

/// Keeps one sum.
struct keeping {
  double* sum;
  void operator()(double x) const { *sum = x; }
  template <class Archive>
  void serialize(Archive&) {}
};

TEST(Resumption, ASumThatRoundsHasTheBitsOfARunThatNothingInterrupted) {
  skel::grid grid(settings());
  folder const here(grid);
  grid.settings().checkpoint = here / "checkpoints";
  grid.settings().checkpoint_period = 1e-3;
  double sum = 0;
  auto const run = [&](std::uint64_t bad) {
    auto app = skel::source("count", counting{}) |
               skel::farm("work",
                          [bad](std::uint64_t x) {
                            if (x == bad) throw std::runtime_error("bad item");
                            return rough(x);
                          }) |
               skel::reduce("sum", std::plus<>{}) | skel::sink("keep", keeping{&sum});
    return grid.run(app);
  };
  EXPECT_THROW(run(items / 2), skel::stage_error);
  EXPECT_THROW(run(items - 1), skel::stage_error);
  run(items);
  EXPECT_EQ(sum, grid.rank() == 0 ? sum_along_the_tree(0, std::uint64_t{1} << 16) : 0);
}

/// Nothing is computed for a file that cannot be written.
TEST(Resumption, ASinkWhoseFileCannotBeOpenedEndsTheRunBeforeItsFirstItem) {
  skel::grid grid(settings());
  folder const here(grid);
  for (bool const given : {false, true}) {
    skel::plan::run_plan plan;
    plan.stations = {{{0}}, {{0}}, {{0}}, {{grid.size() - 1}}};
    if (given) grid.settings().plan = plan;
    std::uint64_t worked = 0;
    auto app = skel::source("count", counting{}) |
               skel::stage("work", [&worked](std::uint64_t x) { return ++worked, busy(x); }) |
               skel::stage("sum", summing{}) | skel::sink("write", skel::file_sink(here / "none/out"));
    try {
      grid.run(app);
      FAIL() << "a folder was made";
    } catch (skel::stage_error const& e) {
      EXPECT_THAT(e.what(), HasSubstr("sink 'write' could not begin on rank " +
                                      std::to_string(given ? grid.size() - 1 : 0) + ": "));
      EXPECT_THAT(e.what(), HasSubstr("none/out: cannot be opened: No such file or directory"));
    }
    EXPECT_LT(worked, given && grid.size() > 1 ? items : 1);
  }
}

/// A run that ends before it writes has not cut the file of the run before.
TEST(Resumption, ASinkKeepsWhatIsInItsFileUntilItWrites) {
  skel::grid grid(settings());
  folder const here(grid);
  if (grid.rank() == 0) std::ofstream(here / "out") << "of the run before";
  auto app = compose(here / "out", [](std::uint64_t x) { return x > 0 ? throw std::runtime_error("bad item") : x; });
  EXPECT_THROW(grid.run(app), skel::stage_error);
  if (grid.rank() == 0) {
    EXPECT_EQ(text_in(here / "out"), "of the run before");
  }
}

struct unwritable : summing {
  template <class Archive>
  void serialize(Archive&) {
    throw std::runtime_error("no ink");
  }
};

TEST(Resumption, ACheckpointThatCannotBeWrittenIsGivenUpAndTheRunGoesOn) {
  skel::grid grid(settings());
  folder const here(grid);
  grid.settings().checkpoint = here / "checkpoints";
  grid.settings().checkpoint_period = 1e-3;
  skel::plan::run_plan plan;
  plan.stations = {{{0}}, {{0}}, {{grid.size() - 1}}, {{0}}};
  grid.settings().plan = plan;
  auto app = skel::source("count", counting{}) | skel::farm("work", busy) | skel::stage("sum", unwritable{}) |
             skel::sink("write", skel::file_sink(here / "out"));
  testing::internal::CaptureStderr();
  auto const report = grid.run(app);
  std::string const said = testing::internal::GetCapturedStderr();
  auto const& kept = report.run.checkpoints;
  EXPECT_EQ(kept.written, 0U);
  ASSERT_GT(kept.failed, 0U);
  std::string const why = "the state of stage 'sum' could not be serialised on rank " +
                          std::to_string(grid.size() - 1) + ": no ink (std::runtime_error)";
  EXPECT_EQ(kept.problem, why);
  EXPECT_THAT(report.text(), HasSubstr(std::to_string(kept.failed) + " could not be written: " + why));
  if (grid.rank() != 0) return;
  EXPECT_EQ(text_in(here / "out"), expected());
  auto const first = said.find(why);
  ASSERT_NE(first, std::string::npos) << said;
  EXPECT_EQ(said.find(why, first + 1), std::string::npos) << said;
}

TEST(Resumption, APlanByHandPutsStatesWhereStagesAre) {
  skel::grid grid(settings());
  folder const here(grid);
  grid.settings().checkpoint = here / "checkpoints";
  grid.settings().checkpoint_period = 1e-3;
  auto const run = [&](std::uint64_t bad, int rank) {
    skel::plan::run_plan plan;
    plan.stations = {{{0}}, {{0, grid.size() - 1}}, {{rank}}, {{0}}};
    grid.settings().plan = plan;
    auto app = compose(here / "out", [bad](std::uint64_t x) {
      if (x == bad) throw std::runtime_error("bad item");
      return busy(x);
    });
    return grid.run(app);
  };
  EXPECT_THROW(run(items / 3, 0), skel::stage_error);
  EXPECT_THROW(run(items / 3 * 2, grid.size() - 1), skel::stage_error);
  run(items, grid.size() / 2);
  if (grid.rank() != 0) return;
  EXPECT_EQ(text_in(here / "out"), expected());
}

TEST(Resumption, WhatCannotHaveCheckpointsIsRefusedOnEveryRank) {
  skel::grid grid(settings());
  folder const here(grid);
  grid.settings().checkpoint = here / "checkpoints";
  int seen = 0;
  auto app = skel::source("count", counting{}) | skel::sink("see", [&](std::uint64_t) { ++seen; });
  EXPECT_THAT([&] { grid.run(app); }, testing::ThrowsMessage<skel::error>(HasSubstr("sink 'see' may keep state")));
  if (grid.rank() == 0) std::ofstream(here / "file") << "no folder";
  grid.settings().checkpoint = here / "file";
  auto fine = compose(here / "out", busy);
  EXPECT_THAT([&] { grid.run(fine); },
              testing::ThrowsMessage<skel::error>(HasSubstr("checkpoints cannot be kept there")));
}

TEST(Resumption, ACheckpointOfAnotherProgramIsRefused) {
  skel::grid grid(settings());
  folder const here(grid);
  grid.settings().checkpoint = here / "checkpoints";
  if (grid.rank() == 0)
    for (std::size_t run = 1; run < 50; ++run)  // whichever it is in this process
      skel::runtime::checkpoint_store(here / "checkpoints", run, {{"the number of stations", "2"}})
          .write({7, {"", ""}});
  grid.barrier();
  auto app = compose(here / "out", busy);
  EXPECT_THAT([&] { grid.run(app); },
              testing::ThrowsMessage<skel::error>(
                  HasSubstr("is a checkpoint of another program: the number of stations is 2 there and 4 here")));
}

}  // namespace
