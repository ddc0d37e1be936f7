#pragma once

#include <iosfwd>
#include <vector>

#include <skel/detail/record/bsp_record.hpp>

namespace skel {

/// What happened in a run of a BSP program. Printing it says how long it took, what ranks did, and who moved.
struct bsp_report {
  record::bsp_record run;
};

std::ostream& operator<<(std::ostream& out, bsp_report const& report);

/// The same, with what a function gave of each process, in their order.
template <class Value>
struct bsp_results {
  bsp_report report;
  std::vector<Value> values;
};

}  // namespace skel
