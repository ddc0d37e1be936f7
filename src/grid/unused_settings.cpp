#include "unused_settings.hpp"

#include <initializer_list>
#include <string_view>

#include <skel/detail/mapping/migration/policy.hpp>
#include <skel/detail/mapping/placement_choice.hpp>
#include <skel/detail/mapping/remap_choice.hpp>

#include "warn.hpp"

namespace skel {
namespace {

void warn_of_forced(run_settings const& settings, std::initializer_list<std::string_view> problems,
                    std::string const& why) {
  for (auto const problem : problems)
    if (settings.forced.contains(std::string(problem))) warn_once("--skel-force " + std::string(problem) + ": " + why);
}

}  // namespace

void warn_of_unused_by_bsp(run_settings const& settings, bool by_hand, std::string const& undecided) {
  if (settings.check_updates > 0) warn_once("--skel-check-updates: is of programs over a mesh, not of BSP programs");
  if (settings.live_page)
    warn_once("--skel-live-page: BSP programs run without a live page; --skel-progress and --skel-report show them");
  if (keeps_checkpoints(settings))
    warn_once(
        "--skel-checkpoint: BSP programs make no checkpoints; one that has died begins anew when it is started again");
  warn_of_forced(settings, {mapping::placement_choice::name, mapping::remap_choice::name},
                 "not for BSP programs; there are --skel-force migration=stay, --skel-migration and pin()");
  if (settings.migration && by_hand)
    warn_once("--skel-migration: not for this BSP program, which moves its processes itself (moved_by)");
  else if (settings.migration && !settings.remap)
    warn_once("--skel-migration: moves nothing, as --skel-remap is off");
  if (undecided.empty()) return;
  std::string const none = "the decider chooses moves only under policy '" +
                           std::string(mapping::migration::deciding_policy) + "', and " + undecided;
  if (!settings.decisions.empty()) warn_once("--skel-decisions: nothing of this BSP program is there; " + none);
  warn_of_forced(settings, {mapping::migration::problem_name}, "not for this BSP program; " + none);
}

void warn_of_unused_by_mesh(run_settings const& settings) {
  std::string const shown = "; --skel-progress and --skel-report show them";
  if (settings.live_page) warn_once("--skel-live-page: programs over a mesh run without a live page" + shown);
  if (!settings.trace.empty()) warn_once("--skel-trace: programs over a mesh make no trace" + shown);
  if (!settings.scenario.empty()) warn_once("--skel-scenario: is made of BSP programs, not of one over a mesh");
  if (settings.migration) warn_once("--skel-migration: is of BSP programs, not of one over a mesh");
}

void warn_of_unused_by_line(run_settings const& settings) {
  if (settings.check_updates > 0)
    warn_once("--skel-check-updates: is of programs over a mesh, not of a line of stages");
  if (!settings.scenario.empty()) warn_once("--skel-scenario: is made of BSP programs, not of a line of stages");
  if (settings.migration)
    warn_once("--skel-migration: is of BSP programs, not of a line of stages, which --skel-remap moves");
}

}  // namespace skel
