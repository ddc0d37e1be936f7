#include <skel/detail/cost/pepa/space.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/base/contract.hpp>

#include "explorer.hpp"

namespace skel::cost::pepa {

std::size_t state_space::states() const {
  return graph_->graph.states();
}
std::size_t state_space::transitions() const {
  return graph_->action.size();
}
std::vector<std::string> const& state_space::actions() const {
  return graph_->tree->actions;
}
std::string const& state_space::source() const {
  return graph_->tree->source;
}

std::vector<transition> state_space::from(std::size_t state) const {
  SKEL_EXPECTS(state < states());
  chain const& graph = graph_->graph;
  std::vector<transition> result;
  for (std::size_t t = graph.first[state]; t < graph.first[state + 1]; ++t)
    result.push_back({graph.target[t], graph_->action[t], graph.rate[t]});
  return result;
}

std::string state_space::describe(std::size_t state) const {
  SKEL_EXPECTS(state < states());
  return graph_->explored.describe(graph_->tree->net.root, static_cast<std::uint32_t>(state));
}

state_space derive(model const& model, derive_options const& options) {
  auto graph = std::make_shared<detail::derivation>(model.share(), options.max_states, options.max_bytes);
  detail::syntax const& tree = *graph->tree;
  detail::explorer& explored = graph->explored;
  detail::index const root = tree.net.root;
  explored.initial(root);
  std::vector<detail::local_transition> out;
  for (std::uint32_t state = 0; state < explored.states(root); ++state) {
    explored.expand(root, state, out);
    if (out.empty())
      detail::fail(tree.source, tree.system_where,
                   "deadlock: nothing can happen in " + explored.describe(root, state) + " (state " +
                       std::to_string(state + 1) +
                       "); look for a cooperation in which one side never offers the action that the other waits for");
    for (detail::local_transition const& t : out) {
      if (t.passive)
        detail::fail(tree.source, explored.locate(root, state, t.action, true),
                     "the action " + in_quotes(tree.actions[t.action]) +
                         " is passive in every component that performs it in " + explored.describe(root, state) +
                         ", so its rate is unbounded; let it cooperate with a component that gives it a rate");
      graph->graph.target.push_back(t.target);
      graph->graph.rate.push_back(t.rate);
      graph->action.push_back(t.action);
    }
    graph->graph.first.push_back(graph->action.size());
  }
  explored.forget_transitions();
  return state_space(std::move(graph));
}

}  // namespace skel::cost::pepa
