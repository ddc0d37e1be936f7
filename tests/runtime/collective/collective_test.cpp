#include <chrono>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <mpi.h>

#include <skel/detail/plan/collective.hpp>
#include <skel/detail/plan/collective_plan.hpp>
#include <skel/detail/runtime/collective/collective.hpp>

#include "plan/random_route.hpp"

namespace {

using skel::plan::collective;
using skel::plan::collective_algorithm;
using skel::plan::collective_problem;

using word = std::uint64_t;
using words = std::vector<word>;

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

/// Associative and not commutative: x -> a x + b modulo 2^32, as one word.
word after(word first, word second) {
  std::uint32_t const a1 = static_cast<std::uint32_t>(first), b1 = static_cast<std::uint32_t>(first >> 32);
  std::uint32_t const a2 = static_cast<std::uint32_t>(second), b2 = static_cast<std::uint32_t>(second >> 32);
  return static_cast<word>(a2 * a1) | static_cast<word>(a2 * b1 + b2) << 32;
}
word plus(word first, word second) {
  return first + second;
}

template <word (*Op)(word, word)>
void mpi_operator(void* in, void* inout, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i)
    static_cast<word*>(inout)[i] = Op(static_cast<word*>(in)[i], static_cast<word*>(inout)[i]);
}

template <word (*Op)(word, word)>
void combine(std::span<std::byte const> received, std::span<std::byte> work, bool received_first) {
  auto const* theirs = reinterpret_cast<word const*>(received.data());
  auto* mine = reinterpret_cast<word*>(work.data());
  for (std::size_t i = 0; i < work.size() / sizeof(word); ++i)
    mine[i] = received_first ? Op(theirs[i], mine[i]) : Op(mine[i], theirs[i]);
}

/// What this rank gives and what it is to get, by the MPI library's own collective.
struct expected {
  words input, output;
};

expected by_mpi(collective operation, MPI_Comm among, int root, std::size_t count, MPI_Op op, std::mt19937_64& random) {
  auto const n = static_cast<std::size_t>(size_of(among));
  bool const at_root = rank_of(among) == root;
  int const c = static_cast<int>(count);
  auto const draw = [&](std::size_t k) {
    words out(k);
    for (word& w : out) w = random();
    return out;
  };
  expected e;
  switch (operation) {
    case collective::broadcast:
      e.input = draw(count), e.output = e.input;
      MPI_Bcast(e.output.data(), c, MPI_UINT64_T, root, among);
      break;
    case collective::reduce:
      e.input = draw(count), e.output.resize(at_root ? count : 0);
      MPI_Reduce(e.input.data(), e.output.data(), c, MPI_UINT64_T, op, root, among);
      break;
    case collective::allreduce:
      e.input = draw(count), e.output.resize(count);
      MPI_Allreduce(e.input.data(), e.output.data(), c, MPI_UINT64_T, op, among);
      break;
    case collective::scatter:
      e.input = draw(at_root ? n * count : 0), e.output.resize(count);
      MPI_Scatter(e.input.data(), c, MPI_UINT64_T, e.output.data(), c, MPI_UINT64_T, root, among);
      break;
    case collective::gather:
      e.input = draw(count), e.output.resize(at_root ? n * count : 0);
      MPI_Gather(e.input.data(), c, MPI_UINT64_T, e.output.data(), c, MPI_UINT64_T, root, among);
      break;
    case collective::allgather:
      e.input = draw(count), e.output.resize(n * count);
      MPI_Allgather(e.input.data(), c, MPI_UINT64_T, e.output.data(), c, MPI_UINT64_T, among);
      break;
    case collective::alltoall:
      e.input = draw(n * count), e.output.resize(n * count);
      MPI_Alltoall(e.input.data(), c, MPI_UINT64_T, e.output.data(), c, MPI_UINT64_T, among);
      break;
    case collective::barrier:
      break;
  }
  return e;
}

void check(collective_algorithm const& how, MPI_Comm among, std::size_t count, std::uint64_t segment_words, int root,
           bool commutative, std::mt19937_64& random) {
  auto const n = static_cast<std::size_t>(size_of(among));
  bool const sized = how.operation != collective::barrier;
  collective_problem const problem{.ranks = n,
                                   .root = static_cast<std::size_t>(root),
                                   .bytes = sized ? count * sizeof(word) : 0,
                                   .segment = segment_words * sizeof(word),
                                   .unit = sizeof(word)};
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(commutative ? mpi_operator<plus> : mpi_operator<after>, commutative, &op);
  auto const [input, wanted] = by_mpi(how.operation, among, root, count, op, random);
  MPI_Op_free(&op);
  auto const schedule = how.make(problem);
  words output(wanted.size(), 0);
  skel::runtime::run_collective(among, schedule.ranks[static_cast<std::size_t>(rank_of(among))],
                                std::as_bytes(std::span(input)), std::as_writable_bytes(std::span(output)),
                                commutative ? combine<plus> : combine<after>);
  EXPECT_EQ(output, wanted) << name_of(how.operation) << ' ' << how.name << ", " << n << " ranks, root " << root << ", "
                            << count << " words in segments of " << segment_words;
}

/// Commutative, or any operator where the algorithm keeps the order of the ranks.
bool may_be_any(collective_algorithm const& how, int root) {
  return how.operands == skel::plan::order::any || (how.operands == skel::plan::order::rotated && root == 0);
}

TEST(Collective, GivesWhatMpiGivesForEveryAlgorithm) {
  std::mt19937_64 random(7);  // the same numbers on all ranks but for the inputs
  std::mt19937_64 inputs(100 + static_cast<unsigned>(rank_of(MPI_COMM_WORLD)));
  int const n = size_of(MPI_COMM_WORLD);
  for (collective_algorithm const& how : skel::plan::collective_algorithms())
    for (std::size_t const count : {std::size_t{0}, std::size_t{1}, std::size_t{5}, random() % 3000}) {
      int const root = static_cast<int>(random() % static_cast<unsigned>(n));
      std::uint64_t const segment = how.segmented ? 1 + random() % 200 : 0;
      check(how, MPI_COMM_WORLD, count, segment, root, true, inputs);
      if (may_be_any(how, root)) check(how, MPI_COMM_WORLD, count, segment, root, false, inputs);
    }
}

TEST(Collective, GivesWhatMpiGivesOnEveryRoute) {
  std::mt19937_64 random(8);  // the same numbers on all ranks but for the inputs
  std::mt19937_64 inputs(200 + static_cast<unsigned>(rank_of(MPI_COMM_WORLD)));
  auto const n = static_cast<std::size_t>(size_of(MPI_COMM_WORLD));
  for (int draw = 0; draw < 60; ++draw) {
    std::size_t const count = draw % 10 == 0 ? 0 : random() % 3000;
    auto const operation = static_cast<collective>(draw % 3);  // broadcast, reduce, allreduce
    auto const plan = skel::testing_plan::random_route(operation, n, count * sizeof(word), random);
    int const root = static_cast<int>(plan.route->trees.root);
    collective_problem const problem{
        .ranks = n, .root = plan.route->trees.root, .bytes = count * sizeof(word), .unit = sizeof(word)};
    MPI_Op op = MPI_OP_NULL;
    MPI_Op_create(mpi_operator<plus>, true, &op);
    auto const [input, wanted] = by_mpi(operation, MPI_COMM_WORLD, root, count, op, inputs);
    MPI_Op_free(&op);
    words output(wanted.size(), 0);
    skel::runtime::run_collective(
        MPI_COMM_WORLD, steps_of(plan, problem, static_cast<std::size_t>(rank_of(MPI_COMM_WORLD))),
        std::as_bytes(std::span(input)), std::as_writable_bytes(std::span(output)), combine<plus>);
    EXPECT_EQ(output, wanted) << name_of(operation) << ", draw " << draw;
  }
}

TEST(Collective, NobodyLeavesABarrierOnARouteBeforeTheLastHasCome) {
  std::mt19937_64 random(9);
  auto const n = static_cast<std::size_t>(size_of(MPI_COMM_WORLD));
  auto const rank = static_cast<std::size_t>(rank_of(MPI_COMM_WORLD));
  // One clock on one machine. Another one comes last each time.
  auto const now = [] { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()); };
  for (std::size_t draw = 0; draw < 20; ++draw) {
    auto plan = skel::testing_plan::random_route(collective::allreduce, n, 0, random);
    plan.operation = collective::barrier;
    auto const steps = steps_of(plan, {.ranks = n}, rank);
    if (draw % n == rank) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    double const came = now().count();
    skel::runtime::run_collective(MPI_COMM_WORLD, steps, {}, {});
    double const left = now().count();
    double last_came = 0, first_left = 0;
    MPI_Allreduce(&came, &last_came, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&left, &first_left, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    EXPECT_GE(first_left, last_came) << "draw " << draw;
  }
}

TEST(Collective, RunsOnEveryHalfOfTheRanks) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank_of(MPI_COMM_WORLD) % 2, -rank_of(MPI_COMM_WORLD), &half);
  std::mt19937_64 inputs(static_cast<unsigned>(rank_of(MPI_COMM_WORLD)));
  for (collective_algorithm const& how : skel::plan::collective_algorithms())
    check(how, half, 77, 10, size_of(half) - 1, true, inputs);
  MPI_Comm_free(&half);
}

TEST(Collective, WorksInTheBufferOfABroadcast) {
  auto const* how = skel::plan::find_algorithm(collective::broadcast, "pipeline");
  ASSERT_NE(how, nullptr);
  int const n = size_of(MPI_COMM_WORLD), root = n - 1;
  auto const schedule = how->make({.ranks = static_cast<std::size_t>(n),
                                   .root = static_cast<std::size_t>(root),
                                   .bytes = std::size_t{1} << 20,
                                   .segment = 1000});
  words buffer(std::size_t{1} << 17, 0), wanted(buffer.size());
  std::iota(wanted.begin(), wanted.end(), 1);
  if (rank_of(MPI_COMM_WORLD) == root) buffer = wanted;
  skel::runtime::run_collective(MPI_COMM_WORLD, schedule.ranks[static_cast<std::size_t>(rank_of(MPI_COMM_WORLD))],
                                std::as_bytes(std::span(buffer)), std::as_writable_bytes(std::span(buffer)));
  EXPECT_EQ(buffer, wanted);
}

TEST(Collective, ReceivesWhereItSendsFrom) {
  // Neighbours exchange a megabyte, too long to leave before it is asked for, from and into the same place.
  using skel::plan::step;
  std::size_t const bytes = 1 << 20;
  int const rank = rank_of(MPI_COMM_WORLD), peer = rank ^ 1;
  bool const paired = peer < size_of(MPI_COMM_WORLD);
  skel::plan::rank_schedule mine{.work_bytes = bytes, .unload = {{0, 0, bytes}}};
  if (paired) {
    mine.add(step::action::send, static_cast<std::size_t>(peer), 0, {.first = 0, .bytes = bytes});
    mine.add(step::action::receive, static_cast<std::size_t>(peer), 0, {.first = 0, .bytes = bytes});
  }
  std::vector<int> buffer(bytes / sizeof(int), rank);
  skel::runtime::run_collective(MPI_COMM_WORLD, mine, {}, std::as_writable_bytes(std::span(buffer)));
  EXPECT_EQ(buffer, std::vector<int>(buffer.size(), paired ? peer : rank));
}

}  // namespace
