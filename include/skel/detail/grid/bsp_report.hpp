#pragma once

#include <iosfwd>
#include <vector>

#include <skel/detail/record/bsp_record.hpp>

namespace skel {

/// The report of a run of a BSP program. Printing it shows its time, the work of each rank, and the migrations.
struct bsp_report {
  record::bsp_record run;
};

std::ostream& operator<<(std::ostream& out, bsp_report const& report);

/// The same, with the value of a function for each process, in their order.
template <class Value>
struct bsp_results {
  bsp_report report;
  std::vector<Value> values;
};

}  // namespace skel
