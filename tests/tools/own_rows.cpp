// Rows of a program's own: a verb, a policy, a format, a model and an algorithm, in one file that no other one names.
// own_rows_test.cpp finds them in the command that is linked from it.
#include <ostream>

#include <CLI/CLI.hpp>

#include <skel/detail/cost/communication/fit.hpp>
#include <skel/detail/formats/mesh_files.hpp>
#include <skel/detail/mapping/migration/policy.hpp>
#include <skel/detail/plan/collective.hpp>

#include "verbs.hpp"

namespace skel::tools {
namespace {

action add_greet(CLI::App&) {
  return [](std::ostream& out) {
    out << "good morning\n";
    return done;
  };
}
a_verb const added({"greet", "Greets.", add_greet});

struct stay_there final : mapping::migration::policy {
  stay_there(skeletons::migration_settings const&, cost::bsp::machine const&, std::vector<bool> const&) {}
  std::optional<record::rescheduling> after(record::superstep const&) override { return std::nullopt; }
};

marked_mesh read_two_nodes(std::string_view, std::string const&) {
  return {mesh(2, cell_kind::line, {0, 1}), {}};
}

cost::sourced_model make_constant(cost::parameter_place const&) {
  return {cost::hockney({.alpha = 2, .beta = 0}), "nothing"};
}

cost::fitted_block fit_constant(std::span<record::probe_sample const>, double) {
  return {};
}

plan::schedule make_chain(plan::collective_problem const& problem) {
  return plan::find_algorithm(plan::collective::broadcast, "chain")->make(problem);
}

bool const are_added = [] {
  add_policy(mapping::migration::row_of<stay_there>("stay_there"), "Stays there.");
  mesh_formats().add({"two", "Two nodes that are joined.", read_two_nodes});
  cost::message_models().add({"x_constant", "A message takes two seconds.", make_constant, {}, fit_constant});
  plan::collective_algorithms().push_back(
      {"own_chain", plan::collective::broadcast, false, plan::order::any, nullptr, make_chain});
  return true;
}();

}  // namespace
}  // namespace skel::tools
