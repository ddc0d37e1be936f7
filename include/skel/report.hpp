#pragma once

/// Forecast and outcome of a run: reports and records.
#include <skel/detail/grid/report.hpp>
#include <skel/detail/record/run_record.hpp>
