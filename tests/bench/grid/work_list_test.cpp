#include "grid/work_list.hpp"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grid/plan_json.hpp"

namespace {

using skel::plan::collective;
using skel::plan::collective_plan;
using skel::plan::grid_route;
using skel::plan::tree_shape;

collective_plan route() {
  grid_route it;
  it.how = grid_route::scheme::exchange;
  it.trees = {.clusters = {{0, 2}, {1}},
              .root = 2,
              .parent = {0, 0},
              .order = {1},
              .inside = {{tree_shape::k_nomial, 3}, {tree_shape::chain, 4}},
              .stripes = 2,
              .turns = skel::plan::relay_turns::without_root};
  it.segment = 8192;
  it.inside_window = {3, 1};
  it.root_window = 7;
  it.edge_window = {0, 700};
  it.ahead = 9;
  return {.operation = collective::allreduce, .route = it};
}

TEST(WorkList, ComesBackAsItWas) {
  bench::work_list work;
  work.collectives.push_back({.operation = collective::reduce, .bytes = 1ull << 40, .root = 5});
  work.collectives.push_back({.operation = collective::broadcast,
                              .bytes = 10,
                              .root = 0,
                              .plan = collective_plan{.algorithm = "pipeline", .segment = 8192, .radix = 7}});
  work.collectives.push_back({.operation = collective::allreduce, .bytes = 8, .root = 0, .plan = route()});
  work.messages.push_back({.from = 3, .to = 1, .bytes = 77});
  EXPECT_EQ(bench::parse_work_list(bench::to_json(work)), work);
}

TEST(WorkList, RefusesWhatIsNone) {
  EXPECT_THROW(bench::parse_work_list("{"), std::runtime_error);
  EXPECT_THROW(bench::parse_work_list("{\"messages\": []}"), std::runtime_error);
  EXPECT_THROW(
      bench::parse_work_list(R"({"collectives": [{"operation": "brodcast", "bytes": 1, "root": 0}], "messages": []})"),
      std::runtime_error);
}

TEST(PlanJson, NamesPlansForTables) {
  EXPECT_EQ(bench::name_of(collective_plan{.algorithm = "pipeline", .segment = 8192}), "pipeline/8192");
  EXPECT_EQ(bench::name_of(collective_plan{.algorithm = "flat"}), "flat");
  EXPECT_EQ(bench::name_of(route()), "exchange k_nomial+chain/8192 x2");
}

TEST(PlanJson, NamesWhatIsMeantByAWrongOperation) {
  try {
    bench::operation_of("brodcast");
    FAIL();
  } catch (std::runtime_error const& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("did you mean 'broadcast'?"));
  }
}

}  // namespace
