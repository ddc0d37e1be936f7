#include <skel/detail/cost/pepa/space.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/base/contract.hpp>

#include "explorer.hpp"

namespace skel::cost::pepa {

std::size_t state_space::states() const {
  return graph_->first.size() - 1;
}
std::size_t state_space::transitions() const {
  return graph_->transitions.size();
}
std::vector<std::string> const& state_space::actions() const {
  return graph_->tree->actions;
}
std::string const& state_space::source() const {
  return graph_->tree->source;
}

std::span<transition const> state_space::from(std::size_t state) const {
  SKEL_EXPECTS(state < states());
  std::size_t const first = graph_->first[state];
  return {graph_->transitions.data() + first, graph_->first[state + 1] - first};
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
      graph->transitions.push_back({t.target, t.action, t.rate});
    }
    graph->first.push_back(graph->transitions.size());
  }
  explored.forget_transitions();
  return state_space(std::move(graph));
}

}  // namespace skel::cost::pepa
