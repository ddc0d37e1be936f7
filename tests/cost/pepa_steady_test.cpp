#include <gtest/gtest.h>

#include <string>

#include <skel/cost/pepa/steady.hpp>

namespace {

namespace pepa = skel::cost::pepa;

pepa::steady_state solved(std::string const& text) {
  return pepa::solve(pepa::derive(pepa::parse(text)));
}

constexpr char const* three_stages = R"(
l = 1 / 0.0001;
mu = 10.0;
Stage1 = (move1, infty).(process1, infty).(move2, infty).Stage1;
Stage2 = (move2, infty).(process2, infty).(move3, infty).Stage2;
Stage3 = (move3, infty).(process3, infty).(move4, infty).Stage3;
Network = (move1, l).Network + (move2, l).Network + (move3, l).Network + (move4, l).Network;
Processor1 = (process1, mu).Processor1;
Processor2 = (process2, mu).Processor2;
Processor3 = (process3, mu).Processor3;
Network <move1, move2, move3, move4> (Stage1 <move2> Stage2 <move3> Stage3)
        <process1, process2, process3> (Processor1 || Processor2 || Processor3)
)";

TEST(SteadyState, OfThreeStagesIsThatOfThePaper) {
  auto const steady = solved(three_stages);
  EXPECT_EQ(steady.space().states(), 27u);
  EXPECT_EQ(steady.space().transitions(), 51u);
  EXPECT_NEAR(steady.throughput("process1"), 5.6346666902, 1e-10);
  EXPECT_LT(steady.residual(), 1e-14);
}

}  // namespace
