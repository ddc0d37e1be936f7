#include "settings_arguments.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <skel/detail/base/descriptor.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/forced_uses.hpp>
#include <skel/detail/base/near_name.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/mapping/migration/policy.hpp>
#include <skel/detail/mapping/move_decider.hpp>
#include <skel/detail/mapping/placement_choice.hpp>
#include <skel/detail/platform/files.hpp>

#include "warn.hpp"

namespace skel {

namespace {

/// The communication thread looks after the source's batch twice per latency; a shorter one would keep it awake.
constexpr double shortest_latency = 1e-4;

constexpr std::string_view prefix = "--skel-";

[[noreturn]] void refuse(std::string const& option, std::string reason) {
  throw input_error("command line", option, std::move(reason));
}

double number(std::string const& option, std::string const& text, double least) {
  auto const value = number_in<double>(text);
  if (!value || !std::isfinite(*value) || *value < least)
    refuse(option, "'" + text + "' is not a number of at least " + shown(least));
  return *value;
}

// The effect of an option: it reads the text of its value into a member of the settings.

template <auto Member>
void as_text(run_settings& to, std::string const&, std::string const& text) {
  to.*Member = text;
}

template <auto Member>
void as_switch(run_settings& to, std::string const&, std::string const&) {
  to.*Member = true;
}

template <auto Member>
void as_seconds(run_settings& to, std::string const& option, std::string const& text) {
  to.*Member = number(option, text, 0);
}

template <auto Member, std::size_t Least>
void as_count(run_settings& to, std::string const& option, std::string const& text) {
  double const value = number(option, text, static_cast<double>(Least));
  if (value != std::floor(value) || value > 1e6) refuse(option, "'" + text + "' is not a whole number up to a million");
  to.*Member = static_cast<std::size_t>(value);
}

void read_latency(run_settings& to, std::string const& option, std::string const& text) {
  to.batch_latency = number(option, text, shortest_latency);
}

void read_platform(run_settings& to, std::string const&, std::string const& file) {
  to.platform = platform::read_description(file);
}

void read_other_hosts(run_settings& to, std::string const& option, std::string const& text) {
  if (text != "measure" && text != "refuse") refuse(option, "'" + text + "' is neither 'measure' nor 'refuse'");
  to.if_other_hosts = text == "refuse" ? other_hosts::refuse : other_hosts::measure;
}

void read_remap(run_settings& to, std::string const& option, std::string const& text) {
  if (text != "on" && text != "off") refuse(option, in_quotes(text) + " is neither 'on' nor 'off'");
  to.remap = text == "on";
}

void read_port(run_settings& to, std::string const& option, std::string const& text) {
  double const value = number(option, text, 0);
  if (value != std::floor(value) || value > std::numeric_limits<std::uint16_t>::max())
    refuse(option, in_quotes(text) + " is not a port: a whole number from 0 to 65535");
  to.live_page = static_cast<std::uint16_t>(value);
}

void read_memory(run_settings& to, std::string const& option, std::string const& text) {
  auto const size = size_in(text);
  if (!size || !(*size >= 1) || !(*size < static_cast<double>(std::numeric_limits<std::size_t>::max())))
    refuse(option, in_quotes(text) + " is not a size of at least a byte, as 4096, 64k (or 64KiB), 64kB, 64M or 1.5G");
  to.memory = static_cast<std::size_t>(*size);
}

void read_forced(run_settings& to, std::string const& option, std::string const& text) {
  auto const equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    refuse(option, in_quotes(text) + " is not PROBLEM=CHOICE, such as exchange=sparse");
  to.forced[text.substr(0, equals)] = text.substr(equals + 1);
}

/// "migbsp", or "migbsp:8" with its first interval.
void read_migration(run_settings& to, std::string const& option, std::string const& text) {
  auto const colon = text.find(':');
  auto& made = to.migration.emplace(skeletons::migration_override{.name = text.substr(0, colon)});
  if (colon != std::string::npos) {
    auto const* const end = text.data() + text.size();
    auto const [rest, failed] = std::from_chars(text.data() + colon + 1, end, made.alpha.emplace());
    if (failed == std::errc::result_out_of_range && rest == end)
      refuse(option, "ALPHA of " + in_quotes(text) + " is more than the " + std::to_string(skeletons::most_alpha) +
                         " supersteps that are the most");
    if (failed != std::errc() || rest != end)
      refuse(option, "ALPHA of " + in_quotes(text) + " is no whole number of supersteps, as 8 in 'migbsp:8'");
  }
  try {
    skeletons::check(made.over({}));
  } catch (error const& e) {
    refuse(option, e.what());
  }
}

constexpr setting_row option_rows[] = {
    {"announcements", "PATH", "Reads announcements of hosts and paths from this file or socket ('skel announce').",
     as_text<&run_settings::announcements>},
    {"calibration", "S", "Measures the first items for S seconds (default: 0.02, or up to 0.2 beside other programs).",
     as_seconds<&run_settings::calibration_time>},
    {"capacity", "K", "Lets K batches wait before each worker (default: 2).", as_count<&run_settings::capacity, 0>},
    {"check-updates", "ITERATIONS",
     "Looks for forgotten updates in the first iterations of programs over a mesh, before they run.",
     as_count<&run_settings::check_updates, 1>},
    {"checkpoint", "FOLDER",
     "Keeps checkpoints of the program in FOLDER, and goes on from the last one after a restart.",
     as_text<&run_settings::checkpoint>},
    {"checkpoint-period", "S",
     "Makes a checkpoint every S seconds (default: they take a hundredth of the time, at most one a second).",
     as_seconds<&run_settings::checkpoint_period>},
    {"decisions", "FILE", "Writes every decision and its outcome to FILE, for 'skel decisions'.",
     as_text<&run_settings::decisions>},
    {"expect", "N", "Fails at once unless there are N ranks.", as_count<&run_settings::expected_ranks, 1>},
    {"force", "PROBLEM=CHOICE", "Takes this choice, whatever its price; you may repeat it.", read_forced},
    {"horizon", "S", "Expects a run of S seconds, and weighs planning against it (default: 2).",
     as_seconds<&run_settings::horizon>},
    {"knowledge", "FILE",
     "Keeps learnt times of these hosts in FILE (default: in the user's cache), or none of them (off).",
     as_text<&run_settings::knowledge>},
    {"latency", "S", "Sends a batch after an item has waited S seconds in it (default: 0.001).", read_latency},
    {"live", "", "Prints a line for each stage or rank on standard error during the run.",
     as_switch<&run_settings::live>},
    {"live-page", "PORT", "Shows a page during the run at http://127.0.0.1:PORT/ (0: any free port).", read_port},
    {"memory", "BYTES", "Limits the bytes of items under way, such as 64M (default: the batches that may wait).",
     read_memory},
    {"migration", "POLICY[:ALPHA]",
     "Moves processes of BSP programs by this policy. It has no effect on programs that move them by themselves.",
     read_migration},
    {"other-hosts", "ACTION",
     "If the platform file was measured on other hosts: measures anew (measure, default), or ends the program "
     "(refuse).",
     read_other_hosts},
    {"patience", "S",
     "After an exception or a mistake, waits S seconds for the other ranks, then ends the run (default: 10). Hosts of "
     "other ranks may be silent as long, at least 2 s.",
     as_seconds<&run_settings::patience>},
    {"planning", "S", "Searches placements for at most S seconds (default: 0.5).",
     as_seconds<&run_settings::planning_time>},
    {"platform", "FILE", "Reads the platform from FILE (default: skel measures it).", read_platform},
    {"progress", "", "Prints a line on standard error about once a second.", as_switch<&run_settings::progress>},
    {"ranks", "", "Prints the ranks, hosts and threads that skel sees.", as_switch<&run_settings::show_ranks>},
    {"remap", "on|off", "Moves stages, processes and elements during a run if that is expected to pay (default: on).",
     read_remap},
    {"report", "FILE", "Writes the report of each run to FILE (r.html, r-2.html, ...), a page for the browser.",
     as_text<&run_settings::report>},
    {"scenario", "FILE",
     "Writes the work and messages of each superstep of a BSP program to FILE (s.json, s-2.json, ...), for 'skel bsp'.",
     as_text<&run_settings::scenario>},
    {"trace", "FILE",
     "Writes a trace of each run to FILE (t.json, t-2.json, ...), for ui.perfetto.dev or chrome://tracing.",
     as_text<&run_settings::trace>},
};

void print_help() {
  constexpr std::size_t width = 28;
  std::puts("Options that every skel program takes:");
  for (setting_row const& row : settings_table()) {
    std::string call = std::string(prefix).append(row.name).append(row.value.empty() ? "" : " ").append(row.value);
    if (call.size() > width) {  // its help begins in the next line
      std::puts(("  " + call).c_str());
      call.clear();
    }
    call.resize(width, ' ');
    std::puts(("  " + call + " ").append(row.sentence).c_str());
  }
  std::fputs(("Policies of --skel-migration:\n" + skeletons::migration_policies().help()).c_str(), stdout);
}

}  // namespace

registry<setting_row>& settings_table() {
  static registry<setting_row> all("option", option_rows);
  return all;
}

run_settings settings_from_arguments(int& argc, char**& argv) {
  occupy_standard_descriptors();  // before a file is read
  run_settings settings;
  std::map<std::string, std::string> given;  // values
  int kept = 0;
  for (int i = 0; i < argc; ++i) {
    std::string name = argv[i];
    if (i == 0 || !name.starts_with(prefix)) {
      argv[kept++] = argv[i];
      continue;
    }
    if (name == "--skel-help") {
      print_help();
      std::exit(0);
    }
    std::string value;
    std::size_t const equals = name.find('=');
    bool const has_value = equals != std::string::npos;
    if (has_value) value = name.substr(equals + 1), name.resize(equals);
    std::string const short_name = name.substr(prefix.size());  // the common prefix says nothing of the intended one
    auto const found = settings_table().find(short_name);
    if (!found) {
      auto const near = near_name(short_name, settings_table().names());
      refuse(name, "no such option; --skel-help lists them" +
                       (near ? "; did you mean '" + std::string(prefix) + *near + "'?" : ""));
    }
    setting_row const& row = settings_table()[*found];
    bool const is_switch = row.value.empty();
    if (is_switch && has_value) refuse(name, "takes no value: give it without " + in_quotes("=" + value));
    if (!is_switch && !has_value) {
      if (i + 1 >= argc) refuse(name, std::string("needs a value: ").append(row.value));
      value = argv[++i];
    }
    if (!is_switch && value.empty())
      refuse(name, std::string("its value is empty; give it ").append(row.value) + ", or leave the option out");
    std::string const about = name == "--skel-force" ? name + " " + value.substr(0, value.find('=')) : name;
    if (auto const [before, is_first] = given.emplace(about, value); !is_first && before->second != value)
      refuse(name,
             "is given twice: " + in_quotes(before->second) + " and " + in_quotes(value) + "; leave one of them out");
    row.apply(settings, name, value);
  }
  argc = kept;
  if (argv != nullptr) argv[argc] = nullptr;
  return settings;
}

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
