#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skel/detail/runtime/iteration/cell_exchange.hpp>
#include <skel/detail/runtime/iteration/sequential.hpp>
#include <skel/detail/runtime/iteration/typed_part.hpp>
#include <skel/iterate.hpp>
#include <skel/pipeline.hpp>

#include "support/html.hpp"
#include "support/live_page.hpp"
#include "support/random_meshes.hpp"

namespace {

using skel::element;
using skel::mesh_element;
using testing::AllOf;
using testing::HasSubstr;

struct cell {
  double u = 0, next = 0;

  bool operator==(cell const&) const = default;
};
struct totals {
  double sum = 0, change = 1, come = 0;  // `come`: 1 where what a program waits for has come

  bool operator==(totals const&) const = default;
};

skel::mesh some_mesh() {
  bench::dice roll(11);
  return skel::test::random_triangles(roll);
}

auto heat() {
  return skel::iterate("heat", some_mesh(), totals{},
                       [](mesh_element const& e) { return cell{e.number() % 7 == 0 ? 1.0 : 0.0}; }) |
         skel::phase("conduct",
                     [](element<cell> e) {
                       double in = 0;
                       for (std::size_t f = 0; f < e.faces(); ++f)
                         if (auto const* const there = e.neighbour(f)) in += there->u - e->u;
                       e->next = e->u + 0.2 * in;
                     }) |
         skel::all_reduce(
             "change", &totals::change, [](cell const& c) { return std::abs(c.next - c.u); }, skel::maximum{}) |
         skel::phase("step", [](cell& c) { c.u = c.next; })  //
         | skel::update("u", &cell::u) |
         skel::all_reduce(
             "sum", &totals::sum, [](cell const& c) { return c.u; }, std::plus<>{}) |
         skel::until([](totals const& t, std::uint64_t n) { return t.change < 1e-4 || n == 40; });
}

/// The ranks are one cluster "a", all of which take part, however little there is to compute.
skel::run_settings on_all_ranks() {
  skel::run_settings settings;
  skel::platform::cluster only{.name = "a", .hosts = static_cast<std::size_t>(skel::grid().size())};
  only.inside = {1e-5, 1e9};
  settings.platform = skel::platform::description(0, {only}, {});
  settings.forced = {{"clusters", only.hosts == 1 ? "a" : "a-0 to a-" + std::to_string(only.hosts - 1)}};
  return settings;
}

TEST(MeshOnGrid, GivesWhatTheSequentialEngineGives) {
  skel::grid grid(on_all_ranks());
  auto const program = heat();
  auto const expected = skel::runtime::iteration::run_sequential(program);
  auto const found = grid.run(program, [](cell const& c) { return c.u; });
  EXPECT_EQ(found.report.run.iterations, expected.iterations);
  EXPECT_NEAR(found.totals.sum, expected.totals.sum, 1e-12);
  EXPECT_EQ(found.totals.change, expected.totals.change);
  ASSERT_EQ(found.values.size(), program.over->cells());
  for (std::size_t e = 0; e < found.values.size(); ++e) EXPECT_EQ(found.values[e], expected.cells[e].u) << e;
  EXPECT_EQ(found.report.run.shares.size(), static_cast<std::size_t>(grid.size()));
  std::ostringstream text;
  text << found.report;
  EXPECT_THAT(text.str(),
              AllOf(HasSubstr("program 'heat' over"), HasSubstr("conduct: computed"), HasSubstr("rank 0 on")));
}

TEST(MeshOnGrid, TotalsComeWithoutResultsToo) {
  skel::grid grid;
  auto const found = grid.run(heat());
  EXPECT_LT(found.totals.change, 1);
}

TEST(MeshOnGrid, EveryRankThrowsWhatAPhaseHasThrown) {
  skel::grid grid;
  auto const program = skel::iterate("failing", some_mesh(), [](mesh_element const&) { return cell(); }) |
                       skel::phase("third",
                                   [](element<cell> e) {
                                     if (e->u++ == 2 && e.number() == 5) throw std::runtime_error("planted \x1b[2J");
                                   }) |
                       skel::update("u", &cell::u) | skel::times(10);
  try {
    grid.run(program);
    ADD_FAILURE() << "nothing was thrown";
  } catch (skel::mesh_error const& e) {
    EXPECT_EQ(e.step(), "third");
    EXPECT_EQ(e.element(), 5u);
    EXPECT_EQ(e.iteration(), 3u);
    EXPECT_THAT(e.what(), HasSubstr("phase 'third' threw at element 5 in iteration 3 on rank"));
    EXPECT_THAT(e.what(), HasSubstr("planted \\x1b[2J"));
  }
}

/// What an element gives, which is not read.
struct unreadable {
  std::string text = "no plain type";

  template <class Archive>
  void save(Archive& archive) const {
    archive(text);
  }
  template <class Archive>
  void load(Archive& /*archive*/) {
    throw std::runtime_error("no glasses");
  }
};

/// With all elements on rank 0, too: other ranks have not iterated.
TEST(MeshOnGrid, ResultsThatCannotBeReadAreOfTheLastIteration) {
  skel::grid grid;
  auto const program = skel::iterate("unreadable", some_mesh(), [](mesh_element const&) { return cell(); }) |
                       skel::update("u", &cell::u) | skel::times(7);
  try {
    grid.run(program, [](cell const&) { return unreadable(); });
    ADD_FAILURE() << "nothing was thrown";
  } catch (skel::mesh_error const& e) {
    EXPECT_THAT(e.what(), HasSubstr("results could not be taken"));
    EXPECT_EQ(e.iteration(), 7u);
    EXPECT_EQ(e.rank(), 0);
  }
}

/// A cell that is not written where it is told not to be, or not read.
struct stubborn {
  double u = 0;
  bool writes = true, reads = true;
  std::string name = "no plain type";

  template <class Archive>
  void save(Archive& archive) const {
    if (!writes) throw std::runtime_error("no ink");
    archive(u, writes, reads, name);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(u, writes, reads, name);
    if (!reads) throw std::runtime_error("no glasses");
  }
};

/// All cells go from rank 0 to the last one.
void expect_stubborn(stubborn const& fifth, std::string const& what, std::optional<std::size_t> element, int thrower) {
  skel::grid grid;
  auto const program = skel::iterate("stubborn", some_mesh(),
                                     [&](mesh_element const& e) { return e.number() == 5 ? fifth : stubborn(); }) |
                       skel::update("u", &stubborn::u) | skel::times(1);
  auto const me = static_cast<std::uint32_t>(grid.rank());
  skel::runtime::iteration::typed_part part(program);
  std::vector<std::uint32_t> const first(part.elements()),
      last(part.elements(), static_cast<std::uint32_t>(grid.size() - 1));
  auto const from = skel::plan::layout_of(*program.faces, first, me),
             to = skel::plan::layout_of(*program.faces, last, me);
  skel::runtime::step_control control(nullptr);
  part.begin(from);
  ASSERT_FALSE(part.make({0, from.computed}, control));
  try {
    skel::runtime::iteration::move_cells(part, 7, &from, {}, *program.faces, last, to, grid.ranks());
    ADD_FAILURE() << "nothing was thrown";
  } catch (skel::mesh_error const& e) {
    EXPECT_THAT(e.what(), HasSubstr(what));
    EXPECT_EQ(e.program(), "stubborn");
    EXPECT_EQ(e.element(), element);
    EXPECT_EQ(e.iteration(), 7u);
    EXPECT_EQ(e.rank(), thrower);
    EXPECT_EQ(e.cause() != nullptr, grid.rank() == thrower);
  }
}

TEST(MeshOnGrid, EveryRankThrowsWhatWritingACellHasThrownThatMoves) {
  expect_stubborn(
      {.writes = false},
      "program 'stubborn': the cell of element 5 could not be written for another rank after iteration 7 on "
      "rank 0: no ink",
      5, 0);
}

TEST(MeshOnGrid, EveryRankThrowsWhatReadingACellHasThrownThatMoves) {
  skel::grid const grid;
  expect_stubborn({.reads = false}, "cells that came from other ranks after iteration 7 could not be read on rank",
                  std::nullopt, grid.size() - 1);
}

TEST(MeshOnGrid, TakesAPlatformThatIsGivenAfterTheGridWasMade) {
  skel::grid grid;
  skel::platform::cluster only{.name = "a", .hosts = static_cast<std::size_t>(grid.size()), .speed = 2};
  only.inside = {1e-5, 1e9};
  grid.settings().platform = skel::platform::description(0, {only}, {});
  auto const found = grid.run(heat());
  EXPECT_EQ(found.report.run.iterations, skel::runtime::iteration::run_sequential(heat()).iterations);
  if (grid.rank() == 0 && grid.size() > 1) {
    ASSERT_EQ(found.report.plan.clusters.size(), 1u);
    EXPECT_THAT(found.report.plan.clusters[0].name, testing::StartsWith("a-0"));
  }
}

/// On one rank too, where nothing else would show it.
TEST(MeshOnGrid, EveryRankThrowsWhatTheCheckOfUpdatesHasFound) {
  skel::run_settings settings;
  settings.check_updates = 5;
  skel::grid grid(settings);
  EXPECT_EQ(grid.run(heat()).report.run.iterations, skel::runtime::iteration::run_sequential(heat()).iterations);
  auto const program = skel::iterate("forgetful", some_mesh(),
                                     [](mesh_element const& e) { return cell{static_cast<double>(e.number())}; }) |
                       skel::phase("double", [](cell& own) { own.u *= 2; }) |
                       skel::phase("look",
                                   [](element<cell> e) {
                                     for (std::size_t f = 0; f < e.faces(); ++f)
                                       if (auto const* const there = e.neighbour(f)) e->next += there->u;
                                   }) |
                       skel::update("u", &cell::u) | skel::times(10);
  try {
    grid.run(program);
    ADD_FAILURE() << "nothing was found";
  } catch (skel::mesh_error const& e) {
    EXPECT_EQ(e.step(), "look");
    EXPECT_EQ(e.iteration(), 1u);
    EXPECT_THAT(e.what(), AllOf(HasSubstr("program 'forgetful': phase 'look'"),
                                HasSubstr("add an update like 'u' before 'look'")));
  }
}

/// A program without an update, which is to be warned of or not.
template <class... Phases>
auto never_updated(Phases... phases) {
  return (skel::iterate("forgetful", some_mesh(),
                        [](mesh_element const& e) { return cell{static_cast<double>(e.number())}; }) |
          ... | phases) |
         skel::times(3);
}

auto reading(char const* name, double cell::*what) {
  return skel::phase(name, [what](element<cell> e) {
    double in = 0;
    for (std::size_t f = 0; f < e.faces(); ++f)
      if (auto const* const there = e.neighbour(f)) in += there->*what;
    e->next = in;
  });
}

/// What rank 0 says on standard error while a program runs.
template <class Program>
std::string said_of(Program const& program, skel::run_settings settings = {}) {
  settings.progress = false;
  skel::grid grid(settings);
  testing::internal::CaptureStderr();
  grid.run(program);
  return testing::internal::GetCapturedStderr();
}

TEST(MeshOnGrid, WarnsOfAProgramThatReadsNeighboursAndUpdatesNothing) {
  auto const own = skel::phase("step", [](cell& one) { one.u = one.next; });
  auto const said = said_of(never_updated(reading("look", &cell::u), own));
  auto const reduced = said_of(skel::iterate("forgetful", some_mesh(), totals{},
                                             [](mesh_element const& e) { return cell{1.0 * double(e.number())}; }) |
                               skel::phase("step", [](cell& one) { one.u *= 2; }) |
                               skel::all_reduce(
                                   "flow", &totals::sum,
                                   [](element<cell const> e) {
                                     auto const* const there = e.neighbour(0);
                                     return there == nullptr ? 0 : there->u;
                                   },
                                   std::plus<>{}) |
                               skel::times(3));
  if (skel::grid().rank() == 0) {
    EXPECT_THAT(said, AllOf(HasSubstr("warning: program 'forgetful': phase 'look'"), HasSubstr("in iteration 2"),
                            HasSubstr("add skel::update(name, &Cell::member) for them before 'look'")));
    EXPECT_THAT(reduced, AllOf(HasSubstr("warning: program 'forgetful': all_reduce 'flow'"),
                               HasSubstr("add skel::update(name, &Cell::member) for them before 'flow'")));
  } else {
    EXPECT_EQ(said + reduced, "");
  }
}

/// Without an operator==.
struct opaque {
  std::vector<double> values;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(values);
  }
};

TEST(MeshOnGrid, WarnsOfCellsThatCannotBeComparedWhereNothingIsUpdated) {
  auto const said = said_of(skel::iterate("opaque", some_mesh(), [](mesh_element const&) { return opaque{{1}}; }) |
                            skel::phase("look",
                                        [](element<opaque> e) {
                                          if (auto const* const there = e.neighbour(0))
                                            e->values[0] += there->values[0];
                                        }) |
                            skel::times(3));
  EXPECT_THAT(said, skel::grid().rank() == 0
                        ? HasSubstr("program 'opaque': phase 'look' reads cells of neighbours, and the program has no "
                                    "update")
                        : HasSubstr(""));
}

TEST(MeshOnGrid, SaysNothingOfProgramsThatNeedNoUpdate) {
  auto const own = skel::phase("step", [](cell& one) { one.u += 1; });
  auto const number = skel::phase("number", [](element<cell> e) { e->next = static_cast<double>(e.number()); });
  auto const never_changes = skel::phase("count", [](cell& one) { one.next += 1; });
  EXPECT_EQ(said_of(never_updated(own)), "");
  EXPECT_EQ(said_of(never_updated(number, own)), "");
  EXPECT_EQ(said_of(never_updated(reading("look", &cell::u), never_changes)), "") << "u is as it was made";
  EXPECT_EQ(said_of(heat()), "");
  auto const first = [](element<cell const> e) {
    auto const* const there = e.neighbour(0);
    return there == nullptr ? 0 : there->u;
  };
  EXPECT_EQ(said_of(skel::iterate("no phase", some_mesh(), totals{}, [](mesh_element const&) { return cell(); }) |
                    skel::all_reduce("sum", &totals::sum, first, std::plus<>{}) | skel::times(1)),
            "")
      << "no cell changes";
}

TEST(MeshOnGrid, WarnsOfAProgramThatReadsNeighboursLater) {
  auto const late = skel::phase("late", [](element<cell> e) {
    if (++e->next > 5 && e.neighbour(0) != nullptr) e->u = e.neighbour(0)->u;
  });
  auto const said =
      said_of(skel::iterate("late", some_mesh(), [](mesh_element const&) { return cell(); }) | late | skel::times(10));
  if (skel::grid().size() == 1) {
    EXPECT_THAT(said, HasSubstr("warning: program 'late': it has begun to read cells of neighbours, and has no "
                                "update"));
  }
}

TEST(MeshOnGrid, SaysThatTheCheckOfUpdatesHasFoundNothing) {
  skel::run_settings settings;
  settings.check_updates = 5;
  auto const said = said_of(heat(), settings);
  EXPECT_EQ(said,
            skel::grid().rank() == 0 ? "skel: program 'heat': no update is missing in its first 5 iterations\n" : "");
  auto const ends = skel::iterate("ends", some_mesh(), totals{}, [](mesh_element const&) { return cell(); }) |
                    skel::phase("step", [](cell& one) { one.u += 1; }) |
                    skel::until([](totals const&, std::uint64_t iteration) { return iteration == 2; });
  auto const cut_short = said_of(ends, settings);
  if (skel::grid().rank() == 0) {
    EXPECT_EQ(cut_short,
              "skel: program 'ends': no update is missing in its first 2 iterations; the check got no further\n");
  }
}

TEST(MeshOnGrid, SaysThatTheCheckOfUpdatesSawNoIteration) {
  skel::run_settings settings;
  settings.check_updates = 5, settings.progress = false;
  skel::grid grid(settings);
  testing::internal::CaptureStderr();
  auto const throwing = skel::phase("step", [](element<cell> e) {
    if (e.number() == 7) throw std::runtime_error("seven");
  });
  EXPECT_THROW(grid.run(never_updated(throwing)), skel::mesh_error);
  auto const said = testing::internal::GetCapturedStderr();
  if (grid.rank() == 0) {
    EXPECT_THAT(said, HasSubstr("found nothing, as its first iteration did not end"));
  }
}

/// A cell of which neighbours read a part, and so many of them that phases fetch it ahead.
struct large {
  std::array<double, 16> u{}, next{};
  std::array<double, 256> other{};
};

TEST(MeshOnGrid, ComputesTheSameWhereNeighboursAreFetchedAhead) {
  auto box = skel::box_of_tetrahedra({10, 10, 10}).cells;
  for (std::size_t side = 11; !skel::runtime::iteration::fetches_ahead(box.cells(), sizeof(large)) && side < 40; ++side)
    box = skel::box_of_tetrahedra({side, side, side}).cells;  // the caches of this machine are large
  auto const begin = [](std::size_t number) { return 1.0 / static_cast<double>(number + 1); };
  auto const program = skel::iterate("large", box,
                                     [&](mesh_element const& e) {
                                       large made;
                                       made.u.fill(begin(e.number()));
                                       return made;
                                     }) |
                       skel::phase("read",
                                   [](element<large> e) {
                                     e->next = e->u;
                                     for (std::size_t f = 0; f < e.faces(); ++f)
                                       if (auto const* const there = e.neighbour(f))
                                         for (std::size_t k = 0; k < 16; ++k) e->next[k] += there->u[k];
                                   }) |
                       skel::phase("take", [](large& own) { own.u = own.next; }) | skel::update("u", &large::u) |
                       skel::times(3);
  ASSERT_TRUE(skel::runtime::iteration::fetches_ahead(box.cells(), sizeof(large)));
  auto const found = skel::grid().run(program, [](large const& own) { return own.u[15]; });
  auto const behind = skel::neighbours_by_faces(box);
  std::vector<double> u(box.cells());
  for (std::size_t e = 0; e < u.size(); ++e) u[e] = begin(e);
  for (int k = 0; k < 3; ++k) {
    auto next = u;
    for (std::size_t e = 0; e < u.size(); ++e)
      for (auto const there : behind.of(e))
        if (there != skel::face_neighbours::none) next[e] += u[there];
    u = next;
  }
  EXPECT_EQ(found.values, u);
}

/// The same program on any number of ranks, while its elements are dealt anew.
TEST(MeshOnGrid, ReproducibleTotalsHaveTheSameBitsOnAnyNumberOfRanks) {
  auto const rough = [](std::size_t number) { return 1.0 / static_cast<double>(number * 7919 % 10007 + 1); };
  auto const program =
      skel::iterate("rough", some_mesh(), totals{}, [&](mesh_element const& e) { return cell{rough(e.number())}; }) |
      skel::all_reduce(
          "sum", &totals::sum, [](cell const& one) { return one.u; }, std::plus<>{}, skel::reproducible) |
      skel::times(3);
  std::vector<double> level;
  for (std::size_t e = 0; e < program.over->cells(); ++e) level.push_back(rough(e));
  while (level.size() > 1) {  // pairs by pairs, as long as there are any
    std::vector<double> next;
    for (std::size_t k = 0; k + 1 < level.size(); k += 2) next.push_back(level[k] + level[k + 1]);
    if (level.size() % 2 != 0) next.push_back(level.back());
    level = std::move(next);
  }
  skel::grid grid;
  EXPECT_EQ(grid.run(program).report.run.iterations, 3u);
  EXPECT_EQ(grid.run(program).totals.sum, level.front());
}

TEST(MeshOnGrid, AStopOfOneRankCancelsAll) {
  skel::grid grid;
  std::stop_source stop;
  auto const program = skel::iterate("endless", some_mesh(), [](mesh_element const&) { return cell(); }) |
                       skel::phase("count",
                                   [&](element<cell> e) {
                                     if (++e->u == 100 && e.number() == 0) stop.request_stop();
                                   }) |
                       skel::update("u", &cell::u) | skel::times(100'000'000);
  EXPECT_THROW(grid.run(program.limited(1'000'000'000), stop.get_token()), skel::cancelled);
}

TEST(MeshOnGrid, OutputsSeeAllElementsOnce) {
  skel::grid grid;
  std::vector<double> seen;
  std::vector<int> members;
  auto const program =
      skel::iterate("seen", some_mesh(), [](mesh_element const& e) { return cell{static_cast<double>(e.number())}; }) |
      skel::output("look", 2,
                   [&](auto const& view) {
                     members.assign(view.members.begin(), view.members.end());
                     for (auto const& c : view.cells) seen.push_back(c.u);
                   }) |
      skel::times(4);
  auto const report = grid.run(program).report;
  if (!seen.empty()) {
    std::vector<int> with_elements;
    for (int r = 0; r < grid.size(); ++r)
      if (report.plan.elements_of[static_cast<std::size_t>(r)] > 0) with_elements.push_back(r);
    EXPECT_EQ(members, with_elements);
  }
  double const sum = std::accumulate(seen.begin(), seen.end(), 0.0);
  auto const n = static_cast<double>(program.over->cells());
  EXPECT_EQ(grid.all_reduce(sum, std::plus<>{}), n * (n - 1));  // twice
}

TEST(MeshOnGrid, APlanSaysWhoComputesWhatWithoutRunning) {
  skel::grid grid;
  std::size_t shown = 0;
  auto const program = heat() | skel::output("look", 1, [&shown](auto const&) { ++shown; });
  auto const plan = grid.plan(program);
  EXPECT_EQ(shown, 0u);
  EXPECT_EQ(plan.elements_of.size(), static_cast<std::size_t>(grid.size()));
  EXPECT_EQ(std::accumulate(plan.elements_of.begin(), plan.elements_of.end(), std::uint64_t{0}), program.over->cells());
  std::ostringstream text;
  text << plan;
  EXPECT_THAT(text.str(), HasSubstr("program 'heat': "));
  if (grid.size() == 1) return;
  EXPECT_GT(plan.iteration, 0);
  EXPECT_THAT(text.str(), AllOf(HasSubstr("conduct"), HasSubstr("parted by"), HasSubstr("is expected to take")));
}

/// Each rank is a cluster of its own: those that are forced take part, and the others wait for the end.
TEST(MeshOnGrid, ClustersThatAreForcedTakePart) {
  int const ranks = skel::grid().size();
  if (ranks == 1) return;
  skel::run_settings settings;
  std::vector<skel::platform::cluster> clusters;
  std::vector<skel::platform::cluster_link> links;
  for (std::size_t r = 0; r < static_cast<std::size_t>(ranks); ++r) {
    clusters.push_back({.name = "c" + std::to_string(r)});
    for (std::size_t other = 0; other < static_cast<std::size_t>(ranks); ++other)
      if (other != r) links.push_back({r, other, {1e-5, 1e9}, {}});
  }
  settings.platform = skel::platform::description(0, clusters, links);
  settings.forced = {{"clusters", "c1"}};
  skel::grid grid(settings);
  auto const program = heat();
  auto const expected = skel::runtime::iteration::run_sequential(program);
  auto const found = grid.run(program, [](cell const& c) { return c.u; });
  for (int r = 0; r < ranks; ++r)
    EXPECT_EQ(found.report.plan.elements_of[static_cast<std::size_t>(r)], r == 1 ? program.over->cells() : 0) << r;
  EXPECT_EQ(found.report.run.iterations, expected.iterations);
  EXPECT_EQ(found.totals.sum, expected.totals.sum);
  ASSERT_EQ(found.values.size(), expected.cells.size());
  for (std::size_t e = 0; e < found.values.size(); ++e) EXPECT_EQ(found.values[e], expected.cells[e].u) << e;
  EXPECT_THAT(std::ranges::count(found.report.plan.clusters, true, &skel::mesh_cluster::takes_part), 1);
  settings.forced = {{"clusters", "c" + std::to_string(ranks)}};
  try {
    skel::grid(settings).run(program);
    ADD_FAILURE() << "a cluster was taken that is not there";
  } catch (skel::error const& refused) {
    EXPECT_THAT(refused.what(), AllOf(HasSubstr("may not be taken for program 'heat'; what may: "), HasSubstr("c0"),
                                      HasSubstr("; did you mean 'c")));
    EXPECT_LT(std::string(refused.what()).size(), 300U);
  }
}

/// What rank 0 has written to a file of settings.
class MeshReport : public testing::Test {
 protected:
  MeshReport() {
    settings_.report = "/tmp/skel_mesh_report_test." + std::to_string(::getppid());
    settings_.knowledge = "off";
    settings_.progress = false;
  }
  ~MeshReport() override { std::filesystem::remove(settings_.report); }

  std::string written() const {
    std::ifstream in(settings_.report);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  skel::run_settings settings_;
};

TEST_F(MeshReport, ARunWritesItsPage) {
  skel::grid grid(settings_);
  auto const found = grid.run(heat());
  if (grid.rank() != 0) return;
  auto const page = written();
  skel::test::expect_balanced(page);
  EXPECT_THAT(page,
              AllOf(HasSubstr("It is complete: " + std::to_string(found.report.run.iterations) + " iterations in "),
                    HasSubstr("class=\"measured\""), HasSubstr("computed "), HasSubstr("&#39;conduct&#39;")));
  if (grid.size() == 1) {
    EXPECT_THAT(page, HasSubstr("nothing was chosen"));
    return;
  }
  EXPECT_THAT(page, AllOf(HasSubstr("class=\"cluster chosen\""), HasSubstr("surfaces as counted"),
                          HasSubstr("all sets were compared"), HasSubstr("<title>expected: ")));
}

TEST_F(MeshReport, ARunThatAnExceptionEndsSaysSo) {
  skel::grid grid(settings_);
  auto const program = heat() | skel::output("fail", 3, [](auto const&) { throw std::runtime_error("no <room>"); });
  EXPECT_THROW(grid.run(program), skel::mesh_error);
  if (grid.rank() != 0) return;
  EXPECT_THAT(written(), AllOf(HasSubstr("It failed: "), HasSubstr("no &lt;room&gt;")));
}

TEST_F(MeshReport, AFileThatCannotBeWrittenIsToldBeforeTheRun) {
  settings_.report = "/nowhere/run.html";
  skel::grid grid(settings_);
  EXPECT_THROW(grid.run(heat() | skel::output("ran", 1, [](auto const&) { ADD_FAILURE() << "it ran"; })), skel::error);
}

TEST_F(MeshReport, AFileThatIsToHaveTwoThingsIsRefused) {
  auto const refusal = [&](auto program) -> std::string {
    try {
      skel::grid grid(settings_);
      grid.run(program);
      return "it ran";
    } catch (skel::error const& refused) {
      return refused.what();
    }
  };
  settings_.decisions = settings_.report;
  EXPECT_THAT(refusal(heat()), HasSubstr("--skel-report and --skel-decisions would write the same file"));
  settings_.decisions.clear();
  settings_.trace = "/tmp/../" + settings_.report;
  EXPECT_THAT(refusal(skel::source([]() -> std::optional<int> { return std::nullopt; }) | skel::sink([](int) {})),
              HasSubstr("--skel-trace and --skel-report would write the same file"));
  if (skel::grid().rank() == 0) std::filesystem::remove(settings_.report);
  EXPECT_THAT(refusal(heat()), HasSubstr("it ran")) << "it makes no trace";
}

TEST(MeshOnGrid, WhatHasNoMeaningForMeshesOrLinesIsToldOnce) {
  skel::run_settings settings;
  settings.scenario = testing::TempDir() + "/scenario.json";
  settings.trace = testing::TempDir() + "/trace.json";
  skel::grid grid(settings);
  testing::internal::CaptureStderr();
  grid.run(heat()), grid.run(heat());
  auto const said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said, grid.rank() == 0
                      ? "skel: warning: --skel-trace: programs over a mesh make no trace; --skel-progress and "
                        "--skel-report show them\n"
                        "skel: warning: --skel-scenario: has no effect on programs over a mesh, only on BSP programs\n"
                      : "");
  grid.settings().trace.clear();
  testing::internal::CaptureStderr();
  grid.run(skel::source([n = 0]() mutable -> std::optional<int> { return n < 3 ? std::optional(n++) : std::nullopt; }) |
           skel::sink([](int) {}));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr(grid.rank() == 0 ? "--skel-scenario: has no effect on pipelines, only on BSP programs" : ""));
}

TEST(MeshOnGrid, TheLivePageIsThereAsLongAsTheRun) {
  auto settings = on_all_ranks();
  settings.progress = false;
  settings.live_page = skel::test::free_port();
  skel::grid grid(settings);
  std::string whole, view;
  int iterations = 0;
  auto const program = heat() | skel::output("look", 1, [&, rank = grid.rank()](auto const&) {
                         if (rank != 0 || ++iterations != 20) return;
                         whole = skel::test::answer_of(*settings.live_page, "/");
                         view = skel::test::answer_of(*settings.live_page, "/view");
                       });
  auto const said = skel::test::said_during([&] { grid.run(program); });
  if (grid.rank() != 0) return;
  EXPECT_THAT(said, HasSubstr("http://127.0.0.1:" + std::to_string(*settings.live_page) + "/"));
  EXPECT_THAT(whole, AllOf(HasSubstr(" 200 OK"), HasSubstr("/live.js"), HasSubstr("<h1>program &#39;heat&#39;</h1>")));
  EXPECT_THAT(view, AllOf(HasSubstr(" 200 OK"), HasSubstr("It goes on: "), HasSubstr(" iterations in "),
                          HasSubstr("<polyline class=\"measured\"")));
  EXPECT_EQ(skel::test::answer_of(*settings.live_page, "/"), "");
}

/// When a program looks at its ranks depends on how long its iterations take. One that waits for what comes of a look
/// goes on until that has come, and fails where it has not come after so many.
constexpr std::uint64_t most_iterations = 20000;

/// Rank 1 becomes slow, and gets fewer elements: nothing that is computed depends on that.
TEST(MeshOnGrid, ElementsAreDealtAnewWhereARankHasBecomeSlow) {
  skel::grid grid(on_all_ranks());
  struct counted {
    std::uint64_t a = 0, n = 0;
    std::uint64_t ranks = 0;  // that have computed it, as bits
  };
  auto const program =
      skel::iterate("slowed", some_mesh(), totals(), [](mesh_element const& e) { return counted{e.number()}; }) |
      skel::phase("a",
                  [me = grid.rank()](element<counted> e) {
                    if (++e->n > 20 && me == 1) {
                      auto const until = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
                      while (std::chrono::steady_clock::now() < until) {
                      }
                    }
                    e->a += e.number();
                    e->ranks |= std::uint64_t{1} << static_cast<unsigned>(me);
                  }) |
      skel::update("a", &counted::a) |
      skel::all_reduce(
          "sum", &totals::sum, [](counted const& c) { return static_cast<double>(c.a % 7); }, std::plus<>()) |
      skel::all_reduce(
          "come", &totals::come, [](counted const& c) { return std::popcount(c.ranks) > 1 ? 1.0 : 0.0; },
          skel::maximum{}) |
      skel::until([most = grid.size() > 1 ? most_iterations : 50](totals const& t, std::uint64_t n) {
        return t.come > 0 || n == most;
      });
  auto const found = grid.run(program, [](counted const& c) { return std::pair(c.a, c.ranks); });
  ASSERT_EQ(found.values.size(), program.over->cells());
  std::size_t elsewhere = 0;
  for (std::size_t e = 0; e < found.values.size(); ++e) {
    EXPECT_EQ(found.values[e].first, (found.report.run.iterations + 1) * e) << e;
    elsewhere += std::popcount(found.values[e].second) > 1 ? 1U : 0U;
  }
  bool const moved = found.report.decisions.to_move > 0;
  EXPECT_EQ(moved, grid.size() > 1);
  EXPECT_EQ(elsewhere > 0, grid.size() > 1);
}

struct walked {
  double u = 0;
  std::uint64_t n = 0, first = 0, last = 0;  // iterations; ranks that have computed it, the first and the last one
  std::uint64_t left = 0, announced = 0;     // the rank of which it was announced that it is to be left; whether
};

/// Each rank is a cluster of its own; messages between two of them take so long, as the platform says.
class MeshOnClusters : public testing::Test {
 protected:
  MeshOnClusters() : ranks_(static_cast<std::size_t>(skel::grid().size())) {
    settings_.announcements = testing::TempDir() + "/mesh_announced." + std::to_string(::getppid());
    write("");
  }
  ~MeshOnClusters() override {
    if (skel::grid grid; grid.rank() == 0) {
      std::filesystem::remove(settings_.announcements);
      std::filesystem::remove(page());
    }
  }
  static std::string page() { return testing::TempDir() + "/mesh_page." + std::to_string(::getppid()); }
  void connect(double latency) {
    std::vector<skel::platform::cluster> clusters;
    std::vector<skel::platform::cluster_link> links;
    for (std::size_t r = 0; r < ranks_; ++r) {
      clusters.push_back({.name = "c" + std::to_string(r)});
      for (std::size_t other = 0; other < ranks_; ++other)
        if (other != r) links.push_back({r, other, {latency, 1e9}, {}});
    }
    settings_.platform = skel::platform::description(0, clusters, links);
  }
  /// On rank 0, before the others go on.
  void write(std::string const& text) {
    skel::grid grid;
    if (grid.rank() == 0) {
      std::ofstream(settings_.announcements) << text;
      std::filesystem::permissions(settings_.announcements, std::filesystem::perms(0600));
    }
    grid.ranks().broadcast("");
  }
  std::string says(char const* what, std::size_t rank) const {
    return R"({"skel_announcement": 1, ")" + std::string(what) + R"(": "c)" + std::to_string(rank) + "\"}\n";
  }
  /// It ends after so many iterations, or when an element says of its cell that what it waits for `come`s. `slow`: what
  /// is waited for an element in an iteration [s], by its cell.
  template <class Come, class Slow>
  auto walk(skel::grid const& grid, std::uint64_t iterations, Come come, Slow slow) const {
    return skel::iterate("walk", some_mesh(), totals(),
                         [](mesh_element const& e) { return walked{.u = static_cast<double>(e.number() % 7)}; }) |
           skel::phase("step",
                       [slow, me = static_cast<std::uint64_t>(grid.rank())](element<walked> e) {
                         if (++e->n == 1) e->first = me;
                         e->last = me;
                         e->u = e->u * 0.9375 + static_cast<double>(e.number() % 3);
                         if (double const seconds = slow(*e, e.number()); seconds > 0)
                           std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
                       }) |
           skel::update("u", &walked::u) |
           skel::all_reduce(
               "sum", &totals::sum, [](walked const& c) { return static_cast<double>(c.n); }, std::plus<>()) |
           skel::all_reduce(
               "come", &totals::come, [come](walked const& c) { return come(c) ? 1.0 : 0.0; }, skel::maximum{}) |
           skel::until([iterations](totals const& t, std::uint64_t n) { return t.come > 0 || n == iterations; });
  }
  /// Runs it, and compares it with the sequential engine.
  template <class Come, class Slow>
  auto run(skel::grid& grid, Come come, Slow slow) const {
    auto found = grid.run(walk(grid, most_iterations, come, slow), [](walked const& c) { return c; });
    auto const expected = skel::runtime::iteration::run_sequential(walk(
        grid, found.report.run.iterations, [](auto const&) { return false; }, [](auto&&...) { return 0; }));
    EXPECT_EQ(found.totals.sum, expected.totals.sum);
    EXPECT_EQ(found.values.size(), expected.cells.size());
    for (std::size_t e = 0; e < found.values.size(); ++e) EXPECT_EQ(found.values[e].u, expected.cells[e].u) << e;
    return found;
  }

  /// A host is left that is announced as leaving while a program runs.
  void expect_left();

  std::size_t ranks_;
  skel::run_settings settings_;
};

/// Clusters are far from each other, so that one is enough, until it becomes slow.
TEST_F(MeshOnClusters, AClusterIsTakenInWhenTheChosenOneIsSlow) {
  if (ranks_ == 1) return;
  connect(0.05);
  settings_.announcements.clear();
  settings_.report = page();
  skel::grid grid(settings_);
  auto const found = run(
      grid, [](walked const& of) { return of.first != of.last; },
      [me = static_cast<std::uint64_t>(grid.rank())](walked const& of, auto) {
        return of.n > 20 && of.first == me ? 2e-3 : 0;
      });
  EXPECT_EQ(std::ranges::count(found.report.plan.clusters, true, &skel::mesh_cluster::takes_part), 1);
  EXPECT_TRUE(std::ranges::any_of(found.report.decisions.kept,
                                  [](auto const& of) { return of.moved() && !of.taken_in.empty(); }));
  EXPECT_TRUE(std::ranges::any_of(found.values, [](walked const& c) { return c.first != c.last; }));
  std::ostringstream text;
  text << found.report;
  EXPECT_THAT(text.str(), HasSubstr(", takes in c"));
  if (grid.rank() != 0) return;
  auto const& shares = found.report.run.shares;
  auto const used = std::ranges::count_if(shares, [](auto const& one) { return one.inner + one.outer > 0; });
  std::ifstream in(settings_.report);
  std::string const shown{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(skel::test::count(shown, "class=\"cluster chosen\""), static_cast<std::size_t>(used));
}

TEST_F(MeshOnClusters, AHostThatLeavesHasNoElementsInTheEnd) {
  if (ranks_ == 1) return;
  connect(1e-6);
  expect_left();
  // A look comes too where the program pauses for checkpoints more often than for looks.
  write("");
  settings_.checkpoint = testing::TempDir() + "/mesh_left." + std::to_string(::getppid());
  settings_.checkpoint_period = 1e-9;
  expect_left();
  if (skel::grid grid; grid.rank() == 0) std::filesystem::remove_all(settings_.checkpoint);
}

void MeshOnClusters::expect_left() {
  skel::grid grid(settings_);
  auto const found = run(
      grid, [](walked const& of) { return of.announced && of.last != of.left; },
      [&](walked& of, std::size_t number) {
        if (number != 0) return 0.0;
        if (of.n == 100) {  // its own rank is to be left
          std::ofstream(settings_.announcements, std::ios::app) << says("leaves", of.left = of.last);
          of.announced = 1;
        }
        return 2e-3;
      });
  auto const left = found.values.front().left;
  EXPECT_FALSE(std::ranges::any_of(found.values, [&](walked const& c) { return c.last == left; }))
      << found.report.plan << found.report;
  EXPECT_TRUE(
      std::ranges::any_of(found.report.decisions.kept, [](auto const& of) { return of.moved() && !of.could_stay(); }));
}

TEST_F(MeshOnClusters, AHostThatComesIsTakenIn) {
  if (ranks_ == 1) return;
  connect(1e-6);
  std::string all;
  for (std::size_t r = 1; r < ranks_; ++r) all += says("leaves", r);
  write(all + says("leaves", ranks_));  // there is no such host
  settings_.report = page();
  skel::grid grid(settings_);
  auto const found = run(
      grid, [](walked const& of) { return of.last == 1; },
      [&](walked const& of, std::size_t number) {
        if (number == 0 && of.n == 20) std::ofstream(settings_.announcements, std::ios::app) << says("joins", 1);
        return 5e-5;
      });
  EXPECT_EQ(found.report.plan.elements_of[0], found.values.size());
  if (grid.rank() == 0) {
    std::ifstream in(settings_.report);
    EXPECT_THAT(std::string(std::istreambuf_iterator<char>(in), {}), HasSubstr("an announcement was refused: "));
  }
  EXPECT_FALSE(std::ranges::any_of(found.values, [](walked const& c) { return c.last > 1; }));
  EXPECT_TRUE(std::ranges::any_of(found.values, [](walked const& c) { return c.last == 1; }));
  EXPECT_TRUE(std::ranges::any_of(found.report.decisions.kept, [](auto const& of) {
    return of.moved() && of.taken_in == std::vector<std::string>{"c1"};
  }));
}

/// A folder of its own on rank 0, which removes it.
class MeshCheckpoints : public testing::Test {
 protected:
  MeshCheckpoints() {
    settings_.checkpoint = testing::TempDir() + "/mesh_checkpoints." + std::to_string(::getppid()) + "." +
                           testing::UnitTest::GetInstance()->current_test_info()->name();
    settings_.checkpoint_period = 1e-9;  // as often as can be
    clean();
  }
  ~MeshCheckpoints() override { clean(); }
  void clean() const {
    skel::grid grid;
    if (grid.rank() == 0) std::filesystem::remove_all(settings_.checkpoint);
    grid.ranks().broadcast("");
  }
  /// Rank 0 says what is in the folder.
  static std::size_t files(skel::grid& grid, std::string const& folder) {
    std::size_t count = 0;
    if (grid.rank() == 0 && std::filesystem::exists(folder))
      for (auto const& one : std::filesystem::directory_iterator(folder)) count += one.is_regular_file() ? 1U : 0U;
    return static_cast<std::size_t>(std::stoul(grid.ranks().broadcast(std::to_string(count))));
  }

  skel::run_settings settings_;
};

TEST_F(MeshCheckpoints, AProgramThatHasFailedGoesOnFromTheLastOne) {
  skel::grid grid(settings_);
  std::uint64_t first = 0, calls = 0;
  bool fails = true;
  auto const program = heat() | skel::output("fail", 1, [&](auto const& view) {
                         if (calls++ == 0) first = view.iteration;
                         if (fails && view.iteration == 9) throw std::runtime_error("planted");
                       });
  auto const expected = skel::runtime::iteration::run_sequential(heat());
  EXPECT_THROW(grid.run(program), skel::mesh_error);
  EXPECT_GT(files(grid, settings_.checkpoint), 0u);
  fails = false;
  first = calls = 0;
  auto const found = grid.run(program, [](cell const& c) { return c.u; });
  ASSERT_TRUE(found.report.resumed.has_value());
  EXPECT_GE(*found.report.resumed, 1u);
  EXPECT_LE(*found.report.resumed, 8u);
  if (found.report.plan.elements_of[static_cast<std::size_t>(grid.rank())] > 0) {
    EXPECT_EQ(first, *found.report.resumed + 1);
  }
  EXPECT_EQ(found.report.run.iterations, expected.iterations);
  EXPECT_GT(found.report.checkpoints.written, 0u);
  ASSERT_EQ(found.values.size(), expected.cells.size());
  for (std::size_t e = 0; e < found.values.size(); ++e) EXPECT_EQ(found.values[e], expected.cells[e].u) << e;
  EXPECT_EQ(files(grid, settings_.checkpoint + "/none"), 0u);
}

TEST_F(MeshCheckpoints, ThoseOfAnotherProgramAreRefused) {
  skel::grid grid(settings_);
  auto const failing = [](char const* name) {
    return skel::iterate(name, some_mesh(), totals(), [](mesh_element const&) { return cell(); }) |
           skel::phase("count",
                       [](cell& own) {
                         if (++own.u == 20) throw std::runtime_error("planted");
                       }) |
           skel::all_reduce(
               "sum", &totals::sum, [](cell const& of) { return of.u; }, std::plus<>()) |
           skel::times(30);
  };
  EXPECT_THROW(grid.run(failing("one")), skel::mesh_error);
  try {
    grid.run(failing("other"));
    ADD_FAILURE() << "the checkpoint of another program was taken";
  } catch (skel::mesh_error const&) {
    ADD_FAILURE() << "the checkpoint of another program was passed over";
  } catch (skel::error const& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("the program is 'one' there and 'other' here"));
  }
}

/// What a program that has failed after 20 iterations of 30 may have changed where it goes on.
template <std::size_t Numbers>
struct wide {
  double u[Numbers] = {};
};
template <std::size_t Numbers, class... More>
auto changed(std::uint64_t times, bool fails, More... more) {
  using of = wide<Numbers>;
  auto const counts = skel::iterate("same", some_mesh(), totals(), [](mesh_element const&) { return of(); }) |
                      skel::phase("count",
                                  [fails](of& own) {
                                    if (++own.u[0] == 20 && fails) throw std::runtime_error("planted");
                                  }) |
                      skel::all_reduce(
                          "sum", &totals::sum, [](of const& own) { return own.u[0]; }, std::plus<>());
  return (counts | ... | more) | skel::times(times);
}

TEST_F(MeshCheckpoints, AreOfTheSizesStepsAndIterationsOfTheirProgram) {
  skel::grid grid(settings_);
  auto const refusal = [&](auto const& program) -> std::string {
    try {
      grid.run(program);
      return "it ran";
    } catch (skel::error const& refused) {
      return refused.what();
    }
  };
  auto const more = [](char const* name) { return skel::phase(name, [](wide<1>&) {}); };
  auto const another = skel::update("all");
  EXPECT_THROW(grid.run(changed<1>(30, true, more("more"))), skel::mesh_error);
  EXPECT_THAT(refusal(changed<2>(30, false, skel::phase("more", [](wide<2>&) {}))),
              AllOf(HasSubstr("the size of a cell is 8 B there and 16 B here"), HasSubstr("keep_checkpoints")));
  EXPECT_THAT(refusal(changed<1>(30, false)), HasSubstr("the number of steps is 4 there and 3 here"));
  EXPECT_THAT(refusal(changed<1>(30, false, more("other"))),
              HasSubstr("step 3 is phase 'more' there and phase 'other' here"));
  EXPECT_THAT(refusal(changed<1>(30, false, another)), HasSubstr("step 3 is phase 'more' there and update 'all' here"));
  EXPECT_THAT(refusal(changed<1>(1, false, more("more"))),
              AllOf(HasSubstr("and the program makes 1 now (skel::times)"), HasSubstr("say more")));
  EXPECT_EQ(refusal(changed<1>(50, false, more("more"))), "it ran");
}

TEST_F(MeshCheckpoints, ThoseOfAMeshThatLiesElsewhereAreRefused) {
  skel::grid grid(settings_);
  auto const failing = [](double width) {
    skel::node_positions where{2, {0, 0, width, 0, 0, 1, width, 1}};
    skel::mesh two(4, skel::cell_kind::triangle, {0, 1, 2, 1, 3, 2}, std::move(where));
    return skel::iterate("areas", std::move(two), totals(), [](mesh_element const&) { return cell(); }) |
           skel::phase("count",
                       [](cell& own) {
                         if (++own.u == 20) throw std::runtime_error("planted");
                       }) |
           skel::all_reduce(
               "sum", &totals::sum, [](cell const& of) { return of.u; }, std::plus<>()) |
           skel::times(30);
  };
  EXPECT_THROW(grid.run(failing(1)), skel::mesh_error);
  try {
    grid.run(failing(2));
    ADD_FAILURE() << "the checkpoint of another mesh was taken";
  } catch (skel::mesh_error const&) {
    ADD_FAILURE() << "the checkpoint of another mesh was passed over";
  } catch (skel::error const& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("nodes and coordinates"));
  }
}

TEST_F(MeshCheckpoints, CellsThatCannotBeWrittenAreRefusedBeforeTheRun) {
  struct held {
    int const* one = nullptr;
    std::vector<std::unique_ptr<int>> more{};
  };
  skel::grid grid(settings_);
  try {
    grid.run(skel::iterate("held", some_mesh(), [](mesh_element const&) { return held(); }) | skel::times(1));
    ADD_FAILURE() << "checkpoints of what cannot be written";
  } catch (skel::error const& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("--skel-checkpoint: the cells of program 'held' cannot be written"));
  }
}

}  // namespace
