#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Dense>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/cost/pepa/steady.hpp>

namespace {

namespace pepa = skel::cost::pepa;

pepa::steady_state solution_of(std::string const& text) {
  return pepa::solve(pepa::derive(pepa::parse(text)));
}

/// The paper's pipeline with one stage per processor. moves: N+1 rates, services: N rates.
std::string pipeline(std::vector<double> const& moves, std::vector<double> const& services) {
  std::string stages, network = "Network = ", processors, chain, move_set, process_set, all;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    std::string const move = "move" + std::to_string(i + 1);
    network.append(i > 0 ? " + " : "").append("(" + move + ", " + skel::exact(moves[i]) + ").Network");
    move_set.append(i > 0 ? ", " : "").append(move);
  }
  for (std::size_t i = 0; i < services.size(); ++i) {
    std::string const n = std::to_string(i + 1), next = std::to_string(i + 2);
    stages.append("Stage" + n + " = (move" + n + ", infty).(process" + n + ", infty).(move" + next + ", infty).Stage" +
                  n + ";\n");
    processors.append("Processor" + n + " = (process" + n + ", " + skel::exact(services[i]) + ").Processor" + n + ";\n");
    chain.append(i > 0 ? " <move" + n + "> " : "").append("Stage" + n);
    process_set.append(i > 0 ? ", " : "").append("process" + n);
    all.append(i > 0 ? " || " : "").append("Processor" + n);
  }
  return stages + processors + network + ";\nNetwork <" + move_set + "> (" + chain + ") <" + process_set + "> (" + all +
         ")";
}

double throughput(std::vector<double> const& moves, std::vector<double> const& services) {
  return solution_of(pipeline(moves, services)).throughput("process1");
}

TEST(Pipeline, OfThreeStagesIsThatOfThePaper) {
  auto const steady = solution_of(pipeline({1e4, 1e4, 1e4, 1e4}, {10, 10, 10}));
  EXPECT_EQ(steady.space().states(), 27u);
  EXPECT_EQ(steady.space().transitions(), 51u);
  EXPECT_NEAR(steady.throughput("process1"), 5.6346666902, 5e-11);
  EXPECT_LT(steady.residual(), 1e-14);
}

TEST(Pipeline, OfOneStageIsASumOfTimes) {
  EXPECT_NEAR(throughput({2, 3}, {5}), 1 / (1.0 / 2 + 1.0 / 5 + 1.0 / 3), 1e-14);
  EXPECT_NEAR(throughput({1e4, 1e-3}, {7}), 1 / (1e-4 + 1e3 + 1.0 / 7), 1e-14);
}

TEST(Pipeline, WithInstantMovesHasItsClosedForms) {
  double const fast = 1e9;
  EXPECT_NEAR(throughput({fast, fast, fast}, {2, 3}), 1 / (1.0 / 2 + 1.0 / 3 - 1.0 / 5), 1e-7);
  EXPECT_NEAR(throughput({fast, fast, fast, fast}, {5, 5, 5}), 22 * 5.0 / 39, 1e-7);
}

TEST(Pipeline, WithInstantServiceHasItsClosedForm) {
  for (std::size_t n = 1; n <= 6; ++n) {
    double const stages = static_cast<double>(n);
    EXPECT_NEAR(throughput(std::vector<double>(n + 1, 4.0), std::vector<double>(n, 1e9)),
                4 * (stages + 2) / (2 * (2 * stages + 1)), 1e-7);
  }
}

TEST(Pipeline, PassesEveryItemThroughEveryAction) {
  auto const steady = solution_of(pipeline({3, 100, 0.5, 20, 7}, {1, 40, 2, 9}));
  for (auto const& [action, value] : steady.throughputs())
    EXPECT_NEAR(value, steady.throughput("move1"), 1e-13) << action;
}

/// "Q7".
std::string length(std::size_t n) {
  return std::string("Q").append(std::to_string(n));
}

/// A queue for one server with k places, as a component that counts.
std::string queue(std::size_t k, std::size_t servers, double arrival, double service) {
  std::string text;
  for (std::size_t n = 0; n <= k; ++n) {
    std::string const here = length(n);
    text.append(here + " = ");
    if (n < k) text.append("(arrive, " + skel::exact(arrival) + ").Q" + std::to_string(n + 1));
    if (n > 0 && n < k) text.append(" + ");
    if (n > 0)
      text.append("(serve, " + skel::exact(service * static_cast<double>(std::min(n, servers))) + ").Q" +
                  std::to_string(n - 1));
    text.append(";\n");
  }
  return text + "Q0";
}

TEST(Queue, WithOneServerAndKPlacesIsThatOfTheTextbook) {
  double const a = 3, s = 4, rho = a / s;
  auto const steady = solution_of(queue(8, 1, a, s));
  for (std::size_t n = 0; n <= 8; ++n)
    EXPECT_NEAR(steady.population(length(n)),
                (1 - rho) * std::pow(rho, static_cast<double>(n)) / (1 - std::pow(rho, 9)), 1e-15);
}

TEST(Queue, WithoutWaitingPlacesLosesWhatErlangLoses) {
  double const load = 6;
  double blocking = 1;
  for (int n = 1; n <= 10; ++n) blocking = load * blocking / (n + load * blocking);
  auto const steady = solution_of(queue(10, 10, load, 1));
  EXPECT_NEAR(steady.population("Q10"), blocking, 1e-15);
  EXPECT_NEAR(steady.throughput("serve"), load * (1 - blocking), 1e-14);
}

TEST(Queue, OfArrayedServersIsTheSameQueue) {
  // Ten servers that an arrival takes passively: the same Erlang loss system, from components.
  auto const steady = solution_of(
      "Idle = (arrive, infty).Busy; Busy = (serve, 1).Idle; Source = (arrive, 6).Source;"
      "Source <arrive> Idle[10]");
  EXPECT_EQ(steady.space().states(), 11u);
  EXPECT_NEAR(steady.throughput("arrive"), solution_of(queue(10, 10, 6, 1)).throughput("serve"), 1e-13);
}

TEST(Queue, ThatIsALongOneIsSolvedThoughSweepsAreSlow) {
  auto const space = pepa::derive(pepa::parse(queue(1500, 1, 0.99, 1)));
  for (auto const method : {pepa::solver::automatic, pepa::solver::gth, pepa::solver::krylov}) {
    pepa::solve_options options;
    options.method = method;
    auto const steady = pepa::solve(space, options);
    EXPECT_EQ(steady.used(), method == pepa::solver::automatic ? pepa::solver::multilevel : method);
    double const expected = 0.01 / (1 - std::pow(0.99, 1501));
    EXPECT_NEAR(steady.probabilities()[0] / expected, 1, 1e-9) << to_string(method);
    EXPECT_LE(steady.residual(), 1e-12);
  }
}

TEST(Steady, GivesStatesThatAreLeftForEverNoProbability) {
  auto const steady = solution_of("Start = (begin, 1).Warm; Warm = (begin, 2).P; P = (a, 3).Q; Q = (b, 1).P; Start");
  EXPECT_EQ(steady.transient(), 2u);
  EXPECT_EQ(steady.population("Start"), 0);
  EXPECT_EQ(steady.throughput("begin"), 0);
  EXPECT_DOUBLE_EQ(steady.throughput("a"), 0.75);
}

TEST(Steady, OfASingleStateIsCertain) {
  auto const steady = solution_of("P = (a, 7).P; P");
  EXPECT_EQ(steady.probabilities(), std::vector<double>{1.0});
  EXPECT_DOUBLE_EQ(steady.throughput("a"), 7);
}

TEST(Steady, TellsWhereComponentsSpendTheirTime) {
  auto const steady = solution_of("P = (a, 1).P1; P1 = (b, 3).P; Q = (c, 1).Q1; Q1 = (d, 1).Q; P[4] || Q/{c}");
  auto const all = steady.utilisations();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].component, "P");
  EXPECT_EQ(all[0].copies, 4u);
  ASSERT_EQ(all[0].states.size(), 2u);
  EXPECT_EQ(all[0].states[0].name, "P");
  EXPECT_NEAR(all[0].states[0].population, 3, 1e-14);
  EXPECT_NEAR(all[0].states[1].population, 1, 1e-14);
  EXPECT_EQ(all[1].component, "Q");
  EXPECT_NEAR(all[1].states[1].population, 0.5, 1e-14);
  EXPECT_NEAR(steady.population("P1"), 1, 1e-14);
}

TEST(Steady, RefusesNamesThatAreNotInTheModel) {
  auto const steady = solution_of("P = (serve, 1).P; P");
  try {
    steady.throughput("server");
    FAIL() << "an unknown action was accepted";
  } catch (skel::error const& refused) {
    EXPECT_THAT(refused.what(), testing::HasSubstr("did you mean 'serve'?"));
  }
  EXPECT_THROW(steady.population("R"), skel::error);
}

TEST(Steady, IsNeverReturnedAboveTheTolerance) {
  auto const space = pepa::derive(pepa::parse(pipeline({3, 1e4, 0.5, 20, 7}, {1, 40, 2, 900})));
  pepa::solve_options options;
  options.method = pepa::solver::gauss_seidel;
  options.max_iterations = 3;
  try {
    pepa::solve(space, options);
    FAIL() << "three sweeps were accepted";
  } catch (skel::error const& refused) {
    EXPECT_THAT(refused.what(), testing::HasSubstr("gauss_seidel: residual"));
  }
}

/// States of a buffer that `in` fills and `out` empties.
std::string buffer(std::string const& name, int places, std::string const& in, std::string const& out) {
  std::string text;
  for (int n = 0; n <= places; ++n) {
    text.append(name + std::to_string(n) + " = ");
    if (n < places) text.append("(" + in + ", infty)." + name + std::to_string(n + 1));
    if (n > 0) text.append(n < places ? " + " : "").append("(" + out + ", infty)." + name + std::to_string(n - 1));
    text.append(";\n");
  }
  return text;
}

TEST(Steady, OfALargeStiffModelIsFound) {
  // Three machines of two servers each behind buffers. Servers work up to 1e5 times a second and break every 500 s.
  auto const space = pepa::derive(pepa::parse(
      buffer("A", 15, "arrive", "cut") + buffer("B", 15, "cut", "drill") + buffer("C", 15, "drill", "pack") +
      "Source = (arrive, 3).Source;\n"
      "Cutter = (cut, 1e5).Cutter + (break1, 0.002).Blunt; Blunt = (repair1, 0.05).Cutter;\n"
      "Driller = (drill, 30).Driller + (break2, 0.01).Stuck; Stuck = (repair2, 1).Driller;\n"
      "Packer = (pack, 4).Packer + (break3, 0.02).Empty; Empty = (repair3, 100).Packer;\n"
      "((Source <arrive> (A0 <cut> Cutter[2])) <cut> (B0 <drill> Driller[2])) <drill> (C0 <pack> "
      "Packer[2])"));
  EXPECT_EQ(space.states(), 110'592u);
  auto const start = std::chrono::steady_clock::now();
  auto const steady = pepa::solve(space);
  double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::cout << to_string(steady.used()) << ": " << steady.iterations() << " iterations, " << seconds << " s\n";
  EXPECT_LE(steady.residual(), 1e-12);
  EXPECT_LE(steady.error_estimate(), 1e-9);
  EXPECT_LT(steady.iterations(), 200u);
  // Servers break and are repaired whatever the buffers do.
  EXPECT_NEAR(steady.population("Blunt") / (2 * 0.002 / 0.052), 1, 1e-9);
  EXPECT_NEAR(steady.population("Stuck") / (2 * 0.01 / 1.01), 1, 1e-9);
  EXPECT_NEAR(steady.population("Empty") / (2 * 0.02 / 100.02), 1, 1e-9);
  EXPECT_NEAR(steady.throughput("cut") / steady.throughput("arrive"), 1, 1e-9);
  EXPECT_NEAR(steady.throughput("pack") / steady.throughput("arrive"), 1, 1e-9);
}

/// A random model: a few sequential components in which every state can reach every other, cooperating on some actions
/// that one of them performs and the others are passive to.
std::string random_model(std::mt19937& random) {
  auto const upto = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n)(random); };
  auto const rate = [&] { return std::exp(std::uniform_real_distribution<double>(-3, 3)(random)); };
  std::string text;
  std::size_t const components = 2 + upto(1);
  for (std::size_t c = 0; c < components; ++c) {
    std::size_t const states = 2 + upto(2);
    auto const name = [&](std::size_t s) { return "C" + std::to_string(c) + "_" + std::to_string(s % states); };
    for (std::size_t s = 0; s < states; ++s) {
      text.append(name(s) + " = (own" + std::to_string(c) + ", " + skel::exact(rate()) + ")." + name(s + 1));
      for (std::size_t extra = upto(2); extra > 0; --extra) {
        std::string const weight = c == 0 ? skel::exact(rate()) : skel::exact(rate()) + " * infty";
        text.append(" + (shared" + std::to_string(upto(1)) + ", " + weight + ")." + name(upto(states)));
      }
      // everybody can always do the shared actions, so that nothing is passive for lack of a partner
      std::string const weight = c == 0 ? "1" : "infty";
      text.append(" + (shared0, " + weight + ")." + name(s) + " + (shared1, " + weight + ")." + name(s + 1) + ";\n");
    }
  }
  text.append("C0_0");
  for (std::size_t c = 1; c < components; ++c)
    text.append(" <shared0, shared1> C" + std::to_string(c) + "_0")
        .append(upto(3) == 0 ? "[2, {shared0, shared1}]" : "");
  return text;
}

/// pi as the vector that the transposed generator sends to zero, from a full-pivoting factorisation.
Eigen::VectorXd null_vector(pepa::state_space const& space) {
  auto const n = static_cast<Eigen::Index>(space.states());
  Eigen::MatrixXd q = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index s = 0; s < n; ++s)
    for (auto const& t : space.from(static_cast<std::size_t>(s))) {
      q(s, static_cast<Eigen::Index>(t.target)) += t.rate;
      q(s, s) -= t.rate;
    }
  Eigen::MatrixXd const kernel = q.transpose().fullPivLu().kernel();
  EXPECT_EQ(kernel.cols(), 1);
  return kernel.col(0) / kernel.col(0).sum();
}

TEST(Steady, OfRandomModelsIsTheNullVectorOfTheGenerator) {
  std::mt19937 random(1996);
  for (int trial = 0; trial < 60; ++trial) {
    auto const text = random_model(random);
    auto const space = pepa::derive(pepa::parse(text));
    auto const expected = null_vector(space);
    for (auto const method :
         {pepa::solver::gth, pepa::solver::gauss_seidel, pepa::solver::krylov, pepa::solver::multilevel}) {
      pepa::solve_options options;
      options.method = method;
      auto const steady = pepa::solve(space, options);
      for (std::size_t s = 0; s < space.states(); ++s)
        EXPECT_NEAR(steady.probabilities()[s], expected[static_cast<Eigen::Index>(s)], 1e-10) << text;
    }
  }
}

TEST(Steady, OfStiffPipelinesIsTheSameFromEverySolver) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> magnitude(-3, 9);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<double> moves(6), services(5);
    for (double& rate : moves) rate = std::pow(10, magnitude(random));
    for (double& rate : services) rate = std::pow(10, magnitude(random));
    auto const space = pepa::derive(pepa::parse(pipeline(moves, services)));
    pepa::solve_options exact, sweeps;
    exact.method = pepa::solver::gth;
    sweeps.method = pepa::solver::gauss_seidel;
    double const expected = pepa::solve(space, exact).throughput("process1");
    EXPECT_NEAR(pepa::solve(space, sweeps).throughput("process1") / expected, 1, 1e-9);
  }
}

}  // namespace
