#include "unused_settings.hpp"

#include <initializer_list>
#include <string_view>

#include <skel/detail/base/forced_uses.hpp>
#include <skel/detail/mapping/migration/policy.hpp>
#include <skel/detail/mapping/move_decider.hpp>
#include <skel/detail/mapping/placement_choice.hpp>

#include "warn.hpp"

namespace skel {
namespace {

void warn_of_forced(run_settings const& settings, std::initializer_list<std::string_view> problems,
                    std::string const& why) {
  for (auto const problem : problems)
    if (settings.forced.contains(std::string(problem))) {
      warn_once("--skel-force " + std::string(problem) + ": " + why);
      note_forced_use(problem);  // more is not to be said
    }
}

/// Says that an option of BSP programs does nothing for this one, unless a BSP program of the process had it.
void warn_of_option_of_bsp(bool given, std::string const& option, std::string const& why) {
  if (given && !was_force_used(option)) warn_once(option + ": has no effect on " + why);
}

}  // namespace

void warn_of_unused_by_bsp(run_settings const& settings, bool by_hand, std::string const& undecided) {
  for (std::string_view const option : {"--skel-migration", "--skel-scenario"}) note_forced_use(option);
  if (settings.check_updates > 0)
    warn_once("--skel-check-updates: has no effect on BSP programs, only on programs over a mesh");
  if (keeps_checkpoints(settings))
    warn_once(
        "--skel-checkpoint: BSP programs make no checkpoints; one that has died begins anew when it is started again");
  warn_of_forced(settings, {mapping::placement_choice::name, mapping::remap_choice::name},
                 "has no effect on BSP programs; use --skel-force migration=stay, --skel-migration or pin()");
  if (settings.migration && by_hand)
    warn_once("--skel-migration: has no effect on this BSP program, because it moves its processes itself (moved_by)");
  else if (settings.migration && !settings.remap)
    warn_once("--skel-migration: has no effect, because --skel-remap is off");
  if (undecided.empty()) return;
  std::string const none = "the decider chooses moves only under policy '" +
                           std::string(mapping::migration::deciding_policy) + "', and " + undecided;
  if (!settings.decisions.empty()) warn_once("--skel-decisions: the file has nothing of this BSP program; " + none);
  warn_of_forced(settings, {mapping::of_bsp.problem}, "has no effect on this BSP program; " + none);
}

void warn_of_unused_by_mesh(run_settings const& settings) {
  if (!settings.trace.empty())
    warn_once("--skel-trace: programs over a mesh make no trace; --skel-progress and --skel-report show them");
  std::string const only = "programs over a mesh, only on BSP programs";
  warn_of_option_of_bsp(!settings.scenario.empty(), "--skel-scenario", only);
  warn_of_option_of_bsp(settings.migration.has_value(), "--skel-migration", only);
}

void warn_of_unused_by_line(run_settings const& settings) {
  if (settings.check_updates > 0)
    warn_once("--skel-check-updates: has no effect on pipelines, only on programs over a mesh");
  warn_of_option_of_bsp(!settings.scenario.empty(), "--skel-scenario", "pipelines, only on BSP programs");
  warn_of_option_of_bsp(settings.migration.has_value(), "--skel-migration",
                        "pipelines, only on BSP programs; --skel-remap moves pipelines");
}

}  // namespace skel
