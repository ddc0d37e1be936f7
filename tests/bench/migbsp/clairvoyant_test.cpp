#include "migbsp/clairvoyant.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <random>
#include <utility>

#include <gtest/gtest.h>

#include <skel/detail/mapping/migration/policy.hpp>

#include "migbsp/random_program.hpp"
#include "support/draw.hpp"

namespace {

using namespace skel;
using namespace skel::mapping::migration;
using bench::assigned_hosts;

/// Moves processes as a schedule says, at no cost but that of the migrations.
class scripted final : public policy {
 public:
  scripted(cost::bsp::machine const& machine, std::vector<assigned_hosts> const& hosts)
      : machine_(machine), hosts_(hosts) {}

  std::optional<record::rescheduling> after(record::superstep const& step) override {
    record::rescheduling call{.superstep = step.number, .candidates = {}};
    std::vector<cost::bsp::migration> moves;
    for (std::size_t p = 0; p < step.hosts.size(); ++p) {
      auto const to = hosts_[step.number][p];
      if (to == step.hosts[p]) continue;
      call.candidates.push_back({.process = p, .from = step.hosts[p], .to = to, .accepted = true});
      moves.push_back({p, step.hosts[p], to, step.state_bytes[p]});
    }
    call.price = cost::bsp::migration_time(machine_, moves);
    return call;
  }

 private:
  cost::bsp::machine const& machine_;
  std::vector<assigned_hosts> const& hosts_;
};

double replayed(bench::random_program const& of, std::vector<assigned_hosts> const& hosts) {
  scripted decides(of.machine, hosts);
  return simulate(of.program, of.machine, of.begin, decides).seconds;
}

/// 3 processes in 4 supersteps on 2 hosts, of which the second is twice as fast.
bench::random_program tiny(unsigned seed) {
  std::mt19937 random(seed);
  bench::random_program made;
  made.machine = {
      platform::description(1e-6, {{"a", 1, 1, 1, {1e-4, 1e8}, {}, {}}, {"b", 1, 2, 1, {1e-4, 1e8}, {}, {}}},
                            {{0, 1, {2e-4, 1e7}, {}}, {1, 0, {2e-4, 1e7}, {}}}),
      bench::draw_log(random, 0.1, 3)};
  record::load_trace program;
  for (std::size_t s = 0; s < 4; ++s) {
    record::superstep_load load{.work = {}, .messages = {{0, 1, bench::draw_log(random, 1e2, 1e7)}}};
    for (std::size_t p = 0; p < 3; ++p) load.work.push_back(bench::draw_log(random, 0.1, 10));
    program.steps.push_back(load);
  }
  made.program = program;
  made.begin = {{0, 0, 1}, {1e3, 1e6, 1e7}};
  return made;
}

/// The least time of any schedule: all of them are replayed.
double least(bench::random_program const& of) {
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t all = 0; all < 8 * 8 * 8; ++all) {
    std::vector<assigned_hosts> hosts{of.begin.hosts};
    for (std::size_t s = 0, left = all; s < 3; ++s, left /= 8) hosts.push_back({left % 2, left / 2 % 2, left / 4 % 2});
    best = std::min(best, replayed(of, hosts));
  }
  return best;
}

TEST(BestSchedule, IsTheCheapestOfAllThereAre) {
  std::size_t moves = 0;
  for (unsigned seed = 0; seed < 30; ++seed) {
    auto const program = tiny(seed);
    auto const made = bench::best_schedule(program.program, program.machine, program.begin);
    EXPECT_NEAR(made.seconds, least(program), 1e-9) << seed;
    EXPECT_NEAR(made.seconds, replayed(program, made.hosts), 1e-9) << seed;
    if (made.hosts.front() != made.hosts.back()) ++moves;
  }
  EXPECT_GT(moves, 0U) << "of no use where staying is best each time";
  EXPECT_LT(moves, 30U);
}

TEST(BestSchedule, KeepsToTheMemoryOfHosts) {
  auto program = tiny(1);
  program.machine.memory = {2e7, 1e7};  // nothing but the third process is on b
  program.machine.fixed = 0;
  auto const made = bench::best_schedule(program.program, program.machine, program.begin);
  for (auto const& hosts : made.hosts) EXPECT_TRUE(hosts[2] == 0 || hosts[0] + hosts[1] == 0);
}

TEST(BestSchedule, StaysWhereMovingNeverPays) {
  auto program = tiny(1);
  program.machine.fixed = 1e6;
  auto const made = bench::best_schedule(program.program, program.machine, program.begin);
  for (auto const& hosts : made.hosts) EXPECT_EQ(hosts, program.begin.hosts);
}

TEST(SearchedSchedule, IsOneAndTakesNoLessThanTheBest) {
  for (auto const kind : bench::program_kinds) {
    auto const program = bench::draw_small_program(kind, 3);
    auto const best = bench::best_schedule(program.program, program.machine, program.begin),
               found = bench::searched_schedule(program.program, program.machine, program.begin, {});
    EXPECT_NEAR(found.seconds, replayed(program, found.hosts), 1e-9 * found.seconds) << kind;
    EXPECT_GE(found.seconds, best.seconds * (1 - 1e-9)) << kind;
  }
}

TEST(SearchedSchedule, TakesNoMoreThanTheBestOfWhatIsKnown) {
  auto const program = bench::draw_small_program("growing spot", 5);
  auto const best = bench::best_schedule(program.program, program.machine, program.begin);
  EXPECT_NEAR(bench::searched_schedule(program.program, program.machine, program.begin, best.hosts).seconds,
              best.seconds, 1e-9 * best.seconds);
}

}  // namespace
