#include <skel/detail/cost/pepa/steady.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/near_name.hpp>
#include <skel/detail/base/shown.hpp>

#include "chain.hpp"
#include "explorer.hpp"

namespace skel::cost::pepa {
namespace {

/// The actions of some cycle of different states: an action that is on every cycle is among them.
std::vector<bool> actions_of_a_cycle(detail::derivation const& space, std::uint32_t start) {
  chain const& graph = space.graph;
  std::vector<bool> visited(graph.states(), false), found(space.tree->actions.size(), false);
  auto const leave = [&](std::uint32_t s) {
    std::size_t t = graph.first[s];
    while (graph.target[t] == s) ++t;
    return t;
  };
  std::uint32_t at = start;
  for (; !visited[at]; at = graph.target[leave(at)]) visited[at] = true;
  std::uint32_t const entry = at;
  do {
    std::size_t const step = leave(at);
    found[space.action[step]] = true;
    at = graph.target[step];
  } while (at != entry);
  return found;
}

/// An order of the given states in which every transition but those of one action leads forward. Empty if there is no
/// such action. A Gauss-Seidel sweep in it is one step of the chain embedded at that action, however stiff the rest.
/// The states are a closed class. O(transitions) per action.
std::vector<std::uint32_t> order_around_one_action(detail::derivation const& space,
                                                   std::vector<std::uint32_t> const& states) {
  chain const& graph = space.graph;
  std::vector<bool> const candidate = actions_of_a_cycle(space, states.front());
  std::vector<std::uint32_t> order, waiting(graph.states());
  for (std::uint32_t action = 0; action < candidate.size(); ++action) {
    if (!candidate[action]) continue;
    auto const visit = [&](std::uint32_t s, auto const& lead_on) {
      for (std::size_t t = graph.first[s]; t < graph.first[s + std::size_t{1}]; ++t)
        if (space.action[t] != action && graph.target[t] != s) lead_on(graph.target[t]);
    };
    std::fill(waiting.begin(), waiting.end(), 0);
    for (std::uint32_t const s : states) visit(s, [&](std::uint32_t to) { ++waiting[to]; });
    order.clear();
    for (std::uint32_t const s : states)
      if (waiting[s] == 0) order.push_back(s);
    for (std::size_t done = 0; done < order.size(); ++done)
      visit(order[done], [&](std::uint32_t to) {
        if (--waiting[to] == 0) order.push_back(to);
      });
    if (order.size() == states.size()) return order;
  }
  return {};
}

}  // namespace

steady_state solve(state_space const& space, solve_options const& options) {
  chain const& graph = space.graph().graph;
  auto const classes = closed_classes(graph);
  if (classes.size() > 1)
    detail::fail(space.source(), space.graph().tree->system_where,
                 "the model is not ergodic: it ends in one of " + std::to_string(classes.size()) +
                     " sets of states and never leaves it, for example that of " + space.describe(classes[0].front()) +
                     " or that of " + space.describe(classes[1].front()) +
                     "; its long run depends on chance, add activities that lead back");
  std::vector<std::uint32_t> const& recurrent = classes.front();
  std::vector<std::uint32_t> order;
  if (recurrent.size() > gth_limit && options.method != solver::gth)
    order = order_around_one_action(space.graph(), recurrent);
  if (order.empty()) order = detail::sweep_order(graph, recurrent.front());
  return steady_state(space, detail::stationary(graph, std::move(order), options), space.states() - recurrent.size());
}

steady_state::steady_state(state_space space, stationary_distribution distribution, std::size_t transient)
    : space_(std::move(space)), distribution_(std::move(distribution)), transient_(transient) {
  auto const& actions = space_.actions();
  std::vector<double> sum(actions.size(), 0.0);
  bool internal = false;
  auto const& [first, target, rate, order] = space_.graph().graph;
  for (std::size_t s = 0; s < space_.states(); ++s)
    for (std::size_t t = first[s]; t < first[s + 1]; ++t) {
      detail::index const action = space_.graph().action[t];
      sum[action] += distribution_.probability[s] * rate[t];
      internal = internal || action == detail::tau;
    }
  for (std::size_t a = 1; a < actions.size(); ++a) throughputs_.emplace_back(actions[a], sum[a]);
  if (internal) throughputs_.emplace_back(actions[detail::tau], sum[detail::tau]);
}

double steady_state::throughput(std::string_view action) const {
  for (auto const& [name, value] : throughputs_)
    if (name == action) return value;
  if (action == "tau") return 0;
  std::vector<std::string> names;
  for (auto const& [name, value] : throughputs_) names.push_back(name);
  throw error("the model has no action " + in_quotes(action) +
              (action.size() <= 64 ? did_you_mean(action, names) : std::string{}));
}

std::vector<utilisation> steady_state::utilisations() const {
  detail::syntax const& tree = *space_.graph().tree;
  detail::structure const& net = tree.net;
  detail::explorer const& explored = space_.graph().explored;
  constexpr std::size_t most_components = 100'000;

  std::vector<utilisation> result;
  struct place {
    detail::index component;
    double copies;
    std::vector<double> mean;  // per state: mean number of copies of the component in it
  };
  std::vector<place> todo{{net.root, 1, distribution_.probability}};
  while (!todo.empty()) {
    place const here = std::move(todo.back());
    todo.pop_back();
    detail::component const& c = net.components[here.component];
    if (c.kind == detail::component::sort::sequential) {
      if (result.size() == most_components)
        throw error("the model has more than " + std::to_string(most_components) +
                    " sequential components; ask for the population of a state instead");
      utilisation entry{
          detail::local_name(tree, net.locals[c.initial].node), static_cast<std::size_t>(here.copies), {}};
      for (detail::index const s : detail::derivatives(net, c.initial))
        entry.states.push_back(
            {detail::local_name(tree, net.locals[s].node), s < here.mean.size() ? here.mean[s] : 0.0});
      result.push_back(std::move(entry));
      continue;
    }
    std::vector<place> inner;
    for (detail::part const& p : c.parts) inner.push_back({p.component, here.copies * p.copies, {}});
    std::vector<detail::group> groups;
    for (std::uint32_t s = 0; s < here.mean.size(); ++s) {
      if (here.mean[s] == 0) continue;
      groups.clear();
      explored.parts(here.component, s, groups);
      std::size_t at = 0, left = c.parts.front().copies;
      for (detail::group const& g : groups) {
        if (left == 0) left = c.parts[++at].copies;
        left -= g.copies;
        std::vector<double>& mean = inner[at].mean;
        if (g.state >= mean.size()) mean.resize(g.state + std::size_t{1}, 0.0);
        mean[g.state] += here.mean[s] * g.copies;
      }
    }
    for (std::size_t i = inner.size(); i-- > 0;) todo.push_back(std::move(inner[i]));
  }
  return result;
}

double steady_state::population(std::string_view local_state) const {
  double sum = 0;
  bool found = false;
  for (utilisation const& component : utilisations())
    for (utilisation::local_state const& state : component.states)
      if (state.name == local_state) sum += state.population, found = true;
  if (found) return sum;
  detail::syntax const& tree = *space_.graph().tree;
  std::vector<std::string> names;
  for (detail::local_state const& state : tree.net.locals) {
    names.push_back(detail::local_name(tree, state.node));
    if (names.back() == local_state) return 0;
  }
  throw error("the model has no local state " + in_quotes(local_state) +
              (local_state.size() <= 64 ? did_you_mean(local_state, names) : std::string{}));
}

}  // namespace skel::cost::pepa
