// The exception that a function of the program has thrown is nested in what run() throws on its rank, and every rank
// knows its type by name.
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <skel/bsp.hpp>
#include <skel/detail/runtime/bsp/sequential.hpp>
#include <skel/detail/runtime/iteration/sequential.hpp>
#include <skel/error.hpp>
#include <skel/iterate.hpp>
#include <skel/skel.hpp>

#include "support/count_to.hpp"

namespace shop {

struct out_of_stock : std::runtime_error {
  explicit out_of_stock(int wanted) : std::runtime_error("out of stock"), article(wanted) {}
  int article;
};

/// An item, a message, a total or a result that cannot cross ranks, or be put together again.
struct parcel {
  int value = 0;
  bool writes = true, reads = true;
  std::string text = "no plain type";

  template <class Archive>
  void save(Archive& archive) const {
    if (!writes) throw out_of_stock(42);
    archive(value, writes, reads, text);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(value, writes, reads, text);
    if (!reads) throw out_of_stock(42);
  }
};

}  // namespace shop

namespace {

using shop::out_of_stock;
using shop::parcel;
using skel::test::count_to;
using testing::HasSubstr;

constexpr char const* type = "shop::out_of_stock";

int size() {
  int all = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  return all;
}
int rank() {
  int mine = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &mine);
  return mine;
}

/// Calls a run, which throws an Error.
template <class Error, class Run>
void expect_original(std::string const& what, Run&& run) {
  SCOPED_TRACE(what);
  try {
    std::forward<Run>(run)();
    ADD_FAILURE() << "nothing was thrown";
  } catch (Error const& e) {
    EXPECT_EQ(e.cause_type(), type) << e.what();
    EXPECT_THAT(e.what(), HasSubstr("out of stock (shop::out_of_stock)"));
    EXPECT_NE(dynamic_cast<skel::function_error const*>(&e), nullptr);
    bool const here = e.rank() == rank();
    EXPECT_EQ(e.cause() != nullptr, here);
    try {
      std::rethrow_if_nested(e);
      EXPECT_FALSE(here) << "nothing is nested: " << e.what();
    } catch (out_of_stock const& original) {
      EXPECT_TRUE(here);
      EXPECT_EQ(original.article, 42);
    }
  }
}

/// Throws it for one number.
int sell(int x) {
  if (x == 7) throw out_of_stock(42);
  return x;
}

auto const drop = skel::sink([](int) {});

/// Stations between source and sink are on the last rank.
skel::run_settings planned(std::size_t stations) {
  skel::run_settings settings;
  settings.plan = skel::plan::run_plan{};
  for (std::size_t s = 0; s < stations + 2; ++s)
    settings.plan->stations.push_back({{s == 0 || s == stations + 1 ? 0 : size() - 1}, 1, {}});
  return settings;
}

template <class Program>
void expect_original_of(std::string const& what, std::size_t stations, Program program) {
  expect_original<skel::stage_error>(what, [&] {
    skel::grid grid(planned(stations));
    grid.run(program);
  });
}

TEST(OriginalException, OfAPipelineIsNestedWhereverItsFunctionRan) {
  auto const good = skel::stage("good", [](int x) { return x; });
  expect_original_of("source", 1, skel::source([i = 0]() mutable { return std::optional(sell(i++)); }) | good | drop);
  expect_original_of("stage", 1, count_to(100) | skel::stage("sell", sell) | drop);
  expect_original_of("farm", 1, count_to(100) | skel::farm("sell", sell) | drop);
  expect_original_of("filter", 1,
                     count_to(100) | skel::stage("sell", skel::filter([](int x) { return sell(x) > 0; })) | drop);
  expect_original_of("sink", 1, count_to(100) | good | skel::sink([](int x) { sell(x); }));
  expect_original_of("reduce", 2,
                     count_to(100) | good | skel::reduce("sum", [](int a, int b) { return a + sell(b); }) | drop);
  expect_original_of("reduce of a farm", 2,
                     count_to(100) | skel::farm("good", [](int x) { return x; }) |
                         skel::reduce("sum", skel::commutative([](int a, int b) { return sell(std::max(a, b)); })) |
                         drop);
  struct closes_badly {
    void operator()(int) {}
    void finish() { throw out_of_stock(42); }
  };
  expect_original_of("finish", 1, count_to(100) | good | skel::sink(closes_badly{}));
}

TEST(OriginalException, OfASerializerIsNested) {
  if (size() == 1) GTEST_SKIP() << "items do not cross ranks";
  for (bool const writes : {true, false}) {
    auto const wrap = [writes](int x) { return parcel{x, writes || x != 7, !writes || x != 7}; };
    expect_original_of(writes ? "read" : "write", 1,
                       count_to(100) | skel::stage("wrap", wrap) | skel::sink([](parcel const&) {}));
  }
}

TEST(OriginalException, OfAStageThatIsMeasuredIsNested) {
  expect_original<skel::stage_error>("measured", [] {
    skel::grid grid;
    grid.run(count_to(100) | skel::farm("sell", sell) | drop);
  });
}

TEST(OriginalException, ThatIsNoStdExceptionHasTheNameOfItsType) {
  auto const throws = [](auto value) {
    return [value](int x) {
      if (x == 7) throw value;
      return x;
    };
  };
  auto const run = [&](auto value, std::string const& name, std::string const& words) {
    try {
      skel::grid grid(planned(1));
      grid.run(count_to(100) | skel::stage("throw", throws(value)) | drop);
      ADD_FAILURE() << "nothing was thrown";
    } catch (skel::stage_error const& e) {
      EXPECT_EQ(e.cause_type(), name);
      EXPECT_THAT(e.what(), HasSubstr(words));
      bool nested = false;
      try {
        std::rethrow_if_nested(e);
      } catch (decltype(value) original) {  // not by reference: Clang 14 finds no pointer that was thrown again
        nested = original == value;
      }
      EXPECT_EQ(nested, e.rank() == rank());
    }
  };
  run(42, "int", "an exception that is not a std::exception (int)");
  run("sold", "char const*", "sold (char const*)");
}

TEST(OriginalException, OfABspProgramIsNested) {
  auto const fails = [](std::string const& what, auto const& make, auto const& step, auto const& result) {
    auto const app = skel::bsp<parcel, int>("shop", 20, make, step, [](int a, int b) { return a + sell(b); });
    expect_original<skel::process_error>(what, [&] {
      skel::grid grid;
      grid.run(app, result);
    });
  };
  using superstep = skel::superstep<parcel, int>;
  auto const zero = [](std::size_t) { return 0; };
  auto const halt = [](superstep& now, int&) { now.halt(); };
  auto const none = [](std::size_t, int&) { return parcel(); };
  fails(
      "make", [](std::size_t p) { return p == 19 ? sell(7) : 0; }, halt, none);
  fails(
      "step", zero, [](superstep& now, int&) { sell(now.process() == 19 ? 7 : 0), now.halt(); }, none);
  fails(
      "reduce", zero,
      [](superstep& now, int&) {
        if (now.number() == 1) return now.contribute(now.process() == 19 ? 7 : 1);
        now.halt();
      },
      none);
  fails("result", zero, halt, [](std::size_t p, int&) { return parcel{sell(p == 19 ? 7 : 0), true, true}; });
  if (size() == 1) return;
  fails("gather", zero, halt, [](std::size_t p, int&) { return parcel{0, true, p != 19}; });
  for (bool const writes : {true, false})
    fails(
        writes ? "read" : "write", zero,
        [writes](superstep& now, int&) {
          if (now.number() == 1 && now.process() == 0) now.send(19, parcel{0, writes, !writes});
          now.halt();
        },
        none);
}

TEST(OriginalException, OfTheSequentialEngineOfBspIsNested) {
  auto const app = skel::bsp<int>(
      "shop", 20, [](std::size_t) { return 0; },
      [](skel::superstep<int>& now, int&) { sell(now.process() == 19 ? 7 : 0), now.halt(); });
  try {
    std::uint64_t supersteps = 0;
    skel::runtime::bsp::run_sequential(app, supersteps);
    ADD_FAILURE() << "nothing was thrown";
  } catch (skel::process_error const& e) {
    EXPECT_THROW(std::rethrow_if_nested(e), out_of_stock);
  }
}

struct cell {
  int u = 0;
};
struct totals {
  int sum = 0;
};

/// A strip of triangles.
skel::mesh strip(skel::subscript count) {
  std::vector<skel::subscript> corners;
  for (skel::subscript t = 0; t < count; ++t) corners.insert(corners.end(), {t, t + 1, t + 2});
  return {count + 2ull, skel::cell_kind::triangle, std::move(corners)};
}

TEST(OriginalException, OfAProgramOverAMeshIsNested) {
  constexpr skel::subscript last = 199;
  auto const begin = [](std::string const& where) {
    return skel::iterate("shop", strip(last + 1), totals{}, [where](skel::mesh_element const& e) {
      return cell{where == "make" && e.number() == last ? sell(7) : 0};
    });
  };
  auto const program = [&](std::string const& where) {
    auto const at = [where](std::string const& here) { return where == here ? 7 : 0; };
    return begin(where) |
           skel::phase("phase",
                       [=](skel::element<cell> e) {
                         if (e.number() == last) e->u = sell(at("phase"));
                       }) |
           skel::update("u", &cell::u) |
           skel::all_reduce(
               "sum", &totals::sum, [=](cell const&) { return sell(at("reduce")); },
               [=](int a, int b) { return a + b + sell(at("combine")); }) |
           skel::on_totals("totals", [=](totals&) { sell(at("totals")); }) |
           skel::until(
               [=](totals const&, std::uint64_t n) { return n + static_cast<std::uint64_t>(sell(at("until"))) > 2; });
  };
  for (std::string const where : {"make", "phase", "reduce", "combine", "totals", "until"}) {
    expect_original<skel::mesh_error>(where, [&] {
      skel::grid grid;
      grid.run(program(where));
    });
    auto const alone = program(where);
    try {
      skel::runtime::iteration::run_sequential(alone);
      ADD_FAILURE() << "nothing was thrown";
    } catch (skel::mesh_error const& e) {
      EXPECT_THROW(std::rethrow_if_nested(e), out_of_stock) << where;
    }
  }
  expect_original<skel::mesh_error>("result", [&] {
    skel::grid grid;
    grid.run(program("nowhere"), [](cell const&) { return parcel{sell(7), true, true}; });
  });
  if (size() > 1)
    expect_original<skel::mesh_error>("gather", [&] {
      skel::grid grid;
      grid.run(program("nowhere"), [](cell const&) { return parcel{0, true, false}; });
    });
}

TEST(OriginalException, OfALoopOverRanksComesAsItselfAndItsTypeToTheOthers) {
  skel::grid grid;
  skel::irregular_reduction<> loop({.threads = 2});
  std::vector<double> x(10);
  int const thrower = size() - 1;
  auto const body = [&](std::size_t i, auto& to) {
    if (rank() == thrower) sell(static_cast<int>(i));
    to.add(i % 10, 1.0);
  };
  try {
    loop.run(grid, skel::own_share(20), std::span{x}, body);
    ADD_FAILURE() << "nothing was thrown";
  } catch (out_of_stock const& own) {
    EXPECT_EQ(rank(), thrower);
    EXPECT_EQ(own.article, 42);
  } catch (skel::error const& theirs) {
    EXPECT_NE(rank(), thrower);
    EXPECT_THAT(theirs.what(), HasSubstr("out of stock (shop::out_of_stock)"));
  }
}

}  // namespace
