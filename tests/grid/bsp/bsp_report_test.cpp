#include <skel/detail/grid/bsp_report.hpp>

#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::HasSubstr;
using testing::Not;

/// Two calls of one policy on 200 processes: all change places, then four go.
skel::bsp_report two_calls() {
  skel::bsp_report out;
  auto& run = out.run;
  run.name = "p";
  run.processes = 200;
  run.hosts = {"a", "b"};
  run.rank_of.assign(200, 0);
  run.migrated = 200;
  run.decisions.policy = "rotate";
  for (auto const moves : {std::size_t{200}, std::size_t{4}}) {
    skel::record::rescheduling call;
    call.superstep = moves;
    for (std::size_t p = 0; p < moves; ++p)
      call.candidates.push_back({.process = p, .from = 0, .to = 1, .accepted = true});
    run.decisions.calls.add(std::move(call));
    run.decisions.moves += moves;
  }
  return out;
}

std::string text_of(skel::bsp_report const& report) {
  std::ostringstream out;
  out << report;
  return out.str();
}

TEST(BspReport, CountsMovesOfCallsOfWhichNotAllAreKept) {
  EXPECT_THAT(text_of(two_calls()), HasSubstr("after superstep 200: 200 moves planned,"));
}

TEST(BspReport, SaysWhichMovesWereNotMade) {
  auto report = two_calls();
  EXPECT_THAT(text_of(report), HasSubstr("4 moves of the last call not made, as the program was over"));
  EXPECT_THAT(text_of(report), HasSubstr("moved by 'rotate': 2 calls, 204 moves planned, 200 made"));
  report.run.migrated += 3, report.run.not_migrated = 1;
  EXPECT_THAT(text_of(report), Not(HasSubstr("not made,")));
  EXPECT_THAT(text_of(report), HasSubstr("1 migration could not be made"));
}

TEST(BspReport, SaysOfHowManySuperstepsTheFiguresOfTheModelAre) {
  auto report = two_calls();
  report.run.supersteps = 48;
  report.run.decisions.supersteps = 24;
  report.run.decisions.measured = 24e-3;
  EXPECT_THAT(text_of(report), HasSubstr("of 24 supersteps that were looked at, each took 1 ms;"));
  report.run.supersteps = 24;
  EXPECT_THAT(text_of(report), HasSubstr("a superstep took 1 ms;"));
}

TEST(BspReport, SaysWhatTheTimeOfAMigrationIs) {
  auto report = two_calls();
  report.run.decisions.migration_fixed = 4.68e-3;
  EXPECT_THAT(text_of(report), HasSubstr("a migration took 4.68 ms beside the way of its state, as measured"));
  report.run.decisions.migration_per_byte = 1.5e-9;
  EXPECT_THAT(text_of(report), HasSubstr("a migration took 4.68 ms and 1.5 ns/B beside the way of its state"));
}

}  // namespace
