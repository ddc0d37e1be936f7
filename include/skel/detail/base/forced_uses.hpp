#pragma once

#include <string_view>

namespace skel {

/// Notes that a program of this process has used a setting of the user: the forced choice of a decision problem
/// (run_settings::forced), or an option, as spelled. Any thread.
void note_forced_use(std::string_view problem);
/// True if it was used. Any thread. O(log problems).
bool was_force_used(std::string_view problem);

}  // namespace skel
