#pragma once

#include <string_view>

namespace skel {

/// Notes that the forced choice of a decision problem was asked for in this process (run_settings::forced). Any thread.
void note_forced_use(std::string_view problem);
/// Whether it was. Any thread. O(log problems).
bool was_force_used(std::string_view problem);

}  // namespace skel
