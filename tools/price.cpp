#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/cost/collective_price.hpp>
#include <skel/detail/plan/collective.hpp>
#include <skel/detail/platform/files.hpp>

#include "options.hpp"
#include "verbs.hpp"

namespace skel::tools {
namespace {

using nlohmann::ordered_json;

struct price_options {
  std::string platform, cluster, operation = "broadcast", algorithm, model = "plogp";
  std::optional<std::string> bytes, segment;
  double gamma = 0;
  long long radix = 4, ranks = 0;
  bool list = false, json = false;
};

int list(price_options const& options, std::ostream& out) {
  ordered_json answer{{"operations", ordered_json::object()}, {"models", cost::message_models().names()}};
  for (plan::collective const operation : plan::all_collectives) {
    ordered_json& entry = answer["operations"][std::string(name_of(operation))] = ordered_json::array();
    for (auto const& one : plan::collective_algorithms())
      if (one.operation == operation) entry.push_back({{"name", one.name}, {"segmented", one.segmented}});
  }
  if (options.json) {
    out << line_of(answer);
    return done;
  }
  for (auto const& [operation, entries] : answer["operations"].items()) {
    out << operation << "\n ";
    for (auto const& entry : entries)
      out << ' ' << entry["name"].get<std::string>() << (entry["segmented"].get<bool>() ? "*" : "");
    out << '\n';
  }
  out << "* cuts the vector into segments\n\nmodels\n" << cost::message_models().help();
  return done;
}

std::size_t find_cluster(platform::description const& machine, price_options const& options) {
  std::vector<std::string> names;
  for (platform::cluster const& c : machine.clusters()) names.push_back(c.name);
  if (options.cluster.empty()) {
    if (names.size() == 1) return 0;
    refuse_option("--cluster", fmt::format("is missing; one of {}", fmt::join(names, ", ")));
  }
  auto const found = machine.find_cluster(options.cluster);
  if (!found) refuse_name("--cluster", options.cluster, "cluster of " + options.platform, names);
  return *found;
}

int price(price_options const& options, std::ostream& out) {
  if (options.list) return list(options, out);
  if (options.platform.empty()) refuse_option("PLATFORM", "is missing; or ask for --list");
  auto const operation = static_cast<plan::collective>(number_of("--op", options.operation, plan::collectives()));
  if (options.algorithm.empty()) {
    std::vector<std::string_view> names;
    for (auto const& one : plan::collective_algorithms())
      if (one.operation == operation) names.push_back(one.name);
    refuse_option("--algorithm", "is missing; one of " + joined(names));
  }
  auto const& algorithm = value_of(
      "--algorithm", [&]() -> auto& { return algorithm_named(operation, options.algorithm); });
  auto const kind = static_cast<cost::model_kind>(number_of("--model", options.model, cost::message_models()));
  if (!options.bytes && operation != plan::collective::barrier)
    refuse_option("--bytes", "is missing; a whole number of bytes is wanted");
  gamma_of("--gamma", options.gamma);
  if (options.radix < 2) refuse_option("--radix", "is a whole number of children and parent, 2 or more");
  if (options.ranks < 0) refuse_option("--ranks", "is a number of ranks, 1 or more");

  platform::description const machine = read_platform(options.platform);
  std::size_t const cluster = find_cluster(machine, options);
  cost::sourced_model const model = cost::make_model(kind, machine, cluster, options.platform);
  plan::collective_problem problem{
      .ranks = options.ranks > 0 ? static_cast<std::size_t>(options.ranks) : machine.clusters()[cluster].hosts,
      .bytes = bytes_of("--bytes", options.bytes.value_or("0"), 0),
      .radix = static_cast<std::size_t>(options.radix)};
  require_usable(algorithm, problem, model.model, options.gamma);
  if (options.segment && !algorithm.segmented)
    refuse_option("--segment", fmt::format("'{}' does not cut the vector into segments", algorithm.name));
  problem.segment = options.segment ? bytes_of("--segment", *options.segment, 1)
                                    : cost::best_segment(algorithm, problem, model.model, options.gamma);
  double const predicted = cost::collective_price(algorithm, problem, model.model, options.gamma);
  if (options.json) {
    ordered_json answer{{"predicted", predicted}};
    if (algorithm.segmented) answer["segment"] = problem.segment;
    answer["parameters_from"] = model.from;
    out << line_of(answer);
    return done;
  }
  out << fmt::format("{:.6g} s  {} {} of {} bytes over {} of {}", predicted, algorithm.name, options.operation,
                     problem.bytes, counted(problem.ranks, "rank"), machine.clusters()[cluster].name);
  if (algorithm.segmented) out << fmt::format(", segments of {} bytes", problem.segment);
  out << fmt::format("\n{} with the parameters of {}\n", options.model, model.from);
  return done;
}

constexpr char const* price_footer =
    R"(The price is the predicted time from the start of all ranks until the last one has its result. It is the exact
recursion over the algorithm's messages. Bytes are those of the vector for broadcast, reduce and allreduce, of each
rank's part for scatter, gather and allgather, of each pair of ranks for alltoall.

The command reads parameters from the cluster's block of the model's name ("plogp": {"L", "g", "os", "or"}, ...).
Without such a block they follow from another block, or from latency and bandwidth (docs/formats.md).

--json gives {"predicted": seconds, "segment": bytes (of algorithms that cut the vector), "parameters_from": block}.

Examples:
  skel price --list
  skel price grid.json --cluster lyon --algorithm binomial --bytes 8192
  skel price grid.json --cluster lyon --op broadcast --algorithm pipeline --model loggp --bytes 524288 --json
  skel price grid.json --cluster lyon --algorithm pipeline --bytes 524288 --segment 8192)";

action add_price(CLI::App& app) {
  auto const options = std::make_shared<price_options>();
  app.add_option("PLATFORM", options->platform, "platform description (JSON, docs/formats.md)");
  app.add_option("--cluster", options->cluster, "Prices it on the hosts of this cluster.")->type_name("NAME");
  app.add_option("--op", options->operation, "Prices this collective (--list).")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--algorithm", options->algorithm, "Prices this algorithm (--list).")->type_name("NAME");
  app.add_option("--model", options->model, "Uses this model of a message (--list).")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--bytes", options->bytes, "Gives the size.")->type_name("BYTES");
  app.add_option("--segment", options->segment, "Gives the size of a segment (default: the one with the least price).")
      ->type_name("BYTES");
  app.add_option("--gamma", options->gamma, "Gives the time of a reduction's operator [s/B].")
      ->type_name("SECONDS")
      ->capture_default_str();
  app.add_option("--radix", options->radix, "Gives the radix of k-nomial trees.")
      ->type_name("K")
      ->capture_default_str();
  app.add_option("--ranks", options->ranks, "Lets N ranks take part (default: one per host of the cluster).")
      ->type_name("N");
  app.add_flag("--list", options->list, "Lists operations with their algorithms, and models.");
  app.add_flag("--json", options->json, "Prints one JSON object on standard output.");
  app.footer(price_footer);
  return [options](std::ostream& out) { return price(*options, out); };
}
a_verb const added_price({"price", "Predicts the time of a collective inside a cluster under a communication model.",
                          add_price});

}  // namespace
}  // namespace skel::tools
