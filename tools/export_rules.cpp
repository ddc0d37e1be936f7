#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <skel/detail/base/number.hpp>
#include <skel/detail/mapping/tuned.hpp>
#include <skel/detail/platform/files.hpp>
#include <skel/detail/platform/kept_files.hpp>

#include "options.hpp"
#include "verbs.hpp"

namespace skel::tools {
namespace {

using nlohmann::ordered_json;

struct rules_options {
  std::string platform, output;
  std::vector<std::int64_t> ranks;
  std::vector<std::string> sizes;
  double gamma = 0;
  bool every_operator = false, json = false;
};

ordered_json to_json(std::vector<mapping::tuned_collective> const& rules) {
  ordered_json collectives = ordered_json::array();
  for (auto const& of : rules) {
    ordered_json sizes = ordered_json::array();
    for (auto const& [ranks, choices] : of.sizes) {
      ordered_json entries = ordered_json::array();
      for (auto const& rule : choices)
        entries.push_back({{"bytes", rule.bytes},
                           {"algorithm", rule.name},
                           {"number", rule.algorithm},
                           {"segment", rule.segment},
                           {"predicted", rule.predicted}});
      sizes.push_back({{"ranks", ranks}, {"rules", std::move(entries)}});
    }
    collectives.push_back({{"operation", name_of(of.operation)}, {"number", of.number}, {"sizes", std::move(sizes)}});
  }
  return {{"collectives", std::move(collectives)}};
}

/// Some algorithms send to ranks twice as far in each round. Pricing takes time in proportion to ranks and rounds: some
/// 10 s for 5,000 hosts in two clusters, 20 s for twice as many (skel export-rules, two cores, 2026-11-22).
constexpr std::size_t most_ranks = 8192;

int export_rules(rules_options const& options, std::ostream& out) {
  mapping::tuned_request request{.gamma = options.gamma, .every_operator = options.every_operator};
  for (std::int64_t const ranks : options.ranks) {
    if (ranks < 2) refuse_option("--ranks", fmt::format("has {}; numbers of ranks are 2 or more", ranks));
    request.ranks.push_back(static_cast<std::size_t>(ranks));
  }
  for (std::string const& size : options.sizes) request.bytes.push_back(bytes_of("--sizes", size, 0));
  if (!std::isfinite(options.gamma) || options.gamma < 0)
    refuse_option("--gamma", "is a time per byte in seconds per byte, 0 or more");
  expect_not_read("-o", options.output, options.platform);
  platform::description const machine = read_platform(options.platform);
  for (std::size_t const ranks : request.ranks)
    if (ranks > machine.host_count())
      refuse_option("--ranks", fmt::format("has {}, and {} has {}; one rank runs on each", ranks, options.platform,
                                           counted(machine.host_count(), "host")));
  auto const asked = std::max_element(request.ranks.begin(), request.ranks.end());
  if (std::size_t const most = asked == request.ranks.end() ? machine.host_count() : *asked; most > most_ranks)
    refuse_option("--ranks",
                  fmt::format("would be up to {}; rules are made for up to {} ranks, since those for more take "
                              "minutes: say which, such as --ranks 64,1024,{}",
                              most, most_ranks, most_ranks));
  auto const rules = make_tuned_rules(machine, request, options.platform);
  auto const text = to_text(rules, options.platform);
  if (!options.output.empty()) platform::write_file(options.output, text);
  if (options.json) {
    ordered_json answer = to_json(rules);
    answer["file"] = options.output.empty() ? ordered_json() : ordered_json(options.output);
    out << line_of(answer);
  } else if (options.output.empty()) {
    out << text;
  } else {
    std::size_t count = 0;
    for (auto const& of : rules)
      for (auto const& size : of.sizes) count += size.rules.size();
    out << fmt::format(
        "{} rules for {} collectives written to {}\n"
        "mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename {} ...\n",
        count, rules.size(), shown_file(options.output), shown_file(options.output));
    if (!options.every_operator)
      out << "For programs whose own operators are all commutative; otherwise make them with --every-operator.\n";
  }
  return done;
}

constexpr char const* export_rules_footer =
    R"(Open MPI 4.1 chooses algorithms of collectives by communicator size and bytes alone. The rules name the fastest
algorithm of its component coll/tuned for each, as the models of the platform predict it, with its segment size. They
hold for one rank per host in the order of the file (mpirun --map-by node). Bytes are those of the vector for
broadcast, reduce and allreduce, of all parts together for scatter, gather and allgather, of one rank's parts together
for alltoall.

With rules, coll/tuned does not check that an operator is commutative. Without --every-operator, rules for reduce and
allreduce are right only for predefined operators and for commutative ones.

Example:
  skel export-rules grid.json -o rules.txt
  mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename $PWD/rules.txt ./program)";

action add_export_rules(CLI::App& app) {
  auto const options = std::make_shared<rules_options>();
  app.add_option("PLATFORM", options->platform, "platform description (JSON, docs/formats.md); - reads standard input")
      ->required();
  app.add_option("-o,--output", options->output, "Writes the rules to this file (default: standard output).");
  app.add_option("--ranks", options->ranks,
                 "Makes rules for these communicator sizes (default: 2, 4, 8, ... and the number of hosts).")
      ->type_name("LIST")
      ->delimiter(',');
  app.add_option("--sizes", options->sizes, "Lets a rule begin at these sizes (default: 256, 512, ... 16 MiB).")
      ->type_name("LIST")
      ->delimiter(',');
  app.add_option("--gamma", options->gamma, "Gives the time of a reduction's operator [s/B].")
      ->type_name("SECONDS")
      ->capture_default_str();
  app.add_flag("--every-operator", options->every_operator,
               "Uses only algorithms that are right for operators that are not commutative.");
  app.add_flag("--json", options->json, "Prints one JSON object on standard output.");
  app.footer(export_rules_footer);
  return [options](std::ostream& out) { return export_rules(*options, out); };
}
a_verb const added_export_rules({"export-rules",
                                 "Writes rules for Open MPI's own collectives from the models of a platform.",
                                 add_export_rules});

}  // namespace
}  // namespace skel::tools
