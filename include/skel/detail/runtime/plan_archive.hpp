#pragma once

#include <skel/detail/plan/run_plan.hpp>

/// How cereal writes plans that go from rank to rank.
namespace skel::plan {

template <class Archive>
void serialize(Archive& a, station_plan& p) {
  a(p.ranks, p.capacity, p.parents);
}

template <class Archive>
void serialize(Archive& a, run_plan& p) {
  a(p.stations, p.batch_latency, p.batch_bytes, p.direct_bytes, p.reorder_factor, p.most_bytes, p.part_pause);
}

}  // namespace skel::plan
