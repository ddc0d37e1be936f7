#include <string>

#include <gtest/gtest.h>

#include <skel/detail/plan/placement.hpp>
#include <skel/detail/plan/run_plan.hpp>
#include <skel/detail/record/bsp_record.hpp>
#include <skel/detail/record/move_record.hpp>
#include <skel/detail/record/run_record.hpp>
#include <skel/detail/runtime/archive.hpp>
#include <skel/detail/runtime/errors.hpp>
#include <skel/detail/runtime/line/checkpoint.hpp>
#include <skel/detail/runtime/line/move_states.hpp>
#include <skel/detail/runtime/pieces/program_failure.hpp>

#include "support/field_laws.hpp"

namespace {

namespace plan = skel::plan;
namespace record = skel::record;
namespace runtime = skel::runtime;

template <class T>
class FieldsBetweenRanks : public testing::Test {};

using all =
    testing::Types<plan::placement, plan::station_plan, plan::run_plan, record::span, record::station_record,
                   record::stage_move, record::remap_record, record::checkpoint_record, record::throughput_forecast,
                   record::station_progress, record::round_trip, record::rank_progress, record::move_way,
                   record::move_decision, record::move_history, record::migration_candidate, record::bsp_decisions,
                   runtime::dependency, runtime::failure, runtime::unmoved_state, runtime::program_failure>;
TYPED_TEST_SUITE(FieldsBetweenRanks, all);

TYPED_TEST(FieldsBetweenRanks, AreReadBackAsTheyWereWritten) {
  check_field_laws<TypeParam>([](auto const& value) { return runtime::to_bytes(value); },
                              [](std::string const& bytes) { return runtime::from_bytes<TypeParam>(bytes); });
}

}  // namespace
