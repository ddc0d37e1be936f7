#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/plan/collective_plan.hpp>
#include <skel/detail/runtime/collective/collective.hpp>
#include <skel/detail/runtime/ranks/quiet.hpp>
#include <skel/detail/runtime/ranks/rendezvous.hpp>

namespace {

using namespace std::chrono_literals;
using skel::runtime::collective_call;
using skel::runtime::named_call;
using skel::runtime::rendezvous;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

int rank_of(MPI_Comm among) {
  int rank = 0;
  MPI_Comm_rank(among, &rank);
  return rank;
}
int size_of(MPI_Comm among) {
  int size = 0;
  MPI_Comm_size(among, &size);
  return size;
}
int const& rank() {
  static int const mine = rank_of(MPI_COMM_WORLD);
  return mine;
}
int ranks() {
  return size_of(MPI_COMM_WORLD);
}

template <class Act>
std::string error_of(Act const& act) {
  try {
    act();
  } catch (skel::error const& e) {
    return e.what();
  }
  return "";
}

TEST(Rendezvous, IsMetByRanksThatMakeTheSameCalls) {
  rendezvous meeting(MPI_COMM_WORLD);
  std::uint64_t last = 0;
  for (int i = 0; i < 100; ++i) {
    std::uint64_t const hash = meeting.begin(1, named_call{"the same", 7});
    EXPECT_NE(hash, last) << "calls before count";
    last = hash;
    meeting.meet();
  }
  EXPECT_FALSE(meeting.mistake());
}

TEST(Rendezvous, TellsEveryRankOfTheFirstCallThatDiffers) {
  rendezvous meeting(MPI_COMM_WORLD);
  bool const odd = rank() + 1 == ranks();
  meeting.begin(1, named_call{"the same"});
  meeting.begin(1, collective_call{skel::plan::collective::broadcast, 8, odd ? 0u : 1u});
  meeting.begin(1, named_call{"the same again"});
  std::string const message = error_of([&] { meeting.meet(); });
  if (ranks() == 1) {
    EXPECT_EQ(message, "");
    return;
  }
  EXPECT_THAT(message,
              testing::AllOf(HasSubstr("call 2 is on rank"), HasSubstr("broadcast of 8 B from rank 0"),
                             HasSubstr("broadcast of 8 B from rank 1"), testing::Not(HasSubstr("the same again"))));
  EXPECT_FALSE(meeting.found_as_all_left());
  EXPECT_EQ(error_of([&] { meeting.begin(1, named_call{}); }), message) << "whatever comes later";
}

TEST(Rendezvous, KnowsThatAllLeaveWhateverTheyLeave) {
  rendezvous meeting(MPI_COMM_WORLD);
  meeting.begin(static_cast<std::uint64_t>(1 + rank() % 2), named_call{"leaving", 0, true});
  std::string const message = error_of([&] { meeting.meet(); });
  EXPECT_EQ(message.empty(), ranks() == 1);
  EXPECT_EQ(meeting.found_as_all_left(), ranks() > 1);
}

TEST(Rendezvous, TellsFingerprintsAndGridsApart) {
  for (bool const grids : {true, false}) {
    rendezvous meeting(MPI_COMM_WORLD);
    auto const mine = static_cast<std::uint64_t>(rank() == 0 ? 2 : 1);
    meeting.begin(grids ? mine : 1, named_call{"run()", grids ? 0 : mine});
    std::string const message = error_of([&] { meeting.meet(); });
    if (ranks() > 1) {
      EXPECT_THAT(message, HasSubstr(grids ? "on rank 0: run() (grid 2); on rank" : "its words do not show"));
    }
  }
}

TEST(Rendezvous, TellsTheOthersWhyACallWasGivenUp) {
  rendezvous meeting(MPI_COMM_WORLD);
  meeting.begin(1, collective_call{skel::plan::collective::broadcast, 8});
  if (rank() + 1 == ranks()) meeting.fail("it threw: no ink");
  meeting.begin(1, named_call{"the next"});
  std::string const message = error_of([&] { meeting.meet(); });
  if (ranks() > 1) {
    EXPECT_THAT(message, HasSubstr("rank " + std::to_string(ranks() - 1) +
                                   ": broadcast of 8 B from rank 0, given up: it threw: no ink"));
    EXPECT_THAT(message, StartsWith("a rank gave up a call that the others had begun; call 1 is on rank"));
    EXPECT_THAT(message, EndsWith("or let operators return a value that means failure"));
  }
}

TEST(Rendezvous, SaysWhyACallOfManyWordsWasGivenUp) {
  rendezvous meeting(MPI_COMM_WORLD);
  meeting.begin(1, named_call{"run() of " + std::string(5000, 'x')});
  if (rank() + 1 == ranks()) meeting.fail("it threw: no ink");
  meeting.begin(1, named_call{"the next"});
  std::string const message = error_of([&] { meeting.meet(); });
  if (ranks() > 1) {
    EXPECT_THAT(message, StartsWith("a rank gave up a call that the others had begun"));
    EXPECT_THAT(message, HasSubstr("xx, given up: it threw: no ink"));
  }
}

TEST(Rendezvous, SuspectsNobodyWhoIsBehind) {
  rendezvous meeting(MPI_COMM_WORLD);
  // Rank 0 is more calls ahead than anybody remembers, and meets; the others look around while they wait in each.
  for (std::uint64_t i = 0; i < 100; ++i) {
    meeting.begin(1, collective_call{skel::plan::collective::broadcast, i});
    if (rank() == 0 || i % 50 != 0) continue;
    auto const start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < 150ms) meeting.look();
  }
  meeting.begin(1, named_call{"end"});
  meeting.meet();
  EXPECT_FALSE(meeting.mistake());
}

TEST(Rendezvous, TellsARankThatWaitsInACollective) {
  if (ranks() == 1) GTEST_SKIP() << "nobody to wait for";
  rendezvous meeting(MPI_COMM_WORLD);
  skel::runtime::own_communicator const messages(MPI_COMM_WORLD);
  std::string message;
  if (rank() != 0) {
    // A broadcast that rank 0 has left out.
    std::vector<std::byte> data(1 << 20);
    auto const way = skel::plan::find_algorithm(skel::plan::collective::broadcast, "binomial")
                         ->make({.ranks = static_cast<std::size_t>(ranks()), .bytes = data.size()});
    meeting.begin(1, collective_call{skel::plan::collective::broadcast, data.size()});
    message = error_of([&] {
      skel::runtime::run_collective(messages.get(), way.ranks[static_cast<std::size_t>(rank())], data, data, {}, 0,
                                    [&] { meeting.look(); });
    });
  } else {
    meeting.begin(1, named_call{"leaving"});
    message = error_of([&] { meeting.meet(); });
  }
  EXPECT_THAT(message, testing::AllOf(HasSubstr("on rank 0: leaving; on rank"), HasSubstr("broadcast of 1048576 B")));
}

}  // namespace
