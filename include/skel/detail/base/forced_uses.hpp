#pragma once

#include <string_view>

namespace skel {

/// Notes that a program of this process asked for what the user has set: the forced choice of a decision problem
/// (run_settings::forced), or an option, as it is spelled. Any thread.
void note_forced_use(std::string_view problem);
/// Whether it was. Any thread. O(log problems).
bool was_force_used(std::string_view problem);

}  // namespace skel
