#include <algorithm>
#include <cstddef>
#include <iostream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/near_name.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/cost/pepa/steady.hpp>
#include <skel/detail/platform/files.hpp>

#include "options.hpp"
#include "verbs.hpp"

namespace skel::tools {
namespace {

namespace pepa = skel::cost::pepa;

constexpr char const* pepa_footer =
    R"(--json gives {"states": n, "transitions": n, "throughput": {ACTION: 1/s}, "solver": NAME, "iterations": n,
"residual": r, "error": e, "warnings": [{"where", "text"}]}. With their options it also gives "population": {STATE: mean
number} and "utilisation": [{"component", "copies", "states": {STATE: mean number}}]. The residual is the part of the
probability flow that does not balance, ||pi Q||_1 / sum pi q. A result above 1e-12 is no answer (status 1). The error is
an estimate of the sum of the errors of all probabilities. A result above 1e-9 is no answer either.

Examples:
  skel pepa pipeline.pepa --throughput process1
  skel pepa pipeline.pepa --utilisation --set mu1=20
  skel place grid.json pipeline.json --print-pepa     the model of a placement

Solvers:
)";
using json = nlohmann::ordered_json;

struct pepa_options {
  std::string file;
  std::vector<std::string> throughput;
  std::vector<std::string> population;
  std::vector<std::string> set;
  std::string system;
  std::string solver = "auto";
  std::size_t sweeps = pepa::solve_options{}.max_iterations;
  double max_states = static_cast<double>(pepa::derive_options{}.max_states);
  bool all = false;
  bool utilisation = false;
  bool json = false;
};

/// "RATE=VALUE" of --set.
std::pair<std::string, double> assignment(std::string const& text) {
  std::size_t const equals = text.find('=');
  auto const value = equals == text.npos ? std::nullopt : number_in<double>(std::string_view(text).substr(equals + 1));
  if (equals == 0 || !value) refuse_option("--set", in_quotes(text) + " is not RATE=VALUE with a number for VALUE");
  return {text.substr(0, equals), *value};
}

pepa::model read_model(pepa_options const& options) {
  pepa::parse_options reading;
  reading.system = options.system;
  for (std::string const& text : options.set) reading.rates.push_back(assignment(text));
  return pepa::parse(text_of(options.file), source_of(options.file), reading);
}

json utilisation_of(pepa::steady_state const& steady) {
  json result = json::array();
  for (auto const& component : steady.utilisations()) {
    json states = json::object();
    for (auto const& state : component.states) states[state.name] = state.population;
    result.push_back({{"component", component.component}, {"copies", component.copies}, {"states", states}});
  }
  return result;
}

void print(pepa::steady_state const& steady, json const& answer, std::ostream& out) {
  out << fmt::format("{} states, {} transitions", steady.space().states(), steady.space().transitions());
  if (steady.transient() > 0) out << fmt::format(", {} states only at the start", steady.transient());
  out << fmt::format("; solved by {}", pepa::to_string(steady.used()));
  if (steady.iterations() > 0) out << fmt::format(" in {} iterations", steady.iterations());
  out << fmt::format(", residual {:.1e}, error about {:.1e}\n", steady.residual(), steady.error_estimate());
  std::size_t width = 0;
  for (auto const& [action, value] : answer["throughput"].items()) width = std::max(width, action.size());
  for (auto const& [action, value] : answer["throughput"].items())
    out << fmt::format("throughput {:{}}  {:.10g} /s\n", action, width, value.get<double>());
  if (answer.contains("population"))
    for (auto const& [state, value] : answer["population"].items())
      out << fmt::format("population {}  {:.10g}\n", state, value.get<double>());
  if (!answer.contains("utilisation")) return;
  for (auto const& component : answer["utilisation"]) {
    out << component["component"].get<std::string>();
    if (component["copies"].get<std::size_t>() > 1) out << fmt::format("[{}]", component["copies"].get<std::size_t>());
    out << '\n';
    for (auto const& [state, value] : component["states"].items())
      out << fmt::format("  {:12.8f}  {}\n", value.get<double>(), state);
  }
}

int run_pepa(pepa_options const& options, std::ostream& out) {
  pepa::solve_options solving;
  solving.method = static_cast<pepa::solver>(number_of("--solver", options.solver, pepa::solvers()));
  if (options.sweeps == 0) refuse_option("--sweeps", "must be at least 1");
  solving.max_iterations = options.sweeps;
  if (!(options.max_states >= 1 && options.max_states <= 4e9))
    refuse_option("--max-states", "must be a number of states from 1 to 4000000000");
  pepa::derive_options deriving;
  deriving.max_states = static_cast<std::size_t>(options.max_states);
  deriving.max_bytes = std::max(deriving.max_bytes, deriving.max_states * 400);

  pepa::model const model = read_model(options);
  auto actions = model.actions();
  actions.emplace_back("tau");
  for (std::string const& wanted : options.throughput)
    if (std::find(actions.begin(), actions.end(), wanted) == actions.end())
      refuse_option("--throughput",
                    in_quotes(wanted) + " is no action of " + model.source() + did_you_mean(wanted, actions));

  auto const steady = pepa::solve(pepa::derive(model, deriving), solving);
  json answer{{"states", steady.space().states()}, {"transitions", steady.space().transitions()}};
  answer["throughput"] = json::object();
  if (options.all || options.throughput.empty()) {
    // Each action comes once; looking for it among the others would take the square of their number.
    auto& all = answer["throughput"].get_ref<json::object_t&>();
    for (auto const& [action, value] : steady.throughputs()) all.emplace_back(action, value);
  }
  for (std::string const& action : options.throughput) answer["throughput"][action] = steady.throughput(action);
  for (std::string const& state : options.population) {
    try {
      answer["population"][state] = steady.population(state);
    } catch (error const& problem) {
      refuse_option("--population", problem.what());
    }
  }
  if (options.utilisation) answer["utilisation"] = utilisation_of(steady);
  answer["solver"] = pepa::to_string(steady.used());
  answer["iterations"] = steady.iterations();
  answer["residual"] = steady.residual();
  answer["error"] = steady.error_estimate();
  if (steady.transient() > 0) answer["transient_states"] = steady.transient();
  if (options.json) {
    answer["warnings"] = json::array();
    for (auto const& warning : model.warnings())
      answer["warnings"].push_back({{"where", to_string(warning.where)}, {"text", warning.text}});
    out << line_of(answer);
  } else {
    for (auto const& warning : model.warnings())
      complain(model.source() + ": " + to_string(warning.where) + ": warning: " + warning.text);
    print(steady, answer, out);
  }
  return done;
}

action add_pepa(CLI::App& app) {
  auto const options = std::make_shared<pepa_options>();
  app.add_option("MODEL", options->file, "PEPA model (docs/pepa.md describes the language); - reads standard input")
      ->required();
  app.add_option("--throughput", options->throughput, "Shows the throughput of this action; you may repeat it.")
      ->type_name("ACTION")
      ->take_all()
      ->expected(1);
  app.add_flag("--all", options->all, "Shows the throughput of every action (as without --throughput).");
  app.add_option("--population", options->population,
                 "Shows the mean number of components in this local state; you may repeat it.")
      ->type_name("STATE")
      ->take_all()
      ->expected(1);
  app.add_flag("--utilisation", options->utilisation,
               "Shows the local states in which every sequential component spends its time.");
  app.add_option("--set", options->set, "Gives a named rate another value; you may repeat it.")
      ->type_name("RATE=VALUE")
      ->take_all()
      ->expected(1);
  app.add_option("--system", options->system, "Takes this process as the system equation.")->type_name("PROCESS");
  app.add_option("--solver", options->solver, "Solves by this method.")->type_name("NAME")->capture_default_str();
  app.add_option("--sweeps", options->sweeps,
                 "Gives up after this number of sweeps, steps or cycles of an iterative solver.")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--max-states", options->max_states, "Gives up beyond this number of states.")
      ->type_name("N")
      ->capture_default_str();
  app.add_flag("--json", options->json, "Prints one JSON object on standard output.");
  app.footer(pepa_footer + pepa::solvers().help());
  return [options](std::ostream& out) { return run_pepa(*options, out); };
}
a_verb const added_pepa({"pepa", "Solves a PEPA model: throughputs, utilisation, populations.", add_pepa});

}  // namespace
}  // namespace skel::tools
