#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include <skel/bsp.hpp>

namespace bench {

/// A stream that checks itself: numbers, a stage that sums up what it has seen, a farm, another such stage, a file. Or
/// a BSP program whose processes move again and again, with a superstep for each thousand items.
struct restart_program {
  std::string out;               ///< file that it writes
  std::uint64_t items = 0;       ///< that the source gives
  std::uint64_t turns = 0;       ///< of spin() that the farm takes for each
  std::size_t state = 0;         ///< that the second stage keeps besides [B]
  std::uint64_t die_at = ~0U;    ///< the first life ends at this item, by SIGKILL in the farm; see die_once
  std::uint64_t throw_at = ~0U;  ///< item at which the farm throws
  std::atomic<std::int64_t>* begun = nullptr;  ///< set to when the farm has its first item [ns]
  bool is_bsp = false;
  std::string die_once;  ///< a file that is made then, so that the next life goes on; empty: each one dies
};

/// What the file has for item `index` when `sum` is that of all before and it.
std::string line_of(std::uint64_t index, std::uint64_t sum);

/// Runs it on a grid. The second: as a BSP program.
skel::run_report run(restart_program const& what, skel::grid& grid);
skel::bsp_report run_bsp(restart_program const& what, skel::grid& grid);

/// What the file has to be at the end, by a loop. Empty: it is; otherwise how it differs.
std::string difference_from_expected(restart_program const& what);

}  // namespace bench
