#include <skel/detail/show/trace.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/base/error.hpp>

namespace {

using skel::record::bsp_timeline;
using testing::HasSubstr;
using testing::Not;

/// Supersteps of 2 ms from 10 s on, of two ranks that compute 1 and 2 ms; a process has moved before the third.
bsp_timeline timeline(std::uint64_t supersteps) {
  bsp_timeline out({"here", "there \"2\""});
  for (std::uint64_t s = 1; s <= supersteps; ++s) {
    double const begin = 10 + 2e-3 * static_cast<double>(s - 1);
    bool const moved = s == 3;
    out.add({s, 1, begin, begin + 2e-3, {1e-3, moved ? 1.5e-3 : 2e-3}, moved ? 1U : 0U, moved ? 5e-4 : 0});
  }
  return out;
}

std::string written(bsp_timeline const& run, std::vector<skel::record::bsp_migration> const& migrations) {
  std::string const file = "/tmp/skel_trace_test." + std::to_string(::getpid());
  skel::write_trace(run, migrations, file);
  std::ifstream in(file);
  std::string const text(std::istreambuf_iterator<char>(in), {});
  std::filesystem::remove(file);
  return text;
}

TEST(Trace, OfABspProgramIsARowForEachRank) {
  auto const text = written(timeline(3), {{.superstep = 2, .process = 5, .from = 0, .to = 1},
                                          {.superstep = 2, .process = 6, .from = 0, .to = 1, .failed = "no memory"}});
  EXPECT_THAT(text, HasSubstr("{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"rank 1 (there "
                              "\\\"2\\\")\"}}"));
  EXPECT_THAT(text, HasSubstr("{\"ph\":\"X\",\"pid\":0,\"tid\":0,\"name\":\"superstep 2\",\"ts\":2000.000,\"dur\":"
                              "1000.000,\"args\":{\"first\":2,\"count\":1}}"));
  EXPECT_THAT(text, HasSubstr("\"pid\":0,\"tid\":0,\"name\":\"waiting\",\"ts\":3000.000,\"dur\":1000.000"));
  EXPECT_THAT(text, HasSubstr("\"pid\":1,\"tid\":0,\"name\":\"migrations\",\"ts\":4000.000,\"dur\":500.000"));
  EXPECT_THAT(text, HasSubstr("\"pid\":1,\"tid\":0,\"name\":\"superstep 3\",\"ts\":4500.000,\"dur\":1500.000"));
  EXPECT_THAT(text, HasSubstr("{\"ph\":\"i\",\"pid\":1,\"tid\":0,\"s\":\"t\",\"name\":\"process 5 from rank 0\","
                              "\"ts\":4000.000}"));
  EXPECT_THAT(text, Not(HasSubstr("process 6")));
}

TEST(Trace, OfNothingIsATraceToo) {
  EXPECT_THAT(written(bsp_timeline({"n"}), {{.superstep = 1, .process = 0, .from = 0, .to = 0}}),
              HasSubstr("\"traceEvents\":["));
}

TEST(Trace, AFileThatCannotBeWrittenIsSaid) {
  EXPECT_THROW(skel::write_trace(timeline(1), {}, "/tmp/no/such/folder/trace.json"), skel::error);
}

}  // namespace
