#include <cmath>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <skel/detail/base/number.hpp>
#include <skel/detail/base/split.hpp>
#include <skel/detail/platform/announcements.hpp>

#include "options.hpp"
#include "verbs.hpp"

namespace skel::tools {
namespace {

using nlohmann::ordered_json;
using platform::announcement;
using kind = announcement::kind;

struct announce_options {
  std::string to;
  std::vector<std::string> words;
  std::string latency, bandwidth;
  bool json = false;
};

std::string host_named(std::string const& name) {
  if (auto const fault = fault_of_name(name)) refuse_option("HOST", *fault);
  if (name.empty()) refuse_option("HOST", "is empty; the name of a host or cluster is wanted");
  return name;
}

/// A finite number of this option, at least 0, and not 0 unless that is allowed.
double value_of(std::string const& option, std::string const& text, bool may_be_zero, char const* wanted) {
  auto const value = number_in<double>(text);
  if (!value || !std::isfinite(*value) || *value < 0 || (*value == 0 && !may_be_zero))
    refuse_option(option, "is " + in_quotes(text) + "; " + wanted);
  return *value;
}

announcement link_of(announce_options const& options) {
  announcement said{.says = kind::link, .host = host_named(options.words[1]), .to = host_named(options.words[2])};
  if (!options.latency.empty())
    said.latency = value_of("--latency", options.latency, true, "seconds, 0 or more, are wanted");
  if (!options.bandwidth.empty()) {
    said.bandwidth = size_of("--bandwidth", options.bandwidth);
    if (!(*said.bandwidth > 0) || !std::isfinite(*said.bandwidth))
      refuse_option("--bandwidth",
                    "is " + in_quotes(options.bandwidth) + "; bytes per second, more than 0, are wanted");
  }
  if (!said.latency && !said.bandwidth)
    refuse_option("link", "says nothing without --latency SECONDS, --bandwidth BYTES or both");
  return said;
}

announcement announcement_of(announce_options const& options) {
  auto const& words = options.words;
  bool const has_figures = !options.latency.empty() || !options.bandwidth.empty();
  if (words.size() == 3 && words[0] == "link" && (has_figures || words[1] != "speed")) return link_of(options);
  if (has_figures)
    refuse_option(options.latency.empty() ? "--bandwidth" : "--latency", "is of a link: link FROM TO is wanted");
  if (words.size() == 2 && words[1] == "leaves") return {.says = kind::leaves, .host = host_named(words[0])};
  if (words.size() == 2 && words[1] == "joins") return {.says = kind::joins, .host = host_named(words[0])};
  if (words.size() == 3 && words[1] == "speed")
    return {.says = kind::speed,
            .host = host_named(words[0]),
            .factor = value_of("speed", words[2], false, "a factor of what the platform says, more than 0, is wanted")};
  refuse_option("HOST", "is followed by no announcement: " + in_quotes(joined(words, " ")) +
                            "; HOST leaves, HOST joins, HOST speed FACTOR or link FROM TO is wanted");
}

int announce(announce_options const& options, std::ostream& out) {
  announcement const said = announcement_of(options);
  platform::announce(options.to, said);
  if (options.json)
    out << line_of({{"to", options.to}, {"announcement", ordered_json::parse(to_json(said))}});
  else
    out << "told " << shown_file(options.to) << ": " << in_words(said) << '\n';
  return done;
}

constexpr char const* announce_footer =
    R"(Announcements:
  HOST leaves          The host will go: work on it must move.
  HOST joins           The host is there (again).
  HOST speed FACTOR    The host has FACTOR times its speed in the platform; 1: as in the platform.
  link FROM TO         The path from one to the other has this --latency, --bandwidth, or both.

HOST is a host's own name, its name in the platform, or the name of a cluster or site. A cluster or site stands for all
its hosts, and a link from it to itself for the paths between them. If the program knows no such host or path, its
report says so.

PATH is the socket at which a program listens, or a file that it watches. The file has one line of JSON for each
announcement (docs/formats.md). Any other program may write it as well. A speed or a link holds until measurements
differ from it. A host that leaves is gone until it joins.

--json gives {"to", "announcement": the line that was sent}.

Examples:
  skel announce --to /run/user/1000/job7.sock n3 leaves
  skel announce --to job7.jsonl nancy speed 0.5
  skel announce --to job7.jsonl link lyon nancy --latency 0.05 --bandwidth 1M)";

action add_announce(CLI::App& app) {
  auto const options = std::make_shared<announce_options>();
  app.add_option("--to", options->to, "Sends to this socket or file of a program.")->required()->type_name("PATH");
  app.add_option("HOST", options->words, "HOST leaves, HOST joins, HOST speed FACTOR, or link FROM TO")
      ->required()
      ->type_name("");
  app.add_option("--latency", options->latency, "Gives the link this latency [s].")->type_name("SECONDS");
  app.add_option("--bandwidth", options->bandwidth, "Gives the link this bandwidth [B/s]; it may have a unit.")
      ->type_name("BYTES");
  app.add_flag("--json", options->json, "Prints one JSON object on standard output.");
  app.footer(announce_footer);
  return [options](std::ostream& out) { return announce(*options, out); };
}
a_verb const added_announce({"announce", "Tells a running program that hosts come, go or slow down.", add_announce});

}  // namespace
}  // namespace skel::tools
