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

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/near_name.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/base/size_text.hpp>
#include <skel/detail/base/standard_descriptors.hpp>
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
       {"FILE", "platform description (default: probed)",
        [](run_settings& s, std::string const& v) { s.platform = platform::read_description(v); }}},
      {"--skel-other-hosts",
       {"ACTION", "platform was measured on other hosts: measure anew (default), or refuse",
        [](run_settings& s, std::string const& v) {
          if (v != "measure" && v != "refuse")
            throw input_error("command line", "--skel-other-hosts", "'" + v + "' is neither 'measure' nor 'refuse'");
          s.if_other_hosts = v == "refuse" ? other_hosts::refuse : other_hosts::measure;
        }}},
      {"--skel-remap",
       {"on|off", "move stages while a run goes on, where that is expected to pay (default: on)",
        [](run_settings& s, std::string const& v) {
          if (v != "on" && v != "off")
            throw input_error("command line", "--skel-remap", in_quotes(v) + " is neither 'on' nor 'off'");
          s.remap = v == "on";
        }}},
      {"--skel-migration",
       {"POLICY[:ALPHA]",
        "move processes of BSP programs by never, rotate, migbsp, greedy_refine, diffusion or skel, unless they do it "
        "themselves",
        [](run_settings& s, std::string const& v) { s.migration = migration("--skel-migration", v); }}},
      {"--skel-announcements",
       {"PATH", "file or socket where others announce changes of hosts and paths ('skel announce')",
        [](run_settings& s, std::string const& v) { s.announcements = v; }}},
      {"--skel-capacity",
       {"K", "batches that may wait before each worker",
        [](run_settings& s, std::string const& v) { s.capacity = count("--skel-capacity", v, 0); }}},
      {"--skel-memory",
       {"BYTES", "bytes of items that may be under way, as 64M (default: as many as batches may wait)",
        [](run_settings& s, std::string const& v) { s.memory = bytes("--skel-memory", v); }}},
      {"--skel-latency",
       {"S", "longest wait of an item in a batch, in seconds",
        [](run_settings& s, std::string const& v) {
          s.batch_latency = number("--skel-latency", v, shortest_latency);
        }}},
      {"--skel-calibration",
       {"S", "how long the first items are measured, in seconds",
        [](run_settings& s, std::string const& v) { s.calibration_time = number("--skel-calibration", v, 0); }}},
      {"--skel-planning",
       {"S", "how long placements are searched, in seconds",
        [](run_settings& s, std::string const& v) { s.planning_time = number("--skel-planning", v, 0); }}},
      {"--skel-horizon",
       {"S", "how long the run is expected to take, which planning is weighed against",
        [](run_settings& s, std::string const& v) { s.horizon = number("--skel-horizon", v, 0); }}},
      {"--skel-patience",
       {"S", "how long a rank that an exception or a mistake takes out waits for the others, in seconds",
        [](run_settings& s, std::string const& v) { s.patience = number("--skel-patience", v, 0); }}},
      {"--skel-checkpoint",
       {"FOLDER", "keep checkpoints of the stream there, and go on from the last one when started again",
        [](run_settings& s, std::string const& v) { s.checkpoint = v; }}},
      {"--skel-checkpoint-period",
       {"S", "how often, in seconds (default: as takes a hundredth of the time, at most once a second)",
        [](run_settings& s, std::string const& v) { s.checkpoint_period = number("--skel-checkpoint-period", v, 0); }}},
      {"--skel-check-updates",
       {"ITERATIONS", "look for forgotten updates in the first iterations of programs over a mesh, before they run",
        [](run_settings& s, std::string const& v) { s.check_updates = count("--skel-check-updates", v, 1); }}},
      {"--skel-trace",
       {"FILE", "write a trace for chrome://tracing or ui.perfetto.dev; further runs: FILE-2, FILE-3",
        [](run_settings& s, std::string const& v) { s.trace = v; }}},
      {"--skel-report",
       {"FILE", "write a page to look at the run with, when it is over; further runs: FILE-2, FILE-3",
        [](run_settings& s, std::string const& v) { s.report = v; }}},
      {"--skel-scenario",
       {"FILE", "write what a BSP program did in each superstep, for 'skel bsp'; further runs: FILE-2, FILE-3",
        [](run_settings& s, std::string const& v) { s.scenario = v; }}},
      {"--skel-live",
       {nullptr, "lines on standard error while the run goes on, one for each stage",
        [](run_settings& s, std::string const&) { s.live = true; }}},
      {"--skel-live-page",
       {"PORT", "a page to look at while the run goes on, at http://127.0.0.1:PORT/ (0: any port)",
        [](run_settings& s, std::string const& v) { s.live_page = port("--skel-live-page", v); }}},
      {"--skel-decisions",
       {"FILE", "write every decision and what came of it, for 'skel decisions'",
        [](run_settings& s, std::string const& v) { s.decisions = v; }}},
      {"--skel-force",
       {"PROBLEM=CHOICE", "take this choice, whatever it is expected to take; may be given again",
        [](run_settings& s, std::string const& v) {
          auto const equals = v.find('=');
          if (equals == std::string::npos || equals == 0 || equals + 1 == v.size())
            throw input_error("command line", "--skel-force",
                              in_quotes(v) + " is not PROBLEM=CHOICE, such as exchange=sparse");
          s.forced[v.substr(0, equals)] = v.substr(equals + 1);
        }}},
      {"--skel-knowledge",
       {"FILE", "what was learnt on these hosts (default: in the user's cache), or off",
        [](run_settings& s, std::string const& v) { s.knowledge = v; }}},
      {"--skel-progress",
       {nullptr, "a line on standard error about once a second",
        [](run_settings& s, std::string const&) { s.progress = true; }}},
      {"--skel-ranks",
       {nullptr, "show the ranks, hosts and threads seen",
        [](run_settings& s, std::string const&) { s.show_ranks = true; }}},
      {"--skel-expect",
       {"N", "fail at once unless there are N ranks",
        [](run_settings& s, std::string const& v) { s.expected_ranks = count("--skel-expect", v, 1); }}},
  };
  return all;
}

void print_help() {
  std::puts("Options that every skel program takes:");
  for (auto const& [name, o] : options())
    std::puts(print("  %-28s %s", (name + (o.value ? " " + std::string(o.value) : "")).c_str(), o.help).c_str());
}

}  // namespace

run_settings settings_from_arguments(int& argc, char**& argv) {
  occupy_standard_descriptors();  // before a file is read
  run_settings settings;
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
                        "no such option" + (near ? "; did you mean '" + std::string(prefix) + *near + "'?" : "") +
                            "; --skel-help lists them");
    }
    if (found->second.value != nullptr && !has_value) {
      if (i + 1 >= argc) throw input_error("command line", name, std::string("needs a value: ") + found->second.value);
      value = argv[++i];
    }
    if (found->second.value != nullptr && value.empty())
      throw input_error("command line", name,
                        std::string("its value is empty, and ") + found->second.value +
                            " is wanted; leave the option out where nothing is");
    found->second.apply(settings, value);
  }
  argc = kept;
  argv[argc] = nullptr;
  return settings;
}

}  // namespace skel
