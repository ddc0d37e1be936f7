#include "settings_arguments.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <skel/detail/base/descriptor.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/near_name.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/platform/files.hpp>

namespace skel {

namespace {

/// The communication thread looks after the source's batch twice per latency; a shorter one would keep it awake.
constexpr double shortest_latency = 1e-4;

constexpr std::string_view prefix = "--skel-";

struct option {
  char const* value;  // its name in the help; nullptr: a switch
  char const* help;
  std::function<void(run_settings&, std::string const&)> apply;
};

double number(std::string const& name, std::string const& text, double least) {
  auto const value = number_in<double>(text);
  if (!value || !std::isfinite(*value) || *value < least)
    throw input_error("command line", name, "'" + text + "' is not a number of at least " + shown(least));
  return *value;
}

std::size_t count(std::string const& name, std::string const& text, std::size_t least) {
  double const value = number(name, text, static_cast<double>(least));
  if (value != std::floor(value) || value > 1e6)
    throw input_error("command line", name, "'" + text + "' is not a whole number up to a million");
  return static_cast<std::size_t>(value);
}

std::uint16_t port(std::string const& name, std::string const& text) {
  double const value = number(name, text, 0);
  if (value != std::floor(value) || value > std::numeric_limits<std::uint16_t>::max())
    throw input_error("command line", name, in_quotes(text) + " is not a port: a whole number from 0 to 65535");
  return static_cast<std::uint16_t>(value);
}

std::size_t bytes(std::string const& name, std::string const& text) {
  auto const size = size_in(text);
  if (!size || !(*size >= 1) || !(*size < static_cast<double>(std::numeric_limits<std::size_t>::max())))
    throw input_error(
        "command line", name,
        in_quotes(text) + " is not a size of at least a byte, as 4096, 64k (or 64KiB), 64kB, 64M or 1.5G");
  return static_cast<std::size_t>(*size);
}

/// "migbsp", or "migbsp:8" with its first interval.
skeletons::migration_override migration(std::string const& name, std::string const& text) {
  skeletons::migration_override out;
  auto const colon = text.find(':');
  out.name = text.substr(0, colon);
  if (colon != std::string::npos) {
    auto const* const end = text.data() + text.size();
    auto const [rest, failed] = std::from_chars(text.data() + colon + 1, end, out.alpha.emplace());
    if (failed == std::errc::result_out_of_range && rest == end)
      throw input_error("command line", name,
                        "ALPHA of " + in_quotes(text) + " is more than the " + std::to_string(skeletons::most_alpha) +
                            " supersteps that are the most");
    if (failed != std::errc() || rest != end)
      throw input_error("command line", name,
                        "ALPHA of " + in_quotes(text) + " is no whole number of supersteps, as 8 in 'migbsp:8'");
  }
  try {
    skeletons::check(out.over({}));
  } catch (error const& e) {
    throw input_error("command line", name, e.what());
  }
  return out;
}

std::map<std::string, option> const& options() {
  static std::map<std::string, option> const all{
      {"--skel-platform",
       {"FILE", "Reads the platform from FILE (default: skel measures it).",
        [](run_settings& s, std::string const& v) { s.platform = platform::read_description(v); }}},
      {"--skel-other-hosts",
       {"ACTION",
        "If the platform file was measured on other hosts: measures anew (measure, default), or ends the program "
        "(refuse).",
        [](run_settings& s, std::string const& v) {
          if (v != "measure" && v != "refuse")
            throw input_error("command line", "--skel-other-hosts", "'" + v + "' is neither 'measure' nor 'refuse'");
          s.if_other_hosts = v == "refuse" ? other_hosts::refuse : other_hosts::measure;
        }}},
      {"--skel-remap",
       {"on|off", "Moves stages, processes and elements during a run if that is expected to pay (default: on).",
        [](run_settings& s, std::string const& v) {
          if (v != "on" && v != "off")
            throw input_error("command line", "--skel-remap", in_quotes(v) + " is neither 'on' nor 'off'");
          s.remap = v == "on";
        }}},
      {"--skel-migration",
       {"POLICY[:ALPHA]",
        "Moves processes of BSP programs by this policy: never, rotate, migbsp, greedy_refine, diffusion or skel. "
        "It has no effect on programs that move them by themselves.",
        [](run_settings& s, std::string const& v) { s.migration = migration("--skel-migration", v); }}},
      {"--skel-announcements",
       {"PATH", "Reads announcements of hosts and paths from this file or socket ('skel announce').",
        [](run_settings& s, std::string const& v) { s.announcements = v; }}},
      {"--skel-capacity",
       {"K", "Lets K batches wait before each worker (default: 2).",
        [](run_settings& s, std::string const& v) { s.capacity = count("--skel-capacity", v, 0); }}},
      {"--skel-memory",
       {"BYTES", "Limits the bytes of items under way, such as 64M (default: the batches that may wait).",
        [](run_settings& s, std::string const& v) { s.memory = bytes("--skel-memory", v); }}},
      {"--skel-latency",
       {"S", "Sends a batch after an item has waited S seconds in it (default: 0.001).",
        [](run_settings& s, std::string const& v) {
          s.batch_latency = number("--skel-latency", v, shortest_latency);
        }}},
      {"--skel-calibration",
       {"S", "Measures the first items for S seconds (default: 0.02, or up to 0.2 beside other programs).",
        [](run_settings& s, std::string const& v) { s.calibration_time = number("--skel-calibration", v, 0); }}},
      {"--skel-planning",
       {"S", "Searches placements for at most S seconds (default: 0.5).",
        [](run_settings& s, std::string const& v) { s.planning_time = number("--skel-planning", v, 0); }}},
      {"--skel-horizon",
       {"S", "Expects a run of S seconds, and weighs planning against it (default: 2).",
        [](run_settings& s, std::string const& v) { s.horizon = number("--skel-horizon", v, 0); }}},
      {"--skel-patience",
       {"S",
        "After an exception or a mistake, waits S seconds for the other ranks, then ends the run (default: 10). Hosts "
        "of "
        "other ranks may be silent as long, at least 2 s.",
        [](run_settings& s, std::string const& v) { s.patience = number("--skel-patience", v, 0); }}},
      {"--skel-checkpoint",
       {"FOLDER", "Keeps checkpoints of the stream in FOLDER, and goes on from the last one after a restart.",
        [](run_settings& s, std::string const& v) { s.checkpoint = v; }}},
      {"--skel-checkpoint-period",
       {"S", "Makes a checkpoint every S seconds (default: they take a hundredth of the time, at most one a second).",
        [](run_settings& s, std::string const& v) { s.checkpoint_period = number("--skel-checkpoint-period", v, 0); }}},
      {"--skel-check-updates",
       {"ITERATIONS", "Looks for forgotten updates in the first iterations of programs over a mesh, before they run.",
        [](run_settings& s, std::string const& v) { s.check_updates = count("--skel-check-updates", v, 1); }}},
      {"--skel-trace",
       {"FILE", "Writes a trace of each run to FILE (t.json, t-2.json, ...), for ui.perfetto.dev or chrome://tracing.",
        [](run_settings& s, std::string const& v) { s.trace = v; }}},
      {"--skel-report",
       {"FILE", "Writes the report of each run to FILE (r.html, r-2.html, ...), a page for the browser.",
        [](run_settings& s, std::string const& v) { s.report = v; }}},
      {"--skel-scenario",
       {"FILE",
        "Writes the work and messages of each superstep of a BSP program to FILE (s.json, s-2.json, ...), for 'skel "
        "bsp'.",
        [](run_settings& s, std::string const& v) { s.scenario = v; }}},
      {"--skel-live",
       {nullptr, "Prints a line for each stage on standard error during the run.",
        [](run_settings& s, std::string const&) { s.live = true; }}},
      {"--skel-live-page",
       {"PORT", "Shows a page during the run at http://127.0.0.1:PORT/ (0: any free port).",
        [](run_settings& s, std::string const& v) { s.live_page = port("--skel-live-page", v); }}},
      {"--skel-decisions",
       {"FILE", "Writes every decision and its outcome to FILE, for 'skel decisions'.",
        [](run_settings& s, std::string const& v) { s.decisions = v; }}},
      {"--skel-force",
       {"PROBLEM=CHOICE", "Takes this choice, whatever its price; you may repeat it.",
        [](run_settings& s, std::string const& v) {
          auto const equals = v.find('=');
          if (equals == std::string::npos || equals == 0 || equals + 1 == v.size())
            throw input_error("command line", "--skel-force",
                              in_quotes(v) + " is not PROBLEM=CHOICE, such as exchange=sparse");
          s.forced[v.substr(0, equals)] = v.substr(equals + 1);
        }}},
      {"--skel-knowledge",
       {"FILE", "Keeps learnt times of these hosts in FILE (default: in the user's cache), or none of them (off).",
        [](run_settings& s, std::string const& v) { s.knowledge = v; }}},
      {"--skel-progress",
       {nullptr, "Prints a line on standard error about once a second.",
        [](run_settings& s, std::string const&) { s.progress = true; }}},
      {"--skel-ranks",
       {nullptr, "Prints the ranks, hosts and threads that skel sees.",
        [](run_settings& s, std::string const&) { s.show_ranks = true; }}},
      {"--skel-expect",
       {"N", "Fails at once unless there are N ranks.",
        [](run_settings& s, std::string const& v) { s.expected_ranks = count("--skel-expect", v, 1); }}},
  };
  return all;
}

void print_help() {
  constexpr std::size_t width = 28;
  std::puts("Options that every skel program takes:");
  for (auto const& [name, o] : options()) {
    std::string call = name + (o.value ? " " + std::string(o.value) : "");
    if (call.size() > width) {  // its help begins in the next line
      std::puts(("  " + call).c_str());
      call.clear();
    }
    call.resize(width, ' ');
    std::puts(("  " + call + " " + o.help).c_str());
  }
}

}  // namespace

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
    auto const found = options().find(name);
    if (found == options().end()) {
      std::vector<std::string> names;  // what all begin with says nothing of what was meant
      for (auto const& entry : options()) names.push_back(entry.first.substr(prefix.size()));
      auto const near = near_name(name.substr(prefix.size()), names);
      throw input_error("command line", name,
                        "no such option; --skel-help lists them" +
                            (near ? "; did you mean '" + std::string(prefix) + *near + "'?" : ""));
    }
    if (found->second.value == nullptr && has_value)
      throw input_error("command line", name, "takes no value: give it without " + in_quotes("=" + value));
    if (found->second.value != nullptr && !has_value) {
      if (i + 1 >= argc) throw input_error("command line", name, std::string("needs a value: ") + found->second.value);
      value = argv[++i];
    }
    if (found->second.value != nullptr && value.empty())
      throw input_error(
          "command line", name,
          std::string("its value is empty; give it ") + found->second.value + ", or leave the option out");
    std::string const about = name == "--skel-force" ? name + " " + value.substr(0, value.find('=')) : name;
    if (auto const [before, is_first] = given.emplace(about, value); !is_first && before->second != value)
      throw input_error(
          "command line", name,
          "is given twice: " + in_quotes(before->second) + " and " + in_quotes(value) + "; leave one of them out");
    found->second.apply(settings, value);
  }
  argc = kept;
  if (argv != nullptr) argv[argc] = nullptr;
  return settings;
}

}  // namespace skel
